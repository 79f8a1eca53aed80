//! What can go wrong around a sweep. A trial that fails is a result.

use crate::error::ExperimentError;
use actum_model::ExitCode;
use actum_sweep::{IllegalFact, ReplayError, RulesError, SpaceError, TrialsError};
use std::io;
use std::path::PathBuf;

/// Why a sweep could not be made, driven or read.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error(transparent)]
    Space(#[from] SpaceError),
    #[error(transparent)]
    Trials(#[from] TrialsError),
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error("cannot read or write the journal {}", path.display())]
    Journal { path: PathBuf, source: io::Error },
    #[error("line {line} of {} is no line of a journal", path.display())]
    Line { path: PathBuf, line: usize, source: serde_json::Error },
    #[error("the journal {} does not fit its sweep", path.display())]
    Replay { path: PathBuf, source: ReplayError },
    #[error("another process drives the sweep in {}", folder.display())]
    Busy { folder: PathBuf },
    #[error("there is no sweep in {}", folder.display())]
    NoSweep { folder: PathBuf },
    #[error("no sweep is called `{0}`")]
    Unknown(String),
    #[error("`{text}` may be one of several sweeps: {list}")]
    Ambiguous { text: String, list: String },
    #[error("{} cannot be read", path.display())]
    File { path: PathBuf, source: serde_json::Error },
    #[error("{} has the newer version {version}", path.display())]
    Newer { path: PathBuf, version: u32 },
    #[error("the definition in {} was changed since the sweep began", path.display())]
    Changed { path: PathBuf },
    #[error("trial {index} waits for approval, and a sweep cannot ask for each of its trials")]
    Approval { index: u64 },
    #[error(transparent)]
    Fact(#[from] IllegalFact),
    #[error("{what}")]
    Usage { what: String, hint: String },
}

impl SweepError {
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Experiment(error) => error.exit_code(),
            Self::Approval { .. } => ExitCode::REFUSED,
            Self::Space(_)
            | Self::Trials(_)
            | Self::Rules(_)
            | Self::Journal { .. }
            | Self::Line { .. }
            | Self::Replay { .. }
            | Self::Busy { .. }
            | Self::NoSweep { .. }
            | Self::Unknown(_)
            | Self::Ambiguous { .. }
            | Self::File { .. }
            | Self::Newer { .. }
            | Self::Changed { .. }
            | Self::Fact(_)
            | Self::Usage { .. } => ExitCode::OWN_ERROR,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Experiment(error) => error.hint(),
            Self::Trials(TrialsError::NoParameters) => Some("as in --param lr=0.1,0.01".to_owned()),
            Self::Busy { .. } => {
                Some("wait for it, or end that process; then: actum sweep resume".to_owned())
            }
            Self::NoSweep { .. } | Self::Unknown(_) => {
                Some("`actum sweep ls` lists the sweeps of this workspace".to_owned())
            }
            Self::Ambiguous { .. } => Some("give more letters of its id, or its folder".to_owned()),
            Self::Newer { .. } => Some("use the version of Actum that wrote it, or a newer one".to_owned()),
            Self::Changed { .. } => Some("put sweep.json back as it was, or start another sweep".to_owned()),
            Self::Approval { .. } => Some("use --approval never, or grant less".to_owned()),
            Self::Usage { hint, .. } => Some(hint.clone()),
            Self::Space(_)
            | Self::Trials(_)
            | Self::Rules(_)
            | Self::Journal { .. }
            | Self::Line { .. }
            | Self::Replay { .. }
            | Self::File { .. }
            | Self::Fact(_) => None,
        }
    }
}
