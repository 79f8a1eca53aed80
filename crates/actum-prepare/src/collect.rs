//! Makes room: environments that nobody has used for a while, and what installers kept for themselves.
//!
//! One that is in use is left alone: whoever uses it holds a lock, and removing takes the same lock for itself alone. What is
//! removed is moved away first, so that nobody finds half of it.

use super::cache::{Cache, MANIFEST};
use super::error::PrepareError;
use crate::clock;
use actum_model::Bytes;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What may stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Environments that were used within this time.
    pub used_within: Duration,
    /// Of those, the latest that have room in this.
    pub most: Bytes,
}

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    pub environments: u64,
    pub freed: Bytes,
    /// Environments that would have gone and were in use.
    pub in_use: u64,
}

/// One environment as it lies there.
struct Kept {
    folder: PathBuf,
    used: i64,
    size: u64,
}

/// Removes what does not stay.
pub fn collect(cache: &Path, keep: Keep) -> Result<Collected, PrepareError> {
    let cache = Cache::open(cache)?;
    clear_removed(&cache);
    let mut kept = kept(&cache)?;
    kept.sort_by_key(|one| std::cmp::Reverse(one.used));
    let (now, mut room, mut collected) = (clock::now().tv_sec, keep.most.0, Collected::default());
    for one in &kept {
        let age = Duration::from_secs(u64::try_from(now - one.used).unwrap_or(0));
        if age <= keep.used_within && one.size <= room {
            room -= one.size;
            continue;
        }
        match remove(&cache, &one.folder) {
            Removed::Gone => {
                collected.environments += 1;
                collected.freed.0 += one.size;
            }
            Removed::InUse => collected.in_use += 1,
        }
    }
    collected.freed.0 += clear_workshop(&cache, room);
    clear_wishes(&cache);
    Ok(collected)
}

fn kept(cache: &Cache) -> Result<Vec<Kept>, PrepareError> {
    let folder = cache.folder.join("kept");
    let entries = fs::read_dir(&folder).map_err(PrepareError::io("read", &folder))?;
    let one = |folder: PathBuf| {
        let used = folder.join(MANIFEST).metadata().map(|about| about.mtime()).unwrap_or(0);
        Kept { used, size: size_of(&folder), folder }
    };
    Ok(entries.flatten().map(|entry| one(entry.path())).collect())
}

enum Removed {
    Gone,
    InUse,
}

fn remove(cache: &Cache, folder: &Path) -> Removed {
    // One without a manifest is nobody's.
    if let Ok(held) = File::open(folder.join(MANIFEST))
        && flock(&held, FlockOperation::NonBlockingLockExclusive).is_err()
    {
        return Removed::InUse;
    }
    let aside = cache.folder.join(format!("removed-{}", actum_gate::own::draft_name()));
    match fs::rename(folder, &aside) {
        Ok(()) => {
            let _ = actum_gate::own::remove_tree(&aside);
            Removed::Gone
        }
        Err(_) => Removed::InUse,
    }
}

/// What somebody moved away and did not live to remove.
fn clear_removed(cache: &Cache) {
    for entry in fs::read_dir(&cache.folder).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(b"removed-") {
            let _ = actum_gate::own::remove_tree(&entry.path());
        }
    }
}

/// What installers keep is worth as much as it saves: where it has no room left, it goes whole, unless somebody builds.
fn clear_workshop(cache: &Cache, room: u64) -> u64 {
    let Ok(held) = cache.workshop_lock() else { return 0 };
    let size = size_of(&cache.workshop());
    if size <= room || flock(&held, FlockOperation::NonBlockingLockExclusive).is_err() {
        return 0;
    }
    let mut freed = 0;
    for name in ["uv", "npm", "bytecode", "projects"] {
        let folder = cache.workshop().join(name);
        let size = size_of(&folder);
        if actum_gate::own::remove_tree(&folder).is_ok() {
            freed += size;
        }
    }
    freed
}

/// Wishes that come to nothing any more.
fn clear_wishes(cache: &Cache) {
    let entries = fs::read_dir(cache.folder.join("wanted")).into_iter().flatten().flatten();
    for wish in entries.map(|entry| entry.path()) {
        let name = wish.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
        let came = name.and_then(|digest| cache.came(&digest));
        if came.is_none_or(|came| !cache.kept(&came.key).exists()) {
            let _ = fs::remove_file(wish);
        }
    }
}

/// The bytes that removing a folder would free: a file that is linked elsewhere stays.
fn size_of(folder: &Path) -> u64 {
    let mut size = 0;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() {
                folders.push(entry.path());
            } else if about.nlink() == 1 {
                size += about.blocks() * 512;
            }
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::super::cache::Manifest;
    use super::*;
    use actum_model::{Digest, Moment};

    fn keep(seconds: u64, most: u64) -> Keep {
        Keep { used_within: Duration::from_secs(seconds), most: Bytes(most) }
    }

    fn environment(cache: &Cache, number: u8) -> Manifest {
        let site = cache.site().unwrap();
        let made = site.folder.join("made");
        fs::create_dir(&made).unwrap();
        fs::write(made.join("file"), vec![1; 100_000]).unwrap();
        let manifest = Manifest {
            v: 1,
            key: Digest([number; 32]),
            made: Moment(0),
            tool: String::new(),
            interpreter: PathBuf::new(),
            version: String::new(),
            lock: Digest([0; 32]),
            packages: Vec::new(),
            notes: Vec::new(),
            program: PathBuf::new(),
            path: Vec::new(),
            variables: Vec::new(),
            boot: super::super::cache::boot(),
        };
        cache.keep(&made, &manifest).unwrap();
        cache.remember(&Digest([number + 100; 32]), manifest.key).unwrap();
        manifest
    }

    #[test]
    fn what_is_in_use_stays_and_the_oldest_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let (one, two) = (environment(&cache, 1), environment(&cache, 2));
        assert_eq!(collect(folder.path(), keep(3600, u64::MAX)).unwrap(), Collected::default());
        let in_use = cache.take(&one.key).unwrap();
        let collected = collect(folder.path(), keep(3600, 0)).unwrap();
        assert_eq!((collected.environments, collected.in_use), (1, 1));
        assert!(collected.freed.0 >= 100_000);
        assert!(cache.take(&one.key).is_some() && cache.take(&two.key).is_none());
        assert!(cache.came(&Digest([101; 32])).is_some() && cache.came(&Digest([102; 32])).is_none());
        drop(in_use);
        assert_eq!(collect(folder.path(), keep(3600, 0)).unwrap().environments, 1);
        assert!(cache.take(&one.key).is_none());
    }
}
