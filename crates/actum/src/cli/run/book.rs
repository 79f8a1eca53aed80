//! The ledger of a run: a thread opens it and announces each attempt, while the sandbox of the attempt is built. What comes after
//! the attempts is written by whoever asks for it.

use crate::{clock, facts, signals};
use actum_model::{Build, Digest, Entry, Started};
use actum_store::{Ledger, Store, StoreError};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// The ledger of a run.
pub(super) struct Book {
    /// How many announcements have not been waited for.
    pending: usize,
    shared: Arc<Shared>,
    announce: Sender<Started>,
    announced: Receiver<Result<(), StoreError>>,
    thread: Option<JoinHandle<Result<(), StoreError>>>,
}

/// What the thread found, also for whoever writes after it. Nobody waits for the end of the thread.
#[derive(Debug)]
struct Shared {
    /// Where the digest of this binary is kept.
    cache: PathBuf,
    ledger: OnceLock<Ledger>,
    facts: OnceLock<(Build, Option<Digest>)>,
}

impl Shared {
    fn facts(&self) -> &(Build, Option<Digest>) {
        self.facts.get_or_init(|| (facts::build(&self.cache), facts::host()))
    }
}

/// A ledger that is open, for whoever writes what comes after the attempts.
pub(super) struct Pages(Book);

impl Pages {
    pub(super) fn ledger(&self) -> Result<&Ledger, StoreError> {
        self.0.shared.ledger.get().ok_or(StoreError::WriterGone)
    }

    /// What a record says about this binary and this machine.
    pub(super) fn facts(&self) -> (Build, Option<Digest>) {
        self.0.shared.facts().clone()
    }
}

impl Book {
    /// Begins to open it. The digest of this binary is kept in `cache`.
    pub(super) fn open(store: &Store, cache: &Path) -> Result<Self, StoreError> {
        let shared =
            Arc::new(Shared { cache: cache.to_path_buf(), ledger: OnceLock::new(), facts: OnceLock::new() });
        let ((announce, asked), (tell, announced)) = (channel(), channel());
        let (store, theirs) = (store.clone(), Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("book".to_owned());
        // A signal is for the thread that listens to it.
        let thread = signals::held_back(|| thread.spawn(move || write((&store, &theirs), &asked, &tell)));
        let thread = Some(thread.map_err(|_| StoreError::WriterGone)?);
        Ok(Self { pending: 0, shared, announce, announced, thread })
    }

    /// The same where there is one already, before it is sure that something will be written: nothing is made.
    pub(super) fn open_early(store: &Store, cache: &Path) -> Option<Self> {
        let is_there = store.ledger_file().symlink_metadata().is_ok();
        is_there.then(|| Self::open(store, cache).ok()).flatten()
    }

    /// Begins to write that an attempt will start.
    pub(super) fn announce(&mut self, started: Started) {
        self.pending += 1;
        // A thread that is gone is found by whoever waits, with the reason.
        let _ = self.announce.send(started);
    }

    /// Waits until what was announced is durable.
    pub(super) fn wait(&mut self) -> Result<(), StoreError> {
        while self.pending > 0 {
            self.pending -= 1;
            self.announced.recv().unwrap_or_else(|_| self.why_closed())?;
        }
        Ok(())
    }

    /// The open ledger, for whoever writes from here on.
    pub(super) fn pages(mut self) -> Result<Pages, StoreError> {
        if self.shared.ledger.get().is_none() {
            // The thread ends when nobody can ask it any more; it may be opening still.
            self.announce = channel().0;
            self.why_closed()?;
        }
        Ok(Pages(self))
    }

    /// Waits for the thread, which could not open the ledger or has nothing more to do.
    fn why_closed(&mut self) -> Result<(), StoreError> {
        let ended = self.thread.take().map(JoinHandle::join);
        ended.and_then(Result::ok).unwrap_or(Err(StoreError::WriterGone))
    }
}

fn write(
    (store, shared): (&Store, &Shared),
    asked: &Receiver<Started>,
    tell: &Sender<Result<(), StoreError>>,
) -> Result<(), StoreError> {
    let opened = Ledger::open_here(store, clock::now())?;
    let ledger = shared.ledger.get_or_init(|| opened);
    for started in asked {
        let written = ledger.append(&Entry::Started(started)).and_then(actum_store::Ticket::wait);
        // Who asked may be gone: then nobody starts anything.
        let _ = tell.send(written.map(drop));
        // While the program runs.
        ledger.settle();
        shared.facts();
    }
    Ok(())
}
