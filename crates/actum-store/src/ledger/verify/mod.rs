//! Holds a whole ledger against itself: every byte that it would give back is derived again from what was signed.
//!
//! One pass over the log reckons the tree and everything that the tables hold about an entry ([`scan`]); then the contents are
//! read ([`contents`]) and the signatures looked at ([`signatures`]). Nothing is repaired, and nothing is written.

mod contents;
mod scan;
mod signatures;
mod standing;

pub use standing::{Standing, standing, verify_held, verify_run};

use super::reader::Reader;
use crate::error::StoreError;
use crate::key::PublicKey;
use crate::merkle::Head;
use crate::note::Checkpoint;
use actum_model::{Digest, RunId, with_causes};
use std::fmt;

/// What a ledger is held against.
#[derive(Debug, Clone, Default)]
pub struct Against {
    /// Keys that may have signed it.
    pub keys: Vec<PublicKey>,
    /// Checkpoints that somebody kept elsewhere, signed by whom they trust.
    pub outside: Vec<Checkpoint>,
    /// What the signer remembers to have signed. It shows a log that was rolled back, and proves nothing more: it is held here.
    pub remembered: Option<Checkpoint>,
    /// Whether contents are read too.
    pub depth: Depth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    #[default]
    Everything,
    /// The log and its tables only.
    Log,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verified {
    pub entries: u64,
    /// Entries whose body was removed by `actum gc`, which the log says.
    pub pruned: u64,
    pub runs: u64,
    pub blobs: u64,
    pub bytes: u64,
    pub checkpoints: u64,
    /// Entries behind the last checkpoint that a known key signed: hash-linked, not signed.
    pub unsigned: u64,
    /// Whose signatures were found.
    pub signers: Vec<PublicKey>,
    /// How many entries a checkpoint from outside covers.
    pub outside: u64,
    pub problems: Vec<Problem>,
    /// Problems beyond those that are listed.
    pub more_problems: u64,
}

/// Something that is not what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// An entry is missing, and the log goes on behind it.
    Gap {
        seq: u64,
    },
    /// The bytes of an entry are not those that were hashed.
    Entry {
        seq: u64,
    },
    /// The body of an entry is gone, and nothing in the log says that it was removed; or nothing signed, where the entry was.
    Body {
        seq: u64,
    },
    /// Bytes that are no entry.
    NotAnEntry {
        seq: u64,
    },
    /// A table says something about an entry or a run that its bytes do not.
    Table {
        table: &'static str,
        what: String,
    },
    /// The tree over the entries is another one.
    Tree {
        what: String,
    },
    Blob {
        sha256: Digest,
        run: RunId,
        name: String,
    },
    NoBlob {
        sha256: Digest,
        run: RunId,
        name: String,
    },
    /// A checkpoint is not one of this log.
    Checkpoint {
        size: u64,
        why: String,
    },
    /// Somebody holds a checkpoint that this log does not go on from.
    RolledBack {
        size: u64,
        now: u64,
    },
    Forked {
        size: u64,
    },
    /// The database itself cannot be read.
    Unreadable {
        why: String,
    },
}

/// As many are listed: who reads more knows enough.
const LISTED: usize = 100;

impl Against {
    /// Every checkpoint that is not the store's own.
    fn held(&self) -> impl Iterator<Item = &Checkpoint> {
        self.outside.iter().chain(&self.remembered)
    }
}

impl Verified {
    pub fn is_intact(&self) -> bool {
        self.problems.is_empty()
    }

    fn found(&mut self, problem: Problem) {
        if self.problems.len() < LISTED {
            self.problems.push(problem);
        } else {
            self.more_problems += 1;
        }
    }
}

/// Holds the ledger against itself and against what is known of it elsewhere.
pub fn verify(reader: &Reader, against: &Against) -> Verified {
    let mut verified = Verified::default();
    // One snapshot: others may write meanwhile.
    let begun = reader.connection.execute_batch("BEGIN").map_err(|error| reader.failed(error));
    let walked = begun.and_then(|()| walk(reader, against, &mut verified));
    let _ = reader.connection.execute_batch("ROLLBACK");
    if let Err(error) = walked {
        verified.found(Problem::Unreadable { why: with_causes(&error) });
    }
    verified
}

fn walk(reader: &Reader, against: &Against, verified: &mut Verified) -> Result<(), StoreError> {
    let signed = signatures::read(reader, against, verified)?;
    let sizes = signed.iter().map(|one| one.size).chain(against.held().map(|one| one.size));
    let covered = against.held().map(|one| one.size).chain([signatures::covered(&signed)]).max().unwrap_or(0);
    let roots = scan::scan(reader, sizes.collect(), covered, verified)?;
    signatures::judge(&signed, against, &roots, verified);
    if against.depth == Depth::Everything {
        contents::read(reader, verified)?;
        pages(reader, verified)?;
    }
    Ok(())
}

/// SQLite's own look at its pages: whether every index finds what its table holds. Of flipped bits it finds the fewest, since it
/// knows nothing of contents; what it finds would keep a run from being found.
fn pages(reader: &Reader, verified: &mut Verified) -> Result<(), StoreError> {
    let failed = |error| reader.failed(error);
    let mut select = reader.connection.prepare("PRAGMA integrity_check(10)").map_err(failed)?;
    let lines = select.query_map([], |row| row.get::<_, String>(0)).map_err(failed)?;
    for line in lines {
        match line.map_err(failed)?.as_str() {
            "ok" => {}
            why => verified.found(Problem::Unreadable { why: why.to_owned() }),
        }
    }
    Ok(())
}

/// The roots of the tree at the sizes that somebody asks about, and at its end.
struct Roots {
    at: std::collections::BTreeMap<u64, Digest>,
    end: Head,
}

impl Roots {
    fn of(&self, size: u64) -> Option<Digest> {
        self.at.get(&size).copied()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Gap { seq } => write!(f, "entry {seq} is missing"),
            Problem::Entry { seq } => write!(f, "entry {seq} does not match its digest"),
            Problem::Body { seq } => {
                write!(f, "the body of entry {seq} is missing, and no signed entry records its removal")
            }
            Problem::NotAnEntry { seq } => write!(f, "entry {seq} cannot be parsed"),
            Problem::Table { table, what } => write!(f, "the table `{table}` {what}"),
            Problem::Tree { what } => write!(f, "the Merkle tree {what}"),
            Problem::Blob { sha256, run, name } => {
                write!(f, "{name} of run {run} does not match its digest ({sha256})")
            }
            Problem::NoBlob { sha256, run, name } => write!(f, "{name} of run {run} is missing ({sha256})"),
            Problem::Checkpoint { size, why } => write!(f, "the checkpoint over {size} entries {why}"),
            Problem::RolledBack { size, now } => {
                write!(f, "{size} entries were signed, but only {now} exist: the log was rolled back")
            }
            Problem::Forked { size } => {
                write!(f, "the first {size} entries were signed with another root hash: the log was forked")
            }
            Problem::Unreadable { why } => write!(f, "the ledger cannot be read completely: {why}"),
        }
    }
}
