//! Who writes records here: which Actum, on which machine.

use crate::digest;
use actum_model::{Build, Digest};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Which Actum, on which machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub actum: Build,
    /// The same for all runs on this machine, and telling nothing else.
    pub host: Option<Digest>,
}

impl Witness {
    /// `program` is our own binary, `machine` the file that names the machine. The binary is read once and remembered in
    /// `cache`, which no program sees: tens of megabytes at every run would cost more than the run.
    pub fn look(program: &Path, machine: &Path, cache: &Path) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let sha256 = remembered(program, &cache.join("witness")).ok();
        Self { actum: Build { version, sha256 }, host: host(machine) }
    }
}

/// The id itself is nobody's business, and other programs show digests of it too: ours is of more than the id.
fn host(machine: &Path) -> Option<Digest> {
    let id = fs::read(machine).ok()?;
    let id = id.trim_ascii();
    (!id.is_empty() && id.len() <= 256).then(|| digest::of(&[b"actum host\n", id].concat()))
}

/// The binary's digest: as it was reckoned before for the same file, else reckoned now.
fn remembered(program: &Path, folder: &Path) -> io::Result<Digest> {
    let file = File::open(program)?;
    let memory = folder.join(&identity(&file.metadata()?).to_string()[..32]);
    let before = fs::read_to_string(&memory).ok().and_then(|text| text.parse().ok());
    if let Some(digest) = before {
        return Ok(digest);
    }
    let digest = hashed(file)?;
    // What cannot be remembered is reckoned again next time.
    let _ = remember(&memory, folder, digest);
    Ok(digest)
}

/// A file that was written to, replaced or moved over has another one.
fn identity(metadata: &Metadata) -> Digest {
    let parts = [
        metadata.dev() as i64,
        metadata.ino() as i64,
        metadata.size() as i64,
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ];
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part.to_le_bytes()));
    digest::finish(hash)
}

fn hashed(mut file: File) -> io::Result<Digest> {
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 256 << 10]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(digest::finish(hash)),
            count => hash.update(&piece[..count]),
        }
    }
}

/// Whole or not at all: several may do so at the same time.
fn remember(memory: &Path, folder: &Path, digest: Digest) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let draft = memory.with_extension(std::process::id().to_string());
    let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.write_all(digest.to_string().as_bytes())?;
    fs::rename(draft, memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_is_read_once_and_again_when_it_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let (program, cache) = (folder.path().join("program"), folder.path().join("cache"));
        fs::write(&program, "one").unwrap();
        let look = || Witness::look(&program, &folder.path().join("no-such-file"), &cache);
        assert_eq!(look().actum.sha256, Some(digest::of(b"one")));
        let memory = fs::read_dir(cache.join("witness")).unwrap().next().unwrap().unwrap().path();
        fs::write(&memory, digest::of(b"remembered").to_string()).unwrap();
        assert_eq!(look().actum.sha256, Some(digest::of(b"remembered")), "it was not read again");
        fs::write(&memory, "torn").unwrap();
        assert_eq!(look().actum.sha256, Some(digest::of(b"one")), "what is torn is reckoned again");
        fs::write(&program, "another").unwrap();
        assert_eq!(look().actum.sha256, Some(digest::of(b"another")));
        assert_eq!(look().host, None);
    }

    #[test]
    fn a_machine_has_one_digest_that_is_not_the_ids() {
        let folder = tempfile::tempdir().unwrap();
        let id = folder.path().join("machine-id");
        fs::write(&id, "0123456789abcdef\n").unwrap();
        let one = host(&id).unwrap();
        assert_eq!(host(&id), Some(one));
        assert_ne!(one, digest::of(b"0123456789abcdef"));
        fs::write(&id, "\n").unwrap();
        assert_eq!(host(&id), None);
    }
}
