//! Questions that other people's tools answer better: format, clippy, cargo-deny.

use crate::command::{self, Command};
use crate::error::Error;
use crate::step::{Outcome, Session};
use std::path::Path;

pub fn format(_: &mut Session) -> Result<Outcome, Error> {
    asked(&Command::cargo(&["fmt", "--all", "--", "--check"]), "cargo fmt --all")
}

pub fn clippy(_: &mut Session) -> Result<Outcome, Error> {
    let command = Command::cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    asked(&command, "fix the clippy warnings above")
}

/// Whether cargo-deny is installed. It is not demanded: compiling it takes minutes.
pub fn has_deny() -> bool {
    Command::cargo(&["deny", "--version"]).output().is_ok()
}

/// Licences, versions and sources by cargo-deny. Advisories need a database from outside and are left out.
pub fn deny(_: &mut Session) -> Result<Outcome, Error> {
    let command = Command::cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]);
    asked(&command, "fix the findings of cargo deny above, or justify them in deny.toml")
}

const ARM: &str = "aarch64-unknown-linux-gnu";
/// Compiles the C code of SQLite, zstd and the grammars.
const ARM_COMPILER: &str = "aarch64-linux-gnu-gcc";

/// Whether everything compiles for 64-bit ARM; nothing is run. docs/contributing/ports.md says what a port needs beside that.
pub fn arm(_: &mut Session) -> Result<Outcome, Error> {
    let library = Command::new("rustc", &["--print", "target-libdir", "--target", ARM]).output()?;
    if !Path::new(library.trim()).is_dir() {
        let reason = format!("the standard library for {ARM} is not installed (`rustup target add {ARM}`)");
        return Ok(Outcome::Skipped(reason));
    }
    if !command::is_on_path(ARM_COMPILER) {
        let reason = format!("{ARM_COMPILER} is not installed (`apt-get install gcc-aarch64-linux-gnu`)");
        return Ok(Outcome::Skipped(reason));
    }
    let check = Command::cargo(&["check", "--workspace", "--all-targets", "--target", ARM]);
    asked(&check.with("CC_aarch64_unknown_linux_gnu", ARM_COMPILER), "mend what the compiler names above")
}

fn asked(command: &Command, advice: &str) -> Result<Outcome, Error> {
    Ok(if command.live()? { Outcome::Held } else { Outcome::Refused { advice: advice.to_owned() } })
}
