//! A path that the user typed. The user may point anywhere, so links are followed and any owner is accepted; the file is still
//! a regular one, opened without blocking and read up to a bound.

use crate::error::GateError;
use crate::facts::{Facts, Kind};
use crate::{Bound, open, root};
use actum_model::Untrusted;
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// Opens a regular file for reading.
pub fn open_named(path: &Path) -> Result<(File, Facts), GateError> {
    open::regular(&name(path)?, path)
}

/// Everything in a regular file.
pub fn read_named(path: &Path, most: Bound) -> Result<Vec<u8>, GateError> {
    let (file, facts) = open_named(path)?;
    open::read_all(file, facts.size, most, path)
}

/// The same as text.
pub fn read_named_text(path: &Path, most: Bound) -> Result<Untrusted, GateError> {
    let bytes = read_named(path, most)?;
    let text = String::from_utf8(bytes);
    text.map(Untrusted::new).map_err(|_| GateError::NotText { path: path.to_path_buf() })
}

/// The same for what a shell makes of `<(command)`: waits for a pipe's writers, because the user started them. A pipe with a name
/// of its own came with a folder that somebody else filled, and is refused.
pub fn read_named_or_pipe(path: &Path, most: Bound) -> Result<Vec<u8>, GateError> {
    let named = name(path)?;
    let facts = open::facts(named.as_fd(), path)?;
    match facts.kind {
        Kind::Fifo if is_own_descriptor(path) => {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
            let pipe = rustix::fs::open(path, flags, Mode::empty());
            let pipe = pipe.map_err(|error| GateError::from_errno(path, error))?;
            open::read_all(File::from(pipe), 0, most, path)
        }
        Kind::Fifo | Kind::File | Kind::Folder | Kind::Link | Kind::Socket | Kind::Device | Kind::Unknown => {
            let (file, facts) = open::regular(&named, path)?;
            open::read_all(file, facts.size, most, path)
        }
    }
}

/// Whether a path names one of this process's own descriptors, as shells write them.
pub fn is_own_descriptor(path: &Path) -> bool {
    let Some(text) = path.to_str() else { return false };
    let number = ["/dev/fd/", "/proc/self/fd/"].iter().find_map(|place| text.strip_prefix(place));
    text == "/dev/stdin"
        || number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The path of what a path leads to, resolved once: what is opened tells where it is. Three calls, where following link by link
/// takes one for each part of the path.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    let opened = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let reached = rustix::fs::readlink(format!("/proc/self/fd/{}", opened.as_raw_fd()), Vec::new())?;
    let reached = PathBuf::from(OsString::from_vec(reached.into_bytes()));
    // What is behind no path of ours cannot be named by one.
    if reached.is_absolute() { Ok(reached) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// The entries of a folder; links are told as links.
pub fn list_named(path: &Path, most: usize) -> Result<Vec<(OsString, Facts)>, GateError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path, flags, Mode::empty());
    let folder = folder.map_err(|error| GateError::from_errno(path, error))?;
    root::list_folder(folder.as_fd(), most, path)
}

/// Where a path that the user typed really leads, and the links on the way that the user may not know about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Without links.
    pub path: PathBuf,
    /// Every link on the way, by its own real place.
    links: Vec<PathBuf>,
}

impl Resolved {
    /// Follows a path link by link. Everything on it has to exist.
    pub fn follow(path: &Path) -> Result<Self, GateError> {
        /// As many as the kernel follows.
        const MOST_LINKS: usize = 40;
        let absolute = std::path::absolute(path)
            .map_err(|source| GateError::Read { path: path.to_path_buf(), source })?;
        let failed = |error| GateError::from_errno(path, error);
        let (mut real, mut links) = (PathBuf::from("/"), Vec::new());
        let mut ahead: Vec<OsString> = parts(&absolute);
        while let Some(part) = ahead.pop() {
            if part == ".." {
                real.pop();
                continue;
            }
            let here = real.join(&part);
            let stat = rustix::fs::lstat(&here).map_err(failed)?;
            if Kind::from_mode(stat.st_mode) != Kind::Link {
                real = here;
                continue;
            }
            if links.len() == MOST_LINKS {
                return Err(failed(rustix::io::Errno::LOOP));
            }
            let target = rustix::fs::readlink(&here, Vec::new()).map_err(failed)?;
            let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
            if target.is_absolute() {
                real = PathBuf::from("/");
            }
            ahead.extend(parts(&target));
            links.push(here);
        }
        Ok(Self { path: real, links })
    }

    /// The links that were followed.
    pub fn links(&self) -> &[PathBuf] {
        &self.links
    }

    /// The link by which this path leaves a folder that somebody else filled (a repository, say). The user typed a name in
    /// that folder and would reach a place outside it that the name does not tell.
    pub fn leaves(&self, folder: &Path) -> Option<&Path> {
        if self.path.starts_with(folder) {
            return None;
        }
        self.links.iter().find(|link| link.starts_with(folder)).map(PathBuf::as_path)
    }
}

/// The components of a path, last first.
fn parts(path: &Path) -> Vec<OsString> {
    let named = path.components().filter_map(|component| match component {
        Component::Normal(part) => Some(part.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    let mut parts: Vec<OsString> = named.collect();
    parts.reverse();
    parts
}

fn name(path: &Path) -> Result<OwnedFd, GateError> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|error| GateError::from_errno(path, error))
}
