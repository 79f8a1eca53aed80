//! The contents that a record names: what is kept with it, what a bundle carries.

use actum_model::{FileFacts, Record};
use std::collections::BTreeMap;

/// Sizes of blobs by their digests.
pub(crate) type Sizes = BTreeMap<[u8; 32], u64>;

/// The blobs that a record names, with the sizes that it gives them.
pub(crate) fn named(record: &Record) -> Result<Sizes, String> {
    let held = [&record.stdout, &record.stderr, &record.timeline, &record.report];
    let held = held.map(|held| (held.sha256, held.bytes.0));
    let kept = |file: &FileFacts| file.kept.then_some((file.sha256?, file.size?.0));
    let files = record.inputs.iter().chain(&record.outputs).filter_map(kept);
    let mut sizes = Sizes::new();
    let attached = record.attachments.iter().map(|one| (one.sha256, one.bytes.0));
    for (digest, size) in held.into_iter().chain(files).chain(attached) {
        if sizes.insert(digest.0, size).is_some_and(|before| before != size) {
            return Err(format!("gives {digest} two sizes"));
        }
    }
    Ok(sizes)
}
