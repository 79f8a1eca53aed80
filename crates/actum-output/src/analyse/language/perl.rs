//! Perl: `message at x.pl line 3.`, which is how it dies and how it warns.

use crate::analyse::sight::{Draft, RunEnded, Scene, Sighting, between, frame, number};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["perl"];
const LANGUAGE: &str = "perl";

/// How the warnings of `use warnings` begin. They look like deaths otherwise.
const WARNINGS: &[&str] = &[
    "Use of uninitialized value",
    "Argument \"",
    "Name \"",
    "Useless use of",
    "Odd number of elements",
    "Scalar value @",
    "Subroutine ",
    "\"my\" variable",
    "\"our\" variable",
    "Deep recursion on",
    "Wide character in",
    "Possible ",
    "Unquoted string",
    "Found = in conditional",
];

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let aborted = line.starts_with("Execution of ") && line.ends_with(" aborted due to compilation errors.");
    if aborted || line.starts_with("BEGIN failed--compilation aborted at ") {
        return Sighting::aside(1);
    }
    let (message, place) = said_at(line)?;
    let end = scene.until(at + 1, |line| line.starts_with('\t') && line.contains(" called at "));
    if scene.run == RunEnded::Well || WARNINGS.iter().any(|warning| message.starts_with(warning)) {
        let path = scene.asked.relative(&place.file);
        return Sighting::warning(end - at, format!("{message} ({path} line {})", place.line.unwrap_or(0)));
    }
    let calls =
        (at + 1..end).filter_map(|index| scene.at(index).trim().split_once('(')).map(|(name, _)| name);
    let function = calls.map(str::to_owned).next();
    let own = Frame { function, ..place.clone() };
    let frame = scene.asked.owns(&place.file).then_some(own);
    let kind = if message.starts_with("syntax error") { "syntax error" } else { "die" };
    let message = match message.strip_prefix("syntax error") {
        Some(_) => between(line, "near \"", "\"").map(|near| format!("near \"{near}\"")).unwrap_or_default(),
        None => message.to_owned(),
    };
    let draft = Draft {
        kind: kind.to_owned(),
        message,
        language: LANGUAGE,
        place: Some(place),
        frame,
        ..Draft::default()
    };
    Sighting::failure(end - at, draft)
}

/// `message at FILE line N.`, `… line N, near "…"`, `… line N, <STDIN> line 3.`
fn said_at(line: &str) -> Option<(&str, Frame)> {
    let (message, rest) = line.rsplit_once(" at ").filter(|(_, rest)| rest.contains(" line "))?;
    let (file, rest) = rest.split_once(" line ")?;
    let (number, rest) = number(rest)?;
    let closed =
        rest == "." || rest.starts_with(", near ") || rest.starts_with(", at ") || rest.starts_with(", <");
    let named = !file.is_empty() && !file.contains(' ') && !message.is_empty();
    (closed && named).then(|| (message, frame(None, file, Some(number))))
}
