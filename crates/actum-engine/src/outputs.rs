//! Small files that a run left: their bytes are kept beside its record, so that they can be shown when the workspace has gone on.

use actum_changes::settle::Keeping;
use actum_model::{Bytes, Digest, FileFacts, KeptChange, KeptChanges, path_text};
use actum_run::redact::Redaction;
use actum_store::Content;
use std::collections::HashMap;

/// Larger ones are told by their digest: results are small, data are not.
const EACH: Bytes = Bytes(256 << 10);
/// All of one run together.
const ALL: u64 = 4 << 20;
/// As many are looked at: a reader looks at fewer.
const MOST: usize = 2000;

/// Marks what is kept, and gives its bytes. A file that holds a secret is not kept: it is the user's, and not ours to alter.
pub(crate) fn keep(outputs: &mut [FileFacts], keeping: &Keeping, redaction: &Redaction) -> Vec<Content> {
    let is_small = |file: &FileFacts| file.sha256.is_some() && file.size.is_some_and(|size| size <= EACH);
    if !outputs.iter().any(is_small) {
        return Vec::new();
    }
    let Ok(list) = keeping.read() else { return Vec::new() };
    let changes: HashMap<String, &KeptChange> =
        list.changes.iter().map(|kept| (path_text(&kept.change.path), kept)).collect();
    let (mut contents, mut room) = (Vec::new(), ALL);
    for file in outputs.iter_mut().filter(|file| is_small(file)).take(MOST) {
        let change = changes.get(&file.path).copied();
        let Some(bytes) = change.and_then(|change| read(file, change, &list, keeping)) else { continue };
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
fn read(file: &FileFacts, change: &KeptChange, list: &KeptChanges, keeping: &Keeping) -> Option<Vec<u8>> {
    let bytes = keeping.sides(list, change, EACH).new?;
    (Some(Digest::of(&bytes)) == file.sha256).then_some(bytes)
}
