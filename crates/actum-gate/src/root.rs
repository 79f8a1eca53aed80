//! Names below one folder.

use crate::error::GateError;
use crate::facts::{Facts, Kind, Owner};
use crate::{Bound, open};
use actum_model::Untrusted;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Dir, OFlags};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// An opened folder. It stays the same folder, whatever is renamed or linked in its place meanwhile.
#[derive(Debug)]
pub struct Root {
    folder: OwnedFd,
    path: PathBuf,
    owner: Owner,
}

/// One entry that [`Root::walk`] came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    /// Below the root.
    pub path: PathBuf,
    pub facts: Facts,
}

impl Root {
    /// Opens a folder. Its own path is the caller's choice: links in it are followed.
    pub fn open(path: &Path) -> Result<Self, GateError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, rustix::fs::Mode::empty())
            .map_err(|error| GateError::from_errno(path, error))?;
        Ok(Self { folder, path: path.to_path_buf(), owner: Owner::Anyone })
    }

    /// The same folder, from which only files of these owners are opened.
    pub fn owned_by(self, owner: Owner) -> Self {
        Self { owner, ..self }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn facts(&self) -> Result<Facts, GateError> {
        open::facts(self.folder.as_fd(), &self.path)
    }

    /// A folder below this one as a root of its own.
    pub fn folder(&self, name: &Path) -> Result<Self, GateError> {
        let (opened, facts) = self.named(name)?;
        if facts.kind != Kind::Folder {
            return Err(GateError::NotFolder { path: self.path.join(name), kind: facts.kind });
        }
        Ok(Self { folder: opened, path: self.path.join(name), owner: self.owner })
    }

    /// Opens a regular file for reading.
    pub fn open_file(&self, name: &Path) -> Result<File, GateError> {
        self.open_with_facts(name).map(|(file, _)| file)
    }

    pub fn open_with_facts(&self, name: &Path) -> Result<(File, Facts), GateError> {
        let (opened, facts) = self.named(name)?;
        let path = self.path.join(name);
        self.owner.check(&facts, &path)?;
        open::regular(&opened, &path)
    }

    /// Everything in a regular file.
    pub fn read(&self, name: &Path, most: Bound) -> Result<Vec<u8>, GateError> {
        let (file, facts) = self.open_with_facts(name)?;
        open::read_all(file, facts.size, most, &self.path.join(name))
    }

    /// The same as text.
    pub fn read_text(&self, name: &Path, most: Bound) -> Result<Untrusted, GateError> {
        let bytes = self.read(name, most)?;
        let text = String::from_utf8(bytes);
        text.map(Untrusted::new).map_err(|_| GateError::NotText { path: self.path.join(name) })
    }

    /// What a name leads to. Links inside the root are followed.
    pub fn facts_of(&self, name: &Path) -> Result<Facts, GateError> {
        self.named(name).map(|(_, facts)| facts)
    }

    /// Whether a name leads to a regular file inside the root.
    pub fn has_file(&self, name: &Path) -> bool {
        self.facts_of(name).is_ok_and(|facts| facts.kind == Kind::File)
    }

    /// Whether a name leads to a folder inside the root.
    pub fn has_folder(&self, name: &Path) -> bool {
        self.facts_of(name).is_ok_and(|facts| facts.kind == Kind::Folder)
    }

    /// The entries of a folder below the root (`""` is the root itself) in no order; links are told as links.
    pub fn list(&self, name: &Path, most: usize) -> Result<Vec<(OsString, Facts)>, GateError> {
        let path = self.path.join(name);
        let failed = |error| GateError::from_errno(&path, error);
        let folder =
            open::beneath(self.folder.as_fd(), name, OFlags::RDONLY | OFlags::DIRECTORY).map_err(failed)?;
        list_folder(folder.as_fd(), most, &path)
    }

    /// The names in a folder below the root and their kinds, at most `most` of them, in no order. Cheaper than [`Self::list`]: most
    /// file systems tell kinds with the names.
    pub fn names(&self, name: &Path, most: usize) -> Result<Vec<(OsString, Kind)>, GateError> {
        let path = self.path.join(name);
        let failed = |error| GateError::from_errno(&path, error);
        let folder =
            open::beneath(self.folder.as_fd(), name, OFlags::RDONLY | OFlags::DIRECTORY).map_err(failed)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&folder).map_err(failed)?.flatten() {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if names.len() == most {
                break;
            }
            let mut kind = Kind::from_type(entry.file_type());
            if kind == Kind::Unknown {
                kind = open::facts_at(folder.as_fd(), name).map_or(Kind::Unknown, |facts| facts.kind);
            }
            names.push((name.to_owned(), kind));
        }
        Ok(names)
    }

    /// Every entry below the root that is no folder, at most `most` of them. Links are not followed.
    pub fn walk(&self, most: usize) -> Result<Vec<Walked>, GateError> {
        let mut found = Vec::new();
        let mut ahead = vec![PathBuf::new()];
        while let Some(folder) = ahead.pop() {
            // What vanished or was replaced meanwhile has nothing for us.
            let entries = match self.list(&folder, most) {
                Ok(entries) => entries,
                Err(error @ GateError::TooMany { .. }) => return Err(error),
                Err(_) => continue,
            };
            for (name, facts) in entries {
                let path = folder.join(name);
                if facts.kind == Kind::Folder {
                    ahead.push(path);
                } else {
                    found.push(Walked { path, facts });
                }
            }
            if found.len() + ahead.len() > most {
                return Err(GateError::TooMany { path: self.path.clone(), most });
            }
        }
        Ok(found)
    }

    fn named(&self, name: &Path) -> Result<(OwnedFd, Facts), GateError> {
        let path = self.path.join(name);
        let opened = open::beneath(self.folder.as_fd(), name, OFlags::PATH)
            .map_err(|error| GateError::from_errno(&path, error))?;
        let facts = open::facts(opened.as_fd(), &path)?;
        Ok((opened, facts))
    }
}

impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

pub(crate) fn list_folder(
    folder: BorrowedFd<'_>,
    most: usize,
    path: &Path,
) -> Result<Vec<(OsString, Facts)>, GateError> {
    let failed = |error| GateError::from_errno(path, error);
    let mut entries = Vec::new();
    for entry in Dir::read_from(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        if entries.len() == most {
            return Err(GateError::TooMany { path: path.to_path_buf(), most });
        }
        // Gone since it was listed: as if it had not been there.
        let Ok(facts) = open::facts_at(folder, name) else { continue };
        entries.push((name.to_owned(), facts));
    }
    Ok(entries)
}
