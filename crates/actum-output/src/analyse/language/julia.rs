//! Julia: `ERROR: LoadError: UndefVarError: …`, its stack and the expression that it began in.

use crate::analyse::sight::{Draft, Scene, Sighting, frame, kind_and_message, number};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["julia"];
const LANGUAGE: &str = "julia";

const EXPRESSION: &str = "in expression starting at ";

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let said = scene.at(at).strip_prefix("ERROR: ").filter(|said| !said.starts_with(' '))?;
    let trace =
        scene.ahead(at + 1, 12, |line| line.starts_with("Stacktrace:") || line.starts_with(EXPRESSION));
    if trace.is_none() && !scene.asked.speaks(NAMES) {
        return None;
    }
    let said = said.strip_prefix("LoadError: ").unwrap_or(said);
    let (kind, message) = match kind_and_message(said) {
        Some((kind, message)) if kind.ends_with("Error") || kind.ends_with("Exception") => (kind, message),
        _ => ("ErrorException", said),
    };
    let (kind, message) = (kind.to_owned(), message.to_owned());
    let first = trace.unwrap_or(at + 1);
    let stack = scene.until(first, |line| line.starts_with([' ', 'S']));
    let frames = (first..stack).filter_map(|index| stack_frame(scene, index));
    let frames = scene.innermost(frames);
    let expression = scene.ahead(stack, 2, |line| line.starts_with(EXPRESSION));
    let begun = expression.and_then(|index| file_and_line(scene.at(index).strip_prefix(EXPRESSION)?));
    let end = expression.map_or(stack, |index| index + 1);
    let place = begun.map(|(file, line)| frame(None, file, Some(line))).or(frames.any);
    Sighting::failure(
        end - at,
        Draft { kind, message, language: LANGUAGE, place, frame: frames.own, ..Draft::default() },
    )
}

/// ` [1] mean(values::Vector{Int64})` and below it `   @ Main /workspace/x.jl:3`. Julia's own files have relative paths
/// and modules of their own.
fn stack_frame(scene: &Scene<'_>, index: usize) -> Option<Frame> {
    let (_, call) = scene.at(index).trim_start().strip_prefix('[')?.split_once("] ")?;
    let place = scene.at(index + 1).trim_start().strip_prefix("@ ")?;
    let (module, place) = place.split_once(' ').unwrap_or(("", place));
    let (file, line) = file_and_line(place)?;
    let others = ["Base", "Core"].contains(&module.split('.').next().unwrap_or(module));
    let file = if others { "<library>" } else { file };
    Some(frame(Some(call.split_once('(').map_or(call, |(name, _)| name)), file, Some(line)))
}

fn file_and_line(place: &str) -> Option<(&str, u64)> {
    let (file, line) = place.trim().rsplit_once(':')?;
    Some((file, number(line)?.0))
}
