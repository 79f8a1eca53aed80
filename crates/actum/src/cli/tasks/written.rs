//! Where results are written: whole and in one step, and again after each task, so that whoever is stopped has what was done.

use super::Problem;
use crate::cli::output_place::OutputPlace;
use rustix::fs::{FileType, Mode};
use std::io;
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
    /// Found before the first task: what a task puts in the way is not it.
    place: Option<OutputPlace>,
    /// Larger lists are written once, at the end: writing them after each task would take longer than the tasks.
    keeps_up: bool,
}

const LARGEST_KEPT_UP: usize = 16 << 20;

impl Written {
    /// Finds out whether it can be written before an hour is spent.
    pub(super) fn prepare(target: Target, size: usize) -> Result<Self, Problem> {
        let place = match &target {
            Target::Stdout => None,
            Target::File(path) => {
                Some(find(path).map_err(|source| Problem::Write { path: path.clone(), source })?)
            }
        };
        Ok(Self { target, place, keeps_up: size <= LARGEST_KEPT_UP })
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
        let (Target::File(path), Some(place)) = (&self.target, &self.place) else { return Ok(()) };
        let mode = place.mode().unwrap_or(Mode::from_raw_mode(0o644));
        place.replace(text.as_bytes(), mode).map_err(|source| Problem::Write { path: path.clone(), source })
    }
}

fn find(path: &Path) -> io::Result<OutputPlace> {
    let place = OutputPlace::find(path)?;
    match place.kind() {
        Some(FileType::Directory) => Err(io::ErrorKind::IsADirectory.into()),
        None | Some(FileType::RegularFile | FileType::Symlink) if !place.is_stream() => {
            place.check_folder().map(|()| place)
        }
        Some(_) | None => Err(io::Error::other("it is not a file")),
    }
}
