//! One way to run a language: which commands it takes, and with which arguments.

use super::template::Template;
use serde::Serialize;
use std::fmt;

/// A program of the machine, or a pair of them, that can run a language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Runtime {
    /// Starts the program. What a compiled one starts is `{output}`.
    pub run: Template,
    pub compiling: Option<Compiling>,
    /// Look at the syntax without running the program; the first whose command is there is used.
    pub checks: Vec<Check>,
    /// Arguments that make the command tell its version.
    pub version: Template,
    /// Older ones cannot run it.
    pub at_least: Option<Version>,
    /// Newer ones need other arguments.
    pub below: Option<Version>,
    /// What the program has to find in its environment.
    pub variables: Vec<(String, Template)>,
    /// What a person would type for a file; `run` as it is where this is empty.
    pub shown: Template,
    /// What a person would type for code without a file; as for a file where this is empty.
    pub shown_inline: Template,
}

impl Runtime {
    /// The commands that have to be on the machine, the first of them the one that tells its version.
    pub fn commands(&self) -> Vec<&str> {
        let compiler = self.compiling.as_ref().and_then(|compiling| compiling.command.command());
        compiler.into_iter().chain(self.run.command()).collect()
    }
}

/// How a compiler is called, and how we learn what it read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compiling {
    pub command: Template,
    pub makes: Makes,
    pub reads: Reads,
    /// What the compiler has to find in its environment.
    pub variables: Vec<(String, Template)>,
}

/// What lies at `{output}` afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Makes {
    Program,
    Folder,
}

/// Which files besides the source decide what comes out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Reads {
    /// The compiler writes them to `{reads}`, in the form of make.
    Told,
    /// It does not say; every file below the source's folder with such a name counts.
    Beside { extensions: Vec<String>, names: Vec<String> },
    /// Not known, so what it makes is not kept.
    Unknown,
}

/// Looks at the syntax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub command: Template,
    pub runs: Runs,
}

impl Check {
    pub fn reading(command: Template) -> Self {
        Self { command, runs: Runs::Nothing }
    }
}

/// What of the program runs while its syntax is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Runs {
    Nothing,
    /// Parts of it do, so the check needs the same walls as the program.
    Parts,
}

/// A version as far as order needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

impl Version {
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// The first number with a dot in what a runtime says about itself.
    pub fn find(text: &str) -> Option<Self> {
        let numbers = text.split(|character: char| !character.is_ascii_digit() && character != '.');
        numbers.filter(|word| word.starts_with(|first: char| first.is_ascii_digit())).find_map(|word| {
            let (major, rest) = word.split_once('.')?;
            let minor = rest.split('.').next().unwrap_or(rest);
            Some(Self::new(major.parse().ok()?, minor.parse().ok()?))
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_runtimes_say() {
        for (said, version) in [
            ("Python 3.11.7\n", Some(Version::new(3, 11))),
            ("v22.6.0", Some(Version::new(22, 6))),
            ("go version go1.19.8 linux/amd64", Some(Version::new(1, 19))),
            ("rustc 1.95.0 (59807616e 2026-04-14)", Some(Version::new(1, 95))),
            ("Rscript (R) version 4.2.2 Patched (2022-11-10 r83330)", Some(Version::new(4, 2))),
            ("cc (Debian 12.2.0-14+deb12u1) 12.2.0", Some(Version::new(12, 2))),
            ("99999999999.1", None),
            ("", None),
            ("no. digits", None),
        ] {
            assert_eq!(Version::find(said), version, "{said}");
        }
    }
}
