//! What is known about an opened file.

use crate::error::GateError;
use rustix::fs::{FileType, Stat};
use std::fmt;
use std::path::Path;

/// The kind of a file, with the article that messages need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    Link,
    Fifo,
    Socket,
    Device,
    Unknown,
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::File => "a regular file",
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Fifo => "a FIFO",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "of an unknown kind",
        })
    }
}

impl Kind {
    pub(crate) fn from_mode(mode: u32) -> Self {
        Self::from_type(FileType::from_raw_mode(mode))
    }

    pub(crate) fn from_type(file_type: FileType) -> Self {
        match file_type {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Self::Device,
            FileType::Unknown => Self::Unknown,
        }
    }
}

/// What `fstat` says about an opened file: about this file, whatever its name leads to by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    pub kind: Kind,
    pub size: u64,
    pub mode: u32,
    pub owner: u32,
    pub device: u64,
    pub inode: u64,
    /// Seconds and nanoseconds.
    pub modified: (i64, i64),
}

impl Facts {
    pub(crate) fn from_stat(stat: &Stat) -> Self {
        Self {
            kind: Kind::from_mode(stat.st_mode),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mode: stat.st_mode & 0o7777,
            owner: stat.st_uid,
            device: stat.st_dev,
            inode: stat.st_ino,
            modified: (stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or(0)),
        }
    }

    /// Whether two descriptors or names lead to the same file. An inode number alone does not tell: other file systems
    /// use the same ones.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// Who may own a file that is to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The content is not believed, or is checked in another way.
    Anyone,
    /// The caller or root.
    CallerOrRoot,
    /// The caller or root, and nobody else can write it.
    CallerOrRootAlone,
}

impl Owner {
    pub(crate) fn check(self, facts: &Facts, path: &Path) -> Result<(), GateError> {
        const GROUP_AND_OTHERS: u32 = 0o022;
        if self == Self::Anyone {
            return Ok(());
        }
        if facts.owner != 0 && facts.owner != rustix::process::geteuid().as_raw() {
            return Err(GateError::Foreign { path: path.to_path_buf(), owner: facts.owner });
        }
        if self == Self::CallerOrRootAlone && facts.mode & GROUP_AND_OTHERS != 0 {
            return Err(GateError::Writable { path: path.to_path_buf() });
        }
        Ok(())
    }
}
