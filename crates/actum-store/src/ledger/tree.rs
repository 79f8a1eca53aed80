//! The tree over the log, as it is kept: its right edge, and the hashes of every 256th, 65,536th … leaf's subtree.

use crate::error::StoreError;
use crate::merkle::{self, Frontier, Head, Subtree, Subtrees};
use actum_model::Digest;
use rusqlite::{Connection, params};
use std::path::Path;

/// Levels between two that are kept. A proof then reads at most 2 × 128 hashes a level, and appending writes one more row
/// for 255 entries.
const STRIDE: u8 = 8;

pub(crate) fn is_kept(subtree: Subtree) -> bool {
    subtree.level > 0 && subtree.level.is_multiple_of(STRIDE)
}

/// The right edge of the tree.
pub(crate) fn frontier(connection: &Connection, path: &Path) -> Result<Frontier, StoreError> {
    let (size, peaks) = connection
        .prepare_cached("SELECT size, peaks FROM store WHERE one = 1")
        .and_then(|mut select| {
            select.query_row([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))
        })
        .map_err(|error| StoreError::of_database("read", path, error))?;
    let hashes = peaks.chunks(32).map(|peak| peak.try_into().map(Digest)).collect::<Result<Vec<_>, _>>();
    let frontier = hashes.ok().and_then(|hashes| Frontier::from_parts(u64::try_from(size).ok()?, hashes));
    frontier.ok_or_else(|| StoreError::Damaged {
        path: path.to_path_buf(),
        what: "the Merkle tree is inconsistent".to_owned(),
    })
}

/// The hashes that are kept in the tables.
pub(crate) struct Kept<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) path: &'a Path,
}

impl Kept<'_> {
    pub(crate) fn head(&mut self, size: u64) -> Result<Head, StoreError> {
        Ok(Head { size, root: merkle::root(size, self)? })
    }

    /// Hashes of one kept level, as many as are asked for.
    fn row(&self, level: u8, first: u64, count: u64) -> Result<Vec<Digest>, StoreError> {
        let failed = |error| StoreError::of_database("read", self.path, error);
        let sql = match level {
            // From the index: it has a hundred to a page, the table one or two.
            0 => {
                "SELECT leaf FROM entry INDEXED BY entry_leaf
                    WHERE ?1 = 0 AND seq >= ?2 AND seq < ?3 ORDER BY seq"
            }
            _ => "SELECT hash FROM tile WHERE level = ?1 AND number >= ?2 AND number < ?3 ORDER BY number",
        };
        let mut select = self.connection.prepare_cached(sql).map_err(failed)?;
        let rows = select
            .query_map(params![level, first as i64, (first + count) as i64], |row| row.get::<_, [u8; 32]>(0))
            .map_err(failed)?;
        let hashes: Vec<Digest> =
            rows.map(|row| row.map(Digest)).collect::<Result<_, _>>().map_err(failed)?;
        if hashes.len() as u64 == count { Ok(hashes) } else { Err(self.gap(level, first)) }
    }

    fn gap(&self, level: u8, first: u64) -> StoreError {
        let what = format!("hashes of the Merkle tree are missing at level {level} from {first} on");
        StoreError::Damaged { path: self.path.to_path_buf(), what }
    }
}

impl Subtrees for Kept<'_> {
    type Error = StoreError;

    fn hash(&mut self, subtree: Subtree) -> Result<Digest, StoreError> {
        let level = subtree.level - subtree.level % STRIDE;
        let count = 1 << (subtree.level - level);
        let mut hashes = self.row(level, subtree.index * count, count)?;
        while hashes.len() > 1 {
            hashes = hashes.chunks(2).map(|two| merkle::node(&two[0], &two[1])).collect();
        }
        hashes.pop().ok_or_else(|| self.gap(level, subtree.index))
    }
}
