//! Where results are written: whole and in one step, and again after each task, so that whoever is stopped has what was done.

use super::Problem;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where they are to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Stdout,
    File(PathBuf),
}

/// A place that can be written.
pub(super) struct Written {
    target: Target,
    /// Larger lists are written once, at the end: writing them after each task would take longer than the tasks.
    keeps_up: bool,
}

const LARGEST_KEPT_UP: usize = 16 << 20;

impl Written {
    /// Finds out whether it can be written before an hour is spent.
    pub(super) fn prepare(target: Target, size: usize) -> Result<Self, Problem> {
        if let Target::File(path) = &target {
            let tried = match path.is_dir() {
                true => Err(io::ErrorKind::IsADirectory.into()),
                false => draft(path).and_then(|(draft, _)| fs::remove_file(draft)),
            };
            tried.map_err(|source| Problem::Write { path: path.clone(), source })?;
        }
        Ok(Self { target, keeps_up: size <= LARGEST_KEPT_UP })
    }

    pub(super) fn is_stdout(&self) -> bool {
        self.target == Target::Stdout
    }

    pub(super) fn shown(&self) -> Option<String> {
        match &self.target {
            Target::Stdout => None,
            Target::File(path) => Some(path.display().to_string()),
        }
    }

    /// Writes what there is so far.
    pub(super) fn keep_up(&self, text: impl FnOnce() -> String) -> Result<(), Problem> {
        if self.keeps_up { self.write(&text()) } else { Ok(()) }
    }

    pub(super) fn write(&self, text: &str) -> Result<(), Problem> {
        let Target::File(path) = &self.target else { return Ok(()) };
        replace(path, text).map_err(|source| Problem::Write { path: path.clone(), source })
    }
}

/// A new file beside the one that it will replace.
fn draft(path: &Path) -> io::Result<(PathBuf, fs::File)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.{}-half", std::process::id()));
    let _ = fs::remove_file(&draft);
    let file = fs::File::options().write(true).create_new(true).open(&draft)?;
    Ok((draft, file))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A link stays a link, and the file behind it is written.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let (draft, mut file) = draft(&path)?;
    let mode = fs::metadata(&path).map_or(0o644, |there| there.permissions().mode() & 0o777);
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.set_permissions(fs::Permissions::from_mode(mode)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&draft, &path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}
