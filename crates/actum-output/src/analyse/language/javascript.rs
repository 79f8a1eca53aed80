//! JavaScript and TypeScript: uncaught errors with their stacks, syntax errors, warnings of Node, errors of `tsc`.

use crate::analyse::sight::{
    Draft, Frames, Phase, Scene, Sighting, between, kind_and_message, number, place,
};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["javascript", "typescript", "js", "ts", "node"];
const LANGUAGE: &str = "javascript";

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    if line.is_empty() {
        return None;
    }
    tsc(scene, at)
        .or_else(|| node_warning(line))
        .or_else(|| headed(scene, at))
        .or_else(|| stack(scene, at, None))
}

/// `x.js:6`, the source, a caret, then the error: how Node shows what nobody caught.
fn headed(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let header = place(scene.at(at)).filter(|place| place.rest.is_empty() && place.column.is_none())?;
    let is_caret = |line: &str| !line.trim().is_empty() && line.trim().chars().all(|c| c == '^' || c == '~');
    let caret = scene.ahead(at + 1, 4, is_caret)?;
    let column = scene.at(caret).chars().position(|c| c == '^').map(|column| column as u64 + 1);
    let mut shown_at = header.frame();
    shown_at.column = column;
    let said = scene.ahead(caret + 1, 3, |line| !line.trim().is_empty())?;
    if let Some(mut sighting) = stack(scene, said, Some(shown_at.clone())) {
        sighting.taken += said - at;
        return Some(sighting);
    }
    // Thrown values that are no errors have neither kind nor stack.
    let message = scene.at(said).trim().to_owned();
    let kind = "Uncaught".to_owned();
    let draft = Draft { kind, message, language: LANGUAGE, place: Some(shown_at), ..Draft::default() };
    Sighting::failure(said + 1 - at, draft)
}

/// `TypeError: message`, more of the message, then `    at f (x.js:6:20)`.
fn stack(scene: &Scene<'_>, at: usize, header: Option<Frame>) -> Option<Sighting> {
    let line = scene.at(at).trim_start();
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let (kind, message) = kind_and_message(line)?;
    let name = kind.split(' ').next().unwrap_or(kind);
    let is_error = ["Error", "Exception", "Rejection"].iter().any(|end| name.ends_with(end));
    // 16: a long message, or the differences that an assertion shows. Another name must have its stack at once.
    let within = if is_error { 16 } else { 1 };
    let first = scene.ahead(at + 1, within, |line| frame_line(line).is_some());
    let own_header = header.as_ref().is_some_and(|header| scene.asked.owns(&header.file));
    // A syntax error in a module has no stack of its own; a thrown value that is a word is no error.
    if first.is_none() && !(own_header && is_error) {
        return None;
    }
    let first = first.unwrap_or(at + 1);
    let mut end = scene.until(first, |line| frame_line(line).is_some() || is_elided(line));
    let frames = scene.innermost((first..end).filter_map(|index| frame_line(scene.at(index))));
    let mut causes = Vec::new();
    if end > first && scene.at(end - 1).ends_with('{') {
        end = properties(scene, end, &mut causes);
    }
    let syntax = kind == "SyntaxError" && own_header;
    let Frames { own, any } = frames;
    // A module that cannot be found fails while linking, before any code of the user's runs; the message has the file.
    let importer =
        message.split_once(" imported from ").map(|(_, file)| file).filter(|file| scene.asked.owns(file));
    let importer =
        importer.map(|file| Frame { function: None, file: file.to_owned(), line: None, column: None });
    let (place, frame) = match (syntax, importer) {
        (true, _) => (header, None),
        (false, Some(importer)) if own.is_none() => (Some(importer), None),
        (false, _) => (any.or(header), own),
    };
    // What turned the types away failed in its own code; the line below says where in the user's.
    let (kind, message, place) = match refused_text(message, scene.at(at + 1)) {
        Some((said, shown_at)) => ("SyntaxError", said, Some(shown_at)),
        None => (kind, message, place),
    };
    // Node explains at length what a rejection is; the reason is the last of it.
    let message = between(message, "rejected with the reason \"", "\"").unwrap_or(message);
    let (kind, message) = (kind.to_owned(), message.to_owned());
    let draft = Draft { kind, message, language: LANGUAGE, place, frame, causes, ..Draft::default() };
    Sighting::failure(end - at, draft)
}

/// `Transform failed with 1 error:`, then `x.ts:2:9: ERROR: Unexpected "="`: how esbuild words it for tsx.
fn refused_text<'l>(message: &str, below: &'l str) -> Option<(&'l str, Frame)> {
    let told = message.starts_with("Transform failed with ") || message.starts_with("Build failed with ");
    let shown_at = place(below).filter(|_| told)?;
    Some((shown_at.rest.strip_prefix(": ERROR: ")?, shown_at.frame()))
}

/// What Node prints of an error's other properties, up to the closing brace; `[cause]` is one of them.
fn properties(scene: &Scene<'_>, from: usize, causes: &mut Vec<String>) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let depth = indent(scene.at(from - 1)).saturating_sub(4);
    // 200: Node shows nested values two levels deep; output that only looks like it is not swallowed to its end.
    let Some(close) = scene.ahead(from, 200, |line| line.trim() == "}" && indent(line) <= depth) else {
        return from;
    };
    for index in from..close {
        let cause = scene.at(index).trim_start().strip_prefix("[cause]: ");
        if let Some(cause) = cause.filter(|_| causes.len() < 16) {
            causes.push(cause.trim_end_matches(" {").to_owned());
        }
    }
    close + 1
}

fn is_elided(line: &str) -> bool {
    line.trim_start().starts_with("... ") && line.contains("lines matching cause stack trace")
}

/// `    at f (x.js:6:20)`, `    at x.js:6:20`, and ` ❯ x.js:6:20` of vitest. Others have no column.
fn frame_line(line: &str) -> Option<Frame> {
    let trimmed = line.trim();
    let trimmed = trimmed.strip_suffix(" {").unwrap_or(trimmed);
    let called = trimmed.strip_prefix("at ").or_else(|| trimmed.strip_prefix("❯ "))?;
    if called.ends_with("(<anonymous>)") || called.ends_with("(native)") {
        return Some(Frame { function: None, file: "<anonymous>".to_owned(), line: None, column: None });
    }
    let (function, location) = match called.strip_suffix(')').and_then(|inside| inside.rsplit_once(" (")) {
        Some((function, location)) => (Some(function), location),
        None => match called.rsplit_once(' ') {
            Some((function, location)) if trimmed.starts_with('❯') => (Some(function), location),
            _ => (None, called.strip_prefix("async ").unwrap_or(called)),
        },
    };
    let (rest, column) = location.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let function = function.map(|name| name.strip_prefix("async ").unwrap_or(name).to_owned());
    let file = file.strip_prefix("file://").unwrap_or(file).to_owned();
    Some(Frame { function, file, line: Some(line.parse().ok()?), column: Some(column.parse().ok()?) })
}

/// `(node:31751) [DEP0005] DeprecationWarning: …`. The number is that of a process and is left out.
fn node_warning(line: &str) -> Option<Sighting> {
    let (process, rest) = line.strip_prefix("(node:")?.split_once(") ")?;
    process.parse::<u64>().ok()?;
    let name = rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(rest, |(_, name)| name);
    let (kind, _) = kind_and_message(name).filter(|(kind, _)| kind.ends_with("Warning"))?;
    if kind == "PromiseRejectionHandledWarning" { None } else { Sighting::warning(1, rest.to_owned()) }
}

/// `x.ts(1,7): error TS2322: …`, and with colours `x.ts:1:7 - error TS2322: …`.
fn tsc(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let start = line.find("error TS")?;
    let (code, message) = line[start..].strip_prefix("error ")?.split_once(": ")?;
    number(code.strip_prefix("TS")?)?;
    let before = line[..start].trim_end();
    let place = match before.strip_suffix(" -").and_then(place) {
        Some(place) => Some(place.frame()),
        None => before.strip_suffix(':').and_then(|before| parenthesised(before.trim_end())),
    };
    if place.is_none() && !before.is_empty() {
        return None;
    }
    let (kind, message) = (format!("error {code}"), message.to_owned());
    let draft =
        Draft { kind, message, language: "typescript", place, phase: Phase::Compiling, ..Draft::default() };
    Sighting::failure(1, draft)
}

/// `x.ts(1,7)`.
fn parenthesised(text: &str) -> Option<Frame> {
    let (file, inside) = text.strip_suffix(')')?.rsplit_once('(')?;
    let (line, column) = inside.split_once(',')?;
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    Some(Frame { function: None, file: file.to_owned(), line: Some(line), column: Some(column) })
}
