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
    if let Ok(text) = own::read_text(&path)
        && let Some((digest, same)) = text.split_once('\n')
        && same == key
        && let Ok(digest) = digest.parse()
    {
        return Some(digest);
    }
    let digest = hashed(itself).ok()?;
    // Where it cannot be kept it is reckoned again.
    let draft = cache.join(format!("binary.{}", std::process::id()));
    let _ = own::make_private_folders(cache);
    let text = format!("{digest}\n{key}");
    let _ = own::write(&draft, text.as_bytes()).and_then(|()| own::rename(&draft, &path));
    Some(digest)
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
