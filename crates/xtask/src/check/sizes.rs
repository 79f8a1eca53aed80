//! How large crates are, how long functions and how wide signatures. Tests are left out: their tables may be long.

use super::rust_text;
use crate::finding::Finding;
use crate::say;
use crate::tree::TextFile;
use std::collections::BTreeMap;

/// The most lines of a product crate, without tests: what one person can know.
const MOST_LINES: usize = 17_000;

/// Crates with a bound of their own.
const SMALLER: &[(&str, usize)] = &[("actum-claims", 7_000)];

/// The most values of a tuple in a signature. More are a struct, whose fields have names.
const MOST_VALUES: usize = 3;

/// The most lines of a function, from its name to its end. 80 once three functions of actum-claims are split: `grammar/tools.rs`,
/// `grammar/tests_run.rs` and `judge/tests_run.rs` have up to 85.
const MOST_FUNCTION_LINES: usize = 80;

/// Prints the size of each crate, and gives those that are too large.
pub fn judge_crates<'a>(files: impl Iterator<Item = &'a TextFile>) -> Vec<Finding> {
    let sizes = crate_sizes(files);
    for (name, lines) in &sizes {
        say::line(&format!("  {lines:>6}  {name}"));
    }
    let too_large = sizes.into_iter().filter(|(name, lines)| *lines > bound(name));
    too_large
        .map(|(name, lines)| {
            let rule = format!("{lines} lines without tests; the maximum is {}", bound(&name));
            Finding::new(&name, rule, "move a part with its own purpose into another crate")
        })
        .collect()
}

fn bound(name: &str) -> usize {
    SMALLER.iter().find(|(other, _)| *other == name).map_or(MOST_LINES, |(_, most)| *most)
}

fn crate_sizes<'a>(files: impl Iterator<Item = &'a TextFile>) -> BTreeMap<String, usize> {
    let mut sizes = BTreeMap::new();
    for file in files {
        let Some((name, path)) = source_of_crate(&file.path) else { continue };
        if is_of_tests(path) {
            continue;
        }
        *sizes.entry(name.to_owned()).or_default() += rust_text::production_lines(&file.text).count();
    }
    sizes
}

/// The crate that a source file belongs to, and its path below `src`.
fn source_of_crate(path: &str) -> Option<(&str, &str)> {
    let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    rest.strip_prefix("src").map(|rest| (name, rest))
}

fn is_of_tests(path: &str) -> bool {
    path.ends_with("tests.rs") || path.contains("/tests/")
}

/// Functions that are too long. The tree is formatted, so a function ends where a line has its indentation again.
pub fn judge_functions(file: &TextFile) -> Vec<Finding> {
    if is_of_tests(&file.path) {
        return Vec::new();
    }
    let code = rust_text::code_only(&file.text);
    let lines: Vec<(usize, &str)> = rust_text::production_lines(&code).collect();
    let mut findings = Vec::new();
    for (index, (number, line)) in lines.iter().enumerate() {
        if rust_text::find_word(line, "fn").is_none() {
            continue;
        }
        let indentation = &line[..line.len() - line.trim_start().len()];
        let is_end = |line: &str| {
            line.strip_prefix(indentation)
                .is_some_and(|rest| rest == "}" || rest.ends_with(';') && !rest.starts_with(' '))
        };
        let length =
            lines[index..].iter().position(|(_, line)| is_end(line.trim_end())).map_or(1, |end| end + 1);
        if length > MOST_FUNCTION_LINES {
            let rule = format!("a function of {length} lines; the maximum is {MOST_FUNCTION_LINES}");
            findings.push(Finding::at(&file.path, *number, rule, "split it into named functions"));
        }
    }
    findings
}

/// Signatures with a tuple of too many values.
pub fn judge_signatures(file: &TextFile) -> Vec<Finding> {
    if is_of_tests(&file.path) {
        return Vec::new();
    }
    let code = rust_text::code_only(&file.text);
    let lines: Vec<(usize, &str)> = rust_text::production_lines(&code).collect();
    let mut findings = Vec::new();
    for (index, (number, line)) in lines.iter().enumerate() {
        if rust_text::find_word(line, "fn").is_none() {
            continue;
        }
        let text: Vec<&str> = lines[index..].iter().map(|(_, line)| *line).collect();
        let values = widest_tuple(signature(&text.join("\n")));
        if values > MOST_VALUES {
            let rule = format!("a tuple of {values} values in a signature; the maximum is {MOST_VALUES}");
            findings.push(Finding::at(&file.path, *number, rule, "use a struct with named fields"));
        }
    }
    findings
}

/// From `fn` to the body, or to the end of a declaration.
fn signature(text: &str) -> &str {
    let start = rust_text::find_word(text, "fn").unwrap_or_default();
    let text = &text[start..];
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '{' | ';' if depth == 0 => return &text[..at],
            _ => {}
        }
    }
    text
}

/// The most values between parentheses that are a tuple type: not those of the parameters, nor of `Fn(..)` and tuple structs.
fn widest_tuple(signature: &str) -> usize {
    let mut widest = 0;
    for (at, _) in signature.match_indices('(') {
        let before = signature[..at].trim_end().chars().next_back();
        if before.is_some_and(|character| character.is_alphanumeric() || character == '_' || character == '>')
        {
            // `-> (A, B)` is a tuple, `name<T>(` are the parameters.
            if !signature[..at].trim_end().ends_with("->") {
                continue;
            }
        }
        if is_type(&signature[..at]) {
            widest = widest.max(values(&signature[at + 1..]));
        }
    }
    widest
}

/// Whether what follows is a type: patterns come before their colon.
fn is_type(before: &str) -> bool {
    matches!(before.trim_end().chars().next_back(), Some(':' | '>' | '<' | '&' | ',' | '(' | '[' | 't'))
}

/// How many values there are up to the closing parenthesis.
fn values(text: &str) -> usize {
    let (mut depth, mut count, mut is_empty) = (0_usize, 0, true);
    for character in text.chars() {
        match character {
            ')' if depth == 0 => return if is_empty { count } else { count + 1 },
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                count += 1;
                is_empty = true;
                continue;
            }
            _ => {}
        }
        is_empty &= character.is_whitespace();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn wide_tuples_are_found_wherever_they_are() {
        for text in [
            "fn f() -> (A, B, C, D) {}",
            "fn f(\n    (a, b, c, d): (A, Option<B>, [u8; 4], D),\n) {}",
            "pub fn f<T>(x: &(A, B, C, D,)) -> T {}",
            "fn f() -> Option<(A, B, C, (D, E), F)>;",
            "fn f(x: impl Fn((A, B, C, D)) -> E) {}",
        ] {
            assert_eq!(judge_signatures(&file("a.rs", text)).len(), 1, "{text}");
        }
    }

    #[test]
    fn parameters_and_narrow_tuples_are_not() {
        for text in [
            "fn f(a: A, b: B, c: C, d: D, e: E) -> (A, B, C) {}",
            "fn f((a, b, c): (A, B, C)) { let x = (1, 2, 3, 4); }",
            "fn f(x: impl Fn(A, B, C, D) -> E) {}",
            "let x = (1, 2, 3, 4);",
        ] {
            assert_eq!(judge_signatures(&file("a.rs", text)), Vec::new(), "{text}");
        }
    }

    #[test]
    fn long_functions_are_found_outside_of_tests() {
        let function = |lines: usize, indentation: &str| {
            format!(
                "{indentation}fn f() {{\n{}{indentation}}}\n",
                format!("{indentation}    a();\n").repeat(lines - 2)
            )
        };
        let long = file(
            "a.rs",
            &format!("{}{}", function(MOST_FUNCTION_LINES, ""), function(MOST_FUNCTION_LINES + 1, "    ")),
        );
        let found = judge_functions(&long);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].rule.starts_with("a function of 81 lines"), "{found:?}");
        assert_eq!(judge_functions(&file("src/tests.rs", &function(100, ""))), Vec::new());
        assert_eq!(judge_functions(&file("a.rs", "type A = fn(B) -> C;\nfn f() {}\n")), Vec::new());
    }

    #[test]
    fn a_crate_that_grew_too_large_is_found() {
        let lines = |count: usize| "let a = 1;\n".repeat(count);
        let tree = [
            file("crates/actum-claims/src/lib.rs", &lines(7_000)),
            file("crates/actum-claims/src/tests.rs", &lines(10)),
            file("crates/actum-run/src/lib.rs", &lines(16_999)),
            file(
                "crates/actum-run/src/more.rs",
                &format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", lines(2), lines(9)),
            ),
            file("crates/actum-run/tests/it/main.rs", &lines(10)),
        ];
        let found = judge_crates(tree.iter());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].rule.starts_with("17001 lines"), "{found:?}");
    }
}
