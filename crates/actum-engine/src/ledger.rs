//! The ledger of an engine. A thread opens it while the sandbox of the first run is prepared.
//!
//! An engine for one run has each attempt announced by that thread, and writes what follows by whoever asks. One for many runs
//! leaves all writing to the ledger's own thread, which makes what is asked for at the same time durable together.

use crate::engine::Lifetime;
use crate::{clock, facts};
use actum_model::{Build, Digest, Entry, Started};
use actum_sandbox::sys::hold_signals_back;
use actum_store::{Ledger, Store, StoreError, Ticket};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// A ledger that is open, or is being opened.
pub(crate) struct LedgerHandle {
    shared: Arc<Shared>,
    lifetime: Lifetime,
    opener: Mutex<Opener>,
}

/// The thread that opens it, and announces the attempts of a single run.
struct Opener {
    announce: Option<Sender<Started>>,
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

impl LedgerHandle {
    /// Begins to open it. The digest of this binary is kept in `cache`.
    pub(crate) fn open(store: &Store, cache: &Path, lifetime: Lifetime) -> Result<Self, StoreError> {
        let shared =
            Arc::new(Shared { cache: cache.to_path_buf(), ledger: OnceLock::new(), facts: OnceLock::new() });
        let ((announce, asked), (tell, announced)) = (channel(), channel());
        let (store, theirs) = (store.clone(), Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("ledger-open".to_owned());
        // A signal is for the thread that listens to it.
        let thread = hold_signals_back(|| {
            thread.spawn(move || serve_opener((&store, &theirs, lifetime), &asked, &tell))
        });
        let thread = Some(thread.map_err(|_| StoreError::WriterGone)?);
        let opener = Mutex::new(Opener { announce: Some(announce), announced, thread });
        Ok(Self { shared, lifetime, opener })
    }

    /// The open ledger. Waits for it; an error says why it cannot be opened, once.
    pub(crate) fn ledger(&self) -> Result<&Ledger, StoreError> {
        if self.shared.ledger.get().is_none() {
            let mut opener = self.opener.lock().unwrap_or_else(PoisonError::into_inner);
            // The thread ends when nobody can ask it any more; it may be opening still. Whoever waited for us finds it open.
            opener.announce = None;
            if self.shared.ledger.get().is_none() {
                opener.why_closed()?;
            }
        }
        self.shared.ledger.get().ok_or(StoreError::WriterGone)
    }

    /// What a record says about this binary and this machine.
    pub(crate) fn facts(&self) -> (Build, Option<Digest>) {
        self.shared.facts().clone()
    }
}

impl Opener {
    /// Waits for the thread, which could not open the ledger or has nothing more to do.
    fn why_closed(&mut self) -> Result<(), StoreError> {
        let ended = self.thread.take().map(JoinHandle::join);
        ended.and_then(Result::ok).unwrap_or(Err(StoreError::WriterGone))
    }
}

/// What one run has announced, and was not waited for yet.
pub(crate) struct Announcements {
    handle: Arc<LedgerHandle>,
    /// By the opening thread.
    pending: usize,
    /// By the ledger's own thread.
    tickets: Vec<Result<Ticket, StoreError>>,
}

impl Announcements {
    pub(crate) fn new(handle: Arc<LedgerHandle>) -> Self {
        Self { handle, pending: 0, tickets: Vec::new() }
    }

    /// Begins to write that an attempt will start.
    pub(crate) fn announce(&mut self, started: Started) {
        match self.handle.lifetime {
            Lifetime::OneRun => {
                self.pending += 1;
                let opener = self.handle.opener.lock().unwrap_or_else(PoisonError::into_inner);
                // A thread that is gone is found by whoever waits, with the reason.
                if let Some(announce) = &opener.announce {
                    let _ = announce.send(started);
                }
            }
            Lifetime::ManyRuns => {
                let ledger = self.handle.ledger();
                self.tickets.push(ledger.and_then(|ledger| ledger.append(&Entry::Started(started))));
            }
        }
    }

    /// Waits until what was announced is durable.
    pub(crate) fn wait(&mut self) -> Result<(), StoreError> {
        for ticket in self.tickets.drain(..) {
            ticket?.wait()?;
        }
        let mut opener = self.handle.opener.lock().unwrap_or_else(PoisonError::into_inner);
        while self.pending > 0 {
            self.pending -= 1;
            match opener.announced.recv() {
                Ok(written) => written?,
                Err(_) => opener.why_closed()?,
            }
        }
        Ok(())
    }
}

fn serve_opener(
    (store, shared, lifetime): (&Store, &Shared, Lifetime),
    asked: &Receiver<Started>,
    tell: &Sender<Result<(), StoreError>>,
) -> Result<(), StoreError> {
    let opened = match lifetime {
        Lifetime::OneRun => Ledger::open_here(store, clock::now())?,
        Lifetime::ManyRuns => Ledger::open(store, clock::now())?,
    };
    let ledger = shared.ledger.get_or_init(|| opened);
    for started in asked {
        let written = ledger.append(&Entry::Started(started)).and_then(Ticket::wait);
        // Who asked may be gone: then nobody starts anything.
        let _ = tell.send(written.map(drop));
        // While the program runs.
        ledger.settle();
        shared.facts();
    }
    Ok(())
}
