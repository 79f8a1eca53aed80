//! The labelled programs of an answer in Markdown.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// One fenced block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) label: String,
    pub(crate) code: String,
    /// First and last line of the code in the text, counted from 1.
    pub(crate) lines: [u64; 2],
}

/// The fenced blocks whose label names a language that we know, in order. Others are not code to run: output, data,
/// configuration, or nobody knows what.
pub(crate) fn blocks(text: &str, is_language: &dyn Fn(&str) -> bool) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "a document has many parts, and three are about code"
        )]
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(information))) => {
                let label = label(&information);
                open = is_language(&label).then(|| Block { label, code: String::new(), lines: [0, 0] });
            }
            Event::Text(piece) => {
                if let Some(block) = &mut open {
                    if block.code.is_empty() {
                        block.lines[0] = line(text, range.start);
                    }
                    block.code.push_str(&piece);
                    block.lines[1] = line(text, range.end.saturating_sub(1).max(range.start));
                }
            }
            Event::End(TagEnd::CodeBlock) => found.extend(open.take().filter(|block| !block.code.is_empty())),
            _ => {}
        }
    }
    found
}

/// The first word of the information string, without attributes: `python title="x"`, `{.python}`, `js,linenos`.
fn label(information: &str) -> String {
    let word = information.trim_start_matches(['{', '.']).split([' ', '\t', ',', '}', ';', ':', '=']).next();
    word.unwrap_or_default().to_ascii_lowercase()
}

fn line(text: &str, at: usize) -> u64 {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(String, String, [u64; 2])> {
        let known = |label: &str| ["python", "js"].contains(&label);
        blocks(text, &known).into_iter().map(|block| (block.label, block.code, block.lines)).collect()
    }

    #[test]
    fn labelled_blocks_in_order() {
        let text = "# Hi\n\n```python\nprint(1)\nprint(2)\n```\n\n~~~js title=\"x\"\n1\n~~~\n\n```text\nno\n```\n\n```\nno\n```\n\n    no\n";
        assert_eq!(
            found(text),
            [
                ("python".to_owned(), "print(1)\nprint(2)\n".to_owned(), [4, 5]),
                ("js".to_owned(), "1\n".to_owned(), [9, 9])
            ]
        );
    }

    #[test]
    fn fences_within_lists_and_longer_fences() {
        let text = "- a\n  ```python\n  if x:\n      y\n  ```\n\n````python\n'''\n```\n'''\n````\n\n``` {.python}\nz\n";
        let codes: Vec<String> = found(text).into_iter().map(|block| block.1).collect();
        assert_eq!(codes, ["if x:\n    y\n", "'''\n```\n'''\n", "z\n"]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([`~ a-z\n\t{}.>-]|python|```){0,200}") {
            for (_, _, lines) in found(&text) {
                prop_assert!(lines[0] <= lines[1] && lines[1] <= text.lines().count() as u64 + 1);
            }
        }
    }
}
