//! Checkpoints: those that are kept with the log, and those that somebody holds elsewhere.

use super::{Against, Problem, Roots, Verified};
use crate::error::StoreError;
use crate::key::PublicKey;
use crate::ledger::reader::Reader;
use crate::note::{Checkpoint, SignedNote};

/// A checkpoint that is kept with the log.
pub(super) struct Kept {
    pub(super) size: u64,
    checkpoint: Checkpoint,
    signer: Option<PublicKey>,
}

/// Reads them all; one that cannot be read, or is of another log, is a problem.
pub(super) fn read(
    reader: &Reader,
    against: &Against,
    verified: &mut Verified,
) -> Result<Vec<Kept>, StoreError> {
    let failed = |error| reader.failed(error);
    let origin = reader.origin()?;
    let mut select =
        reader.connection.prepare("SELECT size, note FROM checkpoint ORDER BY size").map_err(failed)?;
    let rows = select.query_map([], |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, String>(1)?)));
    let mut all = Vec::new();
    for row in rows.map_err(failed)? {
        let (size, text) = row.map_err(failed)?;
        match understand(&text, &origin, size) {
            Ok((note, checkpoint)) => {
                if let Some(problem) = forged(&text, &origin, size, against) {
                    verified.found(problem);
                }
                let mut keys = against.keys.iter();
                let signer = keys.find(|key| note.is_signed_by(key, &origin)).copied();
                all.push(Kept { size, checkpoint, signer });
            }
            Err(why) => verified.found(Problem::Checkpoint { size, why }),
        }
        verified.checkpoints += 1;
    }
    Ok(all)
}

/// A signature in the name of a key that is known, which that key did not make.
pub(super) fn forged(text: &str, origin: &str, size: u64, against: &Against) -> Option<Problem> {
    let note = SignedNote::parse(text.as_bytes()).ok()?;
    let is_forged = against.keys.iter().any(|key| note.is_forged_for(key, origin));
    let why = "has a signature that is not valid";
    is_forged.then(|| Problem::Checkpoint { size, why: why.to_owned() })
}

/// How many entries those cover that a known key signed, if they are what they say.
pub(super) fn covered(kept: &[Kept]) -> u64 {
    kept.iter().filter(|one| one.signer.is_some()).map(|one| one.size).max().unwrap_or(0)
}

/// Holds them against the tree. Of a log that is a stranger's, a signature of nobody we know is not a lie: it only proves
/// nothing. A log that we know, by its other signatures or from outside, is signed by those whom we know and by nobody else.
pub(super) fn judge(kept: &[Kept], against: &Against, roots: &Roots, verified: &mut Verified) {
    let is_known = kept.iter().any(|one| one.signer.is_some()) || !against.outside.is_empty();
    let mut covered = 0;
    for one in kept {
        if one.signer.is_none() && is_known && !against.keys.is_empty() {
            let why = "is not signed by a known key".to_owned();
            verified.found(Problem::Checkpoint { size: one.size, why });
        }
        let root = roots.of(one.size);
        if root != Some(one.checkpoint.root) {
            let why =
                if root.is_none() { "covers more entries than exist" } else { "has a different root hash" };
            verified.found(Problem::Checkpoint { size: one.size, why: why.to_owned() });
            continue;
        }
        if let Some(signer) = one.signer {
            covered = covered.max(one.size);
            if !verified.signers.contains(&signer) {
                verified.signers.push(signer);
            }
        }
    }
    verified.unsigned = roots.end.size - covered.min(roots.end.size);
    for held in against.held() {
        match roots.of(held.size) {
            Some(root) if root == held.root => {}
            Some(_) => verified.found(Problem::Forked { size: held.size }),
            None => verified.found(Problem::RolledBack { size: held.size, now: roots.end.size }),
        }
    }
    let agreeing = against.outside.iter().filter(|held| roots.of(held.size) == Some(held.root));
    verified.outside = agreeing.map(|held| held.size).max().unwrap_or_default();
}

fn understand(text: &str, origin: &str, size: u64) -> Result<(SignedNote, Checkpoint), String> {
    let note = SignedNote::parse(text.as_bytes()).map_err(|_| "is not a signed note".to_owned())?;
    let checkpoint = note.checkpoint().map_err(|_| "is not a checkpoint".to_owned())?;
    if checkpoint.origin != origin {
        return Err(format!("belongs to another log, {}", checkpoint.origin));
    }
    if checkpoint.size != size {
        return Err(format!("states that it covers {}", checkpoint.size));
    }
    Ok((note, checkpoint))
}
