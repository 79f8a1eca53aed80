//! The folder of keys: the one that signs, those that signed before, those of others that are trusted, and what was signed
//! last for each store.
//!
//! It lies outside of every store and every project, and no sandbox shows it. The private key is read by the signer's
//! process alone; everybody else reads the public halves beside it.
//!
//! | name | what |
//! |---|---|
//! | `signing.pem` | the private key |
//! | `signing.pub` | its public half |
//! | `agent` | the fingerprint of a key in an ssh-agent, which signs instead |
//! | `retired/` | public halves of keys that signed before |
//! | `trusted/` | public keys of others, by the names that their user gave them |
//! | `known/` | digests of the tokens of stores that this user made |
//! | `stores/` | the last checkpoint that was signed for each store |
//! | `seal-UID.key` | 32 random bytes that authenticate what a store has a later `actum` do, for each user id |
//! | `places` | the paths of stores that this user used, so that they are hidden from runs in folders above them |

use crate::key::{AgentKey, KeyError, KeyFile, PublicKey, Signs};
use crate::note::SignedNote;
use crate::store::{draft_name, make_all, open_plain, private};
use actum_gate::{GateError, own};
use actum_model::{Digest, SealKey};
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder of keys.
#[derive(Debug, Clone)]
pub struct Keyring {
    folder: PathBuf,
}

/// Which key signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The one in the folder; made when it is first needed.
    Own,
    /// One in an ssh-agent, by its fingerprint.
    Agent(String),
}

/// A key of somebody, and what its user calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub key: PublicKey,
}

const PRIVATE: &str = "signing.pem";
const PUBLIC: &str = "signing.pub";
const AGENT: &str = "agent";
const PLACES: &str = "places";
/// Thousands of projects.
const LONGEST_PLACES: u64 = 1 << 20;

impl Keyring {
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn choice(&self) -> Choice {
        match std::fs::read_to_string(self.folder.join(AGENT)) {
            Ok(fingerprint) => Choice::Agent(fingerprint.trim().to_owned()),
            Err(_) => Choice::Own,
        }
    }

    /// Whoever signs now. Reads the private key: for the signer's process only.
    pub fn signs(&self, agent: Option<&Path>) -> Result<Box<dyn Signs>, KeyError> {
        match self.choice() {
            Choice::Own => Ok(Box::new(self.own_key()?)),
            Choice::Agent(fingerprint) => {
                let socket = agent.ok_or_else(|| KeyError::Gone("SSH_AUTH_SOCK is not set".to_owned()))?;
                Ok(Box::new(AgentKey::choose(socket, Some(&fingerprint))?))
            }
        }
    }

    /// The public half of the key that signs now; nothing before the first signature.
    pub fn public(&self) -> Result<Option<PublicKey>, KeyError> {
        let path = self.folder.join(PUBLIC);
        if !path.exists() {
            return Ok(None);
        }
        self.check_read(&path)?;
        PublicKey::read(&path).map(Some)
    }

    /// Every key that signs or signed here.
    pub fn own(&self) -> Result<Vec<PublicKey>, KeyError> {
        let retired = self.named("retired")?.into_iter().map(|named| named.key);
        Ok(self.public()?.into_iter().chain(retired).collect())
    }

    /// Keys of others that are trusted.
    pub fn trusted(&self) -> Result<Vec<Named>, KeyError> {
        self.named("trusted")
    }

    pub fn trust(&self, name: &str, key: &PublicKey) -> Result<(), KeyError> {
        self.write(Path::new("trusted").join(format!("{name}.pub")), &key.ssh_line(name))
    }

    /// Whether there was such a key.
    pub fn distrust(&self, name: &str) -> Result<bool, KeyError> {
        let path = self.folder.join("trusted").join(format!("{name}.pub"));
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(source) => Err(KeyError::Make { path, source }),
        }
    }

    /// Makes another key, which signs from now on. The old one's public half stays, its private half goes.
    pub fn rotate(&self) -> Result<PublicKey, KeyError> {
        self.retire()?;
        let path = self.folder.join(PRIVATE);
        remove(&path)?;
        remove(&self.folder.join(AGENT))?;
        let key = self.own_key()?.public();
        Ok(key)
    }

    /// Has a key of an ssh-agent sign from now on.
    pub fn use_agent(&self, socket: &Path, wanted: Option<&str>) -> Result<PublicKey, KeyError> {
        let key = AgentKey::choose(socket, wanted)?.public();
        self.retire()?;
        self.write(PathBuf::from(AGENT), &format!("{}\n", key.fingerprint()))?;
        self.write(PathBuf::from(PUBLIC), &key.ssh_line("ssh-agent"))?;
        Ok(key)
    }

    /// Has the key in the folder sign from now on.
    pub fn use_own(&self) -> Result<PublicKey, KeyError> {
        self.retire()?;
        remove(&self.folder.join(AGENT))?;
        let key = self.own_key()?.public();
        self.write(PathBuf::from(PUBLIC), &key.ssh_line("actum"))?;
        Ok(key)
    }

    /// The key that authenticates journals, lists of changes and requests; made when it is first needed. Of two who make one
    /// at the same moment one wins. A key that somebody else could know or have put there is not used.
    pub fn seal_key(&self) -> SealKey {
        let user = rustix::process::geteuid().as_raw();
        let path = self.folder.join(format!("seal-{user}.key"));
        let key = match read_seal_key(&path, user) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.make_seal_key(&path).and_then(|()| read_seal_key(&path, user))
            }
            key => key,
        };
        key.map_or_else(|error| SealKey::unusable(&format!("{}: {error}", path.display())), SealKey::new)
    }

    fn make_seal_key(&self, path: &Path) -> io::Result<()> {
        self.make_own(&self.folder)?;
        let mut key = [0; SealKey::LENGTH];
        let mut filled = 0;
        while filled < key.len() {
            filled += rustix::rand::getrandom(&mut key[filled..], rustix::rand::GetRandomFlags::empty())?;
        }
        let draft = self.folder.join(draft_name());
        let written = private()
            .create_new(true)
            .open(&draft)
            .and_then(|mut file| file.write_all(&key).and_then(|()| file.sync_all()))
            .and_then(|()| match std::fs::hard_link(&draft, path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
                linked => linked,
            })
            // What it seals may be durable before the next wait for the disk.
            .and_then(|()| std::fs::File::open(&self.folder)?.sync_all());
        let _ = std::fs::remove_file(&draft);
        written
    }

    /// Notes where a store is. Costs one read where it is noted already.
    pub fn note_store(&self, root: &Path) -> Result<(), KeyError> {
        if self.stores().iter().any(|noted| noted == root) {
            return Ok(());
        }
        let path = self.folder.join(PLACES);
        let failed = |source| KeyError::Make { path: path.clone(), source };
        self.make_own(&self.folder).map_err(failed)?;
        let record = [root.as_os_str().as_bytes(), b"\0"].concat();
        let mut file = private().append(true).create(true).open(&path).map_err(failed)?;
        if file.metadata().is_ok_and(|metadata| metadata.len() > LONGEST_PLACES / 2) {
            // Those that are gone are forgotten.
            let there = self.stores().into_iter().filter(|root| root.is_dir());
            let text: Vec<u8> =
                there.flat_map(|root| [root.as_os_str().as_bytes(), b"\0"].concat()).collect();
            file.set_len(0).and_then(|()| file.write_all(&text)).map_err(failed)?;
        }
        // One write, so that of two who append neither is lost.
        file.write_all(&record).map_err(failed)
    }

    /// The file that [`Keyring::stores`] reads: paths that each end in a NUL.
    pub fn store_list(&self) -> PathBuf {
        self.folder.join(PLACES)
    }

    /// The stores that this user used, wherever they are. Some may be gone.
    pub fn stores(&self) -> Vec<PathBuf> {
        let mut text = Vec::new();
        let read = open_plain(&self.folder.join(PLACES))
            .and_then(|file| file.take(LONGEST_PLACES).read_to_end(&mut text));
        if read.is_err() {
            return Vec::new();
        }
        let records = text.split(|byte| *byte == 0).map(|record| PathBuf::from(OsStr::from_bytes(record)));
        records.filter(|path| path.is_absolute()).collect()
    }

    /// Notes that this user made the store with this token, in this place.
    pub(crate) fn know(&self, token: &str, place: &str) -> Result<(), KeyError> {
        self.write(Path::new("known").join(digest(token)), place)
    }

    pub(crate) fn knows(&self, token: &str, place: &str) -> bool {
        let noted = std::fs::read_to_string(self.folder.join("known").join(digest(token)));
        noted.is_ok_and(|noted| noted.trim_end() == place)
    }

    /// What was signed last for a store, open and locked until it is dropped.
    pub(crate) fn memory(&self, origin: &str) -> Result<Memory, KeyError> {
        let path = self.memory_path(origin);
        let failed = |source| KeyError::Open { path: path.clone(), source };
        self.make_own(path.parent().unwrap_or(&self.folder)).map_err(failed)?;
        let mut file = private().read(true).create(true).truncate(false).open(&path).map_err(failed)?;
        flock(&file, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let note = if bytes.is_empty() { None } else { SignedNote::parse(&bytes).ok() };
        Ok(Memory { file, path, note })
    }

    /// What was signed last for a store, as far as it is known here.
    pub fn remembered(&self, origin: &str) -> Option<SignedNote> {
        SignedNote::parse(&std::fs::read(self.memory_path(origin)).ok()?).ok()
    }

    /// Forgets what was signed for a store: after its user restored an older copy on purpose.
    pub fn forget(&self, origin: &str) -> Result<(), KeyError> {
        remove(&self.memory_path(origin))
    }

    fn memory_path(&self, origin: &str) -> PathBuf {
        self.folder.join("stores").join(digest(origin))
    }

    /// The private key, made where there is none. Of two who make one at the same moment one wins.
    fn own_key(&self) -> Result<KeyFile, KeyError> {
        let path = self.folder.join(PRIVATE);
        if !path.exists() {
            self.make_own(&self.folder).map_err(|source| KeyError::Make { path: path.clone(), source })?;
            let draft = self.folder.join(draft_name());
            let made = KeyFile::make(&draft);
            let linked = made.and_then(|_| match std::fs::hard_link(&draft, &path) {
                Err(source) if source.kind() != ErrorKind::AlreadyExists => {
                    Err(KeyError::Make { path: path.clone(), source })
                }
                Ok(()) | Err(_) => Ok(()),
            });
            let _ = std::fs::remove_file(&draft);
            linked?;
        }
        let key = KeyFile::load(&path)?;
        if self.choice() == Choice::Own && self.public()? != Some(key.public()) {
            self.write(PathBuf::from(PUBLIC), &key.public().ssh_line("actum"))?;
        }
        Ok(key)
    }

    /// Makes the folder of keys and one in it. What is kept there is believed, so both have to be the caller's alone.
    fn make_own(&self, folder: &Path) -> io::Result<()> {
        make_all(folder)?;
        self.check_own().and_then(|()| check_if_there(folder)).map_err(GateError::into_io)
    }

    /// Whether what is kept here can be believed: nobody else can write the folder, or replace it. One that is not there yet
    /// is believed, because it says nothing.
    pub fn check_own(&self) -> Result<(), GateError> {
        own::check_place(&self.folder).map(drop)
    }

    /// The public half of the key that signed until now stays.
    fn retire(&self) -> Result<(), KeyError> {
        match self.public()? {
            None => Ok(()),
            Some(key) => self.write(
                Path::new("retired").join(format!("{}.pub", key.sha256().short())),
                &key.ssh_line("retired"),
            ),
        }
    }

    /// A public key that somebody else could have put there would be taken for the caller's own.
    fn check_read(&self, path: &Path) -> Result<(), KeyError> {
        let failed = |error: GateError| KeyError::Open { path: path.to_path_buf(), source: error.into_io() };
        self.check_own().and_then(|()| check_if_there(path)).map_err(failed)
    }

    fn named(&self, folder: &str) -> Result<Vec<Named>, KeyError> {
        let path = self.folder.join(folder);
        self.check_read(&path)?;
        let entries = match std::fs::read_dir(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|source| KeyError::Open { path: path.clone(), source })?,
        };
        let mut named = Vec::new();
        for entry in entries {
            let file = entry.map_err(|source| KeyError::Open { path: path.clone(), source })?.path();
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if file.extension().is_some_and(|extension| extension == "pub") {
                named.push(Named { name, key: PublicKey::read(&file)? });
            }
        }
        named.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(named)
    }

    fn write(&self, name: PathBuf, text: &str) -> Result<(), KeyError> {
        let path = self.folder.join(name);
        let written = || -> io::Result<()> {
            self.make_own(path.parent().unwrap_or(&self.folder))?;
            let end = if text.ends_with('\n') { "" } else { "\n" };
            own::replace(&path, format!("{text}{end}").as_bytes()).map_err(GateError::into_io)
        };
        written().map_err(|source| KeyError::Make { path: path.clone(), source })
    }
}

/// What was signed last for one store. Nobody else signs for it while this is held.
pub(crate) struct Memory {
    file: File,
    path: PathBuf,
    pub(crate) note: Option<SignedNote>,
}

impl Memory {
    /// Not made durable: an older memory is still a true one.
    pub(crate) fn keep(mut self, note: &SignedNote) -> Result<(), KeyError> {
        let text = note.to_string();
        let written = self
            .file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.set_len(text.len() as u64));
        written.map_err(|source| KeyError::Make { path: self.path, source })
    }
}

fn read_seal_key(path: &Path, user: u32) -> io::Result<[u8; SealKey::LENGTH]> {
    let mut file = open_plain(path)?;
    let metadata = file.metadata()?;
    if metadata.uid() != user || metadata.mode() & 0o077 != 0 {
        return Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "it belongs to another user, or others can read or write it",
        ));
    }
    let mut key = [0; SealKey::LENGTH];
    file.read_exact(&mut key)?;
    Ok(key)
}

fn check_if_there(path: &Path) -> Result<(), GateError> {
    match own::check_own_entry(path) {
        Err(error) if error.is_missing() => Ok(()),
        checked => checked,
    }
}

fn digest(text: &str) -> String {
    Digest::of(text).to_string()
}

fn remove(path: &Path) -> Result<(), KeyError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(KeyError::Make { path: path.to_path_buf(), source: error })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_when_it_is_needed_and_remembered_when_it_retires() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::at(&folder.path().join("keys"));
        assert_eq!((keyring.public().unwrap(), keyring.own().unwrap()), (None, Vec::new()));
        let first = keyring.signs(None).unwrap().public();
        assert_eq!(keyring.signs(None).unwrap().public(), first);
        assert_eq!(keyring.public().unwrap(), Some(first));
        let second = keyring.rotate().unwrap();
        assert_ne!(first, second);
        assert_eq!(keyring.own().unwrap(), [second, first]);
        assert_eq!(keyring.signs(None).unwrap().public(), second);
    }

    #[test]
    fn of_many_who_need_a_key_at_once_all_get_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::at(folder.path());
        let keys: Vec<PublicKey> = std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..8).map(|_| scope.spawn(|| keyring.signs(None).map(|key| key.public()))).collect();
            all.into_iter().filter_map(|one| one.join().unwrap().ok()).collect()
        });
        assert!(keys.len() == 8 && keys.iter().all(|key| *key == keys[0]));
    }

    #[test]
    fn the_key_of_seals_is_made_once_and_only_believed_where_nobody_else_can_read_it() {
        use actum_model::SealKind;
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::at(&folder.path().join("keys"));
        let file = keyring.seal_key().seal(SealKind::Journal, "x", b"{}").unwrap();
        assert!(keyring.seal_key().open(SealKind::Journal, "x", &file).is_ok());
        let user = rustix::process::geteuid().as_raw();
        let path = keyring.folder().join(format!("seal-{user}.key"));
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        assert!(keyring.seal_key().open(SealKind::Journal, "x", &file).is_err());
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(keyring.seal_key().seal(SealKind::Journal, "x", b"{}").is_err());
    }

    #[test]
    fn stores_are_noted_once() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::at(&folder.path().join("keys"));
        assert!(keyring.stores().is_empty());
        for path in ["/a/.actum", "/b\n/.actum", "/a/.actum"] {
            keyring.note_store(Path::new(path)).unwrap();
        }
        assert_eq!(keyring.stores(), [Path::new("/a/.actum"), Path::new("/b\n/.actum")]);
    }

    #[test]
    fn others_are_trusted_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::at(folder.path());
        let key = KeyFile::in_memory([5; 32]).public();
        keyring.trust("alice", &key).unwrap();
        assert_eq!(keyring.trusted().unwrap(), [Named { name: "alice".to_owned(), key }]);
        assert!(keyring.distrust("alice").unwrap());
        assert!(!keyring.distrust("alice").unwrap());
        assert_eq!(keyring.trusted().unwrap(), []);
    }
}
