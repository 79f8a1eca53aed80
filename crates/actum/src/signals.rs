//! Being asked to stop: Ctrl-C and its kin become a descriptor that the run watches.

use rustix::fd::OwnedFd;

/// A descriptor that becomes readable when somebody wants the run to stop; nothing if the system refuses one.
pub fn cancel() -> Option<OwnedFd> {
    actum_sandbox::sys::stop_signals().ok()
}
