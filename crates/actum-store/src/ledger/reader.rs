//! Reads a ledger: finds runs, lists them, gives records and contents. What it gives back was held against its hash.

use super::append::origin;
use super::blobs::{self, Blobs, Checked, Form, Row};
use super::schema::{self, Access, Found};
use super::tree::{self, Kept as KeptHashes};
use crate::error::StoreError;
use crate::experiments::Unindexed;
use crate::merkle::{self, Head};
use crate::store::{Store, is_meant};
use actum_model::{Digest, Entry, Moment, Outcome, Record, RunId};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params_from_iter};
use std::path::{Path, PathBuf};

/// A ledger, open for reading. Works on a store that nobody can write.
#[derive(Debug)]
pub struct Reader {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    store: Store,
}

/// One run, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Listed {
    pub run: RunId,
    pub began: Moment,
    pub command: String,
    pub language: String,
    pub folder: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Absent while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
}

/// Which runs a list shows. What is absent excludes nothing.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub since: Option<Moment>,
    pub until: Option<Moment>,
    /// Any of these.
    pub outcomes: Vec<Outcome>,
    /// Runs that go on are wanted too, where outcomes are named.
    pub going_on: bool,
    pub languages: Vec<String>,
    /// All of these.
    pub labels: Vec<String>,
    /// The folder that a run started in, or one above it.
    pub below: Option<String>,
    /// This one only.
    pub run: Option<RunId>,
    /// A text in the command.
    pub command: Option<String>,
    /// The newest only.
    pub limit: Option<u64>,
}

/// A record as it stands in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Sealed {
    pub seq: u64,
    /// The exact bytes that were hashed.
    pub bytes: Vec<u8>,
    pub record: Record,
}

/// A log as it is at one moment, for whoever signs it.
#[derive(Debug)]
pub(crate) struct LogState {
    pub(crate) head: Head,
    /// The proof begins there.
    pub(crate) since: u64,
    /// Empty where it begins behind the end.
    pub(crate) proof: Vec<Digest>,
}

impl LogState {
    pub(crate) fn of(connection: &Connection, path: &Path, since: Option<u64>) -> Result<Self, StoreError> {
        let failed = |error| StoreError::of_database("read", path, error);
        // One transaction: all of it is of one moment, and the locks are taken once.
        let _moment = connection.unchecked_transaction().map_err(failed)?;
        let frontier = tree::frontier(connection, path)?;
        let head = Head { size: frontier.size(), root: frontier.root() };
        let signed = || Ok(last_note(connection).map_err(failed)?.map_or(0, |(size, _)| size));
        let since = match since {
            Some(since) => since,
            // Only where to begin: what was signed before is known by the signer.
            None => Some(signed()?).filter(|last| *last <= head.size).unwrap_or_default(),
        };
        let mut hashes = KeptHashes { connection, path };
        let proof = match since <= head.size {
            true => merkle::consistency(since, head.size, &mut hashes)?,
            false => Vec::new(),
        };
        Ok(Self { head, since, proof })
    }
}

/// The newest signed checkpoint.
fn last_note(connection: &Connection) -> rusqlite::Result<Option<(u64, String)>> {
    let sql = "SELECT size, note FROM checkpoint WHERE size >= 0 ORDER BY size DESC LIMIT 1";
    let row = |row: &SqlRow<'_>| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?));
    connection.query_row(sql, [], row).optional()
}

impl Reader {
    pub(crate) fn state(&self, since: Option<u64>) -> Result<LogState, StoreError> {
        LogState::of(&self.connection, &self.path, since)
    }

    /// Opens a ledger, and makes nothing.
    pub fn open(store: &Store) -> Result<Self, StoreError> {
        let path = store.ledger_file();
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(StoreError::Nothing { path: store.root().to_path_buf() });
            }
            Err(source) => return Err(StoreError::List { path, source }),
            Ok(_) => {}
        }
        let opened = schema::connect(&path, Access::Read);
        let (connection, found) = match opened {
            // No room for the index of the log of writes; without a log there is no need for one.
            Err(error) if error.is_of_database() && !has_log(&path) => {
                schema::connect(&path, Access::Frozen)?
            }
            opened => opened?,
        };
        match found {
            Found::Ledger => Ok(Self { connection, path, store: store.clone() }),
            Found::Nothing => Err(StoreError::Nothing { path: store.root().to_path_buf() }),
        }
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    pub fn origin(&self) -> Result<String, StoreError> {
        origin(&self.connection, &self.path)
    }

    /// The run that a person means: its whole name, the beginning or the end of it, or `last`.
    pub fn find(&self, text: &str) -> Result<RunId, StoreError> {
        if let Ok(run) = text.parse::<RunId>() {
            let known = self.one("SELECT run FROM run WHERE run = ?1", run)?;
            return known.ok_or_else(|| self.unknown(text));
        }
        if text == "last" {
            let last = self
                .connection
                .query_row("SELECT run FROM run ORDER BY run DESC LIMIT 1", [], run_of)
                .optional()
                .map_err(|error| self.failed(error))?;
            return last.ok_or_else(|| StoreError::Nothing { path: self.store.root().to_path_buf() });
        }
        let lower = text.to_ascii_lowercase();
        let mut select = self
            .connection
            .prepare("SELECT run FROM run ORDER BY run")
            .map_err(|error| self.failed(error))?;
        let runs = select.query_map([], run_of).map_err(|error| self.failed(error))?;
        let runs = runs.collect::<Result<Vec<RunId>, _>>().map_err(|error| self.failed(error))?;
        let matching: Vec<RunId> =
            runs.into_iter().filter(|run| is_meant(&run.to_string(), &lower)).collect();
        match matching.as_slice() {
            [] => Err(self.unknown(text)),
            [one] => Ok(*one),
            several => Err(StoreError::Ambiguous {
                text: text.to_owned(),
                candidates: several.iter().map(ToString::to_string).collect(),
            }),
        }
    }

    /// Runs, newest first.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Listed>, StoreError> {
        let (mut sql, values) = filter.sql();
        sql.push_str(" ORDER BY run DESC");
        if let Some(limit) = filter.limit {
            sql.push_str(&format!(" LIMIT {limit}"));
        }
        let mut select = self.connection.prepare(&sql).map_err(|error| self.failed(error))?;
        let rows = select.query_map(params_from_iter(values), listed).map_err(|error| self.failed(error))?;
        let rows = rows.collect::<Result<Vec<_>, _>>().map_err(|error| self.failed(error))?;
        rows.into_iter().map(|row| self.with_labels(row)).collect()
    }

    /// How many runs there are that a list without a limit would show.
    pub fn count(&self, filter: &Filter) -> Result<u64, StoreError> {
        let (sql, values) = filter.sql();
        let sql = format!("SELECT count(*) FROM ({sql})");
        let counted = self.connection.query_row(&sql, params_from_iter(values), |row| row.get::<_, i64>(0));
        counted.map(|count| count.max(0) as u64).map_err(|error| self.failed(error))
    }

    /// The record of a run; nothing while it goes on, or when it was lost.
    pub fn sealed(&self, run: RunId) -> Result<Option<Sealed>, StoreError> {
        let sql =
            "SELECT seq, bytes, leaf FROM entry WHERE run = ?1 AND type = 'run.ended' ORDER BY seq LIMIT 1";
        let row = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut select| select.query_row([run.to_bytes()], entry_of).optional())
            .map_err(|error| self.failed(error))?;
        let Some((seq, bytes, leaf)) = row else { return Ok(None) };
        let bytes = self.checked(seq, bytes, leaf)?;
        match serde_json::from_slice::<Entry>(&bytes) {
            Ok(Entry::Ended(record)) if record.run == run => Ok(Some(Sealed { seq, bytes, record: *record })),
            Ok(_) => Err(self.damaged(format!("entry {seq} is not the record of run {run}"))),
            Err(error) => Err(self.damaged(format!("entry {seq} cannot be parsed: {error}"))),
        }
    }

    /// Records behind the first `seen` entries that name contents of this name, oldest first.
    pub fn holding(&self, name: &str, seen: u64) -> Result<Vec<Unindexed>, StoreError> {
        let sql = "SELECT e.run, h.sha256 FROM entry e CROSS JOIN held h ON h.run = e.run AND h.name = ?1
                   WHERE e.seq >= ?2 AND e.type = 'run.ended' ORDER BY e.seq";
        let mut select = self.connection.prepare_cached(sql).map_err(|error| self.failed(error))?;
        let rows = select.query_map(rusqlite::params![name, seen as i64], |row| {
            let (run, sha256): ([u8; 16], [u8; 32]) = (row.get(0)?, row.get(1)?);
            Ok(Unindexed { run: RunId::from_bytes(run), sha256: Digest(sha256) })
        });
        rows.and_then(Iterator::collect).map_err(|error| self.failed(error))
    }

    /// Runs whose records were removed, as the log says.
    pub fn removed(&self) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT seq, bytes, leaf FROM entry WHERE type = 'store.pruned' ORDER BY seq";
        let mut select = self.connection.prepare_cached(sql).map_err(|error| self.failed(error))?;
        let rows = select.query_map([], entry_of).map_err(|error| self.failed(error))?;
        let rows = rows.collect::<Result<Vec<_>, _>>().map_err(|error| self.failed(error))?;
        let mut removed = Vec::new();
        for (seq, bytes, leaf) in rows {
            match serde_json::from_slice::<Entry>(&self.checked(seq, bytes, leaf)?) {
                Ok(Entry::Pruned(pruned)) => removed.extend(pruned.runs),
                Ok(_) | Err(_) => return Err(self.damaged(format!("entry {seq} is not a removal"))),
            }
        }
        Ok(removed)
    }

    /// Everything in the log about a run, in order, with its place.
    pub fn entries(&self, run: RunId) -> Result<Vec<(u64, Entry)>, StoreError> {
        let sql = "SELECT seq, bytes, leaf FROM entry WHERE run = ?1 ORDER BY seq";
        let mut select = self.connection.prepare_cached(sql).map_err(|error| self.failed(error))?;
        let rows = select.query_map([run.to_bytes()], entry_of).map_err(|error| self.failed(error))?;
        let rows = rows.collect::<Result<Vec<_>, _>>().map_err(|error| self.failed(error))?;
        rows.into_iter()
            .map(|(seq, bytes, leaf)| {
                let bytes = self.checked(seq, bytes, leaf)?;
                let entry = serde_json::from_slice(&bytes);
                entry
                    .map(|entry| (seq, entry))
                    .map_err(|error| self.damaged(format!("entry {seq} cannot be parsed: {error}")))
            })
            .collect()
    }

    /// The bytes of a blob, to be read to their end: only then they are known to be the right ones.
    pub fn blob(&self, sha256: &Digest) -> Result<Checked, StoreError> {
        let row = self.blob_row(sha256)?.ok_or(StoreError::NoBlob { sha256: *sha256 })?;
        blobs::open(row, &Blobs::of(self.store.root()))
    }

    /// Whether the bytes of a blob are kept here.
    pub fn has_blob(&self, sha256: &Digest) -> Result<bool, StoreError> {
        Ok(self.blob_row(sha256)?.is_some())
    }

    /// How large the log is, and its root.
    pub fn head(&self) -> Result<Head, StoreError> {
        let frontier = tree::frontier(&self.connection, &self.path)?;
        Ok(Head { size: frontier.size(), root: frontier.root() })
    }

    /// The root over the first entries.
    pub fn head_at(&self, size: u64) -> Result<Head, StoreError> {
        self.hashes().head(size)
    }

    pub fn inclusion(&self, seq: u64, size: u64) -> Result<Vec<Digest>, StoreError> {
        merkle::inclusion(seq, size, &mut self.hashes())
    }

    pub fn consistency(&self, old: u64, new: u64) -> Result<Vec<Digest>, StoreError> {
        merkle::consistency(old, new, &mut self.hashes())
    }

    /// The signed checkpoint of the smallest tree that holds an entry.
    pub fn checkpoint_over(&self, seq: u64) -> Result<Option<(u64, String)>, StoreError> {
        self.note("SELECT size, note FROM checkpoint WHERE size > ?1 ORDER BY size LIMIT 1", seq as i64)
    }

    /// The newest signed checkpoint.
    pub fn last_checkpoint(&self) -> Result<Option<(u64, String)>, StoreError> {
        last_note(&self.connection).map_err(|error| self.failed(error))
    }

    fn note(&self, sql: &str, from: i64) -> Result<Option<(u64, String)>, StoreError> {
        let row = |row: &SqlRow<'_>| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?));
        self.connection.query_row(sql, [from], row).optional().map_err(|error| self.failed(error))
    }

    pub(crate) fn blob_row(&self, sha256: &Digest) -> Result<Option<Row>, StoreError> {
        let sql = "SELECT size, form, bytes FROM blob WHERE sha256 = ?1";
        let row = |row: &SqlRow<'_>| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<Vec<u8>>>(2)?))
        };
        let row = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut select| select.query_row([sha256.0], row).optional())
            .map_err(|error| self.failed(error))?;
        row.map(|(size, form, bytes)| match (u64::try_from(size), Form::read(&form)) {
            (Ok(size), Some(form)) => Ok(Row { sha256: *sha256, size, form, bytes }),
            (_, _) => Err(StoreError::WrongBlob { sha256: *sha256 }),
        })
        .transpose()
    }

    /// Bytes that are what was hashed when they were written.
    fn checked(&self, seq: u64, bytes: Option<Vec<u8>>, leaf: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        let bytes = bytes.ok_or(StoreError::PrunedEntry { seq })?;
        if merkle::leaf(&bytes).0 == leaf {
            return Ok(bytes);
        }
        Err(self.damaged(format!("entry {seq} does not match its digest")))
    }

    fn with_labels(&self, mut row: Listed) -> Result<Listed, StoreError> {
        let sql = "SELECT label FROM label WHERE run = ?1 ORDER BY label";
        let mut select = self.connection.prepare_cached(sql).map_err(|error| self.failed(error))?;
        let labels =
            select.query_map([row.run.to_bytes()], |row| row.get(0)).map_err(|error| self.failed(error))?;
        row.labels = labels.collect::<Result<_, _>>().map_err(|error| self.failed(error))?;
        Ok(row)
    }

    fn one(&self, sql: &str, run: RunId) -> Result<Option<RunId>, StoreError> {
        self.connection
            .query_row(sql, [run.to_bytes()], run_of)
            .optional()
            .map_err(|error| self.failed(error))
    }

    pub(crate) fn hashes(&self) -> KeptHashes<'_> {
        KeptHashes { connection: &self.connection, path: &self.path }
    }

    pub(crate) fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::of_database("read", &self.path, error)
    }

    fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what }
    }

    fn unknown(&self, text: &str) -> StoreError {
        StoreError::Unknown { text: text.chars().take(60).collect(), path: self.store.root().to_path_buf() }
    }
}

impl Filter {
    /// As SQL, with its values in order.
    fn sql(&self) -> (String, Vec<Value>) {
        let mut wheres: Vec<String> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        let mut add = |condition: &str, value: Value| {
            values.push(value);
            wheres.push(condition.replace('?', &format!("?{}", values.len())));
        };
        if let Some(since) = self.since {
            add("began >= ?", Value::Integer(since.0 as i64));
        }
        if let Some(until) = self.until {
            add("began < ?", Value::Integer(until.0 as i64));
        }
        if let Some(run) = self.run {
            add("run = ?", Value::Blob(run.to_bytes().to_vec()));
        }
        if let Some(text) = &self.command {
            add("instr(command, ?) > 0", Value::Text(text.clone()));
        }
        if let Some(folder) = &self.below {
            let folder = folder.trim_end_matches('/');
            add(
                "(folder || '/') >= (? || '/') AND substr(folder || '/', 1, length(?) + 1) = ? || '/'",
                Value::Text(folder.to_owned()),
            );
        }
        for label in &self.labels {
            add(
                "EXISTS (SELECT 1 FROM label WHERE label.run = run.run AND label.label = ?)",
                Value::Text(label.clone()),
            );
        }
        let any = |column: &str, texts: &[String]| {
            let quoted: Vec<String> =
                texts.iter().map(|text| format!("'{}'", text.replace('\'', "''"))).collect();
            format!("{column} IN ({})", quoted.join(", "))
        };
        if !self.languages.is_empty() {
            wheres.push(any("language", &self.languages));
        }
        let outcomes: Vec<String> = self.outcomes.iter().map(|outcome| outcome.word().to_owned()).collect();
        match (outcomes.is_empty(), self.going_on) {
            (true, false) => {}
            (true, true) => wheres.push("outcome IS NULL".to_owned()),
            (false, false) => wheres.push(any("outcome", &outcomes)),
            (false, true) => wheres.push(format!("({} OR outcome IS NULL)", any("outcome", &outcomes))),
        }
        let mut sql =
            "SELECT run, began, command, language, folder, ended, outcome, exit_code FROM run".to_owned();
        if !wheres.is_empty() {
            sql.push_str(" WHERE ");
            sql.push_str(&wheres.join(" AND "));
        }
        (sql, values)
    }
}

fn listed(row: &SqlRow<'_>) -> rusqlite::Result<Listed> {
    let moment = |value: i64| Moment(value.max(0) as u64);
    let outcome: Option<String> = row.get(6)?;
    let outcome = outcome.and_then(|word| Outcome::ALL.into_iter().find(|outcome| outcome.word() == word));
    Ok(Listed {
        run: run_of(row)?,
        began: moment(row.get(1)?),
        command: row.get(2)?,
        language: row.get(3)?,
        folder: row.get(4)?,
        labels: Vec::new(),
        ended: row.get::<_, Option<i64>>(5)?.map(moment),
        outcome,
        exit_code: row.get(7)?,
    })
}

fn run_of(row: &SqlRow<'_>) -> rusqlite::Result<RunId> {
    row.get::<_, [u8; 16]>(0).map(RunId::from_bytes)
}

type EntryRow = (u64, Option<Vec<u8>>, [u8; 32]);

fn entry_of(row: &SqlRow<'_>) -> rusqlite::Result<EntryRow> {
    Ok((row.get::<_, i64>(0)? as u64, row.get(1)?, row.get(2)?))
}

fn has_log(path: &std::path::Path) -> bool {
    std::fs::metadata(schema::log_of(path)).is_ok_and(|log| log.len() > 0)
}
