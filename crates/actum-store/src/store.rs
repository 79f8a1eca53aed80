//! The folder of runs.

use crate::error::StoreError;
use crate::keyring::Keyring;
use crate::ledger::Reader;
use actum_gate::{GateError, own};
use actum_model::RunId;
use std::fs::DirBuilder;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder in which runs are kept.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

/// The place of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub id: RunId,
    pub folder: PathBuf,
}

impl Store {
    /// Names the folder. It is made with the first run, not before.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }

    /// The name of a store's folder in a project.
    pub const IN_PROJECT: &str = ".actum";

    /// Makes a store of a project, and notes with the keys that this user did.
    pub fn init(&self, keyring: &Keyring) -> Result<(), StoreError> {
        let failed = |source| StoreError::Make { path: self.root.clone(), source };
        // Before anything is written or removed: a link that came with the project leads into a folder of somebody's choice.
        self.make_own()?;
        let token = match self.token() {
            Ok(token) => token,
            Err(_) => {
                let _ = std::fs::remove_file(self.token_file());
                let token = random_name("").map_err(failed)?;
                write_new(&self.token_file(), &token).map_err(failed)?;
                token
            }
        };
        // What is kept here is nobody's to commit.
        if !self.root.join(".gitignore").exists() {
            write_new(&self.root.join(".gitignore"), "*\n").map_err(failed)?;
        }
        keyring
            .know(&token, &self.place_on_disk().map_err(failed)?)
            .and_then(|()| keyring.note_store(&self.root))
            .map_err(|source| StoreError::Keys { source })
    }

    /// Whether a folder looks like a store: so that another folder at a path that was noted once is not taken for one.
    pub fn is_at(path: &Path) -> bool {
        path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
            && ["ledger.db", "id", "runs"].iter().any(|name| path.join(name).symlink_metadata().is_ok())
    }

    /// Whether this user made the store, or took it over: this folder, and no copy of it, nor a link that leads to it.
    pub fn is_known(&self, keyring: &Keyring) -> bool {
        match (self.token(), self.place_on_disk()) {
            (Ok(token), Ok(place)) => keyring.knows(&token, &place),
            (_, _) => false,
        }
    }

    /// What tells this folder from every other one here.
    fn place_on_disk(&self) -> std::io::Result<String> {
        use std::os::unix::fs::MetadataExt;
        let folder = std::fs::symlink_metadata(&self.root)?;
        if folder.is_dir() {
            Ok(format!("{} {}", folder.dev(), folder.ino()))
        } else {
            Err(ErrorKind::NotADirectory.into())
        }
    }

    fn token(&self) -> std::io::Result<String> {
        let mut token = String::new();
        open_plain(&self.token_file())?.take(LONGEST_TOKEN).read_to_string(&mut token)?;
        Ok(token)
    }

    fn token_file(&self) -> PathBuf {
        self.root.join("id")
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes the folder where there is none. It has to be the caller's and no link, and nobody else can write it: others
    /// could exchange what is written there, and hold its locks. What others could only read is made private.
    pub(crate) fn make_own(&self) -> Result<(), StoreError> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let root = &self.root;
        let failed = |source| StoreError::Make { path: root.clone(), source };
        let refused = |error| {
            let GateError::Foreign { path, owner } = error else { return failed(error.into_io()) };
            StoreError::Foreign { path, owner }
        };
        if root.symlink_metadata().is_err() {
            make_all(root).map_err(failed)?;
        }
        own::check_own_entry(root).map_err(refused)?;
        for name in ["runs", "ledger.db", "applying.lock", "applying", "blobs", "pending"] {
            match own::check_own_entry(&root.join(name)) {
                Err(error) if !error.is_missing() => return Err(refused(error)),
                Ok(()) | Err(_) => {}
            }
        }
        let about = root.symlink_metadata().map_err(failed)?;
        if !about.is_dir() {
            return Err(failed(ErrorKind::NotADirectory.into()));
        }
        if about.mode() & 0o077 != 0 {
            std::fs::set_permissions(root, PermissionsExt::from_mode(OWN)).map_err(failed)?;
        }
        Ok(())
    }

    /// A new, empty place for a run.
    pub fn begin(&self, id: RunId) -> Result<Kept, StoreError> {
        self.make_own()?;
        let kept = self.place(id);
        match make(&kept.folder) {
            // The first run of all.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                make_all(&self.runs()).and_then(|()| make(&kept.folder))
            }
            made => made,
        }
        .map_err(|source| StoreError::Make { path: kept.folder.clone(), source })?;
        Ok(kept)
    }

    /// The run that a person means: its whole name, the beginning or the end of it, or `last`.
    pub fn find(&self, text: &str) -> Result<Kept, StoreError> {
        match Reader::open(self).and_then(|reader| reader.find(text)) {
            // Runs from before there was a ledger are told by their folders.
            Err(StoreError::Nothing { .. } | StoreError::Unknown { .. }) => {}
            found => return found.map(|id| self.place(id)),
        }
        let runs = self.list()?;
        if text == "last" {
            let last = runs.last().ok_or_else(|| StoreError::Nothing { path: self.root.clone() })?;
            return Ok(self.place(*last));
        }
        let lower = text.to_ascii_lowercase();
        let matching: Vec<RunId> = runs.into_iter().filter(|id| is_meant(&id.to_string(), &lower)).collect();
        match matching.as_slice() {
            [] => Err(self.unknown(text)),
            [one] => Ok(self.place(*one)),
            several => Err(StoreError::Ambiguous {
                text: text.to_owned(),
                candidates: several.iter().map(ToString::to_string).collect(),
            }),
        }
    }

    /// Every run that is kept, oldest first.
    pub fn list(&self) -> Result<Vec<RunId>, StoreError> {
        let failed = |source| StoreError::List { path: self.runs(), source };
        let entries = match std::fs::read_dir(self.runs()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let names = entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<Vec<_>, _>>();
        let mut runs: Vec<RunId> =
            names.map_err(failed)?.iter().filter_map(|name| name.to_str()?.parse().ok()).collect();
        runs.sort_unstable();
        Ok(runs)
    }

    fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    pub(crate) fn place(&self, id: RunId) -> Kept {
        Kept { id, folder: self.runs().join(id.to_string()) }
    }

    fn unknown(&self, text: &str) -> StoreError {
        StoreError::Unknown { text: text.chars().take(60).collect(), path: self.root.clone() }
    }
}

pub(crate) fn is_meant(id: &str, text: &str) -> bool {
    // The short name that lists show is the end of the whole one; a part of either is enough.
    let short = id.rsplit('-').next().unwrap_or(id);
    !text.is_empty() && (id.starts_with(text) || id.ends_with(text) || short.starts_with(text))
}

/// A token is 32 digits.
const LONGEST_TOKEN: u64 = 64;

/// Opens a regular file, and nothing that a link leads to or that keeps its reader waiting.
pub(crate) fn open_plain(path: &Path) -> std::io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = std::fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(ErrorKind::InvalidInput.into()) }
}

/// Nobody else looks in: output may hold what its program read.
const OWN: u32 = 0o700;

/// How files are made that are nobody else's to read.
pub(crate) fn private() -> std::fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

/// A name for what is not finished yet, which nobody else takes or guesses.
pub(crate) fn draft_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    random_name("new-").unwrap_or_else(|_| format!("new-{}-{number}", std::process::id()))
}

/// A name that nobody guesses and nobody else has.
pub(crate) fn random_name(prefix: &str) -> std::io::Result<String> {
    let mut random = [0; 16];
    let mut filled = 0;
    while filled < random.len() {
        filled += rustix::rand::getrandom(&mut random[filled..], rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(random.iter().fold(prefix.to_owned(), |name, byte| name + &format!("{byte:02x}")))
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    private().create_new(true).open(path)?.write_all(text.as_bytes())
}

fn make(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().mode(OWN).create(path)
}

pub(crate) fn make_all(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().mode(OWN).recursive(true).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store_with(count: u64) -> (tempfile::TempDir, Store, Vec<RunId>) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(&folder.path().join("deep/store"));
        let ids: Vec<RunId> = (0..count).map(|n| RunId::new(1_000 + n, [n as u8 + 1; 10])).collect();
        for id in ids.iter().rev() {
            assert!(store.begin(*id).unwrap().folder.is_dir());
        }
        (folder, store, ids)
    }

    #[test]
    fn finds_by_name_beginning_end_and_last() {
        let (_folder, store, ids) = store_with(3);
        assert_eq!(store.list().unwrap(), ids);
        for text in [
            ids[1].to_string(),
            ids[1].short(),
            ids[1].short().split_off(6),
            ids[1].to_string()[..13].to_owned(),
        ] {
            assert_eq!(store.find(&text).unwrap().id, ids[1], "{text}");
        }
        assert_eq!(store.find("last").unwrap().id, ids[2]);
    }

    #[test]
    fn says_what_is_wrong() {
        let (_folder, store, ids) = store_with(2);
        assert!(matches!(store.find(&ids[0].to_string()[..6]), Err(StoreError::Ambiguous { .. })));
        assert!(matches!(store.find("nothing-like-it"), Err(StoreError::Unknown { .. })));
        assert!(matches!(store.find(""), Err(StoreError::Unknown { .. })));
        let (_folder, empty, _) = store_with(0);
        assert!(matches!(empty.find("last"), Err(StoreError::Nothing { .. })));
        assert!(!empty.root().exists(), "looking makes nothing");
        assert!(store.begin(ids[0]).is_err(), "a run has one place");
    }
}
