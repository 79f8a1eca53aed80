//! How much is proven about one run, here and now.
//!
//! The record's bytes are hashed, held against a checkpoint by an inclusion proof, and the checkpoint against keys that the
//! caller knows. A key that comes with the store proves nothing.

use super::{Against, Problem, contents, signatures};
use crate::error::StoreError;
use crate::key::PublicKey;
use crate::ledger::index::{self, Change};
use crate::ledger::reader::{Filter, Reader, Sealed};
use crate::merkle;
use crate::note::{Checkpoint, SignedNote};
use actum_model::{Digest, KeyReach, Level, with_causes};

/// How much is proven about one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub level: Level,
    /// Who signed a checkpoint over it, among those that are known.
    pub signer: Option<PublicKey>,
    /// Why nobody that is known did, where that is so.
    pub unsigned: Option<String>,
}

/// How much is proven about a record.
pub fn standing(reader: &Reader, sealed: &Sealed, against: &Against) -> Standing {
    let covered = covered(reader, sealed, against).unwrap_or_else(|error| Covered::Not(with_causes(&error)));
    let level = match (&covered, sealed.record.key) {
        (Covered::Signed { outside: true, .. }, KeyReach::OutOfReach) => Level::E3,
        (Covered::Signed { outside: false, .. }, KeyReach::OutOfReach) => Level::E2,
        (Covered::Signed { .. }, KeyReach::WithinReach) | (Covered::Linked(_), _) => Level::E1,
        (Covered::Not(_), _) => Level::E0,
    };
    let (signer, unsigned) = match covered {
        Covered::Signed { key, .. } => (Some(key), None),
        Covered::Linked(why) | Covered::Not(why) => (None, Some(why)),
    };
    Standing { level, signer, unsigned }
}

/// What is wrong about one run: its row in the list, its contents, its place in the log.
pub fn verify_run(reader: &Reader, sealed: &Sealed, against: &Against) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Err(error) = look(reader, sealed, against, &mut problems) {
        problems.push(Problem::Unreadable { why: with_causes(&error) });
    }
    problems
}

fn look(
    reader: &Reader,
    sealed: &Sealed,
    against: &Against,
    problems: &mut Vec<Problem>,
) -> Result<(), StoreError> {
    let (run, seq) = (sealed.record.run, sealed.seq);
    let head = reader.head()?;
    if !is_in(reader, sealed, head.size, &head.root)? {
        problems.push(Problem::Tree { what: format!("does not contain entry {seq}") });
    }
    if let Some((size, text)) = reader.checkpoint_over(seq)? {
        let root = SignedNote::parse(text.as_bytes()).and_then(|note| note.checkpoint()).map(|one| one.root);
        if !root.is_ok_and(|root| is_in(reader, sealed, size, &root).unwrap_or(false)) {
            problems.push(Problem::Checkpoint { size, why: "does not contain this run".to_owned() });
        }
        problems.extend(signatures::forged(&text, &reader.origin()?, size, against));
    }
    problems.extend(verify_held(reader, against)?);
    let Change::Ended(ended) = index::derive(&sealed.bytes)?.change else {
        problems.push(Problem::NotAnEntry { seq });
        return Ok(());
    };
    let listed = reader.list(&Filter { run: Some(run), ..Filter::default() })?;
    let agrees = listed.first().is_some_and(|row| {
        row.outcome == Some(ended.outcome)
            && row.exit_code == Some(ended.exit_code)
            && row.ended == Some(ended.at)
            && row.command == ended.began.command
            && row.language == ended.began.language
            && row.folder == ended.began.folder
            && row.labels == ended.began.labels
    });
    if !agrees {
        let what = format!("does not match run {run}");
        problems.push(Problem::Table { table: "run", what });
    }
    for (name, held) in ended.held {
        problems.extend(contents::judge(reader, &held.sha256, run, name, held.bytes.0));
    }
    Ok(())
}

/// Whether the log goes on from every checkpoint that is not its own: one that was cut off, or told anew, has a run missing of
/// which nothing else tells.
pub fn verify_held(reader: &Reader, against: &Against) -> Result<Vec<Problem>, StoreError> {
    let head = reader.head()?;
    let judge = |held: &Checkpoint| match reader.head_at(held.size) {
        _ if held.size > head.size => Some(Problem::RolledBack { size: held.size, now: head.size }),
        Ok(head) if head.root == held.root => None,
        Ok(_) | Err(_) => Some(Problem::Forked { size: held.size }),
    };
    Ok(against.held().filter_map(judge).collect())
}

/// How a record is covered.
enum Covered {
    /// By a checkpoint that this key signed, and perhaps by one that is held outside.
    Signed { key: PublicKey, outside: bool },
    /// It stands in the log, and nobody who is known signed for it, because of this.
    Linked(String),
    /// It does not stand in the log.
    Not(String),
}

fn covered(reader: &Reader, sealed: &Sealed, against: &Against) -> Result<Covered, StoreError> {
    let head = reader.head()?;
    if !is_in(reader, sealed, head.size, &head.root)? {
        return Ok(Covered::Not("the log does not contain this record".to_owned()));
    }
    let origin = reader.origin()?;
    // The first that covers it; and the newest, should another key have signed since.
    let notes = [reader.checkpoint_over(sealed.seq)?, reader.last_checkpoint()?];
    let mut why = "no signed checkpoint covers it yet".to_owned();
    for (size, text) in notes.into_iter().flatten().filter(|(size, _)| *size > sealed.seq) {
        let read = SignedNote::parse(text.as_bytes()).and_then(|note| Ok((note.checkpoint()?, note)));
        let Ok((checkpoint, note)) = read else {
            why = "the checkpoint that covers it cannot be parsed".to_owned();
            continue;
        };
        let Some(key) = against.keys.iter().find(|key| note.is_signed_by(key, &origin)) else {
            why = "the checkpoint that covers it is not signed by a known key".to_owned();
            continue;
        };
        let is_whole = checkpoint.origin == origin && checkpoint.size == size;
        if !is_whole || !is_in(reader, sealed, size, &checkpoint.root)? {
            return Ok(Covered::Not("the checkpoint that covers it was signed for another log".to_owned()));
        }
        let mut outside =
            against.outside.iter().filter(|held| held.size > sealed.seq && held.size <= head.size);
        let outside = outside.any(|held| is_in(reader, sealed, held.size, &held.root).unwrap_or(false));
        return Ok(Covered::Signed { key: *key, outside });
    }
    Ok(Covered::Linked(why))
}

/// Whether the record's own bytes are where it says in the tree with this root.
fn is_in(reader: &Reader, sealed: &Sealed, size: u64, root: &Digest) -> Result<bool, StoreError> {
    let leaf = merkle::leaf(&sealed.bytes);
    Ok(merkle::verify_inclusion(&leaf, sealed.seq, size, root, &reader.inclusion(sealed.seq, size)?))
}
