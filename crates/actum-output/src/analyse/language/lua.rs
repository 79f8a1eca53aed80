//! Lua: `lua: x.lua:3: message`, then its traceback.

use crate::analyse::sight::{Draft, Scene, Sighting, frame, place};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["lua"];
const LANGUAGE: &str = "lua";

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let (program, said) = line.strip_prefix("lua").and_then(|rest| rest.split_once(": "))?;
    if !program.chars().all(|c| c.is_ascii_digit() || "jit.-".contains(c)) {
        return None;
    }
    // Code from the command line has no file.
    let inline = said.strip_prefix("(command line):").map(|rest| format!("<string>:{rest}"));
    let said = inline.as_deref().unwrap_or(said);
    let thrown = place(said).filter(|place| place.rest.starts_with(": ") && !place.path.contains(' '));
    let message = thrown.as_ref().map_or(said, |place| &place.rest[2..]).to_owned();
    let place = thrown.map(|place| place.frame());
    // 40: the folders that were searched for a module stand between the message and the traceback.
    let trace = scene.ahead(at + 1, 40, |line| line == "stack traceback:");
    let end = trace.map_or(at + 1, |trace| scene.until(trace + 1, |line| line.starts_with('\t')));
    let called = trace.map_or(end, |trace| trace + 1)..end;
    let frames = scene.innermost(called.filter_map(|index| trace_line(scene.at(index))));
    // What does not parse has no frame of its own, and says near what.
    let parsed = frames.own.is_some() || !message.contains(" near ");
    let kind = if parsed { "error" } else { "syntax error" }.to_owned();
    let draft = Draft {
        kind,
        message,
        language: LANGUAGE,
        place: place.or(frames.any),
        frame: frames.own,
        ..Draft::default()
    };
    Sighting::failure(end - at, draft)
}

/// `    x.lua:1: in upvalue 'f'`.
fn trace_line(line: &str) -> Option<Frame> {
    let place = place(line.trim_start())?;
    let function =
        place.rest.split_once('\'').and_then(|(_, rest)| rest.split_once('\'')).map(|(name, _)| name);
    Some(frame(function, place.path, Some(place.line)))
}
