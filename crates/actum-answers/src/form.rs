//! The form of an answer: from its name where that tells, else from how it begins.

use actum_model::AnswerForm;

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint<'a> {
    /// A file of this name.
    File(&'a str),
    /// Nobody knows: from stdin, or from a field of something else.
    Nothing,
}

/// The form of a text.
pub(crate) fn of(text: &str, hint: Hint<'_>) -> AnswerForm {
    let name = match hint {
        Hint::File(name) => name.to_ascii_lowercase(),
        Hint::Nothing => String::new(),
    };
    let has = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    match () {
        () if has(&[".md", ".markdown", ".mdx", ".mkd"]) => AnswerForm::Markdown,
        () if has(&[".ipynb"]) => AnswerForm::Notebook,
        () if has(&[".jsonl", ".ndjson"]) => AnswerForm::Transcript,
        () if has(&[".html", ".htm", ".xhtml"]) => AnswerForm::Html,
        () if has(&[".txt", ".text"]) => marked(text),
        () => by_its_looks(text),
    }
}

fn by_its_looks(text: &str) -> AnswerForm {
    let begin = text.trim_start();
    let head = &begin[..begin.len().min(2_000).min(begin.floor_char_boundary(2_000))];
    if begin.starts_with(['{', '[']) && is_json(begin) {
        return if is_notebook(begin) { AnswerForm::Notebook } else { AnswerForm::Transcript };
    }
    let lower = head.to_ascii_lowercase();
    if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        return AnswerForm::Html;
    }
    marked(text)
}

/// Whether it begins as JSON does: `[x](y)` and `{{ x }}` do not.
fn is_json(begin: &str) -> bool {
    let second = begin[1..].trim_start().chars().next();
    match begin.as_bytes().first() {
        Some(b'{') => matches!(second, Some('"' | '}') | None),
        Some(_) | None => matches!(second, Some('{' | ']') | None),
    }
}

fn is_notebook(text: &str) -> bool {
    // Both words are in every notebook; the second stands at its end in those that Jupyter wrote.
    text.contains("\"cells\"") && (text.contains("\"cell_type\"") || text.contains("\"nbformat\""))
}

/// Plain text with a fence in it is Markdown, whatever it is called.
fn marked(text: &str) -> AnswerForm {
    let is_fence = |line: &str| {
        let line = line.trim_start_matches(['>', ' ', '\t', '-', '*']);
        line.starts_with("```") || line.starts_with("~~~")
    };
    let is_heading = |line: &str| line.starts_with("# ") || line.starts_with("## ");
    let is_page = text.contains("<pre");
    if text.lines().any(|line| is_fence(line) || is_heading(line)) || is_page {
        AnswerForm::Markdown
    } else {
        AnswerForm::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_looks() {
        use AnswerForm::{Html, Markdown, Notebook, Text, Transcript};
        for (name, text, expected) in [
            ("a.md", "{\"a\": 1}", Markdown),
            ("a.ipynb", "x", Notebook),
            ("a.txt", "plain words", Text),
            ("a.txt", "words\n\n```\nx\n```\n", Markdown),
            ("", "{\"cells\": [{\"cell_type\": \"code\"}]}", Notebook),
            ("", "{\"role\": \"assistant\"}\n", Transcript),
            ("", "[{\"role\": \"assistant\"}]", Transcript),
            ("", "[a link](x)", Text),
            ("", "<!DOCTYPE html><p>", Html),
            ("", "- a\n  ```py\n", Markdown),
            ("", "{{ template }}", Text),
            ("é", "é", Text),
        ] {
            assert_eq!(of(text, Hint::File(name)), expected, "{name}: {text}");
        }
    }
}
