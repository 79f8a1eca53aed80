//! Python: tracebacks with their chains and groups, syntax errors, warnings, and what pytest makes of a traceback.

use crate::analyse::sight::{Draft, Frames, Scene, Sighting, frame, kind_and_message, number, place};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["python", "python3"];
const LANGUAGE: &str = "python";

const TRACEBACK: &str = "Traceback (most recent call last):";
const CHAINS: &[&str] = &[
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
];
/// 24: a message of several lines stands between an exception and the words that chain the next one to it.
const MESSAGE_LINES: usize = 24;

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    if line.trim_start().starts_with("+ Exception Group Traceback") {
        return group(scene, at);
    }
    if line.starts_with(TRACEBACK) {
        return chain(scene, at);
    }
    syntax_error(scene, at)
        .or_else(|| warning(scene, at))
        .or_else(|| pytest_place(scene, at))
        .or_else(|| pytest_short(scene, at))
}

/// One traceback after another; the last is what ended the program, the others led to it.
fn chain(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let mut causes = Vec::new();
    let mut start = at;
    loop {
        let (end, exception) = traceback(scene, start + 1);
        let Some((mut draft, frames)) = exception else {
            return Sighting::aside(end - at);
        };
        let next = scene.ahead(end, MESSAGE_LINES, |line| CHAINS.contains(&line));
        let next = next.and_then(|chained| scene.ahead(chained, 3, |line| line.starts_with(TRACEBACK)));
        if let Some(next) = next {
            causes.insert(0, one_line(&draft));
            // The nearest causes say most; a chain in a loop may have thousands.
            causes.truncate(16);
            start = next;
            continue;
        }
        draft.frame = frames.own;
        draft.place = frames.any;
        draft.causes = causes;
        return Sighting::failure(end - at, draft);
    }
}

/// Frames and the line of the exception. Gives the index behind them.
fn traceback(scene: &Scene<'_>, from: usize) -> (usize, Option<(Draft, Frames)>) {
    let mut frames = Frames::default();
    let end = scene.until(from, |line| line.starts_with(' '));
    for index in from..end {
        if let Some(frame) = file_line(scene.at(index)) {
            frames.deeper(scene.asked, frame);
        }
    }
    match kind_and_message(scene.at(end)) {
        Some((kind, message)) => (end + 1, Some((draft(kind, message), frames))),
        None => (end, None),
    }
}

/// An exception group: its own traceback, and those of its members below it.
fn group(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let end = scene.until(at + 1, |line| line.trim_start().starts_with(['|', '+']));
    let mut frames = Frames::default();
    let mut group: Option<Draft> = None;
    for index in at + 1..end {
        let Some(inside) = scene.at(index).trim_start().strip_prefix('|') else { continue };
        let inside = inside.strip_prefix(' ').unwrap_or(inside);
        let exception = (!inside.starts_with(' ')).then(|| kind_and_message(inside)).flatten();
        match (&mut group, file_line(inside), exception) {
            (None, Some(frame), _) => frames.deeper(scene.asked, frame),
            (None, None, Some((kind, message))) => group = Some(draft(kind, message)),
            (Some(group), None, Some((kind, message))) if group.causes.len() < 16 => {
                group.causes.push(one_line(&draft(kind, message)));
            }
            (None, None, None) | (Some(_), _, _) => {}
        }
    }
    match group {
        Some(draft) => Sighting::failure(end - at, Draft { frame: frames.own, place: frames.any, ..draft }),
        None => Sighting::aside(end - at),
    }
}

/// `  File "x.py", line 1`, the source, the caret, `SyntaxError: …`: printed without a traceback.
fn syntax_error(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let place = file_line(scene.at(at)).filter(|frame| frame.function.is_none())?;
    let is_syntax = |line: &str| {
        ["SyntaxError", "IndentationError", "TabError"].iter().any(|kind| line.starts_with(kind))
    };
    let end = scene.ahead(at + 1, 4, is_syntax)?;
    let (kind, message) = kind_and_message(scene.at(end))?;
    Sighting::failure(end + 1 - at, Draft { place: Some(place), ..draft(kind, message) })
}

/// `x.py:2: DeprecationWarning: the old way`, then its source.
fn warning(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    // pytest indents them in its summary.
    let place = place(scene.at(at).trim_start()).filter(|place| place.column.is_none())?;
    let (kind, message) = kind_and_message(place.rest.strip_prefix(": ")?)?;
    if !kind.ends_with("Warning") {
        return None;
    }
    let path = scene.asked.relative(place.path);
    let source = usize::from(scene.at(at + 1).starts_with("  "));
    Sighting::warning(1 + source, format!("{kind}: {message} ({path} line {})", place.line))
}

/// `test_calc.py:3: ValueError`: how pytest closes what it shows of a failed test. The message stands above, after `E`.
fn pytest_place(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let place = place(scene.at(at)).filter(|place| place.path.ends_with(".py") && place.column.is_none())?;
    let (kind, "") = kind_and_message(place.rest.strip_prefix(": ")?)? else { return None };
    // 40: pytest shows the differences of two values in as many lines at most, unless it is told to show all.
    let above = (at.saturating_sub(40)..at).rev();
    let mut said = above.skip_while(|index| !scene.at(*index).starts_with("E "));
    let last = said.next()?;
    let first = said.take_while(|index| scene.at(*index).starts_with("E ")).last().unwrap_or(last);
    let message = scene.at(first).strip_prefix('E')?.trim();
    let message = message.strip_prefix(kind).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
    Sighting::failure(1, Draft { place: Some(place.frame()), above: at - first, ..draft(kind, message) })
}

/// `test_calc.py:3: in test_sub`, the source, `E   ValueError: no`: pytest's short form, and how it tells of a file that
/// it could not load.
fn pytest_short(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let said = scene.at(at).strip_prefix("E   ")?;
    if at == 0 || scene.at(at - 1).starts_with("E ") {
        return None;
    }
    let called = |index: usize| {
        let place = place(scene.at(index)).filter(|place| place.column.is_none())?;
        Some(frame(Some(place.rest.strip_prefix(": in ")?), place.path, Some(place.line)))
    };
    // 24: eight frames with their source; deeper ones are the test runner's.
    let above: Vec<usize> =
        (at.saturating_sub(24)..at).rev().take_while(|index| !scene.at(*index).starts_with("___")).collect();
    let first = above.iter().copied().rfind(|index| called(*index).is_some())?;
    let frames = scene.innermost(above.iter().filter_map(|index| called(*index)));
    let is_kind = |kind: &str| {
        ["Error", "Exception", "Exit", "Interrupt", "Warning"].iter().any(|end| kind.ends_with(end))
    };
    let (kind, message) = match kind_and_message(said) {
        Some((kind, message)) if is_kind(kind) => (kind, message),
        _ => ("AssertionError", said),
    };
    let end = scene.until(at + 1, |line| line.starts_with("E "));
    let (place, frame) = (frames.any, frames.own);
    Sighting::failure(end - at, Draft { place, frame, above: at - first, ..draft(kind, message) })
}

/// `  File "x.py", line 3, in load`.
fn file_line(line: &str) -> Option<Frame> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let (line, rest) = number(rest)?;
    Some(frame(rest.strip_prefix(", in ").map(str::trim), file, Some(line)))
}

fn draft(kind: &str, message: &str) -> Draft {
    Draft { kind: kind.to_owned(), message: message.to_owned(), language: LANGUAGE, ..Draft::default() }
}

fn one_line(draft: &Draft) -> String {
    if draft.message.is_empty() { draft.kind.clone() } else { format!("{}: {}", draft.kind, draft.message) }
}
