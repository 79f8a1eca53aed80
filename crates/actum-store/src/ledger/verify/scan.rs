//! One pass over the log: hashes, order, the tree, and the tables that are derived from it.

use super::{Problem, Roots, Verified};
use crate::error::StoreError;
use crate::ledger::index::{self, Began, Change, End, Ended, Indexed};
use crate::ledger::reader::Reader;
use crate::ledger::tree;
use crate::merkle::{self, Frontier, Head, Subtree};
use actum_model::{Digest, Entry, RunId};
use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension, Row, params};
use std::collections::{BTreeSet, HashSet};

/// Reads every entry in order. `signed` is how many of them a known key signed.
pub(super) fn scan(
    reader: &Reader,
    sizes: BTreeSet<u64>,
    signed: u64,
    verified: &mut Verified,
) -> Result<Roots, StoreError> {
    let failed = |error| reader.failed(error);
    let pruned = pruned(reader, verified)?;
    let mut scan = Scan {
        reader,
        verified,
        frontier: Frontier::default(),
        roots: Roots { at: Default::default(), end: Head { size: 0, root: merkle::empty() } },
        sizes,
        counts: Counts::default(),
        begun: HashSet::new(),
        pruned,
        signed,
    };
    let mut select = reader
        .connection
        .prepare("SELECT seq, type, run, bytes, leaf FROM entry ORDER BY seq")
        .map_err(failed)?;
    let mut rows = select.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        scan.row(row)?;
    }
    scan.finish()
}

struct Scan<'a> {
    reader: &'a Reader,
    verified: &'a mut Verified,
    frontier: Frontier,
    roots: Roots,
    sizes: BTreeSet<u64>,
    counts: Counts,
    /// Runs of which the log has told so far: 16 bytes each.
    begun: HashSet<RunId>,
    /// What the log says was removed.
    pruned: Vec<Stretch>,
    signed: u64,
}

/// Entries of which an entry says that their bodies were removed.
struct Stretch {
    said_by: u64,
    first: u64,
    last: u64,
}

/// How many rows the tables should have.
#[derive(Default)]
struct Counts {
    runs: u64,
    ended: u64,
    labels: u64,
    held: u64,
    tiles: u64,
}

impl Scan<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let failed = |error| self.reader.failed(error);
        let seq = row.get::<_, i64>(0).map_err(failed)? as u64;
        let leaf: Option<[u8; 32]> = row.get(4).ok();
        if seq != self.frontier.size() {
            self.verified.found(Problem::Gap { seq: self.frontier.size() });
        }
        let hash = match row.get_ref(3).map_err(failed)? {
            ValueRef::Null => {
                self.body_gone(seq, row.get_ref(1).map_err(failed)?, row.get_ref(2).map_err(failed)?);
                leaf.map(Digest)
            }
            ValueRef::Blob(bytes) => {
                let hash = merkle::leaf(bytes);
                if leaf != Some(hash.0) {
                    self.verified.found(Problem::Entry { seq });
                }
                if seq == 0 {
                    self.name(bytes)?;
                }
                match index::derive(bytes) {
                    Ok(indexed) => self.entry(seq, row, &indexed)?,
                    Err(_) => self.verified.found(Problem::NotAnEntry { seq }),
                }
                Some(hash)
            }
            ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Text(_) => None,
        };
        match hash {
            Some(hash) => self.push(hash)?,
            None => self.verified.found(Problem::Entry { seq }),
        }
        self.verified.entries += 1;
        Ok(())
    }

    /// The first entry says which store this is.
    fn name(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let origin = self.reader.origin()?;
        match serde_json::from_slice::<Entry>(bytes) {
            Ok(Entry::Made(made)) if made.origin == origin => {}
            Ok(_) | Err(_) => self.table("store", "has a different log name than the first entry".to_owned()),
        }
        Ok(())
    }

    fn push(&mut self, hash: Digest) -> Result<(), StoreError> {
        if self.sizes.contains(&self.frontier.size()) {
            self.roots.at.insert(self.frontier.size(), self.frontier.root());
        }
        let mut complete = Vec::new();
        self.frontier.push(hash, |subtree, hash| {
            if tree::is_kept(subtree) {
                complete.push((subtree, *hash));
            }
        });
        complete.into_iter().try_for_each(|(subtree, hash)| self.tile(subtree, hash))
    }

    fn tile(&mut self, subtree: Subtree, hash: Digest) -> Result<(), StoreError> {
        self.counts.tiles += 1;
        let kept: Option<Option<[u8; 32]>> = self
            .reader
            .connection
            .prepare_cached("SELECT hash FROM tile WHERE level = ?1 AND number = ?2")
            .and_then(|mut select| {
                select
                    .query_row(params![subtree.level, subtree.index as i64], |row| Ok(row.get(0).ok()))
                    .optional()
            })
            .map_err(|error| self.reader.failed(error))?;
        if kept != Some(Some(hash.0)) {
            let what = format!("has a wrong hash at level {}, number {}", subtree.level, subtree.index);
            self.verified.found(Problem::Tree { what });
        }
        Ok(())
    }

    fn body_gone(&mut self, seq: u64, kind: ValueRef<'_>, run: ValueRef<'_>) {
        // What was signed is not taken away by what was not: whoever can write the store could add that.
        let counts = |stretch: &&Stretch| stretch.said_by < self.signed || seq >= self.signed;
        let mut stretches = self.pruned.iter().filter(counts);
        let is_named = stretches.any(|stretch| (stretch.first..=stretch.last).contains(&seq));
        let says_nothing = kind.as_str().is_ok_and(str::is_empty) && run == ValueRef::Null;
        if is_named && says_nothing {
            self.verified.pruned += 1;
        } else {
            self.verified.found(Problem::Body { seq });
        }
    }

    /// Holds the columns beside an entry, and the rows about its run, against its bytes.
    fn entry(&mut self, seq: u64, row: &Row<'_>, indexed: &Indexed) -> Result<(), StoreError> {
        let failed = |error| self.reader.failed(error);
        let kind = row.get_ref(1).map_err(failed)?.as_str().ok() == Some(indexed.kind.as_str());
        let run = match (row.get_ref(2).map_err(failed)?, indexed.run) {
            (ValueRef::Null, None) => true,
            (ValueRef::Blob(bytes), Some(run)) => bytes == run.to_bytes(),
            (_, _) => false,
        };
        if !kind || !run {
            self.table("entry", format!("does not match entry {seq}"));
        }
        match (&indexed.change, indexed.run) {
            (Change::None, _) | (_, None) => Ok(()),
            (Change::Began(began), Some(run)) => self.began(run, began),
            (Change::Ended(ended), Some(run)) => self.ended(seq, run, ended),
            (Change::Lost { at }, Some(run)) => self.closed(run, &End::lost(*at, seq)),
        }
    }

    fn began(&mut self, run: RunId, began: &Began) -> Result<(), StoreError> {
        // The first that tells of a run's beginning is the one that the tables hold.
        if !self.begun.insert(run) {
            return Ok(());
        }
        self.counts.runs += 1;
        self.verified.runs += 1;
        // Once there is a record, the row is held against that.
        let sql = "SELECT 1 FROM run WHERE run = ?1 AND outcome IS NOT NULL AND outcome <> 'lost'";
        if !self.exists(sql, [run.to_bytes()])? {
            self.told(run, began)?;
        }
        for label in &began.labels {
            self.counts.labels += 1;
            let sql = "SELECT 1 FROM label WHERE run = ?1 AND label = ?2";
            if !self.exists(sql, params![run.to_bytes(), label])? {
                self.table("label", format!("lacks a label of run {run}"));
            }
        }
        Ok(())
    }

    /// How a run began, as its row tells it.
    fn told(&mut self, run: RunId, began: &Began) -> Result<(), StoreError> {
        let Began { at, command, language, folder, .. } = began;
        let sql = "SELECT 1 FROM run WHERE run = ?1 AND began = ?2 AND command = ?3 AND language = ?4 AND folder = ?5";
        if !self.exists(sql, params![run.to_bytes(), at.0 as i64, command, language, folder])? {
            self.table("run", format!("does not match the start of run {run}"));
        }
        Ok(())
    }

    fn ended(&mut self, seq: u64, run: RunId, ended: &Ended) -> Result<(), StoreError> {
        // A run that was refused before it started has a record and nothing else.
        self.began(run, &ended.began)?;
        self.told(run, &ended.began)?;
        self.counts.ended += 1;
        for (name, held) in &ended.held {
            self.counts.held += 1;
            let sql = "SELECT 1 FROM held WHERE run = ?1 AND name = ?2 AND sha256 = ?3";
            if !self.exists(sql, params![run.to_bytes(), name, held.sha256.0])? {
                self.table("held", format!("lacks {name} of run {run}"));
            }
            // A blob that is longer or shorter than the record says is not the one.
            let sql = "SELECT 1 FROM blob WHERE sha256 = ?1 AND size = ?2";
            if !self.exists(sql, params![held.sha256.0, held.bytes.0 as i64])? {
                self.table("blob", format!("does not match {name} of run {run}"));
            }
        }
        self.closed(run, &End::of(ended, seq))
    }

    fn closed(&mut self, run: RunId, end: &End) -> Result<(), StoreError> {
        let End { at, outcome, exit_code, seq } = end;
        let sql = "SELECT 1 FROM run WHERE run = ?1 AND ended = ?2 AND outcome = ?3 AND exit_code IS ?4 AND last = ?5";
        let values = params![run.to_bytes(), at.0 as i64, outcome.word(), exit_code, *seq as i64];
        if !self.exists(sql, values)? {
            self.table("run", format!("does not match the end of run {run}"));
        }
        Ok(())
    }

    fn exists(&self, sql: &str, values: impl rusqlite::Params) -> Result<bool, StoreError> {
        self.reader
            .connection
            .prepare_cached(sql)
            .and_then(|mut select| select.exists(values))
            .map_err(|error| self.reader.failed(error))
    }

    fn table(&mut self, table: &'static str, what: String) {
        self.verified.found(Problem::Table { table, what });
    }

    /// What the tables hold beyond what the log says, and the edge of the tree.
    fn finish(mut self) -> Result<Roots, StoreError> {
        let count = |table: &str| {
            self.reader
                .connection
                .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
                .map_err(|error| self.reader.failed(error))
        };
        let Counts { runs, ended, labels, held, tiles } = self.counts;
        let tables = [
            ("run", "run", runs),
            ("run", "run WHERE outcome IS NOT NULL AND outcome <> 'lost'", ended),
            ("label", "label", labels),
            ("held", "held", held),
            ("tile", "tile", tiles),
        ];
        for (table, rows, expected) in tables {
            let found = count(rows)?;
            if found as u64 != expected {
                let what = format!("has {found} rows, but the log has {expected}");
                self.verified.found(Problem::Table { table, what });
            }
        }
        if tree::frontier(&self.reader.connection, &self.reader.path).ok().as_ref() != Some(&self.frontier) {
            self.verified.found(Problem::Tree { what: "does not match its entries".to_owned() });
        }
        let end = Head { size: self.frontier.size(), root: self.frontier.root() };
        self.roots.at.insert(end.size, end.root);
        Ok(Roots { end, ..self.roots })
    }
}

/// What the log says was removed. Read ahead: a removal stands behind what it removed. An entry of that kind whose bytes are
/// not what was hashed says nothing.
fn pruned(reader: &Reader, verified: &mut Verified) -> Result<Vec<Stretch>, StoreError> {
    let failed = |error| reader.failed(error);
    let sql = "SELECT bytes, leaf, seq FROM entry WHERE type = 'store.pruned' AND bytes IS NOT NULL";
    let mut select = reader.connection.prepare(sql).map_err(failed)?;
    let row = |row: &Row<'_>| {
        Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, i64>(2)? as u64))
    };
    let rows = select.query_map([], row);
    let mut stretches = Vec::new();
    for row in rows.map_err(failed)? {
        let (bytes, leaf, said_by) = row.map_err(failed)?;
        match serde_json::from_slice::<Entry>(&bytes) {
            Ok(Entry::Pruned(pruned)) if merkle::leaf(&bytes).0.as_slice() == leaf => {
                let stretch = |[first, last]: [u64; 2]| Stretch { said_by, first, last };
                stretches.extend(pruned.entries.into_iter().map(stretch));
            }
            Ok(_) | Err(_) => {
                verified.found(Problem::Table { table: "entry", what: "has the wrong removal".to_owned() });
            }
        }
    }
    Ok(stretches)
}
