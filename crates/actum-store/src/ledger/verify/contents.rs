//! Reads everything that records name, each once.

use super::{Problem, Verified};
use crate::error::StoreError;
use crate::ledger::reader::Reader;
use actum_model::{Digest, RunId};
use std::io::{self, Read};

pub(super) fn read(reader: &Reader, verified: &mut Verified) -> Result<(), StoreError> {
    let failed = |error| reader.failed(error);
    let sql = "SELECT sha256, run, name FROM held GROUP BY sha256 ORDER BY sha256";
    let mut select = reader.connection.prepare(sql).map_err(failed)?;
    let mut rows = select.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let sha256 = Digest(row.get(0).map_err(failed)?);
        let run = RunId::from_bytes(row.get(1).map_err(failed)?);
        let name: String = row.get(2).map_err(failed)?;
        match length(reader, &sha256) {
            Ok(length) => {
                verified.blobs += 1;
                verified.bytes += length;
            }
            Err(wrong) => verified.found(wrong.problem(sha256, run, name)),
        }
    }
    Ok(())
}

/// What is wrong with one that a record names, if anything is.
pub(super) fn judge(
    reader: &Reader,
    sha256: &Digest,
    run: RunId,
    name: String,
    expected: u64,
) -> Option<Problem> {
    match length(reader, sha256) {
        Ok(length) if length == expected => None,
        Ok(_) => Some(Wrong::Other.problem(*sha256, run, name)),
        Err(wrong) => Some(wrong.problem(*sha256, run, name)),
    }
}

enum Wrong {
    Gone,
    Other,
}

impl Wrong {
    fn problem(self, sha256: Digest, run: RunId, name: String) -> Problem {
        match self {
            Wrong::Gone => Problem::NoBlob { sha256, run, name },
            Wrong::Other => Problem::Blob { sha256, run, name },
        }
    }
}

/// How long a blob is, if its bytes are the right ones.
fn length(reader: &Reader, sha256: &Digest) -> Result<u64, Wrong> {
    let mut blob = reader.blob(sha256).map_err(|error| {
        let no_file = |source: &io::Error| source.kind() == io::ErrorKind::NotFound;
        let is_gone = matches!(&error, StoreError::Blob { source, .. } if no_file(source));
        if is_gone || matches!(error, StoreError::NoBlob { .. }) { Wrong::Gone } else { Wrong::Other }
    })?;
    let (mut length, mut piece) = (0, vec![0; 128 << 10]);
    loop {
        match blob.read(&mut piece) {
            Ok(0) => return Ok(length),
            Ok(count) => length += count as u64,
            Err(_) => return Err(Wrong::Other),
        }
    }
}
