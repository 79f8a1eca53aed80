//! Being told from outside: Ctrl-C and its kin, and windows of another size, become descriptors that the run watches.

use rustix::fd::OwnedFd;

/// A descriptor that becomes readable once for each time that somebody wants the run to stop; nothing if the system
/// refuses one. The first wish stops in order, the next one at once.
pub fn cancel() -> Option<OwnedFd> {
    actum_sandbox::sys::stop_signals().ok()
}

/// A descriptor that becomes readable when our terminal has another size.
pub fn resized() -> Option<OwnedFd> {
    actum_sandbox::sys::window_signals().ok()
}
