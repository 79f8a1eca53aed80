//! Packages of Python that tests have Actum install: MLflow and pytest with all that they need, as wheels in a folder below the target
//! folder, so that the test itself asks nobody.
//!
//! 183 MB, half a minute on a fast line. All versions are pinned.

use super::{python, tools};
use crate::command::Command;
use crate::error::Error;
use crate::say;
use crate::step::{Outcome, Session};
use std::fs;
use std::path::Path;

const WANTED: &str = include_str!("wheels.txt");
/// What was fetched the last time; the same list is not fetched again.
const FETCHED: &str = "fetched.txt";

pub fn fetch(_: &mut Session) -> Result<Outcome, Error> {
    let folder = format!("{}/wheels", tools::folder()?);
    let list = format!("{folder}/{FETCHED}");
    if fs::read_to_string(&list).is_ok_and(|fetched| fetched == WANTED) {
        say::line("nothing to fetch");
        return Ok(Outcome::Held);
    }
    let skipped = |why: &str| Ok(Outcome::Skipped(format!("{why}; tests that need the wheels say so")));
    let pip = format!("{}/pip", python::programs()?);
    if !Path::new(&pip).exists() {
        return skipped("the environment of the test tools has no pip");
    }
    let write =
        |path: &str| fs::write(path, WANTED).map_err(|source| Error::Write { path: path.to_owned(), source });
    fs::create_dir_all(&folder).map_err(|source| Error::Write { path: folder.clone(), source })?;
    let asked = format!("{folder}/wanted.txt");
    write(&asked)?;
    let options =
        ["download", "--quiet", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:"];
    let where_to = ["--no-deps", "--dest", &folder, "--requirement", &asked];
    if !Command::new(&pip, &[&options[..], &where_to].concat()).live()? {
        return skipped("pip failed");
    }
    write(&list)?;
    Ok(Outcome::Held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_pinned_and_the_package_itself_is_among_them() {
        for line in WANTED.lines() {
            let pinned =
                line.split_once("==").is_some_and(|(name, version)| !name.is_empty() && !version.is_empty());
            assert!(pinned, "{line}");
        }
        assert!(WANTED.lines().any(|line| line.starts_with("mlflow==")));
    }
}
