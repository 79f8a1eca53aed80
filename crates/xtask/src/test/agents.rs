//! Coding agents that tests drive, as packages of Node in a folder of their own below the target folder.
//!
//! They take a quarter of a minute and 0.8 GB. Their install scripts are not run: nothing that tests use needs them.

use super::tools;
use crate::command::{self, Command};
use crate::error::Error;
use crate::say;
use crate::step::{Outcome, Session};
use std::path::Path;

/// With their versions: what is known about their hooks is known about these.
const AGENTS: &[&str] =
    &["@anthropic-ai/claude-code@2.1.325", "@openai/codex@0.166.0", "@google/gemini-cli@0.61.0"];
/// What was installed the last time; the same list is not installed again.
const INSTALLED: &str = "installed.txt";

pub fn install(_: &mut Session) -> Result<Outcome, Error> {
    let folder = format!("{}/agents", tools::folder()?);
    let (list, wanted) = (format!("{folder}/{INSTALLED}"), AGENTS.join("\n"));
    if std::fs::read_to_string(&list).is_ok_and(|installed| installed == wanted) {
        say::line("nothing to install");
        return Ok(Outcome::Held);
    }
    let skipped = |why: &str| Ok(Outcome::Skipped(format!("{why}; tests that drive coding agents say so")));
    if !command::is_on_path("npm") {
        return skipped("npm is not installed");
    }
    let write = |source| Error::Write { path: folder.clone(), source };
    std::fs::create_dir_all(Path::new(&folder)).map_err(write)?;
    let flags = ["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--prefix", &folder];
    if !Command::new("npm", &[&flags[..], AGENTS].concat()).live()? {
        return skipped("npm failed");
    }
    std::fs::write(&list, wanted).map_err(write)?;
    Ok(Outcome::Held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_pinned() {
        for agent in AGENTS {
            let version = agent.rsplit_once('@').map(|(_, version)| version).unwrap_or_default();
            assert!(version.starts_with(|character: char| character.is_ascii_digit()), "{agent}");
        }
    }
}
