//! The last resort: lines that say `error` or `fatal` themselves. Asked only when a run failed and nothing else was found.

use crate::analyse::sight::{Draft, Scene, Sighting};

const LANGUAGE: &str = "unknown";

/// How such lines begin, in lower case.
const BEGINNINGS: &[&str] =
    &["error: ", "fatal: ", "fatal error: ", "[error] ", "critical: ", "npm err! ", "npm error "];

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at).trim();
    if let Some((make, said)) = line.split_once(": *** ").filter(|(make, _)| make.starts_with("make")) {
        return failure(make.split('[').next().unwrap_or(make), said);
    }
    for beginning in BEGINNINGS {
        let said = line.get(..beginning.len()).filter(|start| start.eq_ignore_ascii_case(beginning));
        let Some(said) = said.map(|_| line[beginning.len()..].trim()) else { continue };
        if said.is_empty() {
            return None;
        }
        return failure(beginning.trim_matches([':', ' ', '[', ']', '!']), said);
    }
    // `prog: error: message`, as most tools of Unix say it.
    let (program, said) = line.split_once(": error: ").or_else(|| line.split_once(": fatal: "))?;
    (!program.contains(' ')).then(|| failure(program, said))?
}

fn failure(kind: &str, message: &str) -> Option<Sighting> {
    let (kind, message) = (kind.to_owned(), message.to_owned());
    Sighting::failure(1, Draft { kind, message, language: LANGUAGE, ..Draft::default() })
}
