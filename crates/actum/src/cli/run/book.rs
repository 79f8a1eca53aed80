//! The ledger of a run: opened by a thread that announces the first attempt, while its sandbox is built.

use crate::clock;
use actum_model::{Entry, Started};
use actum_store::{Ledger, Reader, Store, StoreError, Ticket};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// The ledger of a run.
pub(super) struct Book {
    store: Store,
    state: State,
}

/// A ledger that is open.
pub(super) struct Pages {
    pub(super) ledger: Ledger,
    pub(super) reader: Reader,
}

enum State {
    Closed,
    /// It is being opened, and then announces; that is told once, before the reader is there.
    Opening {
        announced: Option<Receiver<Result<(), StoreError>>>,
        thread: JoinHandle<Result<Pages, StoreError>>,
    },
    Open {
        pages: Box<Pages>,
        announced: Vec<Ticket>,
    },
    /// It could not be opened, and that was told.
    Gone,
}

impl Book {
    pub(super) fn new(store: Store) -> Self {
        Self { store, state: State::Closed }
    }

    /// Begins to write that an attempt will start.
    pub(super) fn announce(&mut self, started: Started) -> Result<(), StoreError> {
        if let State::Closed = self.state {
            let (store, (tell, announced)) = (self.store.clone(), channel());
            let thread = std::thread::Builder::new().name("book".to_owned());
            let thread = thread.spawn(move || open(&store, started, &tell));
            let announced = Some(announced);
            self.state = State::Opening { announced, thread: thread.map_err(|_| StoreError::WriterGone)? };
            return Ok(());
        }
        let pages = std::mem::replace(&mut self.state, State::Gone).pages(&self.store)?;
        let ticket = pages.ledger.append(&Entry::Started(started))?;
        self.state = State::Open { pages: Box::new(pages), announced: vec![ticket] };
        Ok(())
    }

    /// Waits until what was announced is durable.
    pub(super) fn wait(&mut self) -> Result<(), StoreError> {
        match &mut self.state {
            State::Closed => Ok(()),
            State::Opening { announced, .. } => match announced.take() {
                None => Ok(()),
                Some(announced) => announced.recv().unwrap_or(Err(StoreError::WriterGone)),
            },
            State::Open { announced, .. } => {
                announced.drain(..).try_for_each(|ticket| ticket.wait().map(drop))
            }
            State::Gone => Err(StoreError::WriterGone),
        }
    }

    /// The open ledger; opened now where nothing was announced.
    pub(super) fn pages(self) -> Result<Pages, StoreError> {
        self.state.pages(&self.store)
    }
}

impl State {
    fn pages(self, store: &Store) -> Result<Pages, StoreError> {
        match self {
            State::Closed => {
                let ledger = Ledger::open(store, clock::now())?;
                Ok(Pages { reader: ledger.reader()?, ledger })
            }
            State::Opening { thread, .. } => thread.join().unwrap_or(Err(StoreError::WriterGone)),
            State::Open { pages, .. } => Ok(*pages),
            State::Gone => Err(StoreError::WriterGone),
        }
    }
}

fn open(store: &Store, started: Started, tell: &Sender<Result<(), StoreError>>) -> Result<Pages, StoreError> {
    let announced = Ledger::open(store, clock::now()).and_then(|ledger| {
        ledger.append(&Entry::Started(started))?.wait()?;
        Ok(ledger)
    });
    let (told, ledger) = match announced {
        Ok(ledger) => (Ok(()), Ok(ledger)),
        Err(error) => (Err(error), Err(StoreError::WriterGone)),
    };
    // Who asked is gone: then nobody starts anything.
    let _ = tell.send(told);
    let ledger = ledger?;
    Ok(Pages { reader: ledger.reader()?, ledger })
}
