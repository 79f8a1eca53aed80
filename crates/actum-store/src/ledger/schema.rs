//! The tables, and how a connection to them is set up.
//!
//! `entry` is the log. Everything else is an index that can be made again from its bytes, but for `blob`, which holds small
//! contents, and `checkpoint`, which holds signatures.

use crate::error::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// The form that is written now. A store of a newer one is never written.
pub(crate) const FORMAT: i64 = 1;
/// `Actu`: what tells our file from other databases.
const APPLICATION: i64 = 0x4163_7475;
/// Older ones can lose what was committed when the log of writes is reset.
const OLDEST_SQLITE: i32 = 3_051_003;
/// How long another process may hold the store before we give up.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long we wait between two looks. SQLite's own pauses grow to 100 ms, which eight writers feel.
const PAUSE: Duration = Duration::from_micros(500);

const TABLES: &str = "
CREATE TABLE store (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    origin TEXT NOT NULL,
    size INTEGER NOT NULL,
    peaks BLOB NOT NULL
) STRICT;
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    run BLOB,
    bytes BLOB,
    leaf BLOB NOT NULL
) STRICT;
CREATE INDEX entry_leaf ON entry (seq, leaf);
CREATE INDEX entry_of_run ON entry (run) WHERE run IS NOT NULL;
CREATE TABLE tile (
    level INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (level, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE run (
    run BLOB PRIMARY KEY,
    began INTEGER NOT NULL,
    command TEXT NOT NULL,
    language TEXT NOT NULL,
    folder TEXT NOT NULL,
    ended INTEGER,
    outcome TEXT,
    exit_code INTEGER,
    last INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX run_open ON run (run) WHERE outcome IS NULL;
CREATE TABLE label (
    run BLOB NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (run, label)
) STRICT, WITHOUT ROWID;
CREATE TABLE held (
    run BLOB NOT NULL,
    name TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_by ON held (sha256);
CREATE TABLE blob (
    sha256 BLOB PRIMARY KEY,
    size INTEGER NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('raw', 'zstd', 'file')),
    bytes BLOB
) STRICT;
CREATE TABLE checkpoint (
    size INTEGER PRIMARY KEY,
    note TEXT NOT NULL
) STRICT;
";

/// How long the log of writes is from the beginning: what it grows to before it is moved into the database, and a large
/// transaction beyond. Where a file does not grow, a wait for the disk is a wait for its pages alone and not for the journal of
/// the file system, which takes thirty times as long.
const ALLOTTED: u64 = 5 << 20;

/// Gives the log of writes its length. Where there is no room for that, it grows as it is written.
pub(crate) fn allot(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::of_database("write", path, source);
    let log = log_of(path);
    let is_short = || std::fs::metadata(&log).is_ok_and(|file| file.len() < ALLOTTED);
    if !is_short() {
        return Ok(());
    }
    // Nobody else writes it meanwhile, and what stands behind its last transaction is nothing to whoever reads it.
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    let mut synced = Ok(());
    if let Ok(file) = std::fs::File::options().write(true).open(&log)
        && let Ok(length) = file.metadata().map(|facts| facts.len())
        && length < ALLOTTED
    {
        match fill(&file, length) {
            // No room: it grows by itself, or is told to be full when there is something to write.
            Err(_) => drop(file.set_len(length)),
            // A disk that cannot promise to keep nothing will not keep something.
            Ok(()) => synced = file.sync_data(),
        }
    }
    connection.execute_batch("ROLLBACK").map_err(failed)?;
    synced.map_err(|source| StoreError::Sync { path: log, source: std::sync::Arc::new(source) })
}

fn fill(file: &std::fs::File, from: u64) -> std::io::Result<()> {
    use std::os::unix::fs::FileExt;
    let zeros = vec![0; 256 << 10];
    let mut at = from;
    while at < ALLOTTED {
        let count = (ALLOTTED - at).min(zeros.len() as u64);
        file.write_all_at(&zeros[..count as usize], at)?;
        at += count;
    }
    Ok(())
}

/// The file of the log of writes.
pub(crate) fn log_of(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// What is to be done with a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Write,
    Read,
    /// Nobody can write it, not even the lock: what is in the file is all there is.
    Frozen,
}

/// Whether there is a ledger in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Ledger,
    Nothing,
}

/// Opens a connection; where the file is no ledger of ours it is refused, and not touched.
pub(crate) fn connect(path: &Path, access: Access) -> Result<(Connection, Found), StoreError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(StoreError::OldSqlite { version: rusqlite::version() });
    }
    // What is no regular file could keep us waiting for ever.
    if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(StoreError::NotOurs { path: path.to_path_buf() });
    }
    let base = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let failed = |source| StoreError::of_database("open", path, source);
    let mut connection = match access {
        Access::Write => {
            let flags = base | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            Connection::open_with_flags(path, flags)
        }
        Access::Read => Connection::open_with_flags(path, base | OpenFlags::SQLITE_OPEN_READ_ONLY),
        Access::Frozen => {
            let flags = base | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(frozen_name(path), flags)
        }
    }
    .map_err(failed)?;
    be_patient(&mut connection).map_err(failed)?;
    let found = examine(&connection, path)?;
    set_up(&connection, access).map_err(failed)?;
    Ok((connection, found))
}

/// Waits for others who hold the store, with short pauses.
pub(crate) fn be_patient(connection: &mut Connection) -> rusqlite::Result<()> {
    let most = looks();
    connection.busy_handler(Some(move |count: i32| {
        std::thread::sleep(PAUSE);
        count < most
    }))
}

/// Makes the tables, unless another process did so meanwhile.
pub(crate) fn make(connection: &Connection, path: &Path) -> Result<Found, StoreError> {
    let failed = |source| StoreError::of_database("make", path, source);
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    if examine(connection, path)? == Found::Ledger {
        connection.execute_batch("ROLLBACK").map_err(failed)?;
        return Ok(Found::Ledger);
    }
    connection.execute_batch(TABLES).map_err(failed)?;
    connection.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
    connection.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
    Ok(Found::Nothing)
}

fn examine(connection: &Connection, path: &Path) -> Result<Found, StoreError> {
    let failed = |source| StoreError::of_database("read", path, source);
    let mark = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    // Both are made in one transaction with the tables: where they are ours nothing else is asked.
    let ours = mark("application_id").map_err(failed)? == APPLICATION;
    if ours && mark("user_version").map_err(failed)? == FORMAT {
        return Ok(Found::Ledger);
    }
    // One statement, so that all of it is of one moment: another process may be making them.
    let marks = "SELECT (SELECT count(*) FROM sqlite_schema), application_id, user_version
                 FROM pragma_application_id, pragma_user_version";
    let (tables, application, format): (i64, i64, i64) =
        connection.query_row(marks, [], |row| row.try_into()).map_err(failed)?;
    match (application, format) {
        (0, 0) if tables == 0 => Ok(Found::Nothing),
        (APPLICATION, FORMAT) => Ok(Found::Ledger),
        (APPLICATION, newer) if newer > FORMAT => {
            Err(StoreError::Newer { path: path.to_path_buf(), format: newer })
        }
        (_, _) => Err(StoreError::NotOurs { path: path.to_path_buf() }),
    }
}

fn set_up(connection: &Connection, access: Access) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // A statement is planned once, not anew for every run that it asks about.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "cell_size_check", true)?;
    if access == Access::Write {
        keep_a_log_of_writes(connection)?;
        connection.pragma_update(None, "synchronous", "full")?;
        // The writer does so, and hears when it fails.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        // Moving the log of writes into the database when the last process leaves would cost each run some milliseconds.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    }
    Ok(())
}

/// A new ledger is not in this mode, nor is a copy that was made for keeping. Of two who change it in the same moment, one is
/// refused at once, whatever it was told about waiting: it holds what the other waits for.
fn keep_a_log_of_writes(connection: &Connection) -> rusqlite::Result<()> {
    let is_busy = |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    for _ in 0..looks() {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if is_busy(&error) => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    connection.pragma_update(None, "journal_mode", "wal")
}

/// How often somebody looks before they give up.
fn looks() -> i32 {
    i32::try_from(PATIENCE.as_micros() / PAUSE.as_micros()).unwrap_or(i32::MAX)
}

/// As SQLite wants to be told that nothing changes: the characters that mean something in a name are written otherwise.
fn frozen_name(path: &Path) -> std::path::PathBuf {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut name = b"file:".to_vec();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'?' | b'#' | b'%' => name.extend(format!("%{byte:02x}").bytes()),
            byte => name.push(*byte),
        }
    }
    name.extend(b"?immutable=1");
    std::ffi::OsString::from_vec(name).into()
}
