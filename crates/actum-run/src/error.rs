//! Why a run could not be carried to its end.

use actum_changes::ChangesError;
use actum_languages::{LanguageError, PostgresError};
use actum_model::ExitCode;
use actum_sandbox::SandboxError;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("cannot open the workspace {}", path.display())]
    Workspace { path: PathBuf, source: io::Error },
    #[error("cannot list what the run changed")]
    List { source: ChangesError },
    #[error("cannot put protected paths back in {}", workspace.display())]
    PutBack { workspace: PathBuf, source: ChangesError },
    #[error(transparent)]
    Settle(#[from] actum_changes::settle::SettleError),
    #[error("cannot serve the granted hosts")]
    Hosts(#[from] actum_egress::EgressError),
    #[error("cannot make a pipe for the program's output")]
    Pipe { source: io::Error },
    #[error(transparent)]
    Language(#[from] LanguageError),
    #[error(transparent)]
    Prepare(#[from] actum_prepare::PrepareError),
    #[error(transparent)]
    Database(#[from] PostgresError),
    #[error(transparent)]
    Session(#[from] crate::session::SessionError),
    #[error("cannot keep {what} in a session: only Python and Bash stay between calls")]
    NoSession { what: String },
    #[error("cannot check the syntax of {language} without running it: nothing here can")]
    NoCheck { language: String },
    #[error("cannot write down that the program is about to start")]
    Journal { source: crate::journal::JournalError },
    #[error("cannot prepare what the program needs: `{name}` is not installed, since {why}")]
    Package { name: String, why: String, nearest: Vec<String> },
    #[error("cannot find anything to run")]
    Nothing,
    #[error("cannot keep what the program prints in {}", path.display())]
    Keep { path: PathBuf, source: io::Error },
    #[error("cannot read the program {}", path.display())]
    Source { path: PathBuf, source: io::Error },
    #[error("cannot read the program {}: it is longer than {most}", path.display())]
    SourceTooLarge { path: PathBuf, most: actum_model::Bytes },
    #[error("cannot read the answer {}", path.display())]
    Answer { path: PathBuf, source: actum_answers::AnswersError },
    #[error("cannot find a program in {}: {why}", path.display())]
    NoBlocks { path: PathBuf, why: String },
    #[error("cannot run {programs} programs on cases: cases are for one")]
    SeveralWithCases { programs: usize },
}

impl RunError {
    /// The exit code that goes with it.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Sandbox(error) => error.exit_code(),
            Self::Language(error) => error.exit_code(),
            Self::Prepare(error) => error.exit_code(),
            Self::Session(error) => error.exit_code(),
            Self::Package { .. } => ExitCode::NOT_PREPARED,
            Self::Workspace { .. }
            | Self::List { .. }
            | Self::PutBack { .. }
            | Self::Settle(_)
            | Self::Hosts(_)
            | Self::Pipe { .. }
            | Self::Database(_)
            | Self::NoSession { .. }
            | Self::NoCheck { .. }
            | Self::Journal { .. }
            | Self::Nothing
            | Self::Keep { .. }
            | Self::Source { .. }
            | Self::SourceTooLarge { .. }
            | Self::Answer { .. }
            | Self::NoBlocks { .. }
            | Self::SeveralWithCases { .. } => ExitCode::OWN_ERROR,
        }
    }

    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Sandbox(error) => error.hint(),
            Self::Workspace { .. } => Some("name an existing folder with --workspace".to_owned()),
            Self::Settle(error) => error.hint().map(str::to_owned),
            Self::PutBack { .. } => {
                Some("look at them by hand; the report, if there is one, lists them".to_owned())
            }
            Self::Language(error) => error.hint(),
            Self::Prepare(error) => error.hint(),
            Self::Session(error) => error.hint(),
            Self::NoSession { .. } => {
                Some("leave --session out, or say --language python or bash".to_owned())
            }
            Self::Database(error) => error.hint(),
            Self::Hosts(actum_egress::EgressError::Rule { .. }) => {
                Some("name the host in DATABASE_URL".to_owned())
            }
            Self::Keep { .. } => Some("make room, or name another folder with ACTUM_STORE".to_owned()),
            Self::Source { .. } => Some(
                "name a file of code that you can read, - for stdin, or put a command after --".to_owned(),
            ),
            Self::SourceTooLarge { .. } => Some("hand data over with --stdin or --input".to_owned()),
            Self::Package { name, nearest, .. } => Some(match nearest.as_slice() {
                [] => format!("if you know it, name the package that brings it: --package {name}"),
                near => format!(
                    "did you mean {}? If you know it, name it with --package {name}",
                    near.join(" or ")
                ),
            }),
            Self::SeveralWithCases { .. } => Some("name a file with one program".to_owned()),
            Self::Answer { source, .. } => source.hint().map(str::to_owned),
            Self::NoBlocks { path, .. } => Some(format!(
                "actum extract {} shows every block and why; a label such as ```python tells what it is",
                path.display()
            )),
            Self::List { .. }
            | Self::Hosts(_)
            | Self::Pipe { .. }
            | Self::NoCheck { .. }
            | Self::Journal { .. }
            | Self::Nothing => None,
        }
    }
}
