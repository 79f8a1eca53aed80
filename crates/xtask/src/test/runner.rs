//! Builds what tests start, and runs them: with nextest where it is installed, otherwise with cargo's own runner.

use super::counts::{self, Counts};
use super::skips::{self, Skips};
use super::tools as test_tools;
use crate::binary;
use crate::check::tools;
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

/// Cargo has the crates of this workspace compiled by the program that this names, and keeps what it made apart.
const COMPILER: &str = "RUSTC_WORKSPACE_WRAPPER";
/// The words of `clippy-driver`, as `cargo clippy` hands them over.
const LINTS: (&str, &str) = ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");

/// Builds every test with clippy's driver, which is the compiler with more lints: `cargo clippy` would examine every crate and every
/// dependency a second time. Where it finds something, the tests are built without it later.
pub fn lint(session: &mut Session) -> Result<Outcome, Error> {
    let sysroot = Command::new("rustc", &["--print", "sysroot"]).output()?;
    let driver = format!("{}/bin/clippy-driver", sysroot.trim());
    if !Path::new(&driver).exists() {
        return tools::clippy(session);
    }
    // Without `--all-targets`, as the tests are built: with it examples would become tests, and some tests start examples as programs.
    let build = Command::cargo(&["test", "--workspace", "--no-run"]);
    if !build.with(COMPILER, &driver).with(LINTS.0, LINTS.1).live()? {
        return Ok(Outcome::Refused { advice: "fix the warnings above".to_owned() });
    }
    session.linter = Some(driver);
    Ok(Outcome::Held)
}

/// The optimised build: start-up figures and the size of the warden mean little without it.
pub fn build_binary(session: &mut Session) -> Result<Outcome, Error> {
    if !binary::build()? {
        return Ok(Outcome::Refused { advice: "fix the compiler errors above".to_owned() });
    }
    session.binary = Some(binary::path("actum")?);
    Ok(Outcome::Held)
}

pub fn tests(session: &mut Session) -> Result<Outcome, Error> {
    if Command::cargo(&["nextest", "--version"]).output().is_ok() {
        return count(session, &["nextest", "run", "--workspace", "--no-fail-fast"]);
    }
    say::line("cargo-nextest is not installed, so cargo's own runner is used");
    count(session, &["test", "--workspace", "--all-targets", "--no-fail-fast"])
}

/// Nextest does not run these. All crates are asked, those without examples as well: for a choice of crates cargo would build what they
/// depend on again, with other features.
pub fn doc_tests(session: &mut Session) -> Result<Outcome, Error> {
    count(session, &["test", "--workspace", "--doc", "--no-fail-fast"])
}

fn count(session: &Session, arguments: &[&str]) -> Result<Outcome, Error> {
    let mut command = Command::cargo(arguments).with(skips::VARIABLE, &Skips::path()?);
    if let Some(binary) = &session.binary {
        let rules = Path::new(binary).with_file_name("docker-rules");
        command = command.with(BINARY, binary).with(DOCKER_RULES, &rules.to_string_lossy());
    }
    if let Some(linter) = &session.linter {
        command = command.with(COMPILER, linter).with(LINTS.0, LINTS.1);
    }
    command =
        command.with(PATH, &test_tools::search_path()?).with(properties::SEED, &properties::seed_of_tests());
    let watched = command.watched(counts::is_summary)?;
    let counts = watched
        .kept
        .iter()
        .filter_map(|line| counts::read(line))
        .fold(Counts::default(), |sum, one| sum + one);
    Ok(Outcome::Tested { counts, succeeded: watched.succeeded })
}
