//! Where a command writes a file that the user named: reports, summaries, lists of tasks.
//!
//! The folder is opened before anything runs and the file is put there by its name: neither the program nor another user can put
//! something else in the way meanwhile. Links on the way to the folder are followed only if root or the caller made them and
//! they do not lead out of the current folder, which may be a repository that somebody else filled.

use actum_gate::{File, GateError, Resolved};
use rustix::fd::OwnedFd;
use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, ResolveFlags, openat2};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A name in a folder that can be written.
#[derive(Debug)]
pub(in crate::cli) struct OutputPlace {
    folder: OwnedFd,
    name: OsString,
    /// Without links.
    path: PathBuf,
}

impl OutputPlace {
    /// Finds the folder of a path.
    pub(in crate::cli) fn find(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let resolved = Resolved::follow(above).map_err(GateError::into_io)?;
        let here = Path::new(".").canonicalize()?;
        let foreign = resolved.links().iter().find(|link| !is_trusted(link)).map(PathBuf::as_path);
        if let Some(link) = foreign.or_else(|| resolved.leaves(&here)) {
            let target = resolved.path.display();
            return Err(io::Error::other(format!("{} is a link that leads to {target}", link.display())));
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let plain = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let folder = openat2(rustix::fs::CWD, &resolved.path, flags, Mode::empty(), plain)?;
        Ok(Self { folder, path: resolved.path.join(&name), name })
    }

    /// Its path without links.
    pub(in crate::cli) fn path(&self) -> &Path {
        &self.path
    }

    /// What is there by that name, itself and not what it leads to.
    pub(in crate::cli) fn kind(&self) -> Option<FileType> {
        let stat = rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(FileType::from_raw_mode(stat.st_mode))
    }

    /// Whether it is one of the names that the kernel has for open streams: in `/proc/PID/fd`, or a link of root's in `/dev`. Below
    /// `/dev` are folders that everybody can write.
    pub(in crate::cli) fn is_stream(&self) -> bool {
        const PROC: u64 = 0x9fa0;
        let Ok(name) = rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) else {
            return false;
        };
        let is_proc = rustix::fs::fstatfs(&self.folder).is_ok_and(|found| found.f_type as u64 == PROC);
        let is_roots = || {
            let is_closed = |stat: rustix::fs::Stat| stat.st_uid == 0 && stat.st_mode & 0o022 == 0;
            self.path.parent() == Some(Path::new("/dev"))
                && name.st_uid == 0
                && rustix::fs::fstat(&self.folder).is_ok_and(is_closed)
        };
        FileType::from_raw_mode(name.st_mode) == FileType::Symlink && (is_proc || is_roots())
    }

    /// Whether files can be made in the folder.
    pub(in crate::cli) fn check_folder(&self) -> io::Result<()> {
        Ok(rustix::fs::accessat(&self.folder, ".", Access::WRITE_OK, AtFlags::empty())?)
    }

    /// Opens what is there, or a new file, to write at its end. Nothing is waited for, and no disk is written.
    pub(in crate::cli) fn open(&self, more: OFlags) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | more;
        let is_stream = self.is_stream();
        let flags = if is_stream { flags - OFlags::CREATE } else { flags | OFlags::NOFOLLOW };
        let opened = rustix::fs::openat(&self.folder, &self.name, flags, Mode::from_raw_mode(0o666))?;
        let stat = rustix::fs::fstat(&opened)?;
        let caller = rustix::process::geteuid().as_raw();
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind == FileType::BlockDevice {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // Whoever reads it decides when writing goes on.
        if kind == FileType::Fifo && !is_stream && stat.st_uid != caller {
            return Err(io::Error::other("it is a pipe of another user"));
        }
        rustix::fs::fcntl_setfl(&opened, more & OFlags::APPEND)?;
        Ok(File::from(opened))
    }

    /// Puts a file there in one step. Whatever has the name, a link too, is replaced and not followed.
    pub(in crate::cli) fn replace(&self, bytes: &[u8], mode: Mode) -> io::Result<()> {
        // Renaming over a device would take it from everybody.
        if !matches!(self.kind(), None | Some(FileType::RegularFile | FileType::Symlink)) {
            return Err(io::Error::other("it is not a file"));
        }
        let draft = format!(".actum-draft-{}", actum_gate::own::random_name()?);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.folder, draft.as_str(), flags, mode)?;
        let written = File::from(file).write_all(bytes);
        let rename = || rustix::fs::renameat(&self.folder, draft.as_str(), &self.folder, &self.name);
        let placed = written.and_then(|()| Ok(rename()?));
        if placed.is_err() {
            let _ = rustix::fs::unlinkat(&self.folder, draft.as_str(), AtFlags::empty());
        }
        placed
    }

    /// The permissions of the file that is there.
    pub(in crate::cli) fn mode(&self) -> Option<Mode> {
        let stat = rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        is_file.then(|| Mode::from_raw_mode(stat.st_mode & 0o777))
    }
}

/// Whether nobody but root and the caller can have made a link.
fn is_trusted(link: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let caller = rustix::process::geteuid().as_raw();
    link.symlink_metadata().is_ok_and(|found| found.uid() == 0 || found.uid() == caller)
}
