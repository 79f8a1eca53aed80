//! Go: panics with the trace of their goroutine, compile errors, what a failed test said.

use crate::analyse::sight::{Draft, Phase, Scene, Sighting, frame, place};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["go", "golang"];
const LANGUAGE: &str = "go";

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    panic(scene, at).or_else(|| compile_error(line)).or_else(|| failed_test(scene, at))
}

/// `panic: message` or `fatal error: message`, then `goroutine 1 [running]:` and its frames.
fn panic(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let (kind, message) = match line.strip_prefix("panic: ") {
        Some(message) => ("panic", message),
        None => ("fatal error", line.strip_prefix("fatal error: ")?),
    };
    let goroutine = scene.ahead(at + 1, 12, |line| line.starts_with("goroutine ") && line.ends_with(':'))?;
    let end = scene.until(goroutine + 1, |line| !line.is_empty() && !is_closing(line));
    let frames = scene.innermost((goroutine + 1..end).filter_map(|index| called(scene, index)));
    let message = message.trim_end_matches(" [recovered]").to_owned();
    let draft = Draft {
        kind: kind.to_owned(),
        message,
        language: LANGUAGE,
        place: frames.any,
        frame: frames.own,
        ..Draft::default()
    };
    Sighting::failure(end - at, draft)
}

/// What `go run` and `go test` say after the program's own words.
fn is_closing(line: &str) -> bool {
    line.starts_with("exit status ") || line.starts_with("FAIL")
}

/// `main.show(...)`, and below it `    /workspace/main.go:7 +0x1c`.
fn called(scene: &Scene<'_>, index: usize) -> Option<Frame> {
    let call = scene.at(index);
    let below = scene.at(index + 1).strip_prefix('\t')?;
    if call.starts_with('\t') || call.starts_with("created by ") {
        return None;
    }
    let place = place(below)?;
    let others = place.path.contains("/pkg/mod/") || place.path.contains("/go/src/");
    let path = if others { "<library>" } else { place.path };
    let function = call.rsplit_once('(').map_or(call, |(name, _)| name);
    Some(frame(Some(function), path, Some(place.line)))
}

/// `./x.go:3:8: message`; `vet: ` may stand before it.
fn compile_error(line: &str) -> Option<Sighting> {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let place = place(line).filter(|place| place.path.ends_with(".go") && place.column.is_some())?;
    let message = place.rest.strip_prefix(": ")?;
    let message = message.strip_suffix("; to add it:").unwrap_or(message).to_owned();
    let kind = "compile error".to_owned();
    let (place, phase) = (Some(place.frame()), Phase::Compiling);
    Sighting::failure(1, Draft { kind, message, language: LANGUAGE, place, phase, ..Draft::default() })
}

/// `--- FAIL: TestAdd (0.00s)`, and below it `    cart_test.go:3: got 2, want 3`.
fn failed_test(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let name = scene.at(at).trim_start().strip_prefix("--- FAIL: ")?;
    let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
    let said = scene.at(at + 1).strip_prefix("    ")?.trim_start();
    let place = place(said).filter(|place| place.path.ends_with("_test.go") && place.column.is_none())?;
    let message = format!("{name}: {}", place.rest.strip_prefix(": ")?);
    let (kind, place) = ("FAIL".to_owned(), Some(place.frame()));
    Sighting::failure(2, Draft { kind, message, language: LANGUAGE, place, ..Draft::default() })
}
