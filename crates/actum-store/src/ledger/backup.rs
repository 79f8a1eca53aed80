//! Copies a whole store while others write it.

use super::blobs::Blobs;
use super::reader::Reader;
use super::schema::{self, Access};
use crate::error::StoreError;
use crate::store::{Store, make_all};
use actum_model::Digest;
use std::fs::File;
use std::io;
use std::path::Path;

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Copied {
    pub entries: u64,
    pub blobs: u64,
}

/// Copies the ledger and its contents into a new folder. The copy is a store of its own, as of one moment.
pub fn backup(reader: &Reader, to: &Path) -> Result<Copied, StoreError> {
    let failed = |source| StoreError::Make { path: to.to_path_buf(), source };
    if to.exists() {
        return Err(failed(io::ErrorKind::AlreadyExists.into()));
    }
    // Nothing is swept away between copying the rows and copying the files that they name.
    let from = Blobs::of(reader.store().root());
    let _held = from.reserve_for_reading().map_err(failed)?;
    make_all(to).map_err(failed)?;
    let copied = copy(reader, to, &from);
    if copied.is_err() {
        // Half a copy is worse than none.
        let _ = std::fs::remove_dir_all(to);
    }
    copied
}

fn copy(reader: &Reader, to: &Path, from: &Blobs) -> Result<Copied, StoreError> {
    let failed = |source| StoreError::Make { path: to.to_path_buf(), source };
    let store = Store::at(to);
    let target = store.ledger_file();
    let name = target.to_str().ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?;
    reader
        .connection
        .execute("VACUUM INTO ?1", [name])
        .map_err(|error| StoreError::of_database("copy", &reader.path, error))?;
    let (connection, _) = schema::connect(&target, Access::Write)?;
    let broken = |error| StoreError::of_database("read", &target, error);
    let mut copied = Copied::default();
    let blobs = Blobs::of(to);
    let mut select = connection.prepare("SELECT sha256 FROM blob WHERE form = 'file'").map_err(broken)?;
    let digests = select.query_map([], |row| Ok(Digest(row.get(0)?))).map_err(broken)?;
    for digest in digests {
        let digest = digest.map_err(broken)?;
        let (source, target) = (from.path(&digest), blobs.path(&digest));
        let placed = make_all(target.parent().unwrap_or(to))
            .and_then(|()| std::fs::copy(&source, &target))
            .and_then(|_| File::open(&target)?.sync_all());
        placed.map_err(|error| StoreError::Blob { path: source, source: error })?;
        copied.blobs += 1;
    }
    drop(select);
    copied.entries = connection
        .query_row("SELECT size FROM store", [], |row| row.get::<_, i64>(0))
        .map_err(broken)? as u64;
    drop(connection);
    File::open(&target).and_then(|file| file.sync_all()).map_err(failed)?;
    File::open(to).and_then(|folder| folder.sync_all()).map_err(failed)?;
    Ok(copied)
}
