//! The last resort: lines that say `error` or `fatal` themselves. Asked only when a run failed and nothing else was found.

use crate::analyse::sight::{Draft, Scene, Sighting};

const LANGUAGE: &str = "unknown";

/// How such lines begin, in lower case.
const BEGINNINGS: &[&str] = &["error: ", "fatal: ", "fatal error: ", "[error] ", "critical: "];

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at).trim();
    if npm(line).is_some() {
        return npm_block(scene, at);
    }
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

/// What follows `npm error ` or, before npm 10, `npm ERR! `.
fn npm(line: &str) -> Option<&str> {
    line.strip_prefix("npm error ").or_else(|| line.strip_prefix("npm ERR! "))
}

/// npm says one thing in ten lines. The first that is not about itself is the one: `enoent Could not read package.json`.
fn npm_block(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    const ITSELF: &[&str] =
        &["code ", "syscall ", "path ", "errno ", "command ", "workspace ", "lifecycle ", "A complete log "];
    let end = scene.until(at, |line| npm(line).is_some() || line == "npm error");
    let said = || (at..end).filter_map(|index| npm(scene.at(index)));
    let telling = said().find(|said| !ITSELF.iter().any(|word| said.starts_with(word)));
    let message = telling.or_else(|| said().next())?.to_owned();
    let kind = "npm error".to_owned();
    Sighting::failure(end - at, Draft { kind, message, language: LANGUAGE, ..Draft::default() })
}

fn failure(kind: &str, message: &str) -> Option<Sighting> {
    let (kind, message) = (kind.to_owned(), message.to_owned());
    Sighting::failure(1, Draft { kind, message, language: LANGUAGE, ..Draft::default() })
}
