//! Questions that other people's tools answer better: format, clippy, cargo-deny.

use crate::command::Command;
use crate::error::Error;
use crate::step::{Outcome, Session};

pub fn format(_: &mut Session) -> Result<Outcome, Error> {
    asked(&Command::cargo(&["fmt", "--all", "--", "--check"]), "cargo fmt --all")
}

pub fn clippy(_: &mut Session) -> Result<Outcome, Error> {
    let command = Command::cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    asked(&command, "fix the clippy warnings above")
}

/// The dependencies check reads the same lists without it, so its absence is no failure; compiling it would take
/// longer than everything else together. Advisories need a database from outside and are left out.
pub fn deny(_: &mut Session) -> Result<Outcome, Error> {
    if Command::cargo(&["deny", "--version"]).output().is_err() {
        let reason = "cargo-deny is not installed (`cargo install --locked cargo-deny`); \
                      the dependencies check has read the same lists";
        return Ok(Outcome::Skipped(reason.to_owned()));
    }
    let command = Command::cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]);
    asked(&command, "fix the findings of cargo deny above, or justify them in deny.toml")
}

fn asked(command: &Command, advice: &str) -> Result<Outcome, Error> {
    Ok(if command.live()? { Outcome::Held } else { Outcome::Refused { advice: advice.to_owned() } })
}
