//! An index of experiments by their metrics, so that the best of a hundred thousand are found without reading their records.
//!
//! Derived: it can be removed at any time and is made again from what the records name. It lies in the cache, beside no evidence, and is
//! believed for finding alone; whoever shows a number reads the record.

use crate::error::StoreError;
use actum_model::{Digest, Moment, RunId};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is in the tables; another number is another form, and the index is made again.
const FORMAT: i64 = 1;
const PATIENCE: Duration = Duration::from_secs(20);

const TABLES: &str = "
CREATE TABLE seen (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    log TEXT NOT NULL,
    entries INTEGER NOT NULL
) STRICT;
CREATE TABLE experiment (
    run BLOB PRIMARY KEY,
    name TEXT NOT NULL,
    purpose TEXT NOT NULL,
    began INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    output TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX experiment_by_time ON experiment (began);
CREATE INDEX experiment_by_name ON experiment (name, began);
CREATE TABLE metric (
    run BLOB NOT NULL,
    key TEXT NOT NULL,
    last REAL,
    low REAL,
    high REAL,
    PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX metric_last ON metric (key, last, run);
CREATE INDEX metric_low ON metric (key, low, run);
CREATE INDEX metric_high ON metric (key, high, run);
";

/// One experiment as the index has it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentRow {
    pub run: RunId,
    pub name: String,
    /// What it was run for: `experiment`, `smoke`, `trial`, …
    pub purpose: String,
    pub began: Moment,
    pub outcome: String,
    /// Its output folder.
    pub output: String,
    pub metrics: Vec<MetricRow>,
}

/// One metric of an experiment. Values that are not finite are absent.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricRow {
    pub key: String,
    pub last: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// Which experiments are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExperimentFilter {
    pub name: Option<String>,
    /// What it was run for.
    pub purpose: Option<String>,
    /// The newest, or the best, only.
    pub limit: Option<u64>,
}

/// By which value experiments are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranking {
    LowestLast,
    HighestLast,
    /// By the lowest value that it ever had.
    Lowest,
    Highest,
}

/// A record with an attachment that is not in the index yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unindexed {
    pub run: RunId,
    /// Of the attachment.
    pub sha256: Digest,
}

/// The index of one store.
pub struct ExperimentIndex {
    connection: Connection,
    path: PathBuf,
}

impl ExperimentIndex {
    /// Opens the index in a file, or makes it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            crate::store::make_all(folder)
                .map_err(|source| StoreError::Make { path: folder.to_path_buf(), source })?;
        }
        let opened = Connection::open(path).and_then(Self::set_up);
        let connection = match opened {
            Ok(connection) => connection,
            // Of another form, or damaged: nothing is lost with it.
            Err(_) => {
                remove(path);
                let failed = |source| StoreError::of_database("open", path, source);
                Connection::open(path).and_then(Self::set_up).map_err(failed)?
            }
        };
        Ok(Self { connection, path: path.to_path_buf() })
    }

    fn set_up(connection: Connection) -> rusqlite::Result<Connection> {
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // What a power cut takes is indexed again.
        connection.pragma_update(None, "synchronous", "off")?;
        let form = |connection: &Connection| -> rusqlite::Result<i64> {
            connection.query_row("PRAGMA user_version", [], |row| row.get(0))
        };
        if form(&connection)? == 0 {
            connection.execute_batch("BEGIN IMMEDIATE")?;
            if form(&connection)? == 0 {
                connection.execute_batch(TABLES)?;
                connection.pragma_update(None, "user_version", FORMAT)?;
            }
            connection.execute_batch("COMMIT")?;
        }
        match form(&connection)? {
            FORMAT => Ok(connection),
            other => Err(rusqlite::Error::IntegralValueOutOfRange(0, other)),
        }
    }

    /// How many entries of a log were looked at. None of another log, whose experiments go.
    pub fn seen(&mut self, log: &str) -> Result<u64, StoreError> {
        let sql = "SELECT log, entries FROM seen";
        let row =
            self.connection.query_row(sql, [], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)));
        let row = row.optional().map_err(|error| self.failed(error))?;
        match row {
            Some((of, entries)) if of == log => Ok(entries.max(0) as u64),
            Some(_) => {
                let wiped = self
                    .connection
                    .execute_batch("DELETE FROM seen; DELETE FROM experiment; DELETE FROM metric;");
                wiped.map_err(|error| self.failed(error))?;
                Ok(0)
            }
            None => Ok(0),
        }
    }

    /// Adds experiments, all or none. `entries` of the log are looked at with them.
    pub fn add(&mut self, log: &str, rows: &[ExperimentRow], entries: u64) -> Result<(), StoreError> {
        let path = self.path.clone();
        let failed = |source| StoreError::of_database("write", &path, source);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let all = rows.iter().try_for_each(|row| add_row(&transaction, row));
        all.map_err(failed)?;
        let sql = "INSERT INTO seen VALUES (1, ?1, ?2)
                   ON CONFLICT (one) DO UPDATE SET log = ?1, entries = max(entries, ?2)";
        transaction.execute(sql, params![log, entries as i64]).map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    /// The newest experiments first.
    pub fn list(&self, filter: &ExperimentFilter) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT run FROM experiment
                   WHERE (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR purpose = ?2)
                   ORDER BY began DESC, run DESC LIMIT ?3";
        let mut select = self.connection.prepare_cached(sql).map_err(|error| self.failed(error))?;
        let rows =
            select.query_map(params![filter.name, filter.purpose, limit(filter)], |row| run_of(row.get(0)?));
        rows.and_then(Iterator::collect).map_err(|error| self.failed(error))
    }

    /// The best by one metric, with the value by which they are ranked.
    pub fn best(
        &self,
        key: &str,
        ranking: Ranking,
        filter: &ExperimentFilter,
    ) -> Result<Vec<(RunId, f64)>, StoreError> {
        let (column, order) = match ranking {
            Ranking::LowestLast => ("last", "ASC"),
            Ranking::HighestLast => ("last", "DESC"),
            Ranking::Lowest => ("low", "ASC"),
            Ranking::Highest => ("high", "DESC"),
        };
        // The join is done row by row in the order of the index, so it ends with the last row that is wanted.
        let sql = format!(
            "SELECT m.run, m.{column} FROM metric m CROSS JOIN experiment e ON e.run = m.run
             WHERE m.key = ?1 AND m.{column} IS NOT NULL
               AND (?2 IS NULL OR e.name = ?2) AND (?3 IS NULL OR e.purpose = ?3)
             ORDER BY m.{column} {order}, m.run {order} LIMIT ?4"
        );
        let mut select = self.connection.prepare_cached(&sql).map_err(|error| self.failed(error))?;
        let rows = select.query_map(params![key, filter.name, filter.purpose, limit(filter)], |row| {
            Ok((run_of(row.get(0)?)?, row.get(1)?))
        });
        rows.and_then(Iterator::collect).map_err(|error| self.failed(error))
    }

    /// Names of metrics, the most frequent first.
    pub fn metrics(&self, most: u64) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT key FROM metric GROUP BY key ORDER BY count(*) DESC, key LIMIT ?1";
        let mut select = self.connection.prepare_cached(sql).map_err(|error| self.failed(error))?;
        let rows = select.query_map([most as i64], |row| row.get(0));
        rows.and_then(Iterator::collect).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::of_database("read", &self.path, error)
    }
}

fn limit(filter: &ExperimentFilter) -> i64 {
    filter.limit.map_or(-1, |most| most as i64)
}

fn run_of(bytes: [u8; 16]) -> rusqlite::Result<RunId> {
    Ok(RunId::from_bytes(bytes))
}

fn add_row(transaction: &Transaction<'_>, row: &ExperimentRow) -> rusqlite::Result<()> {
    let run = row.run.to_bytes();
    let mut add =
        transaction.prepare_cached("INSERT OR REPLACE INTO experiment VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    add.execute(params![run, row.name, row.purpose, row.began.0 as i64, row.outcome, row.output])?;
    let mut add = transaction.prepare_cached("INSERT OR REPLACE INTO metric VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for metric in &row.metrics {
        add.execute(params![run, metric.key, metric.last, metric.low, metric.high])?;
    }
    Ok(())
}

fn remove(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let _ = std::fs::remove_file(PathBuf::from(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u8, name: &str, last: f64) -> ExperimentRow {
        let metric = MetricRow {
            key: "loss".to_owned(),
            last: last.is_finite().then_some(last),
            low: Some(f64::from(number)),
            high: None,
        };
        ExperimentRow {
            run: RunId::new(u64::from(number), [number; 10]),
            name: name.to_owned(),
            purpose: "experiment".to_owned(),
            began: Moment(u64::from(number)),
            outcome: "success".to_owned(),
            output: String::new(),
            metrics: vec![metric],
        }
    }

    #[test]
    fn the_best_are_found_and_what_is_not_finite_is_never_best() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = ExperimentIndex::open(&folder.path().join("a/index.sqlite")).unwrap();
        let rows = [row(1, "a", 0.5), row(2, "b", 0.25), row(3, "a", f64::NAN), row(4, "a", 0.75)];
        index.add("log", &rows, 9).unwrap();
        assert_eq!(index.seen("log").unwrap(), 9);
        let best = |ranking, filter: &ExperimentFilter| -> Vec<f64> {
            index.best("loss", ranking, filter).unwrap().into_iter().map(|(_, value)| value).collect()
        };
        let all = ExperimentFilter::default();
        assert_eq!(best(Ranking::LowestLast, &all), [0.25, 0.5, 0.75]);
        assert_eq!(best(Ranking::Lowest, &all), [1.0, 2.0, 3.0, 4.0]);
        let of_a = ExperimentFilter { name: Some("a".to_owned()), limit: Some(1), ..all.clone() };
        assert_eq!(best(Ranking::HighestLast, &of_a), [0.75]);
        assert_eq!(index.list(&of_a).unwrap(), [rows[3].run]);
        assert_eq!(index.metrics(5).unwrap(), ["loss"]);
        assert!(index.best("nothing", Ranking::Highest, &all).unwrap().is_empty());
    }

    #[test]
    fn another_log_and_a_damaged_file_begin_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.sqlite");
        let mut index = ExperimentIndex::open(&path).unwrap();
        index.add("one", &[row(1, "a", 1.0)], 5).unwrap();
        assert_eq!(index.seen("other").unwrap(), 0);
        assert!(index.list(&ExperimentFilter::default()).unwrap().is_empty());
        drop(index);
        std::fs::write(&path, "not a database at all, but text that is long enough to be read as one")
            .unwrap();
        assert_eq!(ExperimentIndex::open(&path).unwrap().seen("one").unwrap(), 0);
    }
}
