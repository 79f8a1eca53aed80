//! The folder of one experiment: made before the run, shown to the program, and written directly, so that nothing of a long run is lost
//! with the process that supervises it.
//!
//! The program can write everything in it. So we hold the folder by descriptor, follow no link below it, and never take what stands
//! in it for our own memory: that is the record.

use crate::error::ExperimentError;
use crate::manifest::Manifest;
use actum_gate::{Bound, File, Root};
use actum_model::{Moment, RunId};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, mkdirat, openat, openat2, unlinkat};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// Where experiments go unless the project or the caller says otherwise.
pub const DEFAULT_PATTERN: &str = "runs/{name}_{timestamp}";

/// A folder of its own, which git does not count.
#[derive(Debug)]
pub struct OutputFolder {
    /// Without links.
    pub path: PathBuf,
    /// Relative to the workspace where it lies in it.
    pub shown: String,
    folder: OwnedFd,
}

/// What the placeholders of a pattern stand for.
#[derive(Debug, Clone, Copy)]
pub struct PatternValues<'a> {
    pub name: &'a str,
    pub now: Moment,
    pub run: RunId,
    pub seed: u64,
}

impl OutputFolder {
    /// Makes a new folder below the workspace. One that is there already gets another name with the id of the run in it.
    pub fn create(
        workspace: &Path,
        pattern: &str,
        values: PatternValues<'_>,
    ) -> Result<Self, ExperimentError> {
        let name = fill(pattern, values)?;
        let make = |name: &Path| make_below(workspace, name);
        let (name, folder) = match make(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let name = with_id(&name, values.run);
                (
                    name.clone(),
                    make(&name).map_err(|source| ExperimentError::output(workspace, &name, source))?,
                )
            }
            made => (name.clone(), made.map_err(|source| ExperimentError::output(workspace, &name, source))?),
        };
        let path = path_of(&folder).map_err(|source| ExperimentError::output(workspace, &name, source))?;
        let made = Self { path, shown: name.to_string_lossy().into_owned(), folder };
        // Our own output never makes the work tree dirty, and needs no change of the project's files for that.
        made.write(".gitignore", b"*\n")?;
        Ok(made)
    }

    /// A folder that may be there already, such as one of a commit that has its output in it.
    pub fn open_or_create(workspace: &Path, shown: &str) -> Result<Self, ExperimentError> {
        let name = Path::new(shown);
        match make_below(workspace, name) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(ExperimentError::output(workspace, name, source)),
        }
        Self::open(workspace, shown)
    }

    /// The folder of an earlier attempt.
    pub fn open(workspace: &Path, shown: &str) -> Result<Self, ExperimentError> {
        let failed = |source| ExperimentError::output(workspace, Path::new(shown), source);
        let above = open_folder(workspace).map_err(failed)?;
        let folder = open_below(&above, Path::new(shown)).map_err(failed)?;
        let path = path_of(&folder).map_err(failed)?;
        Ok(Self { path, shown: shown.to_owned(), folder })
    }

    /// Writes one of our files. Whatever stands in its place goes.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), ExperimentError> {
        let write = || {
            let mut file = self.create_file(name)?;
            file.write_all(bytes)?;
            file.sync_data()
        };
        write().map_err(|source| ExperimentError::Output { path: self.path.join(name), source })
    }

    /// The same, for nobody but the caller to read.
    pub fn write_private(&self, name: &str, bytes: &[u8]) -> Result<(), ExperimentError> {
        let write = || {
            let mut file = self.create_file(name)?;
            rustix::fs::fchmod(&file, Mode::from_raw_mode(0o600))?;
            file.write_all(bytes)?;
            file.sync_data()
        };
        write().map_err(|source| ExperimentError::Output { path: self.path.join(name), source })
    }

    /// Makes a file of ours that is written while the program runs.
    pub fn create_file(&self, name: &str) -> io::Result<File> {
        match unlinkat(&self.folder, name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(openat(&self.folder, name, flags, Mode::from_raw_mode(0o644))?.into())
    }

    /// Opens a file for appending that an earlier attempt wrote, or a new one.
    pub fn append_file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file: File =
            openat(&self.folder, name, flags | OFlags::NONBLOCK, Mode::from_raw_mode(0o644))?.into();
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Writes one of our files into a folder of it.
    pub fn write_below(&self, folder: &str, name: &str, bytes: &[u8]) -> Result<(), ExperimentError> {
        let write = || {
            match mkdirat(&self.folder, folder, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            let below = open_below(&self.folder, Path::new(folder))?;
            let mut file: File = openat(&below, name, flags, Mode::from_raw_mode(0o644))?.into();
            file.write_all(bytes)
        };
        write().map_err(|source| ExperimentError::Output { path: self.path.join(folder).join(name), source })
    }

    /// Whether it has an entry of this name.
    pub fn holds(&self, name: &str) -> bool {
        rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }
}

/// The output folder of an experiment, if what lies there is its own: its manifest names the run.
pub fn own_output(manifest: &Manifest) -> Result<PathBuf, ExperimentError> {
    #[derive(serde::Deserialize)]
    struct Named {
        run: RunId,
    }
    let folder = OutputFolder::open(Path::new(&manifest.workspace), &manifest.output)?;
    let foreign = || ExperimentError::Request {
        what: format!("{} is not the output folder of run {}", folder.path.display(), manifest.run.short()),
        hint: "it was moved or used again; remove it by hand".to_owned(),
    };
    let root = Root::open(&folder.path).map_err(ExperimentError::gate)?;
    let text = root.read(Path::new(Manifest::FILE), Bound(64 << 20)).map_err(|_| foreign())?;
    let named: Named = serde_json::from_slice(&text).map_err(|_| foreign())?;
    if named.run == manifest.run { Ok(folder.path.clone()) } else { Err(foreign()) }
}

/// Removes the output folder of an experiment.
pub fn remove_output(manifest: &Manifest) -> Result<(), ExperimentError> {
    let path = own_output(manifest)?;
    actum_gate::own::remove_tree(&path).map_err(|source| ExperimentError::Output { path, source })
}

/// A pattern with its placeholders filled, as a relative path that leads nowhere else.
fn fill(pattern: &str, values: PatternValues<'_>) -> Result<PathBuf, ExperimentError> {
    let stamp = timestamp(values.now);
    let (date, time) = stamp.split_once('-').unwrap_or((&stamp, ""));
    let filled = pattern
        .replace("{name}", &file_name(values.name))
        .replace("{timestamp}", &stamp)
        .replace("{date}", date)
        .replace("{time}", time)
        .replace("{id}", &values.run.short())
        .replace("{seed}", &values.seed.to_string());
    let path = PathBuf::from(&filled);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    if filled.is_empty() || !is_plain || filled.contains(['{', '}']) || filled.contains(char::is_control) {
        return Err(ExperimentError::Pattern { pattern: pattern.to_owned() });
    }
    Ok(path)
}

/// A name as a file may have it.
pub fn file_name(name: &str) -> String {
    let harmless =
        |letter: char| if letter.is_alphanumeric() || "._-+=".contains(letter) { letter } else { '-' };
    let name: String = name.trim_start_matches(['.', '-']).chars().take(60).map(harmless).collect();
    if name.is_empty() { "experiment".to_owned() } else { name }
}

/// `20261119-205501`, in UTC.
fn timestamp(now: Moment) -> String {
    let text = now.to_string();
    let digits: String = text.chars().take(19).filter(char::is_ascii_digit).collect();
    format!("{}-{}", &digits[..8], &digits[8..])
}

fn with_id(name: &Path, run: RunId) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(format!("_{}", run.short()));
    name.into()
}

/// Makes the last folder of a path anew, and those above it where they are missing. Links inside the workspace are followed.
fn make_below(workspace: &Path, name: &Path) -> io::Result<OwnedFd> {
    let mut folder = open_folder(workspace)?;
    let parts: Vec<_> = name.components().collect();
    let mut so_far = PathBuf::new();
    let top = folder.try_clone()?;
    for (at, part) in parts.iter().enumerate() {
        so_far.push(part);
        let made = mkdirat(&folder, part.as_os_str(), Mode::from_raw_mode(0o777));
        match made {
            Ok(()) => {}
            Err(rustix::io::Errno::EXIST) if at + 1 < parts.len() => {}
            Err(error) => return Err(error.into()),
        }
        folder = open_below(&top, &so_far)?;
    }
    Ok(folder)
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

fn open_below(above: &OwnedFd, name: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    Ok(openat2(above, name, flags, Mode::empty(), within)?)
}

/// The real path of an open folder.
fn path_of(folder: &OwnedFd) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    actum_gate::real_path(Path::new(&format!("/proc/self/fd/{}", folder.as_fd().as_raw_fd())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(name: &str) -> PatternValues<'_> {
        let now = "2026-11-19T20:55:01Z".parse().unwrap();
        PatternValues { name, now, run: actum_engine::clock::new_run(), seed: 42 }
    }

    #[test]
    fn patterns_are_filled() {
        let filled =
            |pattern: &str| fill(pattern, values("train")).ok().map(|path| path.display().to_string());
        assert_eq!(filled(DEFAULT_PATTERN).unwrap(), "runs/train_20261119-205501");
        assert_eq!(filled("out/{date}/{name}-{seed}").unwrap(), "out/20261119/train-42");
        for bad in ["", "../x", "/tmp/x", "a/../b", "{what}", "a\nb"] {
            assert_eq!(filled(bad), None, "{bad}");
        }
    }

    #[test]
    fn names_lead_nowhere() {
        for (name, expected) in [("a/b", "a-b"), ("../x", "-x"), ("", "experiment"), ("lr=0.1", "lr=0.1")] {
            assert_eq!(file_name(name), expected);
        }
    }

    #[test]
    fn a_folder_that_is_there_is_not_used_again() {
        let workspace = tempfile::tempdir().unwrap();
        let values = values("a");
        let one = OutputFolder::create(workspace.path(), "runs/{name}", values).unwrap();
        let other = OutputFolder::create(workspace.path(), "runs/{name}", values).unwrap();
        assert_eq!(one.shown, "runs/a");
        assert_eq!(other.shown, format!("runs/a_{}", values.run.short()));
        assert_eq!(std::fs::read(one.path.join(".gitignore")).unwrap(), b"*\n");
    }

    #[test]
    fn links_out_of_the_workspace_are_refused_and_those_within_followed() {
        let (workspace, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), workspace.path().join("runs")).unwrap();
        assert!(OutputFolder::create(workspace.path(), DEFAULT_PATTERN, values("a")).is_err());
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        std::fs::create_dir(workspace.path().join("data")).unwrap();
        std::os::unix::fs::symlink("data", workspace.path().join("inside")).unwrap();
        let made = OutputFolder::create(workspace.path(), "inside/{name}", values("a")).unwrap();
        assert!(made.path.ends_with("data/a"));
    }

    #[test]
    fn what_a_program_put_in_the_place_of_our_file_is_replaced() {
        let (workspace, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let victim = elsewhere.path().join("victim");
        std::fs::write(&victim, "untouched").unwrap();
        let made = OutputFolder::create(workspace.path(), "{name}", values("a")).unwrap();
        std::os::unix::fs::symlink(&victim, made.path.join("results.json")).unwrap();
        made.write("results.json", b"{}").unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "untouched");
        assert_eq!(std::fs::read_to_string(made.path.join("results.json")).unwrap(), "{}");
    }
}
