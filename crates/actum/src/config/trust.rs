//! Project files that the user has read and trusts, by their path and digest.
//!
//! One line each in `trusted`, in the user's configuration folder, which no sandbox shows: `SHA-256 PATH`. A file that is changed
//! or moved is another file, and its trust ends.

use super::ConfigError;
use actum_engine::Surroundings;
use actum_gate::{Bound, GateError, Owner, Root, own};
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The list in one configuration folder.
#[derive(Debug, Clone)]
pub struct Trust {
    folder: PathBuf,
}

/// One file that is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// SHA-256 of the file, in hexadecimal.
    pub digest: String,
    /// Absolute, without links.
    pub path: PathBuf,
}

const NAME: &str = "trusted";

impl Trust {
    /// The files that the user trusts.
    pub fn of(surroundings: &Surroundings) -> Result<Self, ConfigError> {
        surroundings.config_file.as_deref().map(Self::beside).ok_or(ConfigError::NoHome)
    }

    /// The list that lies beside the user's configuration file.
    pub fn beside(config_file: &Path) -> Self {
        Self { folder: config_file.parent().unwrap_or(Path::new("/")).to_path_buf() }
    }

    /// Everything that is trusted. A list that others could have written counts for nothing.
    pub fn list(&self) -> Result<Vec<Trusted>, ConfigError> {
        let failed = |source| ConfigError::Gate { source };
        let root = match Root::open(&self.folder) {
            Ok(root) => root.owned_by(Owner::CallerOrRootAlone),
            Err(error) if error.is_missing() => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let bytes = match root.read(Path::new(NAME), Bound::SMALL) {
            Ok(bytes) => bytes,
            Err(GateError::Missing { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        Ok(bytes.split(|byte| *byte == b'\n').filter_map(Trusted::read).collect())
    }

    pub fn is_trusted(&self, path: &Path, text: &str) -> Result<bool, ConfigError> {
        let wanted = Trusted::of(path, text);
        Ok(self.list()?.contains(&wanted))
    }

    /// Trusts a file as it is now, in place of what was trusted at its path.
    pub fn add(&self, path: &Path, text: &str) -> Result<Trusted, ConfigError> {
        let added = Trusted::of(path, text);
        // One line is one file: a line feed in a path would be a second one, which the user did not read.
        if added.path.as_os_str().as_bytes().iter().any(u8::is_ascii_control) {
            return Err(ConfigError::UnprintablePath { path: added.path });
        }
        let mut list = self.list()?;
        list.retain(|other| other.path != added.path);
        list.push(added.clone());
        self.write(&list)?;
        Ok(added)
    }

    /// Ends the trust in a path. Says whether there was any.
    pub fn remove(&self, path: &Path) -> Result<bool, ConfigError> {
        let mut list = self.list()?;
        let before = list.len();
        list.retain(|other| other.path != path);
        if list.len() == before {
            return Ok(false);
        }
        self.write(&list)?;
        Ok(true)
    }

    fn write(&self, list: &[Trusted]) -> Result<(), ConfigError> {
        let failed = |source| ConfigError::Gate { source };
        actum_gate::own::make_private_folders(&self.folder)
            .map_err(|source| failed(GateError::Write { path: self.folder.clone(), source }))?;
        let mut bytes = Vec::new();
        for trusted in list {
            bytes.extend(
                [trusted.digest.as_bytes(), b" ", trusted.path.as_os_str().as_bytes(), b"\n"].concat(),
            );
        }
        own::replace(&self.folder.join(NAME), &bytes).map_err(failed)
    }
}

impl Trusted {
    fn of(path: &Path, text: &str) -> Self {
        let digest = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        Self { digest, path: path.canonicalize().unwrap_or_else(|_| path.to_path_buf()) }
    }

    fn read(line: &[u8]) -> Option<Self> {
        let (digest, path) = line.split_at_checked(64)?;
        let path = path.strip_prefix(b" ").filter(|path| path.starts_with(b"/"))?;
        let digest = std::str::from_utf8(digest).ok()?.to_owned();
        Some(Self { digest, path: PathBuf::from(OsString::from_vec(path.to_vec())) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let trust = Trust::beside(&folder.path().join("config/actum/config.toml"));
        for name in ["a\nb", "a\rb", "a\u{1b}b"] {
            let path = folder.path().join(name).join("actum.toml");
            assert!(trust.add(&path, "one").is_err(), "{name:?}");
        }
        assert_eq!(trust.list().unwrap(), []);
    }

    #[test]
    fn trust_ends_with_a_change_of_the_file_or_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let trust = Trust::beside(&folder.path().join("config/actum/config.toml"));
        let file = folder.path().join("actum.toml");
        assert_eq!(trust.list().unwrap(), []);
        trust.add(&file, "one").unwrap();
        assert!(trust.is_trusted(&file, "one").unwrap());
        assert!(!trust.is_trusted(&file, "two").unwrap());
        assert!(!trust.is_trusted(&folder.path().join("x/actum.toml"), "one").unwrap());
        trust.add(&file, "two").unwrap();
        assert!(!trust.is_trusted(&file, "one").unwrap(), "the older text is no longer trusted");
        let path = trust.list().unwrap()[0].path.clone();
        assert!(trust.remove(&path).unwrap() && !trust.remove(&path).unwrap());
        assert!(!trust.is_trusted(&file, "two").unwrap());
    }
}
