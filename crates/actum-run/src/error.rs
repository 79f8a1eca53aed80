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
    #[error("cannot restore protected paths in {}", workspace.display())]
    PutBack { workspace: PathBuf, source: ChangesError },
    #[error(transparent)]
    Settle(#[from] actum_changes::settle::SettleError),
    #[error("cannot start the network proxy for the granted hosts")]
    Hosts(#[from] actum_egress::EgressError),
    #[error("cannot create a pipe for the program's output")]
    Pipe { source: io::Error },
    #[error(transparent)]
    Language(#[from] LanguageError),
    #[error(transparent)]
    Prepare(#[from] actum_prepare::PrepareError),
    #[error(transparent)]
    Database(#[from] PostgresError),
    #[error(transparent)]
    Session(#[from] crate::session::SessionError),
    #[error("sessions do not support {what}: only Python and Bash can keep state between calls")]
    NoSession { what: String },
    #[error("cannot check the syntax of {language}: no checker is installed")]
    NoCheck { language: String },
    #[error("cannot record the start of the program")]
    Journal { source: crate::journal::JournalError },
    #[error("cannot install `{name}`: {why}")]
    Package { name: String, why: String, nearest: Vec<String> },
    #[error("nothing to run")]
    Nothing,
    #[error("cannot store the program's output in {}", path.display())]
    Keep { path: PathBuf, source: io::Error },
    #[error("cannot read the program {}", path.display())]
    Source { path: PathBuf, source: io::Error },
    #[error("cannot read the program {}: it is longer than {most}", path.display())]
    SourceTooLarge { path: PathBuf, most: actum_model::Bytes },
    #[error("cannot read the answer {}", path.display())]
    Answer { path: PathBuf, source: actum_answers::AnswersError },
    #[error("no program found in {}: {why}", path.display())]
    NoBlocks { path: PathBuf, why: String },
    #[error("cannot use --cases with {programs} programs: it takes exactly one")]
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
            Self::Workspace { .. } => Some("use --workspace to name an existing folder".to_owned()),
            Self::Settle(error) => error.hint().map(str::to_owned),
            Self::PutBack { .. } => Some("check these paths yourself; the report lists them".to_owned()),
            Self::Language(error) => error.hint(),
            Self::Prepare(error) => error.hint(),
            Self::Session(error) => error.hint(),
            Self::NoSession { .. } => {
                Some("remove --session, or pass --language python or --language bash".to_owned())
            }
            Self::Database(error) => error.hint(),
            Self::Hosts(actum_egress::EgressError::Rule { .. }) => {
                Some("set the host in DATABASE_URL".to_owned())
            }
            Self::Keep { .. } => Some("free disk space, or set ACTUM_STORE to another folder".to_owned()),
            Self::Source { .. } => Some("give a source file, - for stdin, or a command after --".to_owned()),
            Self::SourceTooLarge { .. } => Some("pass data with --stdin or --input".to_owned()),
            Self::Package { name, nearest, .. } => Some(match nearest.as_slice() {
                [] => format!("if you know the package, allow it with --package {name}"),
                near => format!(
                    "did you mean {}? If the name is correct, pass --package {name}",
                    near.join(" or ")
                ),
            }),
            Self::SeveralWithCases { .. } => Some("pass a file that contains one program".to_owned()),
            Self::Answer { source, .. } => source.hint().map(str::to_owned),
            Self::NoBlocks { path, .. } => Some(format!(
                "`actum extract {}` explains every block; label code blocks with their language, such as ```python",
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
