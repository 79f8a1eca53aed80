//! What can go wrong around an experiment. A program that fails is a result.

use actum_determinism::PinError;
use actum_engine::EngineError;
use actum_evidence::EvidenceError;
use actum_model::ExitCode;
use actum_parameters::ParameterError;
use std::io;
use std::path::{Path, PathBuf};

/// Why an experiment could not be prepared, run or repeated.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    #[error("`{pattern}` is not a pattern for output folders")]
    Pattern { pattern: String },
    #[error("cannot write the output folder {}", path.display())]
    Output { path: PathBuf, source: io::Error },
    #[error("cannot use {} for the experiment", path.display())]
    Scratch { path: PathBuf, source: io::Error },
    #[error("{count} uncommitted changes in {}", top.display())]
    Dirty { top: PathBuf, count: usize },
    #[error("nothing to run: no entry point was found in {}", workspace.display())]
    NoEntry { workspace: PathBuf },
    #[error("several entry points were found; choose one:\n{list}")]
    SeveralEntries { list: String },
    #[error("run {run} is not an experiment: it has no manifest")]
    NoManifest { run: String },
    #[error("the manifest of run {run} cannot be read")]
    Manifest { run: String, source: serde_json::Error },
    #[error("the manifest of run {run} has the newer version {version}")]
    Newer { run: String, version: u32 },
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
    #[error("cannot restore {what}")]
    Restore { what: String, source: io::Error },
    #[error("the contents of {what} are not in the store")]
    Missing { what: String },
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    Pin(#[from] PinError),
    #[error("{what}")]
    Request { what: String, hint: String },
}

impl ExperimentError {
    pub(crate) fn output(workspace: &Path, name: &Path, source: io::Error) -> Self {
        Self::Output { path: workspace.join(name), source }
    }

    pub(crate) fn gate(error: actum_gate::GateError) -> Self {
        let path = error.path().to_path_buf();
        Self::Scratch { path, source: error.into_io() }
    }

    pub(crate) fn restore(what: impl Into<String>, source: io::Error) -> Self {
        Self::Restore { what: what.into(), source }
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Engine(error) => error.exit_code(),
            Self::Dirty { .. } => ExitCode::REFUSED,
            Self::Evidence(_)
            | Self::Pattern { .. }
            | Self::Output { .. }
            | Self::Scratch { .. }
            | Self::NoEntry { .. }
            | Self::SeveralEntries { .. }
            | Self::NoManifest { .. }
            | Self::Manifest { .. }
            | Self::Newer { .. }
            | Self::Json(_)
            | Self::Restore { .. }
            | Self::Missing { .. }
            | Self::Parameter(_)
            | Self::Pin(_)
            | Self::Request { .. } => ExitCode::OWN_ERROR,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::Evidence(error) => error.hint(),
            Self::Pattern { .. } => Some(
                "use a relative path with {name}, {timestamp}, {date}, {time}, {seed} or {id}, as in runs/{name}_{timestamp}"
                    .to_owned(),
            ),
            Self::Output { .. } => {
                Some("check permissions and free space, or choose another folder with --output".to_owned())
            }
            Self::Dirty { .. } => Some("commit them, or run without --require-clean".to_owned()),
            Self::NoEntry { .. } => {
                Some("put a command after --, as in `actum experiment run -- python train.py`".to_owned())
            }
            Self::SeveralEntries { .. } => Some("put its command after --".to_owned()),
            Self::NoManifest { .. } => {
                Some("start it with `actum experiment run`; `actum rerun` repeats any run".to_owned())
            }
            Self::Newer { .. } => Some("use the version of Actum that wrote it, or a newer one".to_owned()),
            Self::Missing { .. } => Some(
                "it was too large to keep, held a secret, or was removed by `actum gc`; put it in place by hand".to_owned(),
            ),
            Self::Request { hint, .. } => Some(hint.clone()),
            Self::Scratch { .. }
            | Self::Manifest { .. }
            | Self::Json(_)
            | Self::Parameter(_)
            | Self::Pin(_)
            | Self::Restore { .. } => None,
        }
    }
}
