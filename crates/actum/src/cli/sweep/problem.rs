//! What can go wrong at the command line of a sweep.

use crate::cli::{fail, run};
use crate::config::ConfigError;
use actum_engine::EngineError;
use actum_experiment::ExperimentError;
use actum_experiment::sweep::SweepError;
use std::process::ExitCode;

/// Why a sweep was not run, or not shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum SweepProblem {
    #[error(transparent)]
    Sweep(#[from] SweepError),
    #[error(transparent)]
    Run(#[from] run::Problem),
    #[error("{what}")]
    Usage { what: String, hint: String },
}

impl From<EngineError> for SweepProblem {
    fn from(error: EngineError) -> Self {
        Self::Sweep(ExperimentError::from(error).into())
    }
}

impl From<ExperimentError> for SweepProblem {
    fn from(error: ExperimentError) -> Self {
        Self::Sweep(error.into())
    }
}

impl From<ConfigError> for SweepProblem {
    fn from(error: ConfigError) -> Self {
        Self::Run(error.into())
    }
}

impl From<serde_json::Error> for SweepProblem {
    fn from(error: serde_json::Error) -> Self {
        Self::Run(error.into())
    }
}

impl SweepProblem {
    pub(super) fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), hint: hint.into() }
    }

    /// Shows it and gives its exit code.
    pub(super) fn fail(&self) -> ExitCode {
        let (hint, code) = match self {
            Self::Sweep(error) => (error.hint(), error.exit_code()),
            Self::Run(problem) => (problem.hint(), problem.exit_code()),
            Self::Usage { hint, .. } => (Some(hint.clone()), actum_model::ExitCode::OWN_ERROR),
        };
        fail(self, hint.as_deref());
        code.into()
    }
}
