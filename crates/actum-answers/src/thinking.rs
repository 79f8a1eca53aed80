//! What a model thought before it answered is not its answer.

use std::borrow::Cow;

const TAGS: [(&str, &str); 3] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")];

/// The text with what stands between `<think>` and `</think>` blanked, line for line. Only a tag that begins a line outside a
/// fence counts: programs speak of tags too.
pub(crate) fn without(text: &str) -> (Cow<'_, str>, Option<String>) {
    if !TAGS.iter().any(|(open, _)| text.contains(open)) {
        return (text.into(), None);
    }
    let mut kept = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    let mut hidden: Option<&str> = None;
    let mut was_hidden = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if hidden.is_none() && fence.is_none() {
            hidden = TAGS.iter().find(|(open, _)| bare.starts_with(open)).map(|(_, close)| *close);
            was_hidden |= hidden.is_some();
        }
        let Some(close) = hidden else {
            fence = after(fence, bare);
            kept.push_str(line);
            continue;
        };
        if let Some(at) = line.find(close) {
            hidden = None;
            kept.push_str(&line[at + close.len()..]);
        } else if line.ends_with('\n') {
            kept.push('\n');
        }
    }
    let note = match (was_hidden, hidden) {
        (false, _) => None,
        (true, None) => Some("the model's thinking before the answer is ignored"),
        (true, Some(_)) => Some("it ends within the model's thinking, which is ignored"),
    };
    (kept.into(), note.map(str::to_owned))
}

/// The fence that is open behind a line.
fn after<'t>(open: Option<&'t str>, line: &'t str) -> Option<&'t str> {
    let run = |mark: char| line.len() - line.trim_start_matches(mark).len();
    let length = run('`').max(run('~'));
    match open {
        None => (length >= 3).then(|| &line[..length]),
        Some(fence) if line.len() >= fence.len() && line.trim_start_matches(&fence[..1]).is_empty() => None,
        Some(fence) => Some(fence),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_blanked_and_lines_keep_their_numbers() {
        let cases = [
            ("<think>\na\n```python\n1\n```\n</think>\nb", "\n\n\n\n\n\nb"),
            ("a <think> b", "a <think> b"),
            ("```\n<think>\n```\n", "```\n<think>\n```\n"),
            ("<thinking>x</thinking>b\n", "b\n"),
            ("a\n<think>\nb", "a\n\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(without(text).0, expected, "{text}");
        }
        assert!(without("<think>").1.unwrap().contains("ends within"));
    }
}
