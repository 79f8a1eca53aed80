//! `actum fix`

mod block;
mod requirements;

use super::fail;
use super::reading::{self, Problem as Unread};
use crate::screen;
use actum_gate::Bound;
use actum_model::{Digest, PreparedFacts, Report, SourceKind};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Save the packages that a run needed, for later runs
///
/// A run's report says which packages, or which older releases, it needed. This command writes them down: package versions in
/// requirements.txt, a block at the top of the program (PEP 723), or a full lock file with hashes. Existing entries are kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum fix last                  write package versions to requirements.txt
  actum fix last --script         write a block at the top of the program
  actum fix last --lock           write all packages with hashes to requirements.lock
  actum fix last --dry-run        show it; write nothing

Exit codes: 0; 125 Actum's own error, or nothing to write.")]
pub struct Fix {
    /// Run id, its beginning or end, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// Write a block at the top of the program
    #[arg(long, group = "where")]
    script: bool,
    /// Write the full lock file, with hashes
    #[arg(long, group = "where")]
    lock: bool,
    /// Write to FILE instead of the default file
    #[arg(long, value_name = "FILE", conflicts_with = "script")]
    output: Option<PathBuf>,
    /// Show what would be written; write nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Unread(#[from] Unread),
    #[error("nothing to save: no packages were prepared for this run")]
    Nothing,
    #[error("cannot write a block into the program: it was not a Python file")]
    NoFile,
    #[error("cannot change {}: it is outside the current folder", path.display())]
    Elsewhere { path: PathBuf },
    #[error("cannot write `{text}`: it is not a package with a version")]
    NoPin { text: String },
    #[error("cannot write a block into {}: the file has changed since the run", path.display())]
    Changed { path: PathBuf },
    #[error("cannot find the run's lock file")]
    NoLock,
    #[error("cannot use the lock file in {}: it is not the one in the run's record", path.display())]
    OtherLock { path: PathBuf },
    #[error("cannot {doing} {}", path.display())]
    File { doing: &'static str, path: PathBuf, source: io::Error },
}

impl Problem {
    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Nothing => Some("only a run whose program imports packages can be saved"),
            Self::NoFile => Some("omit --script to write requirements.txt instead"),
            Self::Changed { .. } => Some("run it again, then fix that run"),
            Self::Elsewhere { .. } => Some("go to the project's folder, or name a file with --output"),
            Self::NoPin { .. } => Some("the record of the run was not written by Actum"),
            Self::NoLock | Self::OtherLock { .. } => {
                Some("the run's folder is gone or was changed; run it again")
            }
            Self::Unread(_) | Self::File { .. } => None,
        }
    }
}

/// What is to be written, and where.
struct Written {
    path: PathBuf,
    /// The run's workspace: no link below it is followed.
    workspace: PathBuf,
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
                actum_model::ExitCode::OWN_ERROR.into()
            }
        }
    }

    fn go(&self) -> Result<(), Problem> {
        let (reading, kept) = reading::open_at(&self.run)?;
        let sealed = reading.sealed(kept.id).map_err(Unread::from)?;
        let report = reading.report(&sealed).map_err(Unread::from)?;
        let prepared = report.environment.prepared.as_ref().filter(|one| !one.requirements.is_empty());
        let is_python = !matches!(report.execution.language.as_str(), "javascript" | "typescript");
        let prepared = prepared.filter(|_| is_python).ok_or(Problem::Nothing)?;
        check_pins(prepared)?;
        let written = match self {
            Self { script: true, .. } => script(&report, prepared)?,
            Self { lock: true, .. } => self.whole_lock(&report, (&kept.folder, sealed.record.lock))?,
            Self { .. } => self.packages(&report, prepared)?,
        };
        self.check_place(&written)?;
        let diff = screen::unified(written.before.as_deref().unwrap_or_default(), &written.after);
        if diff.trim().is_empty() {
            screen::note(&format!("{} is already up to date", written.path.display()));
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
        let workspace = PathBuf::from(&report.execution.workspace);
        let before = read(&path, &workspace)?;
        let after = requirements::with(before.as_deref().unwrap_or_default(), prepared);
        Ok(Written { path, workspace, before, after })
    }

    fn whole_lock(
        &self,
        report: &Report,
        (folder, recorded): (&Path, Option<Digest>),
    ) -> Result<Written, Problem> {
        let path = self.place(report, "requirements.lock");
        let lock = folder.join(actum_run::LOCK);
        let after = read(&lock, folder).ok().flatten().ok_or(Problem::NoLock)?;
        // It names what is installed later: only the one that was recorded is written.
        if recorded.is_some_and(|recorded| recorded.to_string() != actum_run::digest_of(after.as_bytes())) {
            return Err(Problem::OtherLock { path: lock });
        }
        let workspace = PathBuf::from(&report.execution.workspace);
        Ok(Written { before: read(&path, &workspace)?, path, workspace, after })
    }

    /// Where a file lies is what the record says; it is changed only where the user stands.
    fn check_place(&self, written: &Written) -> Result<(), Problem> {
        let failed = |source| Problem::File { doing: "find", path: PathBuf::from("."), source };
        let here = Path::new(".").canonicalize().map_err(failed)?;
        let is_here = written.path.starts_with(&here) || here.starts_with(&written.workspace);
        let is_inside = written.path.starts_with(&written.workspace);
        if self.output.is_some() || is_here && is_inside {
            return Ok(());
        }
        Err(Problem::Elsewhere { path: written.path.clone() })
    }

    fn place(&self, report: &Report, name: &str) -> PathBuf {
        self.output.clone().unwrap_or_else(|| Path::new(&report.execution.workspace).join(name))
    }
}

/// A record can come with a project, and what it names would stand as text in a file that is read or run later.
fn check_pins(prepared: &PreparedFacts) -> Result<(), Problem> {
    let is_part = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|sign| sign.is_ascii_alphanumeric() || more.contains(sign))
    };
    let is_pin = |(name, version): (&str, &str)| is_part(name, "._-") && is_part(version, "._-+!");
    let mut pins = prepared.packages.iter().map(|one| (one.name.as_str(), one.version.as_str()));
    match pins.find(|pin| !is_pin(*pin)) {
        Some((name, version)) => Err(Problem::NoPin { text: format!("{name}=={version}") }),
        None => Ok(()),
    }
}

fn script(report: &Report, prepared: &PreparedFacts) -> Result<Written, Problem> {
    let source = &report.execution.source;
    let is_file = source.kind == SourceKind::File && report.execution.language == "python";
    let path = source.path.as_ref().filter(|_| is_file).map(PathBuf::from).ok_or(Problem::NoFile)?;
    let workspace = PathBuf::from(&report.execution.workspace);
    let before = read(&path, &workspace)?.ok_or(Problem::NoFile)?;
    let now = actum_run::digest_of(before.as_bytes());
    if source.sha256.as_deref() != Some(now.as_str()) {
        return Err(Problem::Changed { path });
    }
    let after = block::with(&before, prepared);
    Ok(Written { path, workspace, before: Some(before), after })
}

/// The text of a regular file. Neither a link, which may lead anywhere, nor a pipe, which is never over.
fn read(path: &Path, workspace: &Path) -> Result<Option<String>, Problem> {
    let failed = |source| Problem::File { doing: "read", path: path.to_path_buf(), source };
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() => Err(failed(io::Error::other("it is not a regular file"))),
        Ok(_) => {
            let (folder, name) =
                parts(path, workspace).ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
            // Names that lead out of the folder are refused, also when a link took the file's place meanwhile.
            let root = actum_gate::Root::open(folder).map_err(|error| failed(error.into_io()))?;
            let bytes = root.read(name, Bound::SOURCE).map_err(|error| failed(error.into_io()))?;
            String::from_utf8(bytes)
                .map(Some)
                .map_err(|_| failed(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text")))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(source)),
    }
}

/// Whole or not at all: a file beside it, under a name that cannot be guessed, is renamed over it. No link is followed.
fn write(written: &Written) -> Result<(), Problem> {
    let path = &written.path;
    let failed = |source| Problem::File { doing: "write", path: path.clone(), source };
    let (folder, name) =
        parts(path, &written.workspace).ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    actum_gate::own::replace_below(folder, name, written.after.as_bytes(), mode)
        .map_err(|error| failed(error.into_io()))
}

/// The folder that a file is opened below, and its name there: the workspace where it is in it, so that no folder on the way is a
/// link out of it.
fn parts<'p>(path: &'p Path, workspace: &'p Path) -> Option<(&'p Path, &'p Path)> {
    if let Some(name) = path.strip_prefix(workspace).ok().filter(|name| !name.as_os_str().is_empty()) {
        return Some((workspace, name));
    }
    let folder = path.parent()?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    Some((folder, Path::new(path.file_name()?)))
}

#[cfg(test)]
mod tests {
    use super::block::tests::prepared;
    use super::*;

    #[test]
    fn no_link_below_the_workspace_is_followed() {
        let world = tempfile::tempdir().unwrap();
        let (workspace, outside) = (world.path().join("work"), world.path().join("outside"));
        for folder in [&workspace, &outside, &workspace.join("deep")] {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("p.py"), "x").unwrap();
        }
        std::os::unix::fs::symlink(&outside, workspace.join("link")).unwrap();
        std::os::unix::fs::symlink("../../outside", workspace.join("deep/link")).unwrap();
        let write_to = |path: PathBuf| {
            write(&Written { path, workspace: workspace.clone(), before: None, after: "y".to_owned() })
        };
        for name in ["link/p.py", "deep/link/p.py", "deep/../../outside/p.py"] {
            let path = workspace.join(name);
            assert!(read(&path, &workspace).is_err(), "{name}");
            assert!(write_to(path).is_err(), "{name}");
        }
        assert_eq!(std::fs::read(outside.join("p.py")).unwrap(), b"x");
        write_to(workspace.join("deep/p.py")).unwrap();
        assert_eq!(read(&workspace.join("deep/p.py"), &workspace).unwrap().as_deref(), Some("y"));
        write_to(outside.join("p.py")).unwrap();
    }

    #[test]
    fn only_names_and_versions_are_written() {
        assert!(check_pins(&prepared()).is_ok());
        for (name, version) in [
            ("toolz", "1\nimport os"),
            ("toolz\n--index-url x", "1"),
            ("-r other", "1"),
            ("toolz", "1 ; x"),
            ("", "1"),
            ("toolz", ""),
        ] {
            let mut forged = prepared();
            (forged.packages[0].name, forged.packages[0].version) = (name.to_owned(), version.to_owned());
            assert!(matches!(check_pins(&forged), Err(Problem::NoPin { .. })), "{name} {version}");
        }
    }

    #[test]
    fn nothing_is_written_elsewhere() {
        let here = Path::new(".").canonicalize().unwrap();
        let fix = |output: Option<PathBuf>| Fix {
            run: "last".to_owned(),
            script: false,
            lock: false,
            output,
            dry_run: false,
        };
        let written = |path: &Path, workspace: &Path| Written {
            path: path.to_path_buf(),
            workspace: workspace.to_path_buf(),
            before: None,
            after: String::new(),
        };
        let outside = Path::new("/somewhere/else");
        assert!(fix(None).check_place(&written(&here.join("requirements.txt"), &here)).is_ok());
        assert!(fix(None).check_place(&written(&here.join("sub/a.py"), &here)).is_ok());
        for (path, workspace) in [
            (outside.join("a.py"), outside.to_path_buf()),
            (outside.join("a.py"), here.clone()),
            (here.join("a.py"), outside.to_path_buf()),
        ] {
            assert!(fix(None).check_place(&written(&path, &workspace)).is_err(), "{path:?} {workspace:?}");
        }
        assert!(
            fix(Some(outside.join("a.py"))).check_place(&written(&outside.join("a.py"), outside)).is_ok()
        );
    }
}
