//! SQL: errors of `psql`, of the `sqlite3` program and of Actum's own SQLite.

use crate::analyse::sight::{Draft, Scene, Sighting, frame, number};

pub(super) const NAMES: &[&str] = &["sql", "sqlite", "postgresql"];
const LANGUAGE: &str = "sql";

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    postgres(scene, at).or_else(|| sqlite_program(scene, at)).or_else(|| sqlite(scene, at))
}

/// `[psql:x.sql:3: ]ERROR:  message`, then `LINE 1: …`, `DETAIL:  …`, `HINT:  …`. Two spaces, or it is not PostgreSQL's.
fn postgres(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    if let Some(message) = line.strip_prefix("psql: error: ") {
        return failure(1, "psql", message, None);
    }
    let (origin, said) = match line.strip_prefix("psql:").and_then(|rest| rest.split_once(": ")) {
        Some((origin, said)) => (Some(origin), said),
        None => (None, line),
    };
    if let Some(warning) = said.strip_prefix("WARNING:  ") {
        return Sighting::warning(1, warning.to_owned());
    }
    let (kind, message) =
        said.split_once(":  ").filter(|(kind, _)| ["ERROR", "FATAL", "PANIC"].contains(kind))?;
    let belongs = |line: &str| {
        ["LINE ", "DETAIL:  ", "HINT:  ", "CONTEXT:  ", "QUERY:  "]
            .iter()
            .any(|start| line.starts_with(start))
            || line.trim() == "^"
    };
    let end = scene.until(at + 1, belongs);
    let line =
        (at + 1..end).find_map(|index| number(scene.at(index).strip_prefix("LINE ")?)).map(|(line, _)| line);
    let file = origin.and_then(|origin| origin.rsplit_once(':'));
    // `LINE` counts within the statement; with a file psql tells the line of the file.
    let place = match file {
        Some((file, line)) => Some((file, line.parse().ok())),
        None => line.map(|line| ("<string>", Some(line))),
    };
    failure(end - at, kind, message, place)
}

/// `Parse error near line 3: near "SELEC": syntax error`.
fn sqlite_program(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let (kind, rest) = line
        .split_once(" near line ")
        .filter(|(kind, _)| ["Parse error", "Runtime error", "Error"].contains(kind))?;
    let (line, rest) = number(rest)?;
    failure(1, kind, rest.strip_prefix(": ")?, Some(("<string>", Some(line))))
}

/// `error: near "SELEC": syntax error`, and below it `  line 3`. Anybody could say that, so only where SQL was asked for.
fn sqlite(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let message = line.strip_prefix("error: ").or_else(|| line.strip_prefix("Error: "))?;
    if !scene.asked.speaks(NAMES) {
        return None;
    }
    let below = scene.at(at + 1).trim_start().strip_prefix("line ").and_then(number);
    let place = below.map(|(line, _)| ("<string>", Some(line)));
    failure(1 + usize::from(below.is_some()), "error", message, place)
}

fn failure(taken: usize, kind: &str, message: &str, place: Option<(&str, Option<u64>)>) -> Option<Sighting> {
    let place = place.map(|(file, line)| frame(None, file, line));
    let (kind, message) = (kind.to_owned(), message.to_owned());
    Sighting::failure(taken, Draft { kind, message, language: LANGUAGE, place, ..Draft::default() })
}
