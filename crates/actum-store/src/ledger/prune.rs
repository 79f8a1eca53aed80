//! Removes the bodies of old runs: records and contents go, leaves stay, and an entry says what was removed.
//!
//! The tree does not change by it: every proof that was given holds on, and whoever has a removed record can still prove
//! that it was in the log.

use super::blobs::Blobs;
use super::open::Ledger;
use super::reader::Reader;
use super::schema::{self, Access};
use crate::error::StoreError;
use crate::store::Store;
use actum_model::{Bytes, Digest, Entry, Moment, Pruned, RunId};
use rusqlite::Connection;
use std::io;
use std::path::Path;

/// What would be removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Removal {
    pub runs: Vec<RunId>,
    /// Contents that nothing else names.
    pub blobs: u64,
    /// What they and the records take.
    pub bytes: Bytes,
}

impl Reader {
    /// What removing these runs would free.
    pub fn removal(&self, runs: Vec<RunId>) -> Result<Removal, StoreError> {
        let failed = |error| self.failed(error);
        let run_table = "CREATE TEMP TABLE IF NOT EXISTS going (run BLOB PRIMARY KEY)";
        self.connection.execute_batch(run_table).map_err(failed)?;
        self.connection.execute_batch("DELETE FROM going").map_err(failed)?;
        for run in &runs {
            self.connection
                .execute("INSERT OR IGNORE INTO going VALUES (?1)", [run.to_bytes()])
                .map_err(failed)?;
        }
        let blobs = "SELECT count(*), coalesce(sum(size), 0) FROM blob WHERE sha256 IN (
                SELECT sha256 FROM held WHERE run IN (SELECT run FROM going))
            AND NOT EXISTS (SELECT 1 FROM held WHERE held.sha256 = blob.sha256 AND run NOT IN (SELECT run FROM going))";
        let records =
            "SELECT coalesce(sum(length(bytes)), 0) FROM entry WHERE run IN (SELECT run FROM going)";
        let pair = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let (count, sizes) = self.connection.query_row(blobs, [], pair).map_err(failed)?;
        let bodies: i64 = self.connection.query_row(records, [], |row| row.get(0)).map_err(failed)?;
        Ok(Removal { runs, blobs: count as u64, bytes: Bytes((sizes + bodies) as u64) })
    }
}

/// Writes down what is going to be removed, of runs that ended. `because` is kept in the log. It is to be signed before
/// anything is removed: an entry that anybody could have added excuses nothing.
pub fn announce_removal(
    ledger: &Ledger,
    reader: &Reader,
    runs: &[RunId],
    because: &str,
    now: Moment,
) -> Result<Pruned, StoreError> {
    let failed = |error| reader.failed(error);
    let (mut going, mut seqs) = (Vec::new(), Vec::new());
    for run in runs {
        let found = entries_of(&reader.connection, *run).map_err(failed)?;
        if !found.is_empty() && is_ended(&reader.connection, *run).map_err(failed)? {
            going.push(*run);
            seqs.extend(found);
        }
    }
    seqs.sort_unstable();
    let Removal { runs, blobs, bytes } = reader.removal(going)?;
    let entries = stretches(&seqs);
    let pruned = Pruned { v: 1, at: now, because: because.to_owned(), runs, entries, blobs, freed: bytes };
    if !pruned.runs.is_empty() {
        ledger.append(&Entry::Pruned(pruned.clone()))?.wait()?;
    }
    Ok(pruned)
}

/// Removes what was announced.
pub fn prune(store: &Store, announced: &Pruned) -> Result<(), StoreError> {
    let path = store.ledger_file();
    let blobs = Blobs::of(store.root());
    // Before the transaction: who is about to name a new file holds this until it is named, and needs the database for it.
    let sweeping =
        blobs.sweeping().map_err(|source| StoreError::Blob { path: blobs.folder().to_path_buf(), source })?;
    let (connection, _) = schema::connect(&path, Access::Write)?;
    let failed = |error| StoreError::of_database("write", &path, error);
    // What is removed is overwritten, not only forgotten.
    connection.pragma_update(None, "secure_delete", true).map_err(failed)?;
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    let removed = announced.runs.iter().try_for_each(|run| remove(&connection, *run));
    let removed = removed.and_then(|()| connection.execute_batch("COMMIT"));
    removed.inspect_err(|_| drop(connection.execute_batch("ROLLBACK"))).map_err(failed)?;
    if sweeping.is_some() {
        sweep(&connection, &blobs, &path)?;
    }
    give_back(&connection);
    Ok(())
}

fn remove(connection: &Connection, run: RunId) -> rusqlite::Result<()> {
    for sql in [
        "UPDATE entry SET type = '', run = NULL, bytes = NULL WHERE run = ?1",
        "DELETE FROM run WHERE run = ?1",
        "DELETE FROM label WHERE run = ?1",
        "DELETE FROM blob WHERE sha256 IN (SELECT sha256 FROM held WHERE run = ?1)
            AND NOT EXISTS (SELECT 1 FROM held WHERE held.sha256 = blob.sha256 AND held.run <> ?1)",
        "DELETE FROM held WHERE run = ?1",
    ] {
        connection.execute(sql, [run.to_bytes()])?;
    }
    Ok(())
}

fn entries_of(connection: &Connection, run: RunId) -> rusqlite::Result<Vec<u64>> {
    connection
        .prepare_cached("SELECT seq FROM entry WHERE run = ?1")?
        .query_map([run.to_bytes()], |row| Ok(row.get::<_, i64>(0)? as u64))?
        .collect()
}

fn is_ended(connection: &Connection, run: RunId) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM run WHERE run = ?1 AND outcome IS NOT NULL")?
        .exists([run.to_bytes()])
}

/// First and last of each row of neighbours.
fn stretches(sorted: &[u64]) -> Vec<[u64; 2]> {
    let mut all: Vec<[u64; 2]> = Vec::new();
    for seq in sorted {
        match all.last_mut() {
            Some([_, last]) if *last + 1 == *seq => *last = *seq,
            _ => all.push([*seq, *seq]),
        }
    }
    all
}

/// Removes files that no row names: those of the removed runs, and what a process left that was killed while writing.
fn sweep(connection: &Connection, blobs: &Blobs, path: &Path) -> Result<(), StoreError> {
    let failed = |source: io::Error| StoreError::Blob { path: blobs.folder().to_path_buf(), source };
    for shelf in std::fs::read_dir(blobs.folder()).map_err(failed)? {
        let shelf = shelf.map_err(failed)?.path();
        if !shelf.is_dir() {
            let _ = std::fs::remove_file(shelf);
            continue;
        }
        for file in std::fs::read_dir(&shelf).map_err(failed)? {
            let file = file.map_err(failed)?.path();
            let digest = file.file_name().and_then(|name| name.to_str()?.parse::<Digest>().ok());
            let is_named = match digest {
                Some(digest) => connection
                    .prepare_cached("SELECT 1 FROM blob WHERE sha256 = ?1 AND form = 'file'")
                    .and_then(|mut select| select.exists([digest.0]))
                    .map_err(|error| StoreError::of_database("read", path, error))?,
                None => false,
            };
            if !is_named {
                let _ = std::fs::remove_file(file);
            }
        }
    }
    Ok(())
}

/// Gives the room back to the disk, where that is worth it and nobody is in the way.
fn give_back(connection: &Connection) {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if let (Ok(free), Ok(all)) = (number("freelist_count"), number("page_count"))
        && free * 4 > all
    {
        let _ = connection.execute_batch("VACUUM");
    }
    let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn stretches_hold_exactly_what_they_were_made_of(seqs: BTreeSet<u8>) {
            let sorted: Vec<u64> = seqs.iter().map(|seq| u64::from(*seq)).collect();
            let all = stretches(&sorted);
            prop_assert_eq!(all.iter().flat_map(|[first, last]| *first..=*last).collect::<Vec<_>>(), sorted);
            prop_assert!(all.windows(2).all(|two| two[0][1] + 1 < two[1][0]));
        }
    }
}
