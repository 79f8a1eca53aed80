//! What a row is about: captures of its pattern, neutral and bounded, and the sentence that they go into.

use crate::analyse::{NAME, shown};
use regex::bytes::Captures;

/// The groups that took part, in their order.
pub(super) fn captured(captures: &Captures<'_>) -> Vec<String> {
    let groups = captures.iter().skip(1).flatten();
    groups.map(|group| shown(&String::from_utf8_lossy(group.as_bytes()), NAME)).collect()
}

/// Fills `{1}` and `{1|words}` with the subjects.
pub(super) fn sentence(cause: &str, subject: &[String]) -> String {
    let mut out = String::new();
    let mut rest = cause;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((hole, behind)) = after.split_once('}') else { break };
        let (number, words) = hole.split_once('|').unwrap_or((hole, "something"));
        let filled = number.parse::<usize>().ok().and_then(|number| subject.get(number.wrapping_sub(1)));
        out.push_str(filled.map(String::as_str).filter(|text| !text.is_empty()).unwrap_or(words));
        rest = behind;
    }
    out.push_str(rest);
    // A message brings its own end.
    for (twice, once) in [("?.", "?"), ("!.", "!"), ("..", ".")] {
        if let Some(before) = out.strip_suffix(twice) {
            out = format!("{before}{once}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_or_worded() {
        let subject = ["numpy".to_owned(), String::new()];
        for (cause, said) in [
            ("{1} is gone.", "numpy is gone."),
            ("{2|a name} of {1}.", "a name of numpy."),
            ("{3} {x} {0|none}", "something something none"),
            ("plain", "plain"),
            ("it said: {3|who?}.", "it said: who?"),
        ] {
            assert_eq!(sentence(cause, &subject), said);
        }
    }
}
