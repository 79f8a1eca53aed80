//! What can go wrong before or around a run: with the request, the store, the machine. A program that fails is none of these.

use crate::surroundings::SurroundingsError;
use actum_git::{CheckoutError, SnapshotError};
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
    #[error("this machine has no GPU that programs could use")]
    NoCards,
    #[error("this machine has no GPU {card}")]
    NoCard { card: u32, found: Vec<u32> },
    #[error("the session's name is not valid")]
    SessionName(#[from] actum_run::session::SessionNameError),
    #[error("the database {} is not inside the workspace {}", path.display(), workspace.display())]
    Database { path: PathBuf, workspace: PathBuf },
    #[error("a run can have at most {} labels, not {count}", actum_model::Label::MOST)]
    Labels { count: usize },
    #[error("`{version}` is not a Python version")]
    Python { version: String },
    #[error("`{text}` is not NAME=VALUE")]
    Global { text: String },
    #[error("`{text}` is not a date")]
    Day { text: String },
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error("the expectations from {origin} are not valid")]
    Expectations { origin: String, source: JudgeError },
    #[error("cannot parse the expectations from {origin}: {why}")]
    NotUnderstood { origin: String, why: String },
    #[error("cannot parse the expectations from {origin}: `expect` must be a table of expectations")]
    NoTable { origin: String },
    #[error("the expectations {one} and {other} contradict each other")]
    Contradiction { one: String, other: String },
    #[error("expectations from {origin} cannot be used with --session")]
    NotOfACall { origin: String },
    #[error("cannot check {what} in case {case}: files written by cases are discarded")]
    NotOfACase { what: String, case: String },
    #[error("nothing to run")]
    NoSource,
    #[error("cannot write the report")]
    Json(#[from] serde_json::Error),
    #[error("cannot find the path of this program")]
    Itself { source: io::Error },
    #[error("cannot start helper processes: this program does not call `run_helper`")]
    NoHelper,
    #[error("cannot start another run: the engine was created for one run")]
    Used,
    #[error("cannot read the request that waits for approval: another version of Actum wrote it")]
    Kept { source: serde_json::Error },
    #[error("the working folder {} is not inside the workspace {}", folder.display(), workspace.display())]
    Outside { folder: PathBuf, workspace: PathBuf },
    #[error("cannot grant access to {}: it is a link from the workspace to {}", link.display(), target.display())]
    LinkOut { link: PathBuf, target: PathBuf },
    #[error("cannot ask for approval on the terminal")]
    Ask { source: io::Error },
    #[error("cannot run the approved request: it has changed since approval was requested")]
    NotWhatWasApproved,
    #[error("the run was not approved")]
    Refused,
    #[error("the run was cancelled while it was queued")]
    Cancelled,
    #[error("cannot wait in the queue of runs")]
    Turn { source: io::Error },
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error(transparent)]
    Checkout(#[from] CheckoutError),
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
            | Self::NoCards
            | Self::NoCard { .. }
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
            | Self::Snapshot(_)
            | Self::Checkout(_)
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
            Self::NoCards => Some("leave out --gpu, or install the driver: there is no /dev/nvidia0".to_owned()),
            Self::NoCard { found, .. } => {
                let found: Vec<String> = found.iter().map(ToString::to_string).collect();
                Some(format!("give one of those that are there: --gpu {}", found.join(",")))
            }
            Self::Database { .. } => {
                Some("use --workspace to name a folder that contains it, or grant its folder with --write".to_owned())
            }
            Self::NoHelper => Some(
                "call actum_engine::run_helper first in main, or name the actum program with HelperProgram::named"
                    .to_owned(),
            ),
            Self::Used => Some("create it with Lifetime::ManyRuns".to_owned()),
            Self::NoSource => {
                Some("give a file, -c CODE, or a command after --; see actum run --help".to_owned())
            }
            Self::Python { .. } => Some("give a version, as in --python 3.11".to_owned()),
            Self::Day { .. } => Some("write it as in --exclude-newer 2024-06-18".to_owned()),
            Self::Global { .. } => {
                Some("write it as in --global ROOT=/data; a name has letters, digits and _".to_owned())
            }
            Self::Surroundings(error) => Some(error.hint().to_owned()),
            Self::LinkOut { target, .. } => {
                Some(format!("to grant that place, give its path: {}", target.display()))
            }
            Self::Outside { .. } => Some("choose a folder below it, or another --workspace".to_owned()),
            Self::NotWhatWasApproved => Some("request it again with actum run".to_owned()),
            Self::Refused => Some("remove the operation, or restrict what it can access".to_owned()),
            Self::Judge(error) | Self::Expectations { source: error, .. } => Some(error.hint().to_owned()),
            Self::NotUnderstood { .. } | Self::NoTable { .. } => {
                Some("see docs/design/validation.md for the format; --no-expectations ignores it".to_owned())
            }
            Self::NotOfACall { .. } => Some(
                "run it without --session, or ignore expectations in files with --no-expectations".to_owned(),
            ),
            Self::NotOfACase { .. } => Some(
                "check output, exit code, duration or memory in cases; check files in a run without --cases"
                    .to_owned(),
            ),
            Self::Contradiction { .. } => {
                Some("remove one of them, or ignore expectations in files with --no-expectations".to_owned())
            }
            Self::Snapshot(error) => Some(error.hint().to_owned()),
            Self::Checkout(_) => Some("check the repository with `git fsck`".to_owned()),
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
