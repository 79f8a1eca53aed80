//! Builds what tests start, and runs them: with nextest where it is installed, otherwise with cargo's own runner.

use super::counts::{self, Counts};
use super::skips::{self, Skips};
use super::tools;
use crate::check::metadata;
use crate::command::Command;
use crate::error::Error;
use crate::properties;
use crate::say;
use crate::step::{Outcome, Session};
use std::path::Path;

/// Tells tests which binary to start; without it they start the one that cargo built for them.
const BINARY: &str = "ACTUM_BINARY";
/// Tells tests where the program is that plays a container's rules; it stands beside the binary.
const DOCKER_RULES: &str = "ACTUM_DOCKER_RULES";

/// Tells tests where compilers and test tools are that no package of the system brings.
const PATH: &str = "ACTUM_TEST_PATH";

/// The release build: start-up figures and the size of the warden mean little without it.
pub fn build_binary(session: &mut Session) -> Result<Outcome, Error> {
    let packages = ["--package", "actum", "--package", "actum-testkit"];
    if !Command::cargo(&[&["build", "--release", "--bins"], &packages[..]].concat()).live()? {
        return Ok(Outcome::Refused { advice: "fix the compiler errors above".to_owned() });
    }
    session.binary = Some(format!("{}/release/actum", metadata::target_folder()?));
    Ok(Outcome::Held)
}

pub fn tests(session: &mut Session) -> Result<Outcome, Error> {
    if Command::cargo(&["nextest", "--version"]).output().is_ok() {
        return count(session, &["nextest", "run", "--workspace", "--no-fail-fast"]);
    }
    say::line("cargo-nextest is not installed, so cargo's own runner is used");
    count(session, &["test", "--workspace", "--all-targets", "--no-fail-fast"])
}

/// Nextest does not run these.
pub fn doc_tests(session: &mut Session) -> Result<Outcome, Error> {
    count(session, &["test", "--workspace", "--doc", "--no-fail-fast"])
}

fn count(session: &Session, arguments: &[&str]) -> Result<Outcome, Error> {
    let mut command = Command::cargo(arguments).with(skips::VARIABLE, &Skips::path()?);
    if let Some(binary) = &session.binary {
        let rules = Path::new(binary).with_file_name("docker-rules");
        command = command.with(BINARY, binary).with(DOCKER_RULES, &rules.to_string_lossy());
    }
    command = command.with(PATH, &tools::search_path()?).with(properties::SEED, &properties::seed_of_tests());
    let watched = command.watched(counts::is_summary)?;
    let counts = watched
        .kept
        .iter()
        .filter_map(|line| counts::read(line))
        .fold(Counts::default(), |sum, one| sum + one);
    Ok(Outcome::Tested { counts, succeeded: watched.succeeded })
}
