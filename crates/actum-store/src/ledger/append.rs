//! What one transaction writes: entries, the tree over them, and the tables derived from them.

use super::blobs::Row;
use super::index::{self, Began, Change, End, Ended, Indexed};
use super::tree;
use crate::error::StoreError;
use crate::merkle::{self, Frontier};
use actum_model::RunId;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;

/// What is to become durable together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Contents first: an entry never names what is not there.
    pub(crate) blobs: Vec<Row>,
    pub(crate) entries: Vec<Vec<u8>>,
    /// A signature over the first entries, and how many.
    pub(crate) checkpoint: Option<(u64, String)>,
}

/// A transaction that is being written.
pub(crate) struct Writing<'a> {
    connection: &'a Connection,
    path: &'a Path,
    frontier: Frontier,
}

impl<'a> Writing<'a> {
    pub(crate) fn begin(connection: &'a Connection, path: &'a Path) -> Result<Self, StoreError> {
        connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(|error| StoreError::of_database("write", path, error))?;
        Self::within(connection, path)
    }

    /// In a transaction that was begun already.
    pub(crate) fn within(connection: &'a Connection, path: &'a Path) -> Result<Self, StoreError> {
        let frontier = tree::frontier(connection, path)?;
        Ok(Self { connection, path, frontier })
    }

    /// Adds a batch, or nothing of it: what would contradict the log is refused before anything is written.
    pub(crate) fn add(&mut self, batch: &Batch) -> Result<Vec<u64>, StoreError> {
        let indexed =
            batch.entries.iter().map(|bytes| index::derive(bytes)).collect::<Result<Vec<_>, _>>()?;
        for one in &indexed {
            self.check(one)?;
        }
        for blob in &batch.blobs {
            self.blob(blob).map_err(|error| self.failed(error))?;
        }
        if let Some((size, note)) = &batch.checkpoint {
            self.checkpoint(*size, note).map_err(|error| self.failed(error))?;
        }
        let places = batch.entries.iter().zip(&indexed).map(|(bytes, indexed)| self.entry(bytes, indexed));
        places.collect::<rusqlite::Result<_>>().map_err(|error| self.failed(error))
    }

    /// Writes the tree's edge and makes everything durable.
    pub(crate) fn commit(self) -> Result<Frontier, StoreError> {
        let peaks: Vec<u8> = self.frontier.peaks().iter().flat_map(|peak| peak.0).collect();
        self.connection
            .prepare_cached("UPDATE store SET size = ?1, peaks = ?2 WHERE one = 1")
            .and_then(|mut update| update.execute(params![self.frontier.size() as i64, peaks]))
            .and_then(|_| self.connection.execute_batch("COMMIT"))
            .map_err(|error| self.failed(error))?;
        Ok(self.frontier)
    }

    /// A run ends once.
    fn check(&self, indexed: &Indexed) -> Result<(), StoreError> {
        let (Some(run), Change::Ended(_) | Change::Lost { .. }) = (indexed.run, &indexed.change) else {
            return Ok(());
        };
        let ended = self
            .connection
            .prepare_cached("SELECT 1 FROM run WHERE run = ?1 AND outcome IS NOT NULL")
            .and_then(|mut select| select.exists([run.to_bytes()]))
            .map_err(|error| self.failed(error))?;
        if ended { Err(StoreError::EndedBefore { run }) } else { Ok(()) }
    }

    fn blob(&self, row: &Row) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO blob (sha256, size, form, bytes) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )?
            .execute(params![row.sha256.0, row.size as i64, row.form.name(), row.bytes])
            .map(drop)
    }

    fn checkpoint(&self, size: u64, note: &str) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO checkpoint (size, note) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET note = ?2",
            )?
            .execute(params![size as i64, note])
            .map(drop)
    }

    fn entry(&mut self, bytes: &[u8], indexed: &Indexed) -> rusqlite::Result<u64> {
        let (seq, leaf) = (self.frontier.size(), merkle::leaf(bytes));
        let run = indexed.run.map(RunId::to_bytes);
        self.connection
            .prepare_cached("INSERT INTO entry (seq, type, run, bytes, leaf) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![seq as i64, indexed.kind, run, bytes, leaf.0])?;
        let mut complete = Vec::new();
        self.frontier.push(leaf, |subtree, hash| {
            if tree::is_kept(subtree) {
                complete.push((subtree, *hash));
            }
        });
        for (subtree, hash) in complete {
            self.connection
                .prepare_cached("INSERT INTO tile (level, number, hash) VALUES (?1, ?2, ?3)")?
                .execute(params![subtree.level, subtree.index as i64, hash.0])?;
        }
        if let Some(run) = indexed.run {
            match &indexed.change {
                Change::None => {}
                Change::Began(began) => self.began(run, began)?,
                Change::Ended(ended) => self.ended(run, ended, seq)?,
                Change::Lost { at } => self.close(run, &End::lost(*at, seq))?,
            }
        }
        Ok(seq)
    }

    fn began(&self, run: RunId, began: &Began) -> rusqlite::Result<()> {
        let Began { at, command, language, folder, labels } = began;
        self.connection
            .prepare_cached(
                "INSERT INTO run (run, began, command, language, folder) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
            )?
            .execute(params![run.to_bytes(), at.0 as i64, command, language, folder])?;
        for label in labels {
            self.connection
                .prepare_cached("INSERT INTO label (run, label) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
                .execute(params![run.to_bytes(), label])?;
        }
        Ok(())
    }

    fn ended(&self, run: RunId, ended: &Ended, seq: u64) -> rusqlite::Result<()> {
        // What was never started is listed all the same; what was is told as its record tells it.
        self.began(run, &ended.began)?;
        let Began { at, command, language, folder, .. } = &ended.began;
        self.connection
            .prepare_cached(
                "UPDATE run SET began = ?2, command = ?3, language = ?4, folder = ?5 WHERE run = ?1",
            )?
            .execute(params![run.to_bytes(), at.0 as i64, command, language, folder])?;
        for (name, held) in &ended.held {
            self.connection
                .prepare_cached("INSERT INTO held (run, name, sha256) VALUES (?1, ?2, ?3)")?
                .execute(params![run.to_bytes(), name, held.sha256.0])?;
        }
        self.close(run, &End::of(ended, seq))
    }

    fn close(&self, run: RunId, end: &End) -> rusqlite::Result<()> {
        let End { at, outcome, exit_code, seq } = end;
        self.connection
            .prepare_cached(
                "UPDATE run SET ended = ?2, outcome = ?3, exit_code = ?4, last = ?5 WHERE run = ?1",
            )?
            .execute(params![run.to_bytes(), at.0 as i64, outcome.word(), exit_code, *seq as i64])
            .map(drop)
    }

    fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::of_database("write", self.path, error)
    }
}

/// The name that the store's checkpoints carry.
pub(crate) fn origin(connection: &Connection, path: &Path) -> Result<String, StoreError> {
    connection
        .query_row("SELECT origin FROM store WHERE one = 1", [], |row| row.get(0))
        .optional()
        .map_err(|error| StoreError::of_database("read", path, error))?
        .ok_or_else(|| StoreError::Damaged {
            path: path.to_path_buf(),
            what: "the log has no name".to_owned(),
        })
}
