//! The oldest version of Python that knows every form in a program.

use super::parse::Source;
use actum_model::VersionNeed;

/// The parser's name for a form that only Python 3.14 and Python 2 have, with different meanings.
const TYPES_WITHOUT_BRACKETS: &str = "Multiple exception types must be parenthesized";

/// The newest version that any form needs; none where the oldest one will do.
pub(super) fn needed(source: &Source) -> Option<VersionNeed> {
    let forms = source.newer().filter(|(_, _, sentence)| !sentence.starts_with(TYPES_WITHOUT_BRACKETS));
    let versions = forms.filter_map(|(at, _, sentence)| Some((added_in(&sentence)?, at, what(&sentence))));
    let ((major, minor), at, because) =
        versions.min_by_key(|(version, at, _)| (std::cmp::Reverse(*version), *at))?;
    Some(VersionNeed { at_least: format!("{major}.{minor}"), because, line: source.lines.line_of(at) })
}

/// The line of an `except A, e:`, which means something else in Python 3.14: there both are types, and names of types
/// begin with a capital.
pub(super) fn comma_of_python_2(source: &Source) -> Option<u32> {
    let mut forms = source.newer().filter(|(_, _, sentence)| sentence.starts_with(TYPES_WITHOUT_BRACKETS));
    forms.find_map(|(from, to, _)| {
        let words = source.text.get(from..to)?;
        let last = words.rsplit(',').next()?.trim();
        last.starts_with(|letter: char| letter.is_lowercase() || letter == '_')
            .then(|| source.lines.line_of(from))
    })
}

/// `3.10` out of "… (syntax was added in Python 3.10)".
fn added_in(sentence: &str) -> Option<(u8, u8)> {
    let (_, version) = sentence.rsplit_once("added in Python ")?;
    let (major, minor) = version.trim_end_matches(')').split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// "`match` statement" out of "Cannot use `match` statement on Python 3.7 (…)".
fn what(sentence: &str) -> String {
    let sentence = sentence.split(" on Python ").next().unwrap_or(sentence);
    sentence.trim_start_matches("Cannot use ").to_owned()
}
