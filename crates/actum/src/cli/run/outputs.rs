//! Small files that a run left: their bytes are kept beside its record, so that they can be shown when the workspace has gone on.

use actum_model::{Bytes, Digest, FileFacts, KeptChanges, path_text};
use actum_run::redact::Redaction;
use actum_run::settle::Keeping;
use actum_store::Content;
use sha2::{Digest as _, Sha256};

/// Larger ones are told by their digest: results are small, data are not.
const EACH: Bytes = Bytes(256 << 10);
/// All of one run together.
const ALL: u64 = 4 << 20;

/// Marks what is kept, and gives its bytes. A file that holds a secret is not kept: it is the user's, and not ours to alter.
pub(super) fn keep(outputs: &mut [FileFacts], keeping: &Keeping, redaction: &Redaction) -> Vec<Content> {
    let is_small = |file: &FileFacts| file.sha256.is_some() && file.size.is_some_and(|size| size <= EACH);
    if !outputs.iter().any(is_small) {
        return Vec::new();
    }
    let Ok(list) = keeping.read() else { return Vec::new() };
    let (mut contents, mut room) = (Vec::new(), ALL);
    for file in outputs.iter_mut().filter(|file| is_small(file)) {
        let Some(bytes) = read(file, &list, keeping) else { continue };
        if bytes.len() as u64 > room || redaction.replaced(&bytes).is_some() {
            continue;
        }
        room -= bytes.len() as u64;
        file.kept = true;
        contents.push(Content::Bytes(bytes));
    }
    contents
}

/// The bytes that the record names, if they are still somewhere.
fn read(file: &FileFacts, list: &KeptChanges, keeping: &Keeping) -> Option<Vec<u8>> {
    let change = list.changes.iter().find(|kept| path_text(&kept.change.path) == file.path)?;
    let bytes = keeping.sides(list, change, EACH).new?;
    (Some(Digest(Sha256::digest(&bytes).into())) == file.sha256).then_some(bytes)
}
