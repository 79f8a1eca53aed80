//! The folder that keeps compiled programs: looked up, admitted, bounded.
//!
//! ```text
//! <cache>/compile/<2 hex>/<key>/<variant>/artifact        a program, or a folder of classes
//!                                        /manifest.json   what else was read, and the artifact's digest
//! <cache>/compile/incoming/…                              copies that are not whole yet
//! ```

use super::manifest::{self, Manifest};
use super::{CompileCacheError, Key, Read, remove};
use crate::Makes;
use actum_model::{Bytes, IdentityHash};
use rustix::fs::{FlockOperation, Mode, OFlags, Timespec, Timestamps, UTIME_NOW};

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

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

    /// A program of this key whose other files are what they were, and which is itself what was compiled.
    pub fn lookup(&self, key: &Key) -> Option<Kept> {
        if !self.is_own() {
            return None;
        }
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
        if !self.is_own() {
            return Err(CompileCacheError::write(&self.folder)(io::ErrorKind::PermissionDenied.into()));
        }
        let admitted = self.admit_from(&incoming, key, (made, makes), reads);
        // Gone already where it was admitted.
        let _ = actum_gate::own::remove_tree(&incoming);
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
        let artifact = incoming.join(ARTIFACT);
        match makes {
            Makes::Program => copy_file(made, &artifact, 0o555)?,
            Makes::Folder => copy_folder(made, &artifact)?,
        }
        let digest = digest_of(&artifact).map_err(CompileCacheError::read(&artifact))?;
        let manifest = Manifest { digest, reads };
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
        let all = self.folder.join(INCOMING);
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&all);
        made.map_err(CompileCacheError::write(&all))?;
        loop {
            let name = actum_gate::own::draft_name();
            match fs::create_dir(all.join(&name)) {
                Ok(()) => return Ok(all.join(name)),
                // Left by an earlier process of the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(CompileCacheError::write(&all)(error)),
            }
        }
    }

    /// Whether the folder is the caller's alone: what lies there is executed.
    fn is_own(&self) -> bool {
        let own = rustix::process::geteuid().as_raw();
        let about = fs::symlink_metadata(&self.folder);
        let group = rustix::process::getegid().as_raw();
        let is_shared = |about: &fs::Metadata| {
            about.mode() & 0o002 != 0 || about.mode() & 0o020 != 0 && about.gid() != group
        };
        about.is_ok_and(|about| about.is_dir() && about.uid() == own && !is_shared(&about))
    }

    /// Holds an entry, if it is whole and fresh, and notes that it was used.
    fn take(&self, entry: &Path) -> Option<Kept> {
        let held = File::open(entry.join(MANIFEST)).ok()?;
        rustix::fs::flock(&held, FlockOperation::NonBlockingLockShared).ok()?;
        let manifest: Manifest = serde_json::from_reader(io::BufReader::new(&held)).ok()?;
        let artifact = entry.join(ARTIFACT);
        // Looked at once the lock is held: until then it could have been removed.
        if !manifest.is_fresh(manifest::now) || digest_of(&artifact).ok()? != manifest.digest {
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

/// The SHA-256 of a file, or of all files of a folder with their names. Anything but files and folders is refused.
fn digest_of(path: &Path) -> io::Result<String> {
    let mut hash = IdentityHash::new("actum compiled files 1");
    let mut left = vec![path.to_path_buf()];
    while let Some(next) = left.pop() {
        hash.bytes(next.strip_prefix(path).unwrap_or(&next).as_os_str().as_bytes());
        let about = fs::symlink_metadata(&next)?;
        if about.is_dir() {
            let mut names: Vec<PathBuf> =
                fs::read_dir(&next)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
            names.sort();
            left.extend(names);
        } else if about.is_file() {
            hash.bytes(about.len().to_le_bytes());
            let (mut file, mut piece) = (open(&next)?, vec![0; 256 << 10]);
            loop {
                match file.read(&mut piece)? {
                    0 => break,
                    count => hash.piece(&piece[..count]),
                }
            }
        } else {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    Ok(hash.finish().to_string())
}

/// A regular file itself: a compiler, or what it ran, chose its name.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Copied, not moved: a new file is ours alone, whoever else holds a link to the old one.
fn copy_file(from: &Path, to: &Path, mode: u32) -> Result<(), CompileCacheError> {
    let about = fs::symlink_metadata(from).map_err(CompileCacheError::read(from))?;
    if !about.is_file() {
        return Err(CompileCacheError::Odd { path: from.to_path_buf() });
    }
    let mut source = open(from).map_err(CompileCacheError::read(from))?;
    let create = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(to);
    let mut target = create.map_err(CompileCacheError::write(to))?;
    io::copy(&mut source, &mut target).map_err(CompileCacheError::write(to))?;
    target.set_permissions(fs::Permissions::from_mode(mode)).map_err(CompileCacheError::write(to))?;
    target.sync_data().map_err(CompileCacheError::write(to))
}

/// A link in the place of the folder would have somebody else's files copied into reach of the program.
fn copy_folder(from: &Path, to: &Path) -> Result<(), CompileCacheError> {
    if !fs::symlink_metadata(from).is_ok_and(|about| about.is_dir()) {
        return Err(CompileCacheError::Odd { path: from.to_path_buf() });
    }
    fs::create_dir(to).map_err(CompileCacheError::write(to))?;
    for entry in fs::read_dir(from).map_err(CompileCacheError::read(from))? {
        let entry = entry.map_err(CompileCacheError::read(from))?;
        let kind = entry.file_type().map_err(CompileCacheError::read(from))?;
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            copy_file(&entry.path(), &target, 0o444)?;
        }
    }
    Ok(())
}

fn sync(path: &Path) -> Result<(), CompileCacheError> {
    let file = File::open(path).map_err(CompileCacheError::read(path))?;
    file.sync_data().map_err(CompileCacheError::write(path))
}
