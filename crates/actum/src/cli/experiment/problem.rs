//! What can go wrong at the command line of an experiment.

use crate::cli::{fail, run};
use crate::config::ConfigError;
use actum_engine::EngineError;
use actum_experiment::ExperimentError;
use std::process::ExitCode;

/// Why an experiment was not run, or its result not shown.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum ExperimentProblem {
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error(transparent)]
    Run(#[from] run::Problem),
    #[error("the experiment was not confirmed")]
    NotConfirmed,
    #[error("{why}, and nobody can be asked")]
    NobodyToAsk { why: String },
    #[error("{what}")]
    Usage { what: String, hint: String },
}

impl From<EngineError> for ExperimentProblem {
    fn from(error: EngineError) -> Self {
        Self::Experiment(error.into())
    }
}

impl From<ConfigError> for ExperimentProblem {
    fn from(error: ConfigError) -> Self {
        Self::Run(error.into())
    }
}

impl From<serde_json::Error> for ExperimentProblem {
    fn from(error: serde_json::Error) -> Self {
        Self::Run(error.into())
    }
}

impl ExperimentProblem {
    /// Shows it and gives its exit code.
    pub(in crate::cli) fn fail(&self) -> ExitCode {
        let (hint, code) = match self {
            Self::Experiment(error) => (error.hint(), error.exit_code()),
            Self::Run(problem) => (problem.hint(), problem.exit_code()),
            Self::NotConfirmed => (None, actum_model::ExitCode::REFUSED),
            Self::NobodyToAsk { .. } => {
                (Some("confirm with --yes, or try --smoke first".to_owned()), actum_model::ExitCode::REFUSED)
            }
            Self::Usage { hint, .. } => (Some(hint.clone()), actum_model::ExitCode::OWN_ERROR),
        };
        fail(self, hint.as_deref());
        code.into()
    }
}
