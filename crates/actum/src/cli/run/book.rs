//! The ledger of a run: a thread opens it and announces each attempt, while the sandbox of the attempt is built. What comes after
//! the attempts is written by whoever asks for it.

use crate::{clock, facts};
use actum_model::{Build, Digest, Entry, Started};
use actum_store::{Ledger, Store, StoreError};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// The ledger of a run.
pub(super) struct Book {
    /// How many announcements have not been waited for.
    pending: usize,
    state: State,
}

/// A ledger that is open, and what its records say about this machine and this binary.
pub(super) struct Pages {
    pub(super) ledger: Ledger,
    pub(super) actum: Build,
    pub(super) host: Option<Digest>,
}

enum State {
    Open {
        announce: Sender<Started>,
        announced: Receiver<Result<(), StoreError>>,
        thread: JoinHandle<Result<Pages, StoreError>>,
    },
    /// It could not be opened, and that was told.
    Gone,
}

impl Book {
    /// Begins to open it. The digest of this binary is kept in `cache`.
    pub(super) fn open(store: Store, cache: PathBuf) -> Result<Self, StoreError> {
        let ((announce, asked), (tell, announced)) = (channel(), channel());
        let thread = std::thread::Builder::new().name("book".to_owned());
        let thread = thread.spawn(move || write((&store, &cache), &asked, &tell));
        let thread = thread.map_err(|_| StoreError::WriterGone)?;
        Ok(Self { pending: 0, state: State::Open { announce, announced, thread } })
    }

    /// Begins to write that an attempt will start.
    pub(super) fn announce(&mut self, started: Started) -> Result<(), StoreError> {
        let State::Open { announce, .. } = &self.state else { return Err(StoreError::WriterGone) };
        self.pending += 1;
        // A thread that is gone is found by whoever waits, with the reason.
        let _ = announce.send(started);
        Ok(())
    }

    /// Waits until what was announced is durable.
    pub(super) fn wait(&mut self) -> Result<(), StoreError> {
        while self.pending > 0 {
            self.pending -= 1;
            let State::Open { announced, .. } = &self.state else { return Err(StoreError::WriterGone) };
            match announced.recv() {
                Ok(written) => written?,
                Err(_) => {
                    let state = std::mem::replace(&mut self.state, State::Gone);
                    return Err(state.close().err().unwrap_or(StoreError::WriterGone));
                }
            }
        }
        Ok(())
    }

    /// The open ledger, for whoever writes from here on.
    pub(super) fn pages(self) -> Result<Pages, StoreError> {
        self.state.close()
    }
}

impl State {
    fn close(self) -> Result<Pages, StoreError> {
        match self {
            State::Open { announce, thread, .. } => {
                drop(announce);
                thread.join().unwrap_or(Err(StoreError::WriterGone))
            }
            State::Gone => Err(StoreError::WriterGone),
        }
    }
}

fn write(
    (store, cache): (&Store, &Path),
    asked: &Receiver<Started>,
    tell: &Sender<Result<(), StoreError>>,
) -> Result<Pages, StoreError> {
    let ledger = Ledger::open_here(store, clock::now())?;
    let mut known = None;
    for started in asked {
        let written = ledger.append(&Entry::Started(started)).and_then(actum_store::Ticket::wait);
        // Who asked may be gone: then nobody starts anything.
        let _ = tell.send(written.map(drop));
        // While the program runs.
        ledger.settle();
        known.get_or_insert_with(|| (facts::build(cache), facts::host()));
    }
    let (actum, host) = known.unwrap_or_else(|| (facts::build(cache), facts::host()));
    Ok(Pages { ledger, actum, host })
}
