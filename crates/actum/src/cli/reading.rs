//! What the commands that read share: the store, opened for reading, and why that can fail.

use super::fail;
use crate::config::{self, ConfigError};
use actum_engine::EngineError;
use actum_evidence::{EvidenceError, Reading};
use actum_model::{AnchorError, Bytes};
use actum_store::{Kept, StoreError};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Why something could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    #[error(transparent)]
    Experiment(#[from] actum_experiment::ExperimentError),
    #[error("invalid anchor")]
    Anchor(#[from] AnchorError),
    #[error("cannot write to stdout")]
    Write { source: io::Error },
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
    #[error("cannot print {size} as JSON: the limit is {most}")]
    TooLong { size: Bytes, most: Bytes },
    #[error("cannot read {}", path.display())]
    Text { path: PathBuf, source: io::Error },
    #[error("cannot read {}: messages over 16 MiB are not supported", path.display())]
    LongText { path: PathBuf },
    #[error("cannot parse the claims in {}", path.display())]
    Structured { path: PathBuf, source: serde_json::Error },
    #[error("invalid pattern `{pattern}`: {why}")]
    Pattern { pattern: String, why: String },
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::Evidence(error.into())
    }
}

impl Problem {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Config(error) => Some(error.hint().to_owned()),
            Self::Engine(error) => error.hint(),
            Self::Evidence(error) => error.hint(),
            Self::Experiment(error) => error.hint(),
            Self::Anchor(_) => Some("`actum evidence RUN --list` lists a run's anchors".to_owned()),
            Self::TooLong { .. } => Some("omit --json".to_owned()),
            Self::Pattern { .. } => {
                Some("put a backslash before characters that you mean literally".to_owned())
            }
            Self::Structured { .. } => Some(
                "write them as {\"claims\":[{\"kind\":\"tests\",\"passed\":12}]}; `actum help claims` explains the format".to_owned(),
            ),
            Self::Write { .. } | Self::Json(_) | Self::Text { .. } | Self::LongText { .. } => None,
        }
    }
}

/// The evidence is not there, at most its digest: as a claim that nothing supports.
const UNSUPPORTED: u8 = 4;

/// Tells what failed, and ends with the code for it.
pub(super) fn failed(problem: &Problem) -> ExitCode {
    let code = fail(problem, problem.hint().as_deref());
    let is_unsupported =
        matches!(problem, Problem::Evidence(EvidenceError::OnlyDigest { .. } | EvidenceError::Unread { .. }));
    if is_unsupported { ExitCode::from(UNSUPPORTED) } else { code }
}

/// The store that is in force.
pub(super) fn open() -> Result<Reading, Problem> {
    Ok(Reading::open(config::surroundings()?)?)
}

/// The store that is in force, and the run in it that a person means.
pub(super) fn open_at(text: &str) -> Result<(Reading, Kept), Problem> {
    Ok(Reading::open_at(config::surroundings()?, text)?)
}
