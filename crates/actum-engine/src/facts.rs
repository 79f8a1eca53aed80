//! Facts about this machine and this binary that records carry.

use actum_gate::{Bound, own};
use actum_model::{Build, Digest};
use sha2::{Digest as _, Sha256};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Which Actum this is. Reading all of it takes longer than a small run, so its digest is kept in the cache with what tells
/// one file from another.
pub fn build(cache: &Path) -> Build {
    Build { version: env!("CARGO_PKG_VERSION").to_owned(), sha256: digest(cache) }
}

/// A digest of this machine's id: the same for all runs here, and telling nothing else.
pub fn host() -> Option<Digest> {
    let id = actum_gate::read_named_text(Path::new("/etc/machine-id"), Bound::SMALL).ok()?.into_string();
    let id = Some(id).filter(|id| !id.trim().is_empty())?;
    Some(Digest::finish(Sha256::new_with_prefix("actum host\n").chain_update(id.trim())))
}

fn digest(cache: &Path) -> Option<Digest> {
    let itself = Path::new("/proc/self/exe");
    let known = itself.metadata().ok()?;
    let key = format!(
        "{} {} {} {}.{} {}.{}",
        known.dev(),
        known.ino(),
        known.len(),
        known.mtime(),
        known.mtime_nsec(),
        known.ctime(),
        known.ctime_nsec()
    );
    let path = cache.join("binary");
    let kept = own::read_text(&path).unwrap_or_default();
    if let Some(digest) = kept_digest(&kept, &key) {
        return Some(digest);
    }
    let digest = hashed(itself).ok()?;
    // Where it cannot be kept it is reckoned again.
    let draft = cache.join(format!("binary.{}", own::draft_name()));
    let _ = own::make_private_folders(cache);
    let text = with_digest(&kept, &key, digest);
    let _ = own::write(&draft, text.as_bytes()).and_then(|()| own::rename(&draft, &path));
    Some(digest)
}

/// As many builds may take turns without being read again.
const MOST_BUILDS: usize = 8;

/// The digest that is kept for a file, one line each: the digest, and what tells the file from others.
fn kept_digest(kept: &str, key: &str) -> Option<Digest> {
    let own = kept.lines().filter_map(|line| line.split_once(' ')).find(|(_, other)| *other == key);
    own.and_then(|(digest, _)| digest.parse().ok())
}

/// The same with one more, the newest first.
fn with_digest(kept: &str, key: &str, digest: Digest) -> String {
    let is_other = |line: &&str| line.split_once(' ').is_some_and(|(_, other)| other != key);
    let others = kept.lines().filter(is_other).take(MOST_BUILDS - 1).map(|line| format!("{line}\n"));
    std::iter::once(format!("{digest} {key}\n")).chain(others).collect()
}

/// In pieces: it is far larger than everything else that a run holds.
fn hashed(path: &Path) -> std::io::Result<Digest> {
    let (mut file, _) = actum_gate::open_named(path).map_err(actum_gate::GateError::into_io)?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 256 << 10]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(Digest::finish(hash)),
            count => hash.update(&piece[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_that_take_turns_are_all_remembered() {
        let digest = |number: u8| Digest([number; 32]);
        let mut kept = "of an earlier form\n1 2 3".to_owned();
        for number in 0..20 {
            kept = with_digest(&kept, &format!("1 {number} 3"), digest(number));
        }
        assert_eq!(kept.lines().count(), MOST_BUILDS);
        assert_eq!(kept_digest(&kept, "1 19 3"), Some(digest(19)));
        assert_eq!(kept_digest(&kept, "1 12 3"), Some(digest(12)));
        assert_eq!(kept_digest(&kept, "1 11 3"), None);
        let again = with_digest(&kept, "1 12 3", digest(99));
        assert_eq!(kept_digest(&again, "1 12 3"), Some(digest(99)), "a file that changed has one line");
        assert_eq!(again.lines().count(), MOST_BUILDS);
    }
}
