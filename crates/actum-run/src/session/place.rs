//! Where sessions lie: a folder for each, private, with the holder's lock and its socket.
//!
//! Everything is reached from the opened folder: the path of a socket may have 108 bytes and no more, and
//! `/proc/self/fd/N/socket` has fewer. `.lock` beside the folders is held by whoever makes or removes one.

use super::error::SessionError;
use super::name::SessionName;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, mkdirat, openat, unlinkat};
use rustix::io::Errno;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// Where sessions lie and what holds them.
#[derive(Debug, Clone)]
pub struct Place {
    /// Holds one folder for each session.
    pub sessions: PathBuf,
    /// This program: `/proc/self/exe`, or a file. Called with `internal session-serve NAME`.
    pub program: PathBuf,
}

/// The folder of one session.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

/// Nobody makes or removes a session meanwhile.
#[derive(Debug)]
pub(super) struct Locked {
    sessions: OwnedFd,
    _lock: OwnedFd,
}

/// Who holds a session.
#[derive(Debug)]
pub(super) enum Held {
    /// Somebody; wait on this until they are gone.
    By(Holder),
    ByNobody,
}

/// A lock that is free when the holder has ended.
#[derive(Debug)]
pub(super) struct Holder(OwnedFd);

const ALIVE: &str = "alive";
const SOCKET: &str = "socket";
const LOG: &str = "log";
const PRIVATE: Mode = Mode::RWXU;
const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Place {
    /// Makes the folder of sessions if it is not there, and waits for its lock.
    pub(super) fn lock(&self) -> Result<Locked, SessionError> {
        let failed = |source| SessionError::Folder { path: self.sessions.clone(), source };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.sessions).map_err(failed)?;
        let locked = || {
            let sessions = self.open_all()?;
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            let lock = openat(&sessions, ".lock", flags, Mode::RUSR | Mode::WUSR)?;
            flock(&lock, FlockOperation::LockExclusive)?;
            Ok(Locked { sessions, _lock: lock })
        };
        locked().map_err(failed)
    }

    /// A session's folder, if it is there.
    pub(super) fn find(&self, name: &SessionName) -> Result<Option<Folder>, SessionError> {
        let found = match self.open_all() {
            Ok(sessions) => Folder::open(&sessions, name),
            Err(error) => Err(error),
        };
        match found {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(SessionError::Folder { path: self.sessions.join(name.as_str()), source }),
        }
    }

    /// The names of all folders, whoever holds them.
    pub(super) fn names(&self) -> Result<Vec<SessionName>, SessionError> {
        let entries = match std::fs::read_dir(&self.sessions) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => {
                entries.map_err(|source| SessionError::Folder { path: self.sessions.clone(), source })?
            }
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut names: Vec<SessionName> = names.collect();
        names.sort();
        Ok(names)
    }

    fn open_all(&self) -> io::Result<OwnedFd> {
        let sessions = rustix::fs::open(&self.sessions, OPEN, Mode::empty())?;
        check(&sessions)?;
        Ok(sessions)
    }
}

impl Locked {
    /// Makes an empty folder; one that nobody holds any more is taken away first.
    pub(super) fn make(&self, name: &SessionName) -> io::Result<Folder> {
        self.remove(name)?;
        mkdirat(&self.sessions, name.as_str(), PRIVATE)?;
        Folder::open(&self.sessions, name)
    }

    pub(super) fn remove(&self, name: &SessionName) -> io::Result<()> {
        let folder = match Folder::open(&self.sessions, name) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        for file in [SOCKET, LOG, ALIVE] {
            match unlinkat(&folder.0, file, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(unlinkat(&self.sessions, name.as_str(), AtFlags::REMOVEDIR)?)
    }
}

impl Folder {
    fn open(sessions: &OwnedFd, name: &SessionName) -> io::Result<Self> {
        let folder = openat(sessions, name.as_str(), OPEN, Mode::empty())?;
        check(&folder)?;
        Ok(Self(folder))
    }

    /// Good for as long as the folder is open.
    pub(super) fn socket(&self) -> PathBuf {
        format!("/proc/self/fd/{}/{SOCKET}", self.0.as_raw_fd()).into()
    }

    /// Where a holder says what nobody was there to hear.
    pub(super) fn log(&self) -> io::Result<std::fs::File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(openat(&self.0, LOG, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Becomes the holder for as long as what is given back is kept. Somebody may be looking, but not for long.
    pub(super) fn hold(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let alive = openat(&self.0, ALIVE, flags, Mode::RUSR | Mode::WUSR)?;
        flock(&alive, FlockOperation::LockExclusive)?;
        Ok(alive)
    }

    pub(super) fn held(&self) -> io::Result<Held> {
        let alive = match openat(
            &self.0,
            ALIVE,
            OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW,
            Mode::empty(),
        ) {
            Ok(alive) => alive,
            Err(Errno::NOENT) => return Ok(Held::ByNobody),
            Err(error) => return Err(error.into()),
        };
        match flock(&alive, FlockOperation::NonBlockingLockShared) {
            Ok(()) => Ok(Held::ByNobody),
            Err(Errno::WOULDBLOCK) => Ok(Held::By(Holder(alive))),
            Err(error) => Err(error.into()),
        }
    }
}

impl Holder {
    /// Waits until nothing of the holder is left.
    pub(super) fn wait(self) {
        while flock(&self.0, FlockOperation::LockShared) == Err(Errno::INTR) {}
    }
}

/// Somebody else's folder, or one that others can write in, is no place for a session.
fn check(folder: &OwnedFd) -> io::Result<()> {
    const OTHERS: u32 = 0o022;
    let stat = fstat(folder)?;
    let is_own = stat.st_uid == rustix::process::geteuid().as_raw();
    if is_own && stat.st_mode & OTHERS == 0 {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "it belongs to another user, or others can write to it",
    ))
}
