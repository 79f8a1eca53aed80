//! What can go wrong at the command line of a run, beside what the engine says.

use crate::cli::fail;
use crate::config::ConfigError;
use actum_engine::EngineError;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Why a run was not asked for, or its result not shown.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum Problem {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("cannot read {}", path.display())]
    Path { path: PathBuf, hint: &'static str, source: io::Error },
    #[error("cannot find the file {}", path.display())]
    NotASource { path: PathBuf, line: String, source: io::Error },
    #[error("unknown option {word}")]
    Option { word: String },
    #[error("cannot parse the options after `--`")]
    Options { source: clap::Error },
    #[error("`{word}` is not an option of `actum run`")]
    NotAnOption { word: String },
    #[error("cannot read the code from stdin: it is longer than {}", actum_run::LARGEST_SOURCE)]
    LongStdin,
    #[error("cannot write the report to {}", path.display())]
    Report { path: PathBuf, source: io::Error },
    #[error("cannot write the report")]
    Json(#[from] serde_json::Error),
    #[error("cannot start {command}: {reason}")]
    NotStarted { command: String, reason: String, code: actum_model::ExitCode },
}

impl Problem {
    /// Shows it and gives its exit code.
    pub(in crate::cli) fn fail(&self) -> ExitCode {
        fail(self, self.hint().as_deref());
        self.exit_code().into()
    }

    pub(in crate::cli) fn exit_code(&self) -> actum_model::ExitCode {
        match self {
            Self::Engine(error) => error.exit_code(),
            Self::NotStarted { code, .. } => *code,
            Self::Config(_)
            | Self::Path { .. }
            | Self::NotASource { .. }
            | Self::Option { .. }
            | Self::Options { .. }
            | Self::NotAnOption { .. }
            | Self::LongStdin
            | Self::Report { .. }
            | Self::Json(_) => actum_model::ExitCode::OWN_ERROR,
        }
    }

    pub(in crate::cli) fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::Config(error) => Some(error.hint().to_owned()),
            Self::Path { hint, .. } => Some((*hint).to_owned()),
            Self::NotASource { line, .. } => Some(format!("to run a command: actum run -- {line}")),
            Self::Option { word } => Some(format!(
                "`actum run --help` lists all options; if it is a command, put it after `--`: actum run -- {word}"
            )),
            Self::Options { .. } | Self::NotAnOption { .. } => {
                Some("put only options of `actum run` after `--`, without a source".to_owned())
            }
            Self::LongStdin => Some("pass data with --stdin or --input".to_owned()),
            Self::NotStarted { code: actum_model::ExitCode::NOT_EXECUTABLE, .. } => {
                Some("run chmod +x on it, or put its interpreter in front".to_owned())
            }
            Self::NotStarted { code: actum_model::ExitCode::NOT_FOUND, .. } => {
                Some("the file exists, but not the interpreter or loader that it names".to_owned())
            }
            Self::Report { .. } => Some("name a file in a folder that you can write".to_owned()),
            Self::NotStarted { .. } | Self::Json(_) => None,
        }
    }
}
