//! Opens the database: a file, created where it is not there, or memory.

use crate::cell::plain;
use crate::error::{SqlError, message};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(crate) fn open(path: Option<&Path>) -> Result<Connection, SqlError> {
    let path = path.filter(|path| path.as_os_str() != ":memory:");
    let shown = || path.map_or_else(|| ":memory:".to_owned(), |path| plain(path.as_os_str().as_bytes()));
    let failed = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => SqlError::NotADatabase { path: shown() },
        Some(_) | None => SqlError::Open { path: shown(), message: message(&error) },
    };
    let connection = match path {
        None => Connection::open_in_memory(),
        // Without URIs: a file is what its name says, and `file:x?mode=memory` is a file of that name.
        Some(path) => Connection::open_with_flags(path, flags()),
    };
    let connection = connection.map_err(failed)?;
    match read_once(&connection) {
        Ok(()) => {}
        Err(error) => {
            let unchanging = path.filter(|path| cannot_open(&error) && has_no_log(path));
            return unchanging
                .map_or_else(|| Err(failed(error)), |path| open_unchanging(path).map_err(failed));
        }
    }
    // The schema cannot be edited as text: with names that are not UTF-8 the library would end us.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(failed)?;
    check_names(&connection)?;
    Ok(connection)
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// Opening is lazy; only reading tells whether the file is a database.
fn read_once(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA schema_version", [], |_| Ok(()))
}

fn cannot_open(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// A database in WAL mode wants to make files beside it, also for reading. Where nothing can be made and no log is left to
/// be read, the file is all there is.
fn open_unchanging(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(unchanging_name(path), flags)?;
    read_once(&connection)?;
    Ok(connection)
}

/// `file:/a%20b?immutable=1`.
fn unchanging_name(path: &Path) -> String {
    let mut name = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                name.push(char::from(*byte))
            }
            other => name.push_str(&format!("%{other:02X}")),
        }
    }
    name + "?immutable=1"
}

fn has_no_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(PathBuf::from(log)).map_or(true, |log| log.len() == 0)
}

/// Refuses databases whose schema is not UTF-8, also among those that were attached.
pub(crate) fn check_names(connection: &Connection) -> Result<(), SqlError> {
    let broken = |_: rusqlite::Error| SqlError::Names;
    let mut list = connection.prepare("SELECT name FROM pragma_database_list").map_err(broken)?;
    let names = list.query_map([], |row| row.get::<_, String>(0)).map_err(broken)?;
    for name in names.collect::<Result<Vec<_>, _>>().map_err(broken)? {
        let query = format!("SELECT sql FROM \"{}\".sqlite_schema", name.replace('"', "\"\""));
        // A schema that cannot be read is told of when a statement needs it.
        let Ok(mut schema) = connection.prepare(&query) else { continue };
        let Ok(mut rows) = schema.query([]) else { continue };
        while let Ok(Some(row)) = rows.next() {
            if let Ok(ValueRef::Text(text)) = row.get_ref(0)
                && std::str::from_utf8(text).is_err()
            {
                return Err(SqlError::Names);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_in_wal_mode_reads_without_files_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b?%.db");
        let writer = open(Some(&path)).unwrap();
        writer
            .execute_batch("PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (7)")
            .unwrap();
        drop(writer);
        assert!(has_no_log(&path));
        let reader = open_unchanging(&path).unwrap();
        let seven: i64 = reader.query_row("SELECT a FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(seven, 7);
        assert!(reader.execute_batch("DELETE FROM t").is_err());
    }
}
