//! Opens a ledger: makes it where there is none, refuses what is not ours, and finishes what an earlier process left.

use super::append::{Batch, Writing, origin};
use super::blobs::{Blobs, Content, Row};
use super::index;
use super::reader::{LogState, Reader};
use super::schema::{self, Access, Found};
use super::writer::{MARK, Ticket, Where, Writer};
use crate::error::StoreError;
use crate::named::named;
use crate::store::{Store, private, random_name};
use actum_model::{Digest, Entry, Lost, Made, Moment, Record, RunId};
use rusqlite::Connection;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The ledger of a store, open for writing. Several processes may have one each.
#[derive(Debug)]
pub struct Ledger {
    store: Store,
    origin: String,
    writer: Writer,
}

impl Ledger {
    /// Opens it. `now` is when a run is told to be lost, should there be one.
    pub fn open(store: &Store, now: Moment) -> Result<Self, StoreError> {
        Self::open_to_write(store, now, Where::Aside)
    }

    /// The same for a process that writes one thing after the other: each is written by the thread that asks for it.
    pub fn open_here(store: &Store, now: Moment) -> Result<Self, StoreError> {
        Self::open_to_write(store, now, Where::Here)
    }

    fn open_to_write(store: &Store, now: Moment, place: Where) -> Result<Self, StoreError> {
        let (root, path) = (store.root(), store.ledger_file());
        let is_new = !root.exists();
        store.make_own()?;
        make_private(&path).map_err(|source| StoreError::Make { path: path.clone(), source })?;
        let (connection, found) = schema::connect(&path, Access::Write)?;
        if found == Found::Nothing {
            make(&connection, &path, now)?;
            make_durable(root, is_new).map_err(|source| StoreError::Make { path: path.clone(), source })?;
        }
        settle_after_poison(&connection, &path)?;
        schema::allot(&connection, &path)?;
        let origin = origin(&connection, &path)?;
        let unfinished = unfinished(&connection, &path)?;
        let writer = Writer::new(connection, path, place);
        let ledger = Self { store: store.clone(), origin, writer };
        ledger.declare_lost(&unfinished, now)?;
        Ok(ledger)
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The store's own name, which its checkpoints carry.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.store)
    }

    /// The log as it is now, and the proof that it goes on from its first `since` entries; without those, from the last ones that
    /// are known to be signed.
    pub(crate) fn state(&self, since: Option<u64>) -> Result<LogState, StoreError> {
        let path = self.store.ledger_file();
        let own = self.writer.look(|connection| LogState::of(connection, &path, since));
        own.unwrap_or_else(|| self.reader()?.state(since))
    }

    /// Does in a quiet moment what a writer's thread would do by itself: moves a long log of writes into the database.
    pub fn settle(&self) {
        self.writer.settle();
    }

    /// Adds an entry. It is durable when the ticket says so.
    pub fn append(&self, entry: &Entry) -> Result<Ticket, StoreError> {
        self.append_bytes(index::bytes_of(entry)?)
    }

    /// Adds an entry whose bytes are at hand.
    pub fn append_bytes(&self, bytes: Vec<u8>) -> Result<Ticket, StoreError> {
        Ok(self.writer.submit(Batch { entries: vec![bytes], ..Batch::default() }, Vec::new()))
    }

    /// Seals a run: its record, and the contents that the record names, become durable together.
    /// Contents that it does not name, or names otherwise, are refused, and so is one that is not there.
    pub fn seal(&self, record: Record, contents: Vec<Content>) -> Result<Sealing, StoreError> {
        let mut named = named(&record).map_err(|why| StoreError::NotAnEntry { why })?;
        let bytes = index::bytes_of(&Entry::Ended(Box::new(record)))?;
        let digest = Digest::of(&bytes);
        let blobs = Blobs::of(self.store.root());
        let (mut rows, mut reserved) = (Vec::with_capacity(contents.len()), Vec::new());
        for content in contents {
            let (row, lock) = blobs.put(content).inspect_err(|error| self.writer.poison(error))?;
            // The same bytes may be given for two names.
            let is_given = rows.iter().any(|given: &Row| given.sha256 == row.sha256);
            if !is_given && named.remove(&row.sha256.0) != Some(row.size) {
                return Err(StoreError::Unnamed { sha256: row.sha256 });
            }
            rows.push(row);
            reserved.extend(lock);
        }
        if let Some((digest, _)) = named.into_iter().find(|(_, size)| *size > 0) {
            return Err(StoreError::NotGiven { sha256: Digest(digest) });
        }
        let batch = Batch { blobs: rows, entries: vec![bytes], checkpoint: None };
        Ok(Sealing { ticket: self.writer.submit(batch, reserved), digest })
    }

    /// Keeps a signature over the first entries.
    pub(crate) fn keep_checkpoint(&self, size: u64, note: String) -> Result<Ticket, StoreError> {
        Ok(self.writer.submit(Batch { checkpoint: Some((size, note)), ..Batch::default() }, Vec::new()))
    }

    /// Says of runs that began and whose process is gone that they were lost.
    fn declare_lost(&self, unfinished: &[RunId], now: Moment) -> Result<(), StoreError> {
        let gone = unfinished.iter().filter(|run| !self.store.is_going_on(**run));
        let lost = gone.map(|run| self.append(&Entry::Lost(Lost { v: 1, run: *run, found_at: now })));
        for ticket in lost.collect::<Result<Vec<_>, _>>()? {
            match ticket.wait() {
                // It ended, or somebody else found it, between our look and now.
                Err(StoreError::EndedBefore { .. }) => {}
                result => drop(result?),
            }
        }
        Ok(())
    }
}

/// A record that is being made durable.
#[derive(Debug)]
pub struct Sealing {
    ticket: Ticket,
    digest: Digest,
}

impl Sealing {
    /// Of the record's bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Waits until it is durable; gives the places in the log.
    pub fn wait(self) -> Result<Vec<u64>, StoreError> {
        self.ticket.wait()
    }
}

impl Store {
    /// The file of the ledger.
    pub fn ledger_file(&self) -> PathBuf {
        self.root().join("ledger.db")
    }

    /// Tells everybody that this run goes on, until what is given back is dropped or its process ends.
    pub fn hold(&self, run: RunId) -> Result<File, StoreError> {
        let path = self.place(run).folder;
        let held = File::open(&path).and_then(|folder| {
            flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
            Ok(folder)
        });
        held.map_err(|source| StoreError::Make { path, source })
    }

    /// Whether a process holds this run. Asked for with a shared lock: two who ask do not take each other for the run.
    pub fn is_going_on(&self, run: RunId) -> bool {
        let folder = File::open(self.place(run).folder);
        folder.is_ok_and(|folder| flock(&folder, FlockOperation::NonBlockingLockShared).is_err())
    }
}

/// Others do not read the database. Its log has the same mode.
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    match path.symlink_metadata() {
        // An empty file is an empty database.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match private().create_new(true).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                made => made.map(drop),
            }
        }
        Ok(about) if about.is_file() && about.mode() & 0o077 != 0 => {
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o600))
        }
        about => about.map(drop),
    }
}

fn make(connection: &Connection, path: &Path, now: Moment) -> Result<(), StoreError> {
    if schema::make(connection, path)? == Found::Ledger {
        return Ok(());
    }
    let origin =
        random_name("actum/").map_err(|source| StoreError::Make { path: path.to_path_buf(), source })?;
    connection
        .execute("INSERT INTO store (one, origin, size, peaks) VALUES (1, ?1, 0, x'')", [&origin])
        .map_err(|error| StoreError::of_database("make", path, error))?;
    let made = index::bytes_of(&Entry::Made(Made { v: 1, origin, at: now }))?;
    let mut writing = Writing::within(connection, path)?;
    writing.add(&Batch { entries: vec![made], ..Batch::default() })?;
    writing.commit().map(drop)
}

/// The names of the database and of its folder survive a power cut.
fn make_durable(root: &Path, is_new: bool) -> io::Result<()> {
    File::open(root)?.sync_all()?;
    match root.parent().filter(|_| is_new) {
        Some(above) => File::open(above)?.sync_all(),
        None => Ok(()),
    }
}

/// After a failed wait for the disk nobody knows which pages it holds, and the system takes them for written. So all of them
/// are written into the database once more before anything is added.
fn settle_after_poison(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let mark = path.with_extension(MARK);
    if !mark.exists() {
        return Ok(());
    }
    let busy = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        .map_err(|error| StoreError::of_database("recover", path, error))?;
    // With readers in the way not all was moved; the mark stays for the next.
    if busy == 0 {
        let _ = std::fs::remove_file(mark);
    }
    Ok(())
}

fn unfinished(connection: &Connection, path: &Path) -> Result<Vec<RunId>, StoreError> {
    let failed = |error| StoreError::of_database("read", path, error);
    // A row that no start in the log speaks of is not ours to end.
    let sql = "SELECT run FROM run WHERE outcome IS NULL
        AND EXISTS (SELECT 1 FROM entry WHERE entry.run = run.run AND entry.type = 'attempt.started')";
    let mut select = connection.prepare(sql).map_err(failed)?;
    let runs = select.query_map([], |row| row.get::<_, [u8; 16]>(0)).map_err(failed)?;
    runs.map(|run| run.map(RunId::from_bytes)).collect::<Result<_, _>>().map_err(failed)
}
