//! `cargo xtask generate`: the part of the reference that follows from the code.
//!
//! `actum` itself tells the schemas and its commands (a hidden command, `actum reference`), so that this crate need not
//! compile the house. [`page`] makes the page about the report from its schema. `cargo xtask check` makes everything
//! again and finds what is not current. The tables of `actum-packages` are compressed by an example of that room, and a test
//! of the room finds those that are not current.

pub mod page;

use std::fs;

use crate::Held;
use crate::command::Command;
use crate::error::Error;
use crate::finding::Finding;
use crate::say;
use crate::step::{Outcome, Session};
use crate::tree::{TextFile, Tree};

const FOLDER: &str = "docs/reference";

/// Writes every file that is not current.
pub fn generate() -> Result<Held, Error> {
    fs::create_dir_all(FOLDER).map_err(|source| Error::Write { path: FOLDER.to_owned(), source })?;
    for TextFile { path, text } in made(&None)? {
        if fs::read_to_string(&path).is_ok_and(|there| there == text) {
            say::line(&format!("current  {path}"));
            continue;
        }
        fs::write(&path, text).map_err(|source| Error::Write { path: path.clone(), source })?;
        say::line(&format!("written  {path}"));
    }
    pack_tables()?;
    Ok(Held::Yes)
}

fn pack_tables() -> Result<(), Error> {
    let pack = ["run", "--quiet", "--locked", "--package", "actum-packages", "--example", "pack"];
    say::line(Command::cargo(&pack).output()?.trim_end());
    Ok(())
}

/// A step of `cargo xtask check`.
pub fn current(session: &mut Session) -> Result<Outcome, Error> {
    Ok(Outcome::Found(judge(&session.tree, &made(&session.binary)?)))
}

fn judge(tree: &Tree, made: &[TextFile]) -> Vec<Finding> {
    let stale = made.iter().filter(|file| tree.text(&file.path) != Some(file.text.as_str()));
    stale
        .map(|file| Finding::new(&file.path, "this page is not current", "run `cargo xtask generate`"))
        .collect()
}

/// By the binary that an earlier step built, otherwise by one that is built for this.
fn made(binary: &Option<String>) -> Result<Vec<TextFile>, Error> {
    let told = |what: &str| match binary {
        Some(binary) => Command::new(binary, &["reference", what]).output(),
        None => told(what),
    };
    let report = told("report-schema")?;
    let files = [
        ("report.md", page::report(&schema(&report)?, page::EXAMPLE)),
        ("report.schema.json", report),
        ("event.schema.json", told("event-schema")?),
        ("task-results.schema.json", told("task-results-schema")?),
        ("tasks-summary.schema.json", told("tasks-summary-schema")?),
        ("blocks.schema.json", told("blocks-schema")?),
        ("findings.schema.json", told("findings-schema")?),
        ("cli.md", told("commands")?),
        ("exit-codes.md", told("exit-codes")?),
    ];
    Ok(files.map(|(name, text)| TextFile { path: format!("{FOLDER}/{name}"), text }).into())
}

fn told(what: &str) -> Result<String, Error> {
    Command::cargo(&["run", "--quiet", "--locked", "--package", "actum", "--", "reference", what]).output()
}

fn schema(text: &str) -> Result<serde_json::Value, Error> {
    let malformed = |error: serde_json::Error| Error::Malformed {
        what: "the schema".to_owned(),
        reason: error.to_string(),
    };
    serde_json::from_str(text).map_err(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_old_is_found() {
        let made =
            ["a.md", "b.md", "c.md"].map(|path| TextFile { path: path.to_owned(), text: "new".to_owned() });
        let tree = Tree::of(&[("a.md", "new"), ("b.md", "old")]);
        let places: Vec<String> = judge(&tree, &made).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["b.md", "c.md"]);
    }
}
