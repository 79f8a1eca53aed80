//! The store's lock: whoever holds it looks at workspaces and places changes, nobody else does.
//!
//! It belongs to the open file, so it can be handed to the placer, which holds it on when we are killed.

use super::{Keeping, SettleError, keeping};
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};

pub(super) struct Lock(pub(super) OwnedFd);

impl Lock {
    /// Waits for it: placing takes no longer than copying.
    pub(super) fn take(keeping: &Keeping) -> Result<Self, SettleError> {
        let path = keeping.store.join("applying.lock");
        let failed = |source| SettleError::Lock { path: path.clone(), source };
        keeping::make_folder(&keeping.store).map_err(failed)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file =
            rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR).map_err(|error| failed(error.into()))?;
        loop {
            match flock(&file, FlockOperation::LockExclusive) {
                Err(rustix::io::Errno::INTR) => {}
                locked => return locked.map(|()| Self(file)).map_err(|error| failed(error.into())),
            }
        }
    }
}
