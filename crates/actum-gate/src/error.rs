//! Why a file was not opened or read.

use crate::facts::Kind;
use actum_model::{Bytes, path_text};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum GateError {
    #[error("{} does not exist", shown(path))]
    Missing { path: PathBuf },
    #[error("{} is outside its folder, through a link or `..`", shown(path))]
    Outside { path: PathBuf },
    #[error("{} is {kind}, not a regular file", shown(path))]
    NotRegular { path: PathBuf, kind: Kind },
    #[error("{} is {kind}, not a folder", shown(path))]
    NotFolder { path: PathBuf, kind: Kind },
    #[error("{} is larger than {}", shown(path), Bytes(*most))]
    TooLarge { path: PathBuf, most: u64 },
    #[error("{} has more than {most} entries", shown(path))]
    TooMany { path: PathBuf, most: usize },
    #[error("{} belongs to user {owner}", shown(path))]
    Foreign { path: PathBuf, owner: u32 },
    #[error("{} can be written by other users", shown(path))]
    Writable { path: PathBuf },
    #[error("{} is not UTF-8 text", shown(path))]
    NotText { path: PathBuf },
    #[error("cannot read {}", shown(path))]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}", shown(path))]
    Write { path: PathBuf, source: io::Error },
}

impl GateError {
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    pub fn path(&self) -> &Path {
        match self {
            Self::Missing { path }
            | Self::Outside { path }
            | Self::NotRegular { path, .. }
            | Self::NotFolder { path, .. }
            | Self::TooLarge { path, .. }
            | Self::TooMany { path, .. }
            | Self::Foreign { path, .. }
            | Self::Writable { path }
            | Self::NotText { path }
            | Self::Read { path, .. }
            | Self::Write { path, .. } => path,
        }
    }

    /// For callers whose own errors hold an `io::Error`.
    pub fn into_io(self) -> io::Error {
        match self {
            Self::Read { source, .. } | Self::Write { source, .. } => source,
            Self::Missing { .. } => io::Error::new(io::ErrorKind::NotFound, self),
            Self::TooLarge { .. } | Self::TooMany { .. } => io::Error::new(io::ErrorKind::FileTooLarge, self),
            Self::NotText { .. } => io::Error::new(io::ErrorKind::InvalidData, self),
            Self::Outside { .. }
            | Self::NotRegular { .. }
            | Self::NotFolder { .. }
            | Self::Foreign { .. }
            | Self::Writable { .. } => io::Error::new(io::ErrorKind::PermissionDenied, self),
        }
    }

    pub(crate) fn from_errno(path: &Path, error: rustix::io::Errno) -> Self {
        use rustix::io::Errno;
        let path = path.to_path_buf();
        match error {
            Errno::NOENT | Errno::NOTDIR => Self::Missing { path },
            Errno::XDEV | Errno::LOOP => Self::Outside { path },
            other => Self::Read { path, source: other.into() },
        }
    }
}

fn shown(path: &Path) -> String {
    path_text(path.as_os_str().as_bytes())
}
