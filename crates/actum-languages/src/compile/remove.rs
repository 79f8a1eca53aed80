//! Makes room in the cache: what was used longest ago goes first, what is in use stays.

use super::cache::{Cache, INCOMING, MANIFEST, size_of};
use actum_model::Bytes;
use rustix::fs::FlockOperation;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

struct Entry {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

/// Removes until the rest fits. What cannot be looked at or removed is left: the next one tries again.
pub(super) fn oldest(cache: &Cache, most: Bytes) {
    let mut entries = entries(&cache.folder);
    let mut total: u64 = entries.iter().map(|entry| entry.size).sum();
    entries.sort_by_key(|entry| entry.used);
    for entry in entries {
        if total <= most.0 {
            return;
        }
        if remove(&entry.path).is_ok() {
            total -= entry.size;
        }
    }
}

fn entries(folder: &Path) -> Vec<Entry> {
    let folders =
        |path: PathBuf| fs::read_dir(path).into_iter().flatten().filter_map(Result::ok).map(|one| one.path());
    let short = folders(folder.to_path_buf()).filter(|path| !path.ends_with(INCOMING));
    let variants = short.flat_map(folders).flat_map(folders);
    let looked_at = variants.filter_map(|path| {
        let used = fs::metadata(path.join(MANIFEST)).ok()?.modified().ok()?;
        Some(Entry { size: size_of(&path).ok()?, path, used })
    });
    looked_at.collect()
}

/// The lock is taken before anything goes, so whoever holds the entry keeps it, and whoever comes later finds nothing.
fn remove(entry: &Path) -> io::Result<()> {
    let manifest = File::open(entry.join(MANIFEST))?;
    rustix::fs::flock(&manifest, FlockOperation::NonBlockingLockExclusive)?;
    actum_gate::own::remove_tree(entry)
}
