//! Transcripts: what somebody copied out of an interpreter, with its prompts and answers.

use super::parse::layout;
use actum_model::{Layout, LayoutKind};

/// Only what was typed; the lines that the interpreter answered are blank. None where the text is no transcript: its
/// first line that says anything must begin with a prompt.
pub(super) fn without_prompts(text: &str) -> Option<(String, Layout)> {
    let is_blank = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let before = text.lines().take_while(is_blank).count();
    let first = text.lines().nth(before)?;
    let typed: fn(&str, bool) -> Option<&str> = match () {
        () if first.trim_start().starts_with(">>>") => typed_plain,
        () if typed_ipython(first, false).is_some() => typed_ipython,
        () => return None,
    };
    let mut goes_on = false;
    let lines = text.split('\n').enumerate().map(|(at, line)| {
        if at < before {
            return line;
        }
        let words = typed(line, goes_on);
        goes_on = words.is_some();
        words.unwrap_or("")
    });
    Some((lines.collect::<Vec<_>>().join("\n"), layout(LayoutKind::Prompts, before + 1)))
}

/// `>>> x` and, after one of those, `... y`.
fn typed_plain(line: &str, goes_on: bool) -> Option<&str> {
    let line = line.trim_start();
    let rest = match line.strip_prefix(">>>") {
        Some(rest) => rest,
        None if goes_on => line.strip_prefix("...")?,
        None => return None,
    };
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// `In [3]: x` and, after one of those, `   ...: y`.
fn typed_ipython(line: &str, goes_on: bool) -> Option<&str> {
    let line = line.trim_start();
    let rest = match line.strip_prefix("In [") {
        Some(rest) => rest
            .trim_start_matches(|digit: char| digit.is_ascii_digit() || digit == ' ')
            .strip_prefix("]:")?,
        None if goes_on => line.strip_prefix("...:")?,
        None => return None,
    };
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_kept_on_its_line() {
        let cases = [
            (">>> x = 1\n>>> x\n1\n", "x = 1\nx\n\n"),
            (">>> for i in x:\n...     f(i)\n...\n0\n... no\n", "for i in x:\n    f(i)\n\n\n\n"),
            ("# a\n>>> x", "# a\nx"),
            ("In [1]: x = 1\n\nIn [2]: x\nOut[2]: 1", "x = 1\n\nx\n"),
            ("In [12]: def f():\n    ...:     pass\n", "def f():\n    pass\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_prompts(text).unwrap().0, expected, "{text}");
        }
        for text in ["x = 1\n>>> y", "", "In the beginning"] {
            assert!(without_prompts(text).is_none(), "{text}");
        }
    }
}
