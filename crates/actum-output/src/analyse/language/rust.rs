//! Rust: errors and warnings of `rustc`, panics with their backtraces.

use crate::analyse::sight::{Draft, Phase, Scene, Sighting, frame, place};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["rust"];
const LANGUAGE: &str = "rust";

/// What `rustc` and `cargo` say to close, which repeats what stands above.
const CLOSING: &[&str] = &[
    "error: aborting due to ",
    "error: could not compile ",
    "error: test failed, to rerun pass ",
    "error: doctest failed, to rerun pass ",
    "error: test run failed",
    "Some errors have detailed explanations",
    "For more information about an error, try ",
    "For more information about this error, try ",
];

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let counted =
        line.starts_with("warning: ") && (line.ends_with(" emitted") || line.contains(" generated "));
    let targets = line.starts_with("error: ") && line.ends_with(" targets failed:");
    if counted || targets || CLOSING.iter().any(|closing| line.starts_with(closing)) {
        return Sighting::aside(1);
    }
    diagnostic(scene, at).or_else(|| panic(scene, at))
}

/// `error[E0308]: mismatched types`, and below it ` --> src/main.rs:3:18`.
fn diagnostic(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let (kind, message) = line.split_once(": ")?;
    let is_error = kind == "error" || (kind.starts_with("error[E") && kind.ends_with(']'));
    if !is_error && kind != "warning" {
        return None;
    }
    let arrow = |line: &str| line.trim_start().starts_with("--> ");
    let below =
        scene.ahead(at + 1, 4, |line| arrow(line) || line.is_empty()).filter(|at| arrow(scene.at(*at)))?;
    let place = place(scene.at(below).trim_start().strip_prefix("--> ")?)?.frame();
    let end = scene.until(below, |line| !line.is_empty());
    if !is_error {
        let path = scene.asked.relative(&place.file);
        return Sighting::warning(end - at, format!("{message} ({path} line {})", place.line.unwrap_or(0)));
    }
    let (kind, message) = (kind.to_owned(), message.to_owned());
    let (place, phase) = (Some(place), Phase::Compiling);
    Sighting::failure(end - at, Draft { kind, message, language: LANGUAGE, place, phase, ..Draft::default() })
}

/// `thread 'main' panicked at src/main.rs:2:5:`, the message, perhaps a backtrace. Nextest indents all of it.
fn panic(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let (_, panicked) = scene.at(at).trim_start().strip_prefix("thread '")?.split_once(" panicked at ")?;
    // Before Rust 1.73 the message stood in quotes before the place.
    let (message, location, said) = match panicked.strip_prefix('\'').and_then(|old| old.rsplit_once("', ")) {
        Some((message, location)) => (message, location, 0),
        None => (scene.at(at + 1).trim(), panicked, 1),
    };
    let place = place(location)?.frame();
    // 60: `assert_eq!` prints both values, one below the other.
    let trace =
        scene.ahead(at + 1, 60, |line| line.trim() == "stack backtrace:" || line.contains(" panicked at "));
    let trace = trace.filter(|trace| scene.at(*trace).trim() == "stack backtrace:");
    let end = trace.map_or(at + 1 + said, |trace| scene.until(trace + 1, is_trace_line));
    let called = trace.map_or(end, |trace| trace + 1)..end;
    let frames = scene.innermost(called.filter_map(|index| trace_frame(scene, index)));
    let own = frames.own.or_else(|| scene.asked.owns(&place.file).then(|| place.clone()));
    let (kind, message) = ("panic".to_owned(), message.to_owned());
    let (place, frame) = (Some(place), own);
    let draft = Draft { kind, message, language: LANGUAGE, place, frame, ..Draft::default() };
    Sighting::failure(end.min(scene.lines.len()) - at, draft)
}

fn is_trace_line(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") || line.split_once(": ").is_some_and(|(index, _)| index.parse::<u32>().is_ok())
}

/// `   3: panic::third`, and below it `             at ./panic.rs:1:30`.
fn trace_frame(scene: &Scene<'_>, index: usize) -> Option<Frame> {
    let (_, function) = scene.at(index).trim_start().split_once(": ")?;
    let place = place(scene.at(index + 1).trim_start().strip_prefix("at ")?)?;
    Some(Frame { column: place.column, ..frame(Some(function), place.path, Some(place.line)) })
}
