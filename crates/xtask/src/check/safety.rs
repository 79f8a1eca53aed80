//! Every unsafe block of the walls names the contract it meets.
//!
//! Clippy asks the same of what it compiles; this asks it of every file, whatever the target or features.

use super::rust_text;
use crate::finding::Finding;
use crate::tree::TextFile;

/// 8: long enough for an argument of a few lines, short enough that it is about this block.
const NEAR: usize = 8;

pub fn judge(file: &TextFile) -> Vec<Finding> {
    let lines: Vec<&str> = file.text.lines().collect();
    let code = rust_text::code_only(&file.text);
    let blocks = code.lines().enumerate().filter(|(_, line)| opens_block(line));
    blocks.filter(|(index, _)| !is_argued(&lines, *index)).map(|(index, _)| finding(file, index)).collect()
}

fn opens_block(line: &str) -> bool {
    rust_text::find_word(line, "unsafe")
        .is_some_and(|at| line[at + "unsafe".len()..].trim_start().starts_with('{'))
}

fn is_argued(lines: &[&str], index: usize) -> bool {
    lines[index.saturating_sub(NEAR)..=index].iter().any(|line| line.contains("// SAFETY:"))
}

fn finding(file: &TextFile, index: usize) -> Finding {
    let rule = format!("an unsafe block without `// SAFETY:` in the {NEAR} lines above it");
    Finding::at(&file.path, index + 1, rule, "state the contract and why it is met")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> usize {
        judge(&TextFile { path: "crates/actum-sandbox/src/sys.rs".to_owned(), text: text.to_owned() }).len()
    }

    #[test]
    fn argued_blocks_hold() {
        assert_eq!(findings("// SAFETY: no pointers.\nunsafe { f() }"), 0);
        assert_eq!(findings("// SAFETY: no pointers.\nlet a = unsafe { f() };"), 0);
        assert_eq!(findings("unsafe fn f() {}\n// unsafe { in a comment }"), 0);
    }

    #[test]
    fn others_are_found() {
        assert_eq!(findings("let a = unsafe { f() };"), 1);
        assert_eq!(findings(&format!("// SAFETY: far away.{}unsafe {{ f() }}", "\n".repeat(9))), 1);
    }
}
