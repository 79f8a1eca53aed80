//! Java and its kin: exceptions with their causes, errors of `javac`.

use crate::analyse::sight::{Draft, Phase, Scene, Sighting, frame, kind_and_message, place};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["java", "kotlin", "scala"];
const LANGUAGE: &str = "java";

/// Packages whose frames are not the user's own. A trace names classes, not folders.
const OTHERS: &[&str] = &[
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "org.junit.",
    "junit.",
    "kotlin.",
    "scala.",
    "org.gradle.",
    "org.apache.maven.",
];

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    exception(scene, at).or_else(|| compiled(scene, at))
}

/// `Exception in thread "main" Kind: message`, or the same bare with a trace right below.
fn exception(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let threaded = line.strip_prefix("Exception in thread \"").and_then(|rest| rest.split_once("\" "));
    let (kind, message) = kind_and_message(threaded.map_or(line, |(_, said)| said))?;
    // 8: a message may have several lines.
    let within = if threaded.is_some() { 8 } else { 1 };
    let first = scene.ahead(at + 1, within, is_frame);
    if first.is_none() && threaded.is_none() {
        return None;
    }
    let (kind, message) = (kind.to_owned(), message.to_owned());
    let mut end = scene.until(first.unwrap_or(at + 1), is_frame);
    let frames = scene.innermost((at + 1..end).filter_map(|index| called(scene.at(index))));
    let mut causes = Vec::new();
    while let Some(cause) = scene.at(end).strip_prefix("Caused by: ") {
        if causes.len() < 16 {
            causes.push(cause.to_owned());
        }
        end = scene.until(end + 1, is_frame);
    }
    let (place, frame) = (frames.any, frames.own);
    Sighting::failure(
        end - at,
        Draft { kind, message, language: LANGUAGE, place, frame, causes, ..Draft::default() },
    )
}

fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    called(line).is_some()
        || (line.starts_with("... ") && line.ends_with(" more"))
        || line.starts_with("Suppressed: ")
}

/// `    at java.base/java.lang.Integer.parseInt(Integer.java:668)`.
fn called(line: &str) -> Option<Frame> {
    let call = line.trim_start().strip_prefix("at ")?.strip_suffix(')')?;
    let (function, place) = call.rsplit_once('(')?;
    let (_, name) = function.split_once('/').filter(|_| function.contains('/')).unwrap_or(("", function));
    let in_module = function.contains('/') && !function.starts_with("app//");
    let others = in_module || OTHERS.iter().any(|package| name.starts_with(package));
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (file, Some(line.parse().ok()?)),
        None if ["Native Method", "Unknown Source"].contains(&place) => ("<library>", None),
        None => return None,
    };
    Some(frame(Some(name), if others { "<library>" } else { file }, line))
}

/// `Bad.java:3: error: incompatible types…`, the source, the caret.
fn compiled(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    if line == "error: compilation failed" {
        return Sighting::aside(1);
    }
    let place = place(line).filter(|place| place.column.is_none())?;
    let (level, message) = place.rest.strip_prefix(": ")?.split_once(": ")?;
    if ![".java", ".kt", ".scala"].iter().any(|end| place.path.ends_with(end)) {
        return None;
    }
    let caret = scene.ahead(at + 1, 3, |line| line.trim() == "^");
    let column =
        caret.and_then(|caret| scene.at(caret).chars().position(|c| c == '^')).map(|at| at as u64 + 1);
    let taken = caret.map_or(1, |caret| caret + 1 - at);
    if level == "warning" {
        let path = scene.asked.relative(place.path);
        return Sighting::warning(taken, format!("{message} ({path} line {})", place.line));
    }
    let place = Some(Frame { column, ..place.frame() });
    let (kind, message) = (level.to_owned(), message.to_owned());
    let phase = Phase::Compiling;
    (level == "error").then(|| {
        Sighting::failure(
            taken,
            Draft { kind, message, language: LANGUAGE, place, phase, ..Draft::default() },
        )
    })?
}
