//! Why a source cannot become a program.

use super::{Install, Version};
use actum_model::ExitCode;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LanguageError {
    #[error("cannot run {title}: none of {} is installed", wanted.join(", "))]
    NotInstalled { title: String, wanted: Vec<String>, install: Install },
    #[error("cannot run {title}: {command} is version {found}, but {needed} or newer is needed")]
    TooOld { title: String, command: String, found: Version, needed: Version, install: Install },
    #[error("cannot find the interpreter {interpreter} named in the first line")]
    NoInterpreter { interpreter: String, language: String, install: Install },
    #[error("cannot run SQL: no SQLite command and no database connection is available")]
    NoDatabase,
    #[error("{} is empty", what.display())]
    Empty { what: PathBuf },
    #[error("cannot read {} as source: it is {size} bytes, more than {most}", what.display())]
    TooLarge { what: PathBuf, size: u64, most: u64 },
    #[error("cannot read {} as source: it is a compiled program", what.display())]
    Executable { what: PathBuf },
    #[error("cannot read {} as source: it is UTF-16", what.display())]
    Utf16 { what: PathBuf },
    #[error("cannot read {} as source: it contains NUL bytes, so it is not text", what.display())]
    Binary { what: PathBuf },
    #[error("cannot read {} as {title}: byte {at} is not UTF-8", what.display())]
    NotUtf8 { what: PathBuf, title: String, at: usize },
    #[error("unknown language {label}")]
    UnknownLabel { label: String, nearest: Option<String> },
    #[error("cannot detect the language of {}: it could be {}", what.display(), candidates.join(" or "))]
    Ambiguous { what: PathBuf, candidates: Vec<String> },
    #[error("cannot detect the language of {}", what.display())]
    Unknown { what: PathBuf },
    #[error("cannot run {}: it looks like {title}, which is not supported", what.display())]
    Foreign { what: PathBuf, title: String },
}

impl LanguageError {
    /// The exit code that goes with it: 127 where something has to be installed, as shells have it.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::NotInstalled { .. } | Self::TooOld { .. } | Self::NoInterpreter { .. } => {
                ExitCode::NOT_FOUND
            }
            Self::NoDatabase
            | Self::Empty { .. }
            | Self::TooLarge { .. }
            | Self::Executable { .. }
            | Self::Utf16 { .. }
            | Self::Binary { .. }
            | Self::NotUtf8 { .. }
            | Self::UnknownLabel { .. }
            | Self::Ambiguous { .. }
            | Self::Unknown { .. }
            | Self::Foreign { .. } => ExitCode::OWN_ERROR,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotInstalled { install, .. } | Self::TooOld { install, .. } => install.hint(),
            Self::NoInterpreter { language, install, .. } => Some(without_interpreter(language, install)),
            Self::NoDatabase => None,
            Self::Empty { .. } => Some("write a program to the file, or pass code with -c".to_owned()),
            Self::TooLarge { .. } => Some("move data to a separate file and pass it with --input".to_owned()),
            Self::Executable { what } => {
                Some(format!("run it as a command: actum run -- {}", as_command(what)))
            }
            Self::Utf16 { what } => {
                Some(format!("convert it to UTF-8: iconv -f UTF-16 -t UTF-8 {}", what.display()))
            }
            Self::Binary { .. } => Some("pass the source code, not its compiled form".to_owned()),
            Self::NotUtf8 { .. } => Some("save it as UTF-8".to_owned()),
            Self::UnknownLabel { nearest, .. } => Some(nearest.as_ref().map_or_else(
                || "add it to actum.toml as [language.NAME] with a run command".to_owned(),
                |nearest| format!("did you mean --language {nearest}?"),
            )),
            Self::Ambiguous { candidates, .. } => Some(format!(
                "choose one with --language {}",
                candidates.first().map_or("NAME", String::as_str)
            )),
            Self::Unknown { .. } => Some("set the language, as in --language python".to_owned()),
            Self::Foreign { .. } => Some(
                "set the language with --language, or add it to actum.toml as [language.NAME]".to_owned(),
            ),
        }
    }
}

impl Install {
    /// `install it with: apt install ruby; or: mise use -g ruby`
    pub fn hint(&self) -> Option<String> {
        let package = self.package.iter().map(|package| format!("apt install {package}"));
        let ways: Vec<String> = package.chain(self.otherwise.iter().cloned()).collect();
        (!ways.is_empty()).then(|| format!("install it with: {}", ways.join("; or: ")))
    }
}

fn without_interpreter(language: &str, install: &Install) -> String {
    if language.is_empty() {
        return "correct the first line, or set the language with --language".to_owned();
    }
    let with_another = format!("use another interpreter with --language {language}");
    install.hint().map_or(with_another.clone(), |hint| format!("{with_another}; or {hint}"))
}

fn as_command(path: &std::path::Path) -> String {
    let shown = path.display().to_string();
    if shown.contains('/') { shown } else { format!("./{shown}") }
}
