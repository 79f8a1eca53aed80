//! `--report FILE`: where the account of a run is put.

use super::output_place::OutputPlace;
use super::run::Problem;
use actum_gate::File;
use rustix::fs::{FileType, Mode, OFlags};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A place for a report.
pub(in crate::cli) struct ReportFile {
    path: PathBuf,
    place: Place,
}

enum Place {
    Named(OutputPlace),
    /// Something that is no file: a terminal, a pipe, `/dev/null`.
    Open(File),
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
        let written = match &self.place {
            Place::Open(file) => { file }.write_all(text.as_bytes()),
            Place::Named(place) => place.replace(text.as_bytes(), Mode::from_raw_mode(0o644)),
        };
        written.map_err(|source| Problem::Report { path: self.path.clone(), source })
    }
}

fn find(path: &Path) -> io::Result<Place> {
    let place = OutputPlace::find(path)?;
    match place.kind() {
        Some(FileType::Directory) => Err(io::ErrorKind::IsADirectory.into()),
        None | Some(FileType::RegularFile) => named(place),
        Some(FileType::Symlink) if !place.is_stream() => named(place),
        // A pipe that nobody reads is refused and not waited for.
        Some(_) => Ok(Place::Open(place.open(OFlags::empty())?)),
    }
}

fn named(place: OutputPlace) -> io::Result<Place> {
    place.check_folder()?;
    Ok(Place::Named(place))
}
