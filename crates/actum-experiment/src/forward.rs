//! Passes on wishes to cancel: the caller's arrive at a descriptor of its own, the watch's at a handle, and a run listens to one of them.

use actum_engine::CancelHandle;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fd::OwnedFd;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Passes wishes on until it is dropped.
pub(crate) struct Forward {
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Forward {
    /// Each time that `from` is readable is one wish.
    pub(crate) fn begin(from: OwnedFd, to: CancelHandle) -> io::Result<Self> {
        Self::calling(from, move || to.cancel())
    }

    /// The same with what is to be done for each wish.
    pub(crate) fn calling(from: OwnedFd, wish_for: impl Fn() + Send + 'static) -> io::Result<Self> {
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?);
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("cancel".to_owned()).spawn(move || {
            // One signal is 128 bytes; a counter is 8.
            let mut wish = [0; 128];
            loop {
                let mut list = [PollFd::new(&from, PollFlags::IN), PollFd::new(&*stopped, PollFlags::IN)];
                match poll(&mut list, None) {
                    Err(rustix::io::Errno::INTR) => continue,
                    Err(_) => return,
                    Ok(_) => {}
                }
                if !list[1].revents().is_empty() || rustix::io::read(&from, &mut wish).is_err() {
                    return;
                }
                wish_for();
            }
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        let _ = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
