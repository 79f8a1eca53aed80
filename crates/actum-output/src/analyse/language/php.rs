//! PHP: `PHP Fatal error:  … in x.php on line 3`, uncaught exceptions with their traces, warnings.

use crate::analyse::sight::{Draft, Scene, Sighting, frame, kind_and_message};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["php"];
const LANGUAGE: &str = "php";

const ERRORS: &[&str] =
    &["Fatal error", "Parse error", "Recoverable fatal error", "Core error", "Compile error"];
const WARNINGS: &[&str] = &["Warning", "Notice", "Deprecated", "Strict Standards"];

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let line = line.strip_prefix("PHP ").unwrap_or(line);
    let (level, said) = line.split_once(':')?;
    let said = said.trim_start();
    if ERRORS.contains(&level) {
        return match said.strip_prefix("Uncaught ") {
            Some(first) => uncaught(scene, at, first),
            None => plain(level, said),
        };
    }
    let (message, place) = WARNINGS.contains(&level).then(|| on_line(said))??;
    let path = scene.asked.relative(&place.file);
    Sighting::warning(1, format!("{level}: {message} ({path} line {})", place.line.unwrap_or(0)))
}

fn plain(level: &str, said: &str) -> Option<Sighting> {
    let (message, place) = on_line(said)?;
    let (kind, message) = (level.to_owned(), message.to_owned());
    Sighting::failure(1, Draft { kind, message, language: LANGUAGE, place: Some(place), ..Draft::default() })
}

/// The innermost exception comes first; each `Next` is one that was thrown because of those above.
fn uncaught(scene: &Scene<'_>, at: usize, first: &str) -> Option<Sighting> {
    // 200: a trace that somebody reads is shorter; a message that never closes is not read for ever.
    let close = scene.ahead(at + 1, 200, |line| line.trim_start().starts_with("thrown in "));
    let end = close.map_or(at + 1, |close| close + 1);
    let mut thrown: Vec<(&str, Option<Frame>)> = vec![in_file(first)];
    let mut trace = Vec::new();
    for index in at + 1..end {
        let line = scene.at(index);
        if let Some(next) = line.strip_prefix("Next ") {
            thrown.push(in_file(next));
            trace.clear();
        }
        trace.extend(trace_line(line));
    }
    let (said, place) = thrown.pop()?;
    let (kind, message) = kind_and_message(said.trim_start_matches('\\')).unwrap_or(("Fatal error", said));
    let (kind, message) = (kind.to_owned(), message.to_owned());
    let causes = thrown.iter().rev().take(16).map(|(said, _)| (*said).to_owned()).collect();
    // The place is where it was thrown; the first line of the trace names the function that this is in.
    let function = trace.first().and_then(|frame: &Frame| frame.function.clone());
    let thrown_in = place.clone().map(|place| Frame { function, ..place });
    let frame = scene.innermost(thrown_in.into_iter().chain(trace)).own;
    Sighting::failure(
        end - at,
        Draft { kind, message, language: LANGUAGE, place, frame, causes, ..Draft::default() },
    )
}

/// `message in FILE:3`.
fn in_file(said: &str) -> (&str, Option<Frame>) {
    let found = said.rsplit_once(" in ").and_then(|(message, place)| {
        let (file, line) = place.rsplit_once(':')?;
        Some((message, frame(None, file, Some(line.parse().ok()?))))
    });
    found.map_or((said, None), |(message, place)| (message, Some(place)))
}

/// `#0 x.php(3): f()`.
fn trace_line(line: &str) -> Option<Frame> {
    let (_, rest) = line.strip_prefix('#')?.split_once(' ')?;
    let (place, call) = rest.split_once("): ")?;
    let (file, line) = place.rsplit_once('(')?;
    let function = call.split_once('(').map_or(call, |(name, _)| name);
    Some(frame(Some(function), file, Some(line.parse().ok()?)))
}

/// `message in FILE on line 3`.
fn on_line(said: &str) -> Option<(&str, Frame)> {
    let (rest, line) = said.rsplit_once(" on line ")?;
    let (message, file) = rest.rsplit_once(" in ")?;
    Some((message, frame(None, file, Some(line.trim().parse().ok()?))))
}
