//! The store's lock: whoever holds it looks at workspaces and places changes, nobody else does.
//!
//! It belongs to the open file, so it can be handed to the placer, which holds it on when we are killed.

use super::{Keeping, SettleError, keeping};
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::io;
use std::time::Duration;

/// Longer than placing many files takes.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(5);

pub(super) struct Lock(pub(super) OwnedFd);

impl Lock {
    /// Waits for it, but not without end: placing takes no longer than copying, and somebody may hold it on purpose. A lock
    /// file of another user is not used.
    pub(super) fn take(keeping: &Keeping) -> Result<Self, SettleError> {
        let path = keeping.store.join("applying.lock");
        let failed = |source| SettleError::Lock { path: path.clone(), source };
        keeping::make_folder(&keeping.store).map_err(failed)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file =
            rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR).map_err(|error| failed(error.into()))?;
        let about = rustix::fs::fstat(&file).map_err(|error| failed(error.into()))?;
        if about.st_uid != rustix::process::geteuid().as_raw() || about.st_mode & 0o022 != 0 {
            let why = "it belongs to another user, or others can write to it";
            return Err(failed(io::Error::new(io::ErrorKind::PermissionDenied, why)));
        }
        let mut waited = Duration::ZERO;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) if waited >= PATIENCE => {
                    let why = format!("another process has held the lock for {} s", PATIENCE.as_secs());
                    return Err(failed(io::Error::new(io::ErrorKind::TimedOut, why)));
                }
                Err(Errno::WOULDBLOCK) if actum_sandbox::sys::is_asked_to_end() => {
                    let why = "interrupted by a signal while another process held the lock";
                    return Err(failed(io::Error::new(io::ErrorKind::Interrupted, why)));
                }
                Err(Errno::WOULDBLOCK) => {
                    std::thread::sleep(PAUSE);
                    waited += PAUSE;
                }
                locked => return locked.map(|()| Self(file)).map_err(|error| failed(error.into())),
            }
        }
    }
}
