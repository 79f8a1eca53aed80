//! What tests said they could not try. Runners hide the output of tests that end well, so a test appends a line
//! `name<tab>reason` to the file that `ACTUM_SKIPS` names; `actum_testkit::skip` does that.

use std::collections::BTreeSet;
use std::fs;
use std::io;

use crate::check::metadata;
use crate::error::Error;

/// The variable that tells tests where to write.
pub const VARIABLE: &str = "ACTUM_SKIPS";

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Skips(BTreeSet<(String, String)>);

impl Skips {
    /// In the target folder, since it is made anew each time and not committed.
    pub fn path() -> Result<String, Error> {
        Ok(format!("{}/actum-skips.txt", metadata::target_folder()?))
    }

    /// Forgets those of the last time.
    pub fn clear() -> Result<(), Error> {
        let path = Skips::path()?;
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::Write { path, source }),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    pub fn read() -> Result<Skips, Error> {
        let path = Skips::path()?;
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Skips::parse(&text)),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(Skips::default()),
            Err(source) => Err(Error::Read { path, source }),
        }
    }

    /// One line each, `name: reason`, sorted.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, reason)| format!("{name}: {reason}"))
    }

    /// How many tests skipped something; one that gave two reasons counts once.
    pub fn tests(&self) -> usize {
        self.0.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len()
    }

    fn parse(text: &str) -> Skips {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        Skips(lines.map(|line| line.split_once('\t').unwrap_or(("a test", line))).map(owned).collect())
    }
}

fn owned((name, reason): (&str, &str)) -> (String, String) {
    (name.to_owned(), reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_counts_once_and_every_reason_is_shown() {
        let skips = Skips::parse("b\tno bwrap\na\tnot root\na\tno cgroup\na\tnot root\n\n");
        assert_eq!(skips.tests(), 2);
        assert_eq!(skips.lines().collect::<Vec<_>>(), ["a: no cgroup", "a: not root", "b: no bwrap"]);
    }
}
