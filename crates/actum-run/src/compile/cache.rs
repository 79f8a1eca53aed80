//! The folder that keeps compiled programs: looked up, admitted, bounded.
//!
//! ```text
//! <cache>/compile/<2 hex>/<key>/<variant>/artifact        a program, or a folder of classes
//!                                        /manifest.json   what else was read, and the artifact's size
//! <cache>/compile/incoming/…                              copies that are not whole yet
//! ```

use super::manifest::{self, Manifest};
use super::{CompileCacheError, Key, Read, remove};
use crate::language::Makes;
use actum_model::Bytes;
use rustix::fs::{FlockOperation, Timespec, Timestamps, UTIME_NOW};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const ARTIFACT: &str = "artifact";
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const INCOMING: &str = "incoming";

/// Compiled programs, kept.
#[derive(Debug, Clone)]
pub struct Cache {
    pub(super) folder: PathBuf,
    most: Bytes,
}

/// A compiled program that stays where it is as long as this lives.
#[derive(Debug)]
pub struct Kept {
    pub artifact: PathBuf,
    /// Locked for sharing: whoever makes room leaves it alone.
    _held: File,
}

impl Cache {
    /// Some hundred programs: a small one takes a few MiB.
    pub const DEFAULT_SIZE: Bytes = Bytes(2 * 1024 * 1024 * 1024);

    /// In a folder that no program may write.
    pub fn new(cache: &Path, most: Bytes) -> Self {
        Self { folder: cache.join("compile"), most }
    }

    /// A program of this key whose other files are what they were.
    pub fn lookup(&self, key: &Key) -> Option<Kept> {
        let entries = fs::read_dir(self.place(key)).ok()?;
        entries.filter_map(Result::ok).find_map(|entry| self.take(&entry.path()))
    }

    /// Copies what a compiler made into the cache. The compiler must have ended.
    pub fn admit(
        &self,
        key: &Key,
        (made, makes): (&Path, Makes),
        reads: Vec<Read>,
    ) -> Result<Kept, CompileCacheError> {
        let incoming = self.incoming()?;
        let admitted = self.admit_from(&incoming, key, (made, makes), reads);
        // Gone already where it was admitted.
        let _ = fs::remove_dir_all(&incoming);
        let kept = admitted?;
        remove::oldest(self, self.most);
        Ok(kept)
    }

    fn admit_from(
        &self,
        incoming: &Path,
        key: &Key,
        (made, makes): (&Path, Makes),
        reads: Vec<Read>,
    ) -> Result<Kept, CompileCacheError> {
        let size = match makes {
            Makes::Program => copy_file(made, &incoming.join(ARTIFACT), 0o555)?,
            Makes::Folder => copy_folder(made, &incoming.join(ARTIFACT))?,
        };
        let manifest = Manifest { size, reads };
        let path = incoming.join(MANIFEST);
        let text =
            serde_json::to_vec(&manifest).map_err(|error| CompileCacheError::write(&path)(error.into()))?;
        fs::write(&path, text).map_err(CompileCacheError::write(&path))?;
        sync(&path)?;
        let place = self.place(key);
        fs::create_dir_all(&place).map_err(CompileCacheError::write(&place))?;
        let entry = place.join(manifest.variant());
        match fs::rename(incoming, &entry) {
            Ok(()) => {}
            // Somebody made the same from the same; theirs is as good.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty
                ) => {}
            Err(error) => return Err(CompileCacheError::write(&entry)(error)),
        }
        self.take(&entry).ok_or_else(|| CompileCacheError::read(&entry)(io::ErrorKind::NotFound.into()))
    }

    fn place(&self, key: &Key) -> PathBuf {
        let (short, whole) = key.parts();
        self.folder.join(short).join(whole)
    }

    /// A new folder of this process alone.
    fn incoming(&self) -> Result<PathBuf, CompileCacheError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let all = self.folder.join(INCOMING);
        fs::create_dir_all(&all).map_err(CompileCacheError::write(&all))?;
        loop {
            let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            match fs::create_dir(all.join(&name)) {
                Ok(()) => return Ok(all.join(name)),
                // Left by an earlier process of the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(CompileCacheError::write(&all)(error)),
            }
        }
    }

    /// Holds an entry, if it is whole and fresh, and notes that it was used.
    fn take(&self, entry: &Path) -> Option<Kept> {
        let held = File::open(entry.join(MANIFEST)).ok()?;
        rustix::fs::flock(&held, FlockOperation::NonBlockingLockShared).ok()?;
        let manifest: Manifest = serde_json::from_reader(io::BufReader::new(&held)).ok()?;
        let artifact = entry.join(ARTIFACT);
        // Looked at once the lock is held: until then it could have been removed.
        let is_whole = size_of(&artifact).ok()? == manifest.size;
        if !is_whole || !manifest.is_fresh(manifest::now) {
            return None;
        }
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        // Only the order of removing depends on it.
        let _ = rustix::fs::futimens(&held, &Timestamps { last_access: now, last_modification: now });
        Some(Kept { artifact, _held: held })
    }
}

/// The bytes of a file, or of all files of a folder.
pub(super) fn size_of(path: &Path) -> io::Result<u64> {
    let about = fs::symlink_metadata(path)?;
    if !about.is_dir() {
        return Ok(about.len());
    }
    fs::read_dir(path)?.map(|entry| size_of(&entry?.path())).sum()
}

/// Copied, not moved: a new file is ours alone, whoever else holds a link to the old one.
fn copy_file(from: &Path, to: &Path, mode: u32) -> Result<u64, CompileCacheError> {
    let about = fs::symlink_metadata(from).map_err(CompileCacheError::read(from))?;
    if !about.is_file() {
        return Err(CompileCacheError::Odd { path: from.to_path_buf() });
    }
    let mut source = File::open(from).map_err(CompileCacheError::read(from))?;
    let create = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(to);
    let mut target = create.map_err(CompileCacheError::write(to))?;
    let size = io::copy(&mut source, &mut target).map_err(CompileCacheError::write(to))?;
    target.set_permissions(fs::Permissions::from_mode(mode)).map_err(CompileCacheError::write(to))?;
    target.sync_data().map_err(CompileCacheError::write(to))?;
    Ok(size)
}

fn copy_folder(from: &Path, to: &Path) -> Result<u64, CompileCacheError> {
    fs::create_dir(to).map_err(CompileCacheError::write(to))?;
    let mut size = 0;
    for entry in fs::read_dir(from).map_err(CompileCacheError::read(from))? {
        let entry = entry.map_err(CompileCacheError::read(from))?;
        let kind = entry.file_type().map_err(CompileCacheError::read(from))?;
        let target = to.join(entry.file_name());
        size += if kind.is_dir() {
            copy_folder(&entry.path(), &target)?
        } else {
            copy_file(&entry.path(), &target, 0o444)?
        };
    }
    Ok(size)
}

fn sync(path: &Path) -> Result<(), CompileCacheError> {
    let file = File::open(path).map_err(CompileCacheError::read(path))?;
    file.sync_data().map_err(CompileCacheError::write(path))
}
