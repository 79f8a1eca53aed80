//! Ruby: errors with their backtraces and causes, syntax errors, warnings.

use crate::analyse::sight::{Draft, Place, Scene, Sighting, frame, place};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["ruby"];
const LANGUAGE: &str = "ruby";

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let here = ruby_place(line)?;
    match here.rest.strip_prefix(":in ") {
        Some(_) => error(scene, at),
        None => parsed(scene, &here),
    }
}

/// ``x.rb:4:in `mean': divided by 0 (ZeroDivisionError)``, then `\tfrom …`, then what caused it in the same shape.
fn error(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let (first, kind, message) = head(scene.at(at))?;
    let (kind, message) = (kind.to_owned(), message.to_owned());
    let mut end = backtrace_end(scene, at + 1);
    let from = (at + 1..end).filter_map(|index| called(scene.at(index).trim_start().strip_prefix("from ")?));
    let mut from = from.peekable();
    // A method that is written in C has no line of its own and borrows its caller's, who stands next.
    let is_caller = |next: &Frame| {
        let top_level = next.function.as_deref().is_some_and(|name| name.starts_with('<'));
        (&next.file, next.line) == (&first.file, first.line) && !top_level
    };
    let borrowed = from.peek().is_some_and(is_caller);
    let frames = scene.innermost((!borrowed).then_some(first).into_iter().chain(from));
    let mut causes = Vec::new();
    while let Some((_, kind, message)) = head(scene.at(end)) {
        if causes.len() < 16 {
            causes.push(format!("{kind}: {message}"));
        }
        end = backtrace_end(scene, end + 1);
    }
    let (place, frame) = (frames.any, frames.own);
    Sighting::failure(
        end - at,
        Draft { kind, message, language: LANGUAGE, place, frame, causes, ..Draft::default() },
    )
}

/// Past the rest of the message and the frames. Without frames the message has no end that could be seen.
fn backtrace_end(scene: &Scene<'_>, from: usize) -> usize {
    let is_frame = |line: &str| line.starts_with("\tfrom ") || line.starts_with("\t ... ");
    match scene.ahead(from, 12, |line| is_frame(line) || head(line).is_some()) {
        Some(first) => scene.until(first, is_frame),
        None => from,
    }
}

/// ``path:4:in `f': message (Kind)``.
fn head(line: &str) -> Option<(Frame, &str, &str)> {
    let frame = called(line)?;
    let place = ruby_place(line)?;
    let function = place.rest.strip_prefix(":in ")?;
    let (_, said) = function.split_once("': ")?;
    // The kind closes the first line; a message that goes on has it there too.
    let (message, kind) =
        said.strip_suffix(')')?.rsplit_once(" (").or_else(|| Some(("", said.strip_prefix('(')?)))?;
    let is_kind = kind.starts_with(|c: char| c.is_uppercase()) && !kind.contains(' ');
    is_kind.then_some((frame, kind, message))
}

/// ``path:4:in `f'``.
fn called(line: &str) -> Option<Frame> {
    let place = ruby_place(line)?;
    let function = place.rest.strip_prefix(":in ")?.trim_start_matches(['`', '\'']);
    let function = function.split_once('\'').map_or(function, |(name, _)| name);
    Some(frame(Some(function), place.path, Some(place.line)))
}

/// A place whose path is Ruby's: a file of its own, code of the command line or of its own inside.
fn ruby_place(line: &str) -> Option<Place<'_>> {
    let place = place(line).filter(|place| place.column.is_none())?;
    let known = place.path.ends_with(".rb")
        || place.path.starts_with("<internal:")
        || ["-e", "-", "(eval)", "Rakefile"].contains(&place.path);
    (known || place.rest.starts_with(":in `") || place.rest.starts_with(":in '")).then_some(place)
}

/// `x.rb:2: syntax error, …` and `x.rb:1: warning: …`.
fn parsed(scene: &Scene<'_>, here: &Place<'_>) -> Option<Sighting> {
    let said = here.rest.strip_prefix(": ")?;
    if let Some(warning) = said.strip_prefix("warning: ") {
        let path = scene.asked.relative(here.path);
        return Sighting::warning(1, format!("{warning} ({path} line {})", here.line));
    }
    let message = said.strip_prefix("syntax error").or_else(|| said.strip_suffix("(SyntaxError)"))?;
    let message = message.trim_start_matches([',', ' ', 's']).trim().to_owned();
    let kind = "SyntaxError".to_owned();
    Sighting::failure(
        1,
        Draft { kind, message, language: LANGUAGE, place: Some(here.frame()), ..Draft::default() },
    )
}
