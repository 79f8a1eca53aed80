//! What can go wrong before or around a run: with the request, the store, the machine. A program that fails is none of these.

use crate::surroundings::SurroundingsError;
use actum_judge::JudgeError;
use actum_model::{ExitCode, LimitsError, PolicyError};
use actum_risk::TimeoutError;
use actum_run::RunError;
use actum_sandbox::SandboxError;
use actum_store::StoreError;
use std::io;
use std::path::PathBuf;

/// Why a run could not be built, started, settled or recorded.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Run(Box<RunError>),
    #[error(transparent)]
    Surroundings(#[from] SurroundingsError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Timeout(#[from] TimeoutError),
    #[error("cannot use {}", path.display())]
    Path { path: PathBuf, hint: &'static str, source: io::Error },
    #[error("cannot use the session's name")]
    SessionName(#[from] actum_run::session::SessionNameError),
    #[error("cannot use the database {}: it is not inside the workspace {}", path.display(), workspace.display())]
    Database { path: PathBuf, workspace: PathBuf },
    #[error("cannot keep {count} labels with a run: {} is the most", actum_model::Label::MOST)]
    Labels { count: usize },
    #[error("cannot use the Python `{version}`")]
    Python { version: String },
    #[error("cannot use `{text}` as a name and its value")]
    Global { text: String },
    #[error("cannot use the day `{text}`")]
    Day { text: String },
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error("cannot use what {origin} expects")]
    Expectations { origin: String, source: JudgeError },
    #[error("cannot understand what {origin} expects: {why}")]
    NotUnderstood { origin: String, why: String },
    #[error(
        "cannot understand what {origin} expects: `expect` takes kinds of expectations with their values"
    )]
    NoTable { origin: String },
    #[error("cannot expect both {one} and {other}: they cannot both hold")]
    Contradiction { one: String, other: String },
    #[error(
        "cannot hold a call of a session against what {origin} expects: nothing that a call leaves is judged"
    )]
    NotOfACall { origin: String },
    #[error("cannot hold the case {case} against {what}: what a case writes is dropped with it")]
    NotOfACase { what: String, case: String },
    #[error("cannot find anything to run")]
    NoSource,
    #[error("cannot write the report")]
    Json(#[from] serde_json::Error),
    #[error("cannot find this program itself")]
    Itself { source: io::Error },
    #[error("cannot start helper processes: this program does not answer for them")]
    NoHelper,
    #[error("cannot run anything more: the engine was made for one run")]
    Used,
    #[error("cannot run what waits for approval: it was kept by another version of Actum")]
    Kept { source: serde_json::Error },
    #[error("cannot start in {}: it is not inside the workspace {}", folder.display(), workspace.display())]
    Outside { folder: PathBuf, workspace: PathBuf },
    #[error("cannot grant {}: it is a link in the workspace that leads to {}", link.display(), target.display())]
    LinkOut { link: PathBuf, target: PathBuf },
    #[error("cannot ask for approval on the terminal")]
    Ask { source: io::Error },
    #[error("cannot run what was approved: it has changed since it was asked for")]
    NotWhatWasApproved,
    #[error("cannot run it: it was not approved")]
    Refused,
    #[error("cannot run it: it was cancelled while it waited for its turn")]
    Cancelled,
    #[error("cannot wait for its turn")]
    Turn { source: io::Error },
}

/// An error with its causes, on one line.
pub fn describe(error: &dyn std::error::Error) -> String {
    actum_model::with_causes(error)
}

/// Boxed: it is the largest by far, and this error is a part of others.
impl From<RunError> for EngineError {
    fn from(error: RunError) -> Self {
        Self::Run(Box::new(error))
    }
}

impl From<SandboxError> for EngineError {
    fn from(error: SandboxError) -> Self {
        RunError::from(error).into()
    }
}

impl From<PolicyError> for EngineError {
    fn from(error: PolicyError) -> Self {
        SandboxError::from(error).into()
    }
}

impl From<LimitsError> for EngineError {
    fn from(error: LimitsError) -> Self {
        SandboxError::from(error).into()
    }
}

impl EngineError {
    /// The exit code that tells of it.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Cancelled => ExitCode::CANCELLED,
            Self::Run(error) => error.exit_code(),
            Self::Refused | Self::NotWhatWasApproved => ExitCode::REFUSED,
            Self::NoSource
            | Self::Database { .. }
            | Self::SessionName(_)
            | Self::Labels { .. }
            | Self::Python { .. }
            | Self::Day { .. }
            | Self::Global { .. }
            | Self::Surroundings(_)
            | Self::Store(_)
            | Self::Timeout(_)
            | Self::Path { .. }
            | Self::Json(_)
            | Self::Itself { .. }
            | Self::NoHelper
            | Self::Used
            | Self::Kept { .. }
            | Self::Outside { .. }
            | Self::LinkOut { .. }
            | Self::Judge(_)
            | Self::Expectations { .. }
            | Self::NotUnderstood { .. }
            | Self::NoTable { .. }
            | Self::Contradiction { .. }
            | Self::NotOfACall { .. }
            | Self::NotOfACase { .. }
            | Self::Turn { .. }
            | Self::Ask { .. } => ExitCode::OWN_ERROR,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Run(error) => of_journal(error).or_else(|| error.hint()),
            Self::Store(error) => error.hint(),
            Self::Timeout(error) => Some(error.hint()),
            Self::Path { hint, .. } => Some((*hint).to_owned()),
            Self::Database { .. } => {
                Some("name a --workspace that holds it, or grant its folder with --write".to_owned())
            }
            Self::NoHelper => Some(
                "call actum_engine::run_helper first in main, or name the actum program with HelperProgram::named"
                    .to_owned(),
            ),
            Self::Used => Some("make it with Lifetime::ManyRuns".to_owned()),
            Self::NoSource => {
                Some("name a file, -c CODE, or a command after --; see actum run --help".to_owned())
            }
            Self::Python { .. } => Some("name its version as in --python 3.11".to_owned()),
            Self::Day { .. } => Some("write it as in --exclude-newer 2024-06-18".to_owned()),
            Self::Global { .. } => {
                Some("write it as in --global ROOT=/data; a name has letters, digits and _".to_owned())
            }
            Self::Surroundings(error) => Some(error.hint().to_owned()),
            Self::LinkOut { target, .. } => {
                Some(format!("if you mean that place, name it: {}", target.display()))
            }
            Self::Outside { .. } => Some("name a folder below it, or another --workspace".to_owned()),
            Self::NotWhatWasApproved => Some("ask again with actum run".to_owned()),
            Self::Refused => Some("take the operation out, or narrow what it may touch".to_owned()),
            Self::Judge(error) | Self::Expectations { source: error, .. } => Some(error.hint().to_owned()),
            Self::NotUnderstood { .. } | Self::NoTable { .. } => {
                Some("see docs/design/validation.md for its form; --no-expectations leaves it out".to_owned())
            }
            Self::NotOfACall { .. } => Some(
                "run it without --session; --no-expectations leaves out what files expect".to_owned(),
            ),
            Self::NotOfACase { .. } => Some(
                "expect what a case prints, its exit code, duration or memory; files are judged of a run without --cases"
                    .to_owned(),
            ),
            Self::Contradiction { .. } => {
                Some("take one of them out; --no-expectations leaves out what files expect".to_owned())
            }
            Self::SessionName(_)
            | Self::Labels { .. }
            | Self::Json(_)
            | Self::Itself { .. }
            | Self::Kept { .. }
            | Self::Cancelled
            | Self::Turn { .. }
            | Self::Ask { .. } => None,
        }
    }
}

/// The run's own room knows of a journal only that it failed.
fn of_journal(error: &RunError) -> Option<String> {
    let RunError::Journal { source } = error else { return None };
    source.downcast_ref::<StoreError>().and_then(StoreError::hint)
}
