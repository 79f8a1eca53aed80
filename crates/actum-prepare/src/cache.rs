//! The folder in which environments are kept by what they hold.
//!
//! ```text
//! <cache>/environments/<layout>/kept/<key>/        an environment: its manifest, its lock, what was installed
//!                              /wanted/<digest>    what was wanted, and the key that it came to
//!                              /turns/<digest>     held by whoever resolves or builds this one
//!                              /known/             small facts that are cheaper to read than to find out
//!                              /tools/             uv, where it was not installed
//!                              /workshop/          what installers may write: uv's own files, and sites of environments
//!                              /nowhere/           an empty folder to start tools in
//! ```
//!
//! What is in `kept` was renamed there whole, and is never written again. A process that is killed leaves a site behind whose
//! lock the kernel has let go; the next builder clears it away.

use super::error::PrepareError;
use crate::clock;
use actum_model::{Digest, Moment};
use rustix::event::{PollFd, PollFlags, Timespec as Wait, poll};
use rustix::fd::BorrowedFd;
use rustix::fs::{FlockOperation, Timespec, Timestamps, UTIME_NOW, flock};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Raised when environments of older versions must not be used. They are left where they are.
const LAYOUT: &str = "2";
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const LOCK: &str = "lock.txt";
/// There once everything of an environment must be on the disk.
const DURABLE: &str = "durable";

/// Environments, kept.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    pub(super) folder: PathBuf,
}

/// What an environment says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) v: u32,
    pub(super) key: Digest,
    pub(super) made: Moment,
    /// As in `uv 0.13.7`.
    pub(super) tool: String,
    /// The interpreter that it was made for, and its version.
    pub(super) interpreter: PathBuf,
    pub(super) version: String,
    pub(super) lock: Digest,
    pub(super) packages: Vec<super::Locked>,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    /// What runs programs with it, and its folders of commands; below its folder, or absolute.
    pub(super) program: PathBuf,
    pub(super) path: Vec<PathBuf>,
    /// Variables that lead to what it holds. `{}` in a value stands for its folder.
    #[serde(default)]
    pub(super) variables: Vec<(String, String)>,
    /// The machine's boot in which it was made. Until it is told to be durable, it is believed in that boot only.
    pub(super) boot: String,
}

/// An environment that stays where it is as long as this lives.
#[derive(Debug)]
pub(super) struct InUse {
    /// Locked for sharing: whoever makes room leaves it alone.
    _held: File,
}

/// What was wanted came to this.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Came {
    pub(super) key: Digest,
    pub(super) at: Moment,
}

/// A folder in the workshop that belongs to one build. Goes with it.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) folder: PathBuf,
    held: Option<File>,
    /// Locked for sharing: nobody clears the workshop meanwhile.
    _workshop: File,
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = actum_gate::own::remove_tree(&self.folder);
        let _ = fs::remove_file(lock_of(&self.folder));
        self.held = None;
    }
}

/// One's turn to resolve or build something. Ends when it is dropped, or with its process.
#[derive(Debug)]
pub(super) struct Turn {
    _held: File,
}

impl Cache {
    /// Opens or makes the folder. One that somebody else could write is not used: its programs would be theirs.
    pub(super) fn open(cache: &Path) -> Result<Self, PrepareError> {
        let folder = cache.join("environments").join(LAYOUT);
        if !folder.is_dir() {
            make(&folder)?;
        }
        check_owner(&folder)?;
        for name in ["kept", "wanted", "turns", "known", "tools", "workshop", "nowhere"] {
            let below = folder.join(name);
            if !below.is_dir() {
                make(&below)?;
            }
        }
        Ok(Self { folder })
    }

    pub(super) fn workshop(&self) -> PathBuf {
        self.folder.join("workshop")
    }

    pub(super) fn nowhere(&self) -> PathBuf {
        self.folder.join("nowhere")
    }

    pub(super) fn tools(&self) -> PathBuf {
        self.folder.join("tools")
    }

    pub(super) fn kept(&self, key: &Digest) -> PathBuf {
        self.folder.join("kept").join(key.to_string())
    }

    /// What was wanted before, if it was.
    pub(super) fn came(&self, wanted: &Digest) -> Option<Came> {
        read_json(&self.folder.join("wanted").join(wanted.to_string()))
    }

    /// Remembers what something came to.
    pub(super) fn remember(&self, wanted: &Digest, key: Digest) -> Result<(), PrepareError> {
        let came = Came { key, at: clock::moment() };
        self.write_json(&self.folder.join("wanted").join(wanted.to_string()), &came)
    }

    /// A small fact, if it is known.
    pub(super) fn known<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        read_json(&self.folder.join("known").join(name))
    }

    /// Remembers a small fact. One that cannot be written is found out again.
    pub(super) fn note<T: Serialize>(&self, name: &str, fact: &T) {
        let _ = self.write_json(&self.folder.join("known").join(name), fact);
    }

    /// Forgets a small fact that has turned out not to hold.
    pub(super) fn forget(&self, name: &str) {
        let _ = fs::remove_file(self.folder.join("known").join(name));
    }

    /// An environment that is whole, held for use.
    pub(super) fn take(&self, key: &Digest) -> Option<(Manifest, InUse)> {
        let folder = self.kept(key);
        let path = folder.join(MANIFEST);
        let held = File::open(&path).ok()?;
        flock(&held, FlockOperation::NonBlockingLockShared).ok()?;
        // Looked at once the lock is held: until then it could have been taken away.
        let is_there = path.metadata().ok()?.ino() == held.metadata().ok()?.ino();
        let manifest: Manifest = serde_json::from_reader(io::BufReader::new(&held)).ok()?;
        if !is_there || manifest.key != *key || !is_believed(&folder, &manifest) {
            return None;
        }
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        // Only the order of removing depends on it.
        let _ = rustix::fs::futimens(&held, &Timestamps { last_access: now, last_modification: now });
        Some((manifest, InUse { _held: held }))
    }

    /// Waits for one's turn. `waits` is told once, when there is somebody before.
    pub(super) fn turn(
        &self,
        what: &Digest,
        cancel: Option<BorrowedFd<'_>>,
        waits: &mut dyn FnMut(),
    ) -> Result<Option<Turn>, PrepareError> {
        let path = self.folder.join("turns").join(what.to_string());
        let held = open_lock(&path)?;
        let mut told = false;
        loop {
            match flock(&held, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Some(Turn { _held: held })),
                Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
                Err(error) => return Err(PrepareError::io("lock", &path)(error.into())),
            }
            if !told {
                waits();
                told = true;
            }
            if is_cancelled_within(cancel, WAIT) {
                return Ok(None);
            }
        }
    }

    /// A new site; those of builders that are gone are cleared away first.
    pub(super) fn site(&self) -> Result<Site, PrepareError> {
        let workshop = self.workshop_lock()?;
        flock(&workshop, FlockOperation::LockShared)
            .map_err(|error| PrepareError::io("lock", &self.workshop())(error.into()))?;
        self.clear_sites();
        let sites = self.workshop().join("sites");
        make(&sites)?;
        loop {
            let name = actum_gate::own::draft_name();
            let folder = sites.join(name);
            let held = open_lock(&lock_of(&folder))?;
            // Somebody clears away what an earlier process of the same number left.
            if flock(&held, FlockOperation::NonBlockingLockExclusive).is_err()
                || !is_at(&held, &lock_of(&folder))
            {
                continue;
            }
            match fs::DirBuilder::new().mode(0o755).create(&folder) {
                Ok(()) => return Ok(Site { folder, held: Some(held), _workshop: workshop }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(PrepareError::io("create", &folder)(error)),
            }
        }
    }

    /// Shared by those who build, taken whole by who clears the workshop.
    pub(super) fn workshop_lock(&self) -> Result<File, PrepareError> {
        open_lock(&self.folder.join("workshop.lock"))
    }

    fn clear_sites(&self) {
        let Ok(entries) = fs::read_dir(self.workshop().join("sites")) else { return };
        let locks = entries.flatten().map(|entry| entry.path());
        for lock in locks.filter(|path| path.extension().is_some_and(|extension| extension == "lock")) {
            let Ok(held) = File::open(&lock) else { continue };
            if flock(&held, FlockOperation::NonBlockingLockExclusive).is_ok() && is_at(&held, &lock) {
                let _ = actum_gate::own::remove_tree(&lock.with_extension(""));
                let _ = fs::remove_file(&lock);
            }
        }
    }

    /// Moves what a site holds to where it is kept. An environment that is there already is as good, and one that is there and
    /// not believed is put aside.
    pub(super) fn keep(&self, made: &Path, manifest: &Manifest) -> Result<(Manifest, InUse), PrepareError> {
        let path = made.join(MANIFEST);
        write(&path, &json(&path, manifest)?)?;
        let kept = self.kept(&manifest.key);
        if self.take(&manifest.key).is_none() && kept.exists() {
            let aside = made.with_extension("aside");
            let _ = fs::rename(&kept, &aside);
            let _ = actum_gate::own::remove_tree(&aside);
        }
        match fs::rename(made, &kept) {
            Ok(()) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty
                ) => {}
            Err(error) => return Err(PrepareError::io("store", &kept)(error)),
        }
        self.take(&manifest.key)
            .ok_or_else(|| PrepareError::io("read", &kept)(io::ErrorKind::NotFound.into()))
    }

    fn write_json<T: Serialize>(&self, path: &Path, value: &T) -> Result<(), PrepareError> {
        let name = format!(".{}", actum_gate::own::draft_name());
        let new = path.with_file_name(name);
        write(&new, &json(path, value)?)?;
        fs::rename(&new, path).map_err(PrepareError::io("write", path))
    }
}

/// How long a builder is waited for before somebody looks again.
const WAIT: Wait = Wait { tv_sec: 0, tv_nsec: 20_000_000 };

/// Whether the user has had enough; waits a little to see.
fn is_cancelled_within(cancel: Option<BorrowedFd<'_>>, wait: Wait) -> bool {
    match cancel {
        Some(cancel) => {
            poll(&mut [PollFd::new(&cancel, PollFlags::IN)], Some(&wait)).is_ok_and(|ready| ready > 0)
        }
        None => {
            let _ = poll(&mut [], Some(&wait));
            false
        }
    }
}

fn lock_of(site: &Path) -> PathBuf {
    site.with_extension("lock")
}

fn is_at(held: &File, path: &Path) -> bool {
    let same = |own: fs::Metadata, there: fs::Metadata| own.ino() == there.ino() && own.dev() == there.dev();
    held.metadata().and_then(|own| Ok(same(own, path.metadata()?))).unwrap_or(false)
}

fn open_lock(path: &Path) -> Result<File, PrepareError> {
    let opened =
        fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
    opened.map_err(PrepareError::io("open", path))
}

/// Whether everything of an environment is on the disk, or no power was lost since it was made. Waiting for the disk while it
/// is made would take longer than making it; the kernel writes everything back in its own time.
fn is_believed(folder: &Path, manifest: &Manifest) -> bool {
    if folder.join(DURABLE).exists() {
        return true;
    }
    let is_same_boot = manifest.boot == boot();
    let age = clock::moment().0.saturating_sub(manifest.made.0);
    if is_same_boot && u128::from(age) > WRITTEN_BACK.as_micros() {
        let _ = File::create(folder.join(DURABLE));
    }
    is_same_boot
}

/// Thirty seconds by default; machines that spare their disks take minutes.
const WRITTEN_BACK: Duration = Duration::from_secs(15 * 60);

/// The machine's name for the time since it was started.
pub(super) fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

pub(super) fn make(folder: &Path) -> Result<(), PrepareError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(PrepareError::io("create", folder))
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), PrepareError> {
    fs::write(path, bytes).map_err(PrepareError::io("write", path))
}

fn json<T: Serialize>(path: &Path, value: &T) -> Result<Vec<u8>, PrepareError> {
    serde_json::to_vec(value).map_err(|error| PrepareError::io("write", path)(error.into()))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn check_owner(folder: &Path) -> Result<(), PrepareError> {
    let about = fs::symlink_metadata(folder).map_err(PrepareError::io("examine", folder))?;
    let foreign = |why| PrepareError::Foreign { path: folder.to_path_buf(), why };
    if !about.is_dir() {
        return Err(foreign("it is not a folder"));
    }
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err(foreign("it belongs to another user"));
    }
    if about.permissions().mode() & 0o022 != 0 {
        return Err(foreign("other users can write to it"));
    }
    Ok(())
}
