//! `actum fix`

mod block;
mod requirements;

use super::reading::{Problem as Unread, Reading};
use super::{OWN_ERROR, fail};
use crate::screen;
use actum_model::{PreparedFacts, Report, SourceKind};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write down what a run had to work out, so that the next one finds it
///
/// A run that was given packages, or other releases than the newest, says in its report what would make that unnecessary. This
/// writes it: the packages with their versions into requirements.txt, a block at the head of the program (PEP 723), or
/// the whole lock with its digests. What is there already is kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum fix last                  the packages into requirements.txt
  actum fix last --script         into a block at the head of the program
  actum fix last --lock           every package with its digests into requirements.lock
  actum fix last --dry-run        show it, and write nothing

Exit codes: 0; 125 Actum's own error, also where there is nothing to write.")]
pub struct Fix {
    /// The run: its id, the beginning or end of it, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// Into a block at the head of the program
    #[arg(long, group = "where")]
    script: bool,
    /// The whole lock, with digests
    #[arg(long, group = "where")]
    lock: bool,
    /// The file to write, in the place of the usual one
    #[arg(long, value_name = "FILE", conflicts_with = "script")]
    output: Option<PathBuf>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Unread(#[from] Unread),
    #[error("find anything to write: the run needed no packages that were prepared for it")]
    Nothing,
    #[error("put a block into the program: it was no file of Python")]
    NoFile,
    #[error("put a block into {}: it has changed since it was run", path.display())]
    Changed { path: PathBuf },
    #[error("find the lock of the run")]
    NoLock,
    #[error("{doing} {}", path.display())]
    File { doing: &'static str, path: PathBuf, source: io::Error },
}

impl Problem {
    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Nothing => Some("a run whose program imports packages has something to write"),
            Self::NoFile => Some("leave --script out: the packages then go into requirements.txt"),
            Self::Changed { .. } => Some("run it again, then fix that run"),
            Self::NoLock => Some("the run's folder is gone; run it again"),
            Self::Unread(_) | Self::File { .. } => None,
        }
    }
}

/// What is to be written, and where.
struct Written {
    path: PathBuf,
    before: Option<String>,
    after: String,
}

impl Fix {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(()) => ExitCode::SUCCESS,
            Err(Problem::Unread(problem)) => super::reading::failed(&problem),
            Err(problem) => {
                let _ = fail(&problem, problem.hint());
                ExitCode::from(OWN_ERROR)
            }
        }
    }

    fn go(&self) -> Result<(), Problem> {
        let (reading, kept) = Reading::open_at(&self.run)?;
        let report = reading.report(&reading.sealed(kept.id)?)?;
        let prepared = report.environment.prepared.as_ref().filter(|one| !one.requirements.is_empty());
        let is_python = !matches!(report.execution.language.as_str(), "javascript" | "typescript");
        let prepared = prepared.filter(|_| is_python).ok_or(Problem::Nothing)?;
        let written = match self {
            Self { script: true, .. } => script(&report, prepared)?,
            Self { lock: true, .. } => self.whole_lock(&report, &kept.folder)?,
            Self { .. } => self.packages(&report, prepared)?,
        };
        let diff = screen::unified(written.before.as_deref().unwrap_or_default(), &written.after);
        if diff.trim().is_empty() {
            screen::note(&format!("{} says it already", written.path.display()));
            return Ok(());
        }
        if self.dry_run {
            screen::say(diff.trim_end());
            return Ok(());
        }
        write(&written)?;
        screen::note(&format!("wrote {}", written.path.display()));
        Ok(())
    }

    /// The packages that were asked for, in the versions that they had.
    fn packages(&self, report: &Report, prepared: &PreparedFacts) -> Result<Written, Problem> {
        let path = self.place(report, "requirements.txt");
        let before = read(&path)?;
        let after = requirements::with(before.as_deref().unwrap_or_default(), prepared);
        Ok(Written { path, before, after })
    }

    fn whole_lock(&self, report: &Report, folder: &Path) -> Result<Written, Problem> {
        let path = self.place(report, "requirements.lock");
        let after = std::fs::read_to_string(folder.join(actum_run::LOCK)).map_err(|_| Problem::NoLock)?;
        Ok(Written { before: read(&path)?, path, after })
    }

    fn place(&self, report: &Report, name: &str) -> PathBuf {
        self.output.clone().unwrap_or_else(|| Path::new(&report.execution.workspace).join(name))
    }
}

fn script(report: &Report, prepared: &PreparedFacts) -> Result<Written, Problem> {
    let source = &report.execution.source;
    let is_file = source.kind == SourceKind::File && report.execution.language == "python";
    let path = source.path.as_ref().filter(|_| is_file).map(PathBuf::from).ok_or(Problem::NoFile)?;
    let before = read(&path)?.ok_or(Problem::NoFile)?;
    let now = actum_run::digest_of(before.as_bytes());
    if source.sha256.as_deref() != Some(now.as_str()) {
        return Err(Problem::Changed { path });
    }
    let after = block::with(&before, prepared);
    Ok(Written { path, before: Some(before), after })
}

fn read(path: &Path) -> Result<Option<String>, Problem> {
    let failed = |source| Problem::File { doing: "read", path: path.to_path_buf(), source };
    match path.symlink_metadata() {
        // Neither a link, which may lead anywhere, nor a pipe, which is never over.
        Ok(metadata) if !metadata.is_file() => Err(failed(io::Error::other("it is no plain file"))),
        Ok(_) => std::fs::read_to_string(path).map(Some).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(source)),
    }
}

/// Whole or not at all: a file beside it is renamed over it.
fn write(written: &Written) -> Result<(), Problem> {
    let path = &written.path;
    let failed = |source| Problem::File { doing: "write", path: path.clone(), source };
    let mut beside = path.clone().into_os_string();
    beside.push(format!(".{}-new", std::process::id()));
    let beside = PathBuf::from(beside);
    std::fs::write(&beside, &written.after).map_err(failed)?;
    if let Ok(metadata) = path.metadata() {
        let _ = std::fs::set_permissions(&beside, metadata.permissions());
    }
    std::fs::rename(&beside, path).map_err(failed)
}
