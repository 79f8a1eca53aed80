//! R: `Error in f(1) : message`, and warnings. R names calls, not lines.

use crate::analyse::sight::{Draft, Scene, Sighting};

pub(super) const NAMES: &[&str] = &["r", "R"];
const LANGUAGE: &str = "r";

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    if let Some(rest) = line.strip_prefix("Error in ") {
        // The call may hold a colon itself; what separates has spaces around it.
        let (call, said) = rest.split_once(" : ").or_else(|| Some((rest.strip_suffix(" :")?, "")))?;
        let below = said.trim().is_empty();
        let message = if below { scene.at(at + 1) } else { said };
        let function = call.split_once('(').map_or(call, |(name, _)| name).trim();
        return failure(1 + usize::from(below), &format!("Error in {function}"), message);
    }
    if let Some(message) = line.strip_prefix("Error: ") {
        // Everybody says that. It is R's when R says that it stops.
        let halted = scene.ahead(at + 1, 12, |line| line == "Execution halted").is_some();
        return (halted || scene.asked.speaks(NAMES)).then(|| failure(1, "Error", message))?;
    }
    if line == "Execution halted" {
        return Sighting::aside(1);
    }
    if line.trim_start_matches("In addition: ").starts_with("Warning message:") {
        // The call stands on a line of its own when there is not room for both.
        let first = scene.at(at + 1).trim();
        let both = first.ends_with(" :");
        let message = if both { format!("{first} {}", scene.at(at + 2).trim()) } else { first.to_owned() };
        return Sighting::warning(2 + usize::from(both), message);
    }
    None
}

fn failure(taken: usize, kind: &str, message: &str) -> Option<Sighting> {
    let (kind, message) = (kind.to_owned(), message.trim().to_owned());
    Sighting::failure(taken, Draft { kind, message, language: LANGUAGE, ..Draft::default() })
}
