//! What is asked of this room.

use crate::clock;
use crate::read::Desk;
use crate::recover::Bounds;
use crate::redact::Redaction;
use crate::source::Source;
use crate::together::Namespace;
use actum_changes::settle::Keeping;
use actum_judge::Given;
use actum_languages::{Languages, Program};
use actum_model::{Approval, Ending, Expectation, Expected, Label, RunId, Started, path_text};
use actum_prepare::needs::Packages;
use actum_sandbox::{Sandboxes, Variable};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// One run, as asked.
#[derive(Debug, Clone)]
pub struct Request {
    pub source: Source,
    /// The language, where the user named it.
    pub language: Option<String>,
    /// For the program, behind its source.
    pub arguments: Vec<OsString>,
    /// The file that SQL runs on.
    pub database: Option<PathBuf>,
    pub after_failure: AfterFailure,
    pub purpose: Purpose,
    pub approval: Approval,
    /// By which somebody finds it again.
    pub labels: Vec<Label>,
    /// When its changes are applied.
    pub keep: Keep,
    /// What is taken out of everything that is kept and told about it.
    pub redaction: Redaction,
    /// What may be installed for it.
    pub packages: Packages,
    /// How often it is tried again.
    pub bounds: Bounds,
    pub source_changes: SourceChanges,
    /// Blocks of Python share one interpreter, which finds these names in it.
    pub together: Option<Namespace>,
    /// The task of somebody's list that it belongs to.
    pub task: Option<String>,
    /// What is expected of it.
    pub expectations: Vec<Expected>,
    /// What its program is run on. The first case is the run itself; its input and arguments are the run's.
    pub cases: Vec<Given>,
    /// How much is remembered of what it reads.
    pub tracing: Tracing,
    /// The user said that no graphics card is to be granted.
    pub cards_refused: bool,
    /// What is laid beside its programs.
    pub support: Support,
    /// What every attempt of this run gets. The command is filled in for each.
    pub attempt: actum_sandbox::Request,
}

/// How much is remembered of the files that a run reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Tracing {
    /// Digests of as many as take no time that anybody notices.
    #[default]
    Bounded,
    /// Digests of all that can be seen, and their contents, so that the run can be repeated without them.
    Whole,
}

/// Files of ours that programs see beside their own, and the variables that lead to them.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Support {
    pub files: Vec<SupportFile>,
    /// `{support}` in a value stands for the folder of the files. A variable that the user set wins.
    pub variables: Vec<(OsString, OsString)>,
    /// Lists of folders, such as `PYTHONPATH`, in which the folder of the files comes first.
    pub search_paths: Vec<OsString>,
}

/// One file of [`Support`].
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SupportFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Request {
    /// The value of a variable that says what the run may reach: as it was granted, else as the caller has it. What blocks find
    /// under a name (`together`) is handed in before what is granted; it is a value and grants nothing.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        let handed_in = self.together.as_ref().map_or(0, |namespace| namespace.variables.len());
        let granted = self.attempt.granted_variables.get(handed_in..).unwrap_or_default();
        let set = granted.iter().rev().find_map(|variable| match variable {
            Variable::Set(other, value) if other == name => Some(value.as_os_str()),
            Variable::Set(..) | Variable::Inherited(_) => None,
        });
        let callers = || self.attempt.variables.iter().find(|(other, _)| other == name);
        set.or_else(|| callers().map(|(_, value)| value.as_os_str()))
    }
}

impl Request {
    /// Whether this is how its program was to end: with 0, unless another code is expected.
    pub(crate) fn expects(&self, ending: &Ending) -> bool {
        let of_case = self.cases.first().into_iter().flat_map(|case| &case.expectations);
        let all = of_case.chain(self.expectations.iter().map(|expected| &expected.what));
        let said = all.into_iter().find_map(|expectation| match expectation {
            Expectation::Exit { code } => Some(*code),
            Expectation::Stream { .. }
            | Expectation::File { .. }
            | Expectation::Numbers { .. }
            | Expectation::Duration { .. }
            | Expectation::Memory { .. } => None,
        });
        *ending == Ending::Exited { code: said.unwrap_or(0) }
    }
}

impl Request {
    /// In a line, before more is known about it.
    pub(crate) fn shown(&self) -> String {
        self.redaction.text(&self.source.shown())
    }

    /// Its labels, as they are told.
    pub(crate) fn labels(&self) -> Vec<String> {
        self.labels.iter().map(|label| self.redaction.text(&label.to_string())).collect()
    }

    /// The fact that one of its programs is about to start. Attempts are counted from 1.
    pub(crate) fn started(&self, run: RunId, attempt: u32, program: &Program) -> Started {
        Started {
            v: Started::VERSION,
            run,
            attempt,
            at: clock::moment(),
            command: program.shown.clone(),
            language: program.language.clone(),
            folder: self.redaction.text(&path_text(self.attempt.folder.as_os_str().as_bytes())),
            labels: self.labels(),
        }
    }
}

/// When the changes of a run are applied, where they were not made directly.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// When it succeeded. Else they are kept apart.
    #[default]
    Success,
    /// However it ended.
    Always,
}

/// Not a word for [`Keep`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither `success` nor `always`")]
pub struct NotKeep(String);

impl std::str::FromStr for Keep {
    type Err = NotKeep;

    fn from_str(text: &str) -> Result<Self, NotKeep> {
        match text {
            "success" => Ok(Self::Success),
            "always" => Ok(Self::Always),
            other => Err(NotKeep(other.chars().take(40).collect())),
        }
    }
}

impl std::fmt::Display for Keep {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Success => "success",
            Self::Always => "always",
        })
    }
}

/// Whether a copy of the source may be changed, where nothing around it would help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceChanges {
    Denied,
    Allowed,
}

/// What is to be done with a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Run,
    /// Only its syntax is looked at; none of it runs, and nothing is changed.
    Check,
}

/// What becomes of the programs behind one that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    Stop,
    GoOn,
}

/// What a run is carried out with.
#[derive(Debug, Clone, Copy)]
pub struct House<'a> {
    pub sandboxes: &'a Sandboxes,
    pub languages: &'a Languages,
    pub run: RunId,
    /// A folder on disk that is this run's own.
    pub folder: &'a Path,
    /// Where its changes are kept.
    pub keeping: &'a Keeping,
    /// What can be made again: compiled programs.
    pub cache: &'a Path,
    /// The command by which Actum runs SQL inside the sandbox.
    pub sqlite: &'a [OsString],
    pub tools: &'a Tools,
}

impl<'a> House<'a> {
    /// Where the programs of this run are read.
    pub(crate) fn desk(&self, attempt: &'a actum_sandbox::Request) -> Desk<'a> {
        let Self { sandboxes, cache, folder, tools, .. } = *self;
        Desk { sandboxes, reader: &tools.reader, cache, folder, attempt }
    }
}

/// What programs are read and prepared with.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    /// The command by which Actum reads a program inside the sandbox.
    pub reader: Vec<OsString>,
    /// The command by which Actum judges contents inside the sandbox.
    pub judge: Vec<OsString>,
    /// The command by which Actum writes an answer's files inside the sandbox.
    pub editor: Vec<OsString>,
    /// Where packages come from.
    pub packages: actum_prepare::Packages,
    /// Where `uv` and interpreters of Python may be.
    pub candidates: actum_prepare::ToolCandidates,
}
