//! C and C++: diagnostics of gcc and clang, the linker, assertions, sanitizers, uncaught exceptions, a broken heap.

use crate::analyse::sight::{Draft, Phase, Scene, Sighting, between, frame, place};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["c", "cpp", "c++", "cc"];

/// How the C library says that the heap or the stack is broken before it aborts.
const CORRUPTION: &[&str] = &[
    "*** stack smashing detected ***",
    "*** buffer overflow detected ***",
    "double free or corruption",
    "free(): ",
    "malloc(): ",
    "munmap_chunk(): ",
    "corrupted size vs. prev_size",
    "realloc(): ",
];

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    diagnostic(scene, at)
        .or_else(|| linker(scene, at))
        .or_else(|| assertion(scene, at))
        .or_else(|| sanitizer(scene, at))
        .or_else(|| thrown(scene, at))
        .or_else(|| corruption(scene, at))
}

/// `x.c:5:20: error: …`, then the source. `fatal error`, `warning` and the sanitizer's `runtime error` look the same.
fn diagnostic(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let place = place(scene.at(at))?;
    let (level, message) = place.rest.strip_prefix(": ")?.split_once(": ")?;
    let end = scene.until(at + 1, |line| line.starts_with(' ') && line.contains('|'));
    let phase = match level {
        "error" | "fatal error" => Phase::Compiling,
        "runtime error" => Phase::Running,
        "warning" => {
            let path = scene.asked.relative(place.path);
            return Sighting::warning(end - at, format!("{message} ({path} line {})", place.line));
        }
        "note" => return Sighting::aside(end - at),
        _ => return None,
    };
    // `Bad.java:3: error:` and others have no column.
    if place.column.is_none() && phase == Phase::Compiling {
        return None;
    }
    let (kind, message, language) = (level.to_owned(), message.to_owned(), language(scene, place.path));
    let place = Some(place.frame());
    Sighting::failure(end - at, Draft { kind, message, language, place, phase, ..Draft::default() })
}

/// ``x.c:(.text+0xa): undefined reference to `helper'``.
fn linker(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    if line.starts_with("collect2: error: ld returned ") || line == "compilation terminated." {
        return Sighting::aside(1);
    }
    let (before, name) = line.split_once("undefined reference to ")?;
    let message = name.trim_matches(['`', '\'']).to_owned();
    let file = before.split(": ").find_map(|part| part.split_once(":(.").map(|(file, _)| file));
    let language = language(scene, file.unwrap_or_default());
    let place = file.map(|file| frame(None, file, None));
    let kind = "undefined reference".to_owned();
    Sighting::failure(
        1,
        Draft { kind, message, language, place, phase: Phase::Compiling, ..Draft::default() },
    )
}

/// ``prog: x.c:2: half: Assertion `n % 2 == 0' failed.``
fn assertion(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let (before, rest) = scene.at(at).split_once(": Assertion `")?;
    let message = rest.strip_suffix("' failed.")?.to_owned();
    let before = before.split_once(": ").map_or(before, |(_, place)| place);
    let place = place(before)?;
    let function = place.rest.strip_prefix(": ");
    let frame = frame(function, place.path, Some(place.line));
    let language = language(scene, place.path);
    let kind = "Assertion failed".to_owned();
    let frame = scene.asked.owns(place.path).then_some(frame);
    Sighting::failure(
        1,
        Draft { kind, message, language, place: Some(place.frame()), frame, ..Draft::default() },
    )
}

/// `==7100==ERROR: AddressSanitizer: heap-buffer-overflow on address …`, then `    #0 0x55 in main x.c:2`.
fn sanitizer(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    if line.starts_with("SUMMARY: ") && line.contains("Sanitizer: ") {
        return Sighting::aside(1);
    }
    let (_, said) = line.strip_prefix("==")?.split_once("==")?;
    let said = said.strip_prefix("ERROR: ").or_else(|| said.strip_prefix("WARNING: "))?;
    let (kind, message) = said.split_once("Sanitizer: ")?;
    let message = message.split_once(" on address ").map_or(message, |(what, _)| what).to_owned();
    let end = scene.until(at + 1, |line| !line.is_empty());
    let frames = scene.innermost((at + 1..end).filter_map(|index| stack_frame(scene.at(index))));
    let language = language(scene, frames.own.as_ref().map_or("", |frame| frame.file.as_str()));
    let kind = format!("{kind}Sanitizer");
    let draft = Draft { kind, message, language, place: frames.any, frame: frames.own, ..Draft::default() };
    Sighting::failure(end - at, draft)
}

/// `    #0 0x5579b892d1dd in main /workspace/x.c:2`.
fn stack_frame(line: &str) -> Option<Frame> {
    let (_, rest) = line.trim_start().strip_prefix('#')?.split_once(" in ")?;
    let (function, file) = rest.rsplit_once(' ')?;
    let place = place(file)?;
    Some(frame(Some(function), place.path, Some(place.line)))
}

/// `terminate called after throwing an instance of 'X'`, and below it `  what():  message`.
fn thrown(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let said = scene.at(at).strip_prefix("terminate called ")?;
    let kind = between(said, "after throwing an instance of '", "'");
    let what = scene.at(at + 1).trim_start().strip_prefix("what():").map(str::trim);
    let (kind, message) = match kind {
        Some(kind) => (kind, what.unwrap_or_default()),
        None => ("terminate called", said),
    };
    let (kind, message) = (kind.to_owned(), message.to_owned());
    Sighting::failure(
        1 + usize::from(what.is_some()),
        Draft { kind, message, language: "cpp", ..Draft::default() },
    )
}

fn corruption(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let broken = CORRUPTION.iter().any(|start| line.starts_with(start));
    let (kind, message) = ("memory corruption".to_owned(), line.trim_matches(['*', ' ']).to_owned());
    let language = language(scene, "");
    broken.then(|| Sighting::failure(1, Draft { kind, message, language, ..Draft::default() }))?
}

/// By the file's name; where that does not tell, by what was declared.
fn language(scene: &Scene<'_>, path: &str) -> &'static str {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let plus = ["cpp", "cc", "cxx", "hpp", "hh", "C"].contains(&extension);
    let declared = extension != "c" && scene.asked.speaks(&["cpp", "c++"]);
    if plus || declared { "cpp" } else { "c" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_sanitizers() {
        assert_eq!(
            stack_frame("    #0 0x55 in main /workspace/x.c:2"),
            Some(frame(Some("main"), "/workspace/x.c", Some(2)))
        );
        assert_eq!(stack_frame("    #3 0x55 in _start (/workspace/asan+0x10c0)"), None);
    }
}
