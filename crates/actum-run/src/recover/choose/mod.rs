//! Decides what to change before a program is tried again.
//!
//! Input: a [`Case`], which is a diagnosis and what is known around it. Output: one [`Change`] at most, or why there is none.
//! Never touches the program's own files; see docs/design/recovery.md for why.
//! Pure: no clock, no files, no network. Start reading at [`choose`].

mod files;
mod layout;
mod limits;
mod packages;
mod source;
mod start;
mod system;
#[cfg(test)]
mod tests;
mod variables;
mod versions;

pub(crate) use versions::{found, not_found};

use super::situation::Situation;
use actum_model::{Diagnosis, Ending, Limits, Mode, Proposal, Reading, RemedyKind, Usage};
use std::path::Path;

/// One failure, and what is known around it.
pub(crate) struct Case<'a> {
    pub(crate) diagnosis: &'a Diagnosis,
    pub(crate) ending: &'a Ending,
    pub(crate) usage: &'a Usage,
    pub(crate) language: &'a str,
    pub(crate) code: &'a [u8],
    /// The name of the file that is run; none for a command.
    pub(crate) file: Option<&'a Path>,
    pub(crate) workspace: &'a Path,
    /// Where it starts.
    pub(crate) folder: &'a Path,
    pub(crate) reading: Option<&'a Reading>,
    pub(crate) situation: &'a Situation,
    /// What limits may be raised to.
    pub(crate) ceiling: &'a Limits,
    /// Kinds of remedies that were tried on this program.
    pub(crate) tried: &'a [RemedyKind],
    /// Whether it printed something in the last third of its time.
    pub(crate) still_printing: bool,
    /// Versions of Python that are on this machine, newest first.
    pub(crate) interpreters: &'a [(u8, u8)],
    /// The one that it ran with.
    pub(crate) interpreter: Option<(u8, u8)>,
    /// Packages that its environment holds, as name and version.
    pub(crate) installed: &'a [(String, String)],
    /// The day whose releases fit code of an interpreter's time.
    pub(crate) era: &'a dyn Fn((u8, u8)) -> Option<String>,
}

/// What is decided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Choice {
    Change(Box<Change>),
    /// It has to be found out first which release still has a name.
    Scout(Wanted),
    /// Only the source itself could be changed: what would be, and how it would go on.
    Propose(Proposal, Box<Change>),
    /// Nothing can be changed around it, for this reason.
    Stop(String),
}

/// A name that a package no longer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) package: String,
    pub(crate) module: String,
    /// None when the module itself is what is gone.
    pub(crate) name: Option<String>,
    /// An argument that the name no longer takes.
    pub(crate) keyword: Option<String>,
    /// The release that does not have it.
    pub(crate) below: Option<String>,
}

/// What is to be changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    pub(crate) kind: RemedyKind,
    pub(crate) what: String,
    pub(crate) why: String,
    pub(crate) permanent: Option<String>,
    /// It is only worth something if it makes the run succeed; else the failure before it is the one to tell.
    pub(crate) speculative: bool,
    pub(crate) to: Situation,
}

impl Case<'_> {
    /// The first thing that the diagnosis is about.
    fn subject(&self) -> &str {
        self.diagnosis.subject.first().map(String::as_str).unwrap_or_default()
    }

    fn second(&self) -> &str {
        self.diagnosis.subject.get(1).map(String::as_str).unwrap_or_default()
    }

    /// Whether its environment holds a package.
    fn has_installed(&self, package: &str) -> bool {
        let name = actum_prepare::bare(package);
        self.installed.iter().any(|(installed, _)| actum_prepare::bare(installed) == name)
    }

    /// The situation as it is, to be changed.
    fn altered(&self, alter: impl FnOnce(&mut Situation)) -> Situation {
        let mut to = self.situation.clone();
        alter(&mut to);
        to
    }
}

impl Change {
    fn new(kind: RemedyKind, what: impl Into<String>, why: impl Into<String>, to: Situation) -> Self {
        Self { kind, what: what.into(), why: why.into(), permanent: None, speculative: false, to }
    }

    fn permanently(self, how: impl Into<String>) -> Self {
        Self { permanent: Some(how.into()), ..self }
    }

    fn speculatively(self) -> Self {
        Self { speculative: true, ..self }
    }

    fn choice(self) -> Choice {
        Choice::Change(Box::new(self))
    }
}

/// What is changed next, if anything is.
pub(crate) fn choose(case: &Case<'_>) -> Choice {
    let families = [
        limits::choose,
        variables::choose,
        files::choose,
        start::choose,
        layout::choose,
        source::choose,
        packages::choose,
        system::choose,
        versions::choose,
    ];
    let chosen = families.iter().find_map(|family| family(case));
    chosen.or_else(|| versions::revise(case)).unwrap_or_else(|| Choice::Stop(told(case.diagnosis)))
}

/// Why nothing is changed, where the row itself says so.
fn told(diagnosis: &Diagnosis) -> String {
    match diagnosis.mode {
        Mode::Report => {
            "the error is in the program itself; changing its environment would not help".to_owned()
        }
        Mode::Ask => "this depends on what the author intended".to_owned(),
        Mode::Gated => "no remedy is known or allowed here".to_owned(),
        Mode::Auto => "no remedy is known".to_owned(),
    }
}
