//! One thread writes. What is asked for while it waits for the disk becomes one transaction: group commit. Whoever asks for one
//! thing at a time and waits for it needs no thread, and writes where it asks.
//!
//! When the disk cannot promise to keep something, the ledger is poisoned: nothing is acknowledged any more until it is opened
//! again. That holds for the log of writes, for the database into which it is moved, and for files of contents.

use super::append::{Batch, Writing};
use super::blobs::Reserved;
use super::schema;
use crate::error::StoreError;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// As many become durable together at most: more would make the first wait for the last.
const TOGETHER: usize = 1024;
/// As many wait at most before whoever asks has to wait with them.
const WAITING: usize = 4096;
/// Pages in the log of writes before they are moved into the database: 4 MiB.
const LOG_PAGES: i64 = 1024;
/// The same when nobody asks for anything, as while the program of a run is at work: 1 MiB. The next who opens the ledger reads
/// the log first, a millisecond for 4 MiB, which is a third of what evidence costs a run. Not when all is written: only with a
/// transaction behind it the log begins anew, and what nobody remembers to be moved is moved again.
const IDLE_PAGES: i64 = 256;
/// So long nobody has to ask for anything.
const IDLE: Duration = Duration::from_millis(1);

/// Where several processes write without a pause, nobody finds the moment to begin the log anew: beyond 16 MiB it is looked for.
const LONG_LOG: i64 = 4 * LOG_PAGES;
/// How long that may keep the others waiting.
const MOMENT: Duration = Duration::from_millis(50);

/// Why nothing is acknowledged any more, once something is there.
pub(crate) type Poison = Arc<OnceLock<Arc<dyn std::error::Error + Send + Sync>>>;

pub(crate) struct Job {
    pub(crate) batch: Batch,
    /// Released when a row names what it reserves, or nothing ever will.
    pub(crate) _reserved: Vec<Reserved>,
    pub(crate) done: Sender<Result<Vec<u64>, StoreError>>,
}

/// Where it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    /// By a thread, which takes what several ask for together.
    Aside,
    /// By whoever asks, before it is given back: no thread is started and none is waited for.
    Here,
}

/// The thread, and the way to it. It starts with the first thing to write: whoever opens a ledger may have to stay alone.
#[derive(Debug)]
pub(crate) struct Writer {
    place: Where,
    path: PathBuf,
    poison: Poison,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Idle(Thread),
    Busy {
        jobs: SyncSender<Job>,
        thread: JoinHandle<()>,
    },
    /// It could not be started, or is over.
    Gone,
}

/// What was asked for, and is durable when this says so.
#[derive(Debug)]
pub struct Ticket {
    done: Receiver<Result<Vec<u64>, StoreError>>,
}

impl Ticket {
    /// Waits until it is durable; gives the places in the log.
    pub fn wait(self) -> Result<Vec<u64>, StoreError> {
        self.done.recv().unwrap_or(Err(StoreError::WriterGone))
    }
}

impl Writer {
    pub(crate) fn new(connection: Connection, path: PathBuf, place: Where) -> Self {
        let poison = Poison::default();
        let thread = Thread { connection, path: path.clone(), poison: Arc::clone(&poison) };
        Self { place, path, poison, state: Mutex::new(State::Idle(thread)) }
    }

    /// Moves a long log of writes into the database where no thread does so while nobody asks for anything.
    pub(crate) fn settle(&self) {
        if let State::Idle(here) = &mut *self.state() {
            here.settle(IDLE_PAGES);
        }
    }

    /// What the connection that writes finds; nothing where it is a thread's.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Connection) -> T) -> Option<T> {
        match &*self.state() {
            State::Idle(here) => Some(look(&here.connection)),
            State::Busy { .. } | State::Gone => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the disk failed elsewhere in the store.
    pub(crate) fn poison(&self, error: &StoreError) {
        if let StoreError::Sync { source, .. } = error {
            let _ = self.poison.set(source.clone());
            leave_mark(&self.path);
        }
    }

    pub(crate) fn submit(&self, batch: Batch, reserved: Vec<Reserved>) -> Ticket {
        let (done, waiting) = channel();
        let job = Job { batch, _reserved: reserved, done };
        if self.place == Where::Here {
            if let State::Idle(here) = &*self.state() {
                here.carry_out(vec![job]);
            }
        } else if let Some(jobs) = self.jobs() {
            // A thread that is gone drops the job, and with it the sender: the ticket then says so.
            let _ = jobs.send(job);
        }
        Ticket { done: waiting }
    }

    /// The way to the thread, which is started where it is not there yet.
    fn jobs(&self) -> Option<SyncSender<Job>> {
        let mut state = self.state();
        if let State::Busy { jobs, .. } = &*state {
            return Some(jobs.clone());
        }
        let State::Idle(idle) = std::mem::replace(&mut *state, State::Gone) else { return None };
        let (jobs, asked) = sync_channel(WAITING);
        let thread =
            std::thread::Builder::new().name("ledger".to_owned()).spawn(move || idle.serve(&asked)).ok()?;
        *state = State::Busy { jobs: jobs.clone(), thread };
        Some(jobs)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let State::Busy { jobs, thread } = std::mem::replace(state, State::Gone) {
            drop(jobs);
            let _ = thread.join();
        }
    }
}

#[derive(Debug)]
struct Thread {
    connection: Connection,
    path: PathBuf,
    /// The disk failed: nobody knows what it holds, and nothing is acknowledged any more.
    poison: Poison,
}

impl Thread {
    fn serve(mut self, asked: &Receiver<Job>) {
        while let Some(first) = self.next(asked) {
            let mut jobs = vec![first];
            while jobs.len() < TOGETHER
                && let Ok(next) = asked.try_recv()
            {
                jobs.push(next);
            }
            self.carry_out(jobs);
            self.settle(LOG_PAGES);
        }
    }

    /// What is asked for next; nothing when nobody is left who could.
    fn next(&mut self, asked: &Receiver<Job>) -> Option<Job> {
        match asked.recv_timeout(IDLE) {
            Err(RecvTimeoutError::Timeout) => {
                self.settle(IDLE_PAGES);
                asked.recv().ok()
            }
            next => next.ok(),
        }
    }

    /// Moves the log of writes into the database when it has grown long. SQLite would do so by itself, and tell nobody when the
    /// disk fails at it.
    fn settle(&mut self, most: i64) {
        if self.poison.get().is_some() {
            return;
        }
        let settled = match self.log_pages("PRAGMA wal_checkpoint(NOOP)") {
            Ok((long, _)) if long >= LONG_LOG => self.begin_anew(),
            Ok((_, waiting)) if waiting >= most => self.log_pages("PRAGMA wal_checkpoint(PASSIVE)").map(drop),
            asked => asked.map(drop),
        };
        if let Err(error) = settled
            && is_of_the_disk(&error)
        {
            self.poison_by(Arc::new(error));
        }
    }

    fn carry_out(&self, jobs: Vec<Job>) {
        let results = match self.poison.get() {
            Some(cause) => Err(StoreError::Poisoned { path: self.path.clone(), source: Arc::clone(cause) }),
            None => self.transact(&jobs),
        };
        match results {
            Ok(results) => {
                for (job, result) in jobs.into_iter().zip(results) {
                    // Nobody waits any more: it is durable all the same.
                    let _ = job.done.send(result);
                }
            }
            Err(error) => self.refuse(jobs, error),
        }
    }

    /// Pages in the log, and those of them that are not in the database yet.
    fn log_pages(&self, sql: &str) -> rusqlite::Result<(i64, i64)> {
        let pages = |row: &rusqlite::Row<'_>| {
            let (all, moved) = (row.get::<_, i64>(1)?, row.get::<_, i64>(2)?);
            Ok((all, all - moved))
        };
        self.connection.prepare_cached(sql).and_then(|mut pragma| pragma.query_row([], pages))
    }

    /// Moves all of the log and has the next transaction begin it anew, if the others are out of it for a moment.
    fn begin_anew(&mut self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(MOMENT)?;
        let moved = self.log_pages("PRAGMA wal_checkpoint(RESTART)");
        schema::be_patient(&mut self.connection)?;
        match moved {
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => Ok(()),
            moved => moved.map(drop),
        }
    }

    /// One transaction for all; each has an answer of its own when it became durable.
    fn transact(&self, jobs: &[Job]) -> Result<Vec<Result<Vec<u64>, StoreError>>, StoreError> {
        let undo = |error| {
            let _ = self.connection.execute_batch("ROLLBACK");
            error
        };
        let _wait = Wait::for_the_disk(&self.connection, jobs)
            .map_err(|error| StoreError::of_database("write", &self.path, error))?;
        let mut writing = Writing::begin(&self.connection, &self.path).map_err(undo)?;
        let mut results = Vec::with_capacity(jobs.len());
        for job in jobs {
            match writing.add(&job.batch) {
                Err(error) if error.is_of_database() => return Err(undo(error)),
                result => results.push(result),
            }
        }
        writing.commit().map_err(undo)?;
        Ok(results)
    }

    fn refuse(&self, jobs: Vec<Job>, error: StoreError) {
        let cause = error.database_cause();
        if let Some(cause) = cause.as_ref().filter(|cause| is_of_the_disk(cause)) {
            self.poison_by(Arc::clone(cause));
        }
        let mut first = Some(error);
        for job in jobs {
            let again = || match (&cause, self.poison.get()) {
                (Some(cause), _) => StoreError::Database {
                    doing: "write",
                    path: self.path.clone(),
                    source: Arc::clone(cause),
                },
                (None, Some(cause)) => {
                    StoreError::Poisoned { path: self.path.clone(), source: Arc::clone(cause) }
                }
                (None, None) => StoreError::WriterGone,
            };
            let _ = job.done.send(Err(first.take().unwrap_or_else(again)));
        }
    }

    fn poison_by(&self, cause: Arc<rusqlite::Error>) {
        let _ = self.poison.set(cause);
        leave_mark(&self.path);
    }
}

/// Whether a transaction waits for the disk. One that holds nothing but a signature need not: what a power cut takes of it is
/// signed again.
struct Wait<'a> {
    connection: &'a Connection,
    is_short: bool,
}

impl<'a> Wait<'a> {
    fn for_the_disk(connection: &'a Connection, jobs: &[Job]) -> rusqlite::Result<Self> {
        let is_short = jobs.iter().all(|job| job.batch.entries.is_empty() && job.batch.blobs.is_empty());
        if is_short {
            connection.execute_batch("PRAGMA synchronous = normal")?;
        }
        Ok(Self { connection, is_short })
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if self.is_short {
            // Sets a number in memory: it cannot fail.
            let _ = self.connection.execute_batch("PRAGMA synchronous = full");
        }
    }
}

/// Errors after which nobody knows what the disk holds. A disk that is full is none of them: nothing was written.
fn is_of_the_disk(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, SystemIoFailure};
    matches!(error.sqlite_error_code(), Some(SystemIoFailure | DatabaseCorrupt))
}

/// Tells the next who opens the store to write everything once more. It need not be durable: after a power cut the pages in
/// question are read from the disk anyway.
fn leave_mark(path: &Path) {
    let _ = crate::store::private().create(true).truncate(false).open(path.with_extension(MARK));
}

/// The extension of the mark.
pub(crate) const MARK: &str = "poisoned";
