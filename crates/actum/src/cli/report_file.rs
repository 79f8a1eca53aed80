//! `--report FILE`: where the account of a run is put.
//!
//! The folder is opened before the run and the file is put there after it, under its name in one step: the program, which
//! may well be allowed to write in that folder, cannot have put its own in the way.

use super::run::Problem;
use rustix::fd::OwnedFd;
use rustix::fs::{Access, AtFlags, Mode, OFlags};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A place for a report.
pub(in crate::cli) struct ReportFile {
    path: PathBuf,
    place: Place,
}

enum Place {
    /// A name in a folder.
    Named { folder: OwnedFd, name: OsString },
    /// Something that is no file: a terminal, a pipe, `/dev/null`.
    Open(std::fs::File),
}

impl ReportFile {
    /// Finds out whether a report can be written there.
    pub(in crate::cli) fn prepare(path: &Path) -> Result<Self, Problem> {
        let place = find(path).map_err(|source| Problem::Report { path: path.to_path_buf(), source })?;
        Ok(Self { path: path.to_path_buf(), place })
    }

    /// The end of its name, by which its form is chosen.
    pub(in crate::cli) fn extension(&self) -> Option<&str> {
        self.path.extension().and_then(|extension| extension.to_str())
    }

    pub(in crate::cli) fn write(&self, text: &str) -> Result<(), Problem> {
        write(&self.place, text).map_err(|source| Problem::Report { path: self.path.clone(), source })
    }
}

fn find(path: &Path) -> io::Result<Place> {
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return Ok(Place::Open(std::fs::File::options().write(true).open(path)?));
    }
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder =
        rustix::fs::open(above, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::fs::accessat(&folder, ".", Access::WRITE_OK, AtFlags::empty())?;
    Ok(Place::Named { folder, name })
}

fn write(place: &Place, text: &str) -> io::Result<()> {
    let (folder, name) = match place {
        Place::Open(file) => return { file }.write_all(text.as_bytes()),
        Place::Named { folder, name } => (folder, name),
    };
    let draft = format!(".actum-report-{}", std::process::id());
    // Never through something that stands there already.
    let _ = rustix::fs::unlinkat(folder, draft.as_str(), AtFlags::empty());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, draft.as_str(), flags, Mode::from_raw_mode(0o644))?;
    let written = std::fs::File::from(file).write_all(text.as_bytes());
    let placed = written.and_then(|()| Ok(rustix::fs::renameat(folder, draft.as_str(), folder, name)?));
    if placed.is_err() {
        let _ = rustix::fs::unlinkat(folder, draft.as_str(), AtFlags::empty());
    }
    placed
}
