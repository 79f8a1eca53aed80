//! Contents by the SHA-256 of their bytes: small ones in the database, larger ones as files.
//!
//! A file is written whole, made durable, given its name, and its folder made durable, before any row names it. A name is
//! taken once: what is there already holds the same bytes.

use crate::error::StoreError;
use actum_model::Digest;
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Contents up to this size stand in the database: a file of its own costs three waits for the disk.
pub(crate) const SMALL: u64 = 64 << 10;
/// Small contents below this are not worth compressing.
const TINY: usize = 256;
/// Fast: output is written once and rarely read.
const EFFORT: i32 = 1;

/// How the bytes of a blob are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Raw,
    Zstd,
    /// Compressed, in a file of its own.
    File,
}

impl Form {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Form::Raw => "raw",
            Form::Zstd => "zstd",
            Form::File => "file",
        }
    }

    pub(crate) fn read(name: &str) -> Option<Self> {
        [Form::Raw, Form::Zstd, Form::File].into_iter().find(|form| form.name() == name)
    }
}

/// A blob as the table has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) sha256: Digest,
    pub(crate) size: u64,
    pub(crate) form: Form,
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Contents that are to be kept.
#[derive(Debug)]
pub enum Content {
    Bytes(Vec<u8>),
    /// A file of ours that nobody changes any more.
    File(PathBuf),
    /// A file whose bytes are known to have this digest. It is read only if the store does not have them yet.
    Known {
        path: PathBuf,
        sha256: Digest,
        size: u64,
    },
}

/// The folder of large blobs.
#[derive(Debug, Clone)]
pub(crate) struct Blobs {
    folder: PathBuf,
}

/// Held from the making of a file until a row names it: what nobody names yet is not swept meanwhile.
#[derive(Debug)]
pub(crate) struct Reserved {
    _lock: File,
}

impl Blobs {
    pub(crate) fn of(root: &Path) -> Self {
        Self { folder: root.join("blobs") }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes contents ready to be named. What is small is compressed in memory.
    pub(crate) fn put(&self, content: Content) -> Result<(Row, Option<Reserved>), StoreError> {
        match content {
            Content::Bytes(bytes) if bytes.len() as u64 <= SMALL => Ok((small(bytes), None)),
            Content::Bytes(bytes) => self.large(&mut bytes.as_slice()),
            Content::Known { path, sha256, size } => {
                let lock = self
                    .reserve()
                    .map_err(|source| StoreError::Blob { path: self.folder.clone(), source })?;
                // Nothing is swept while the folder is locked.
                if size > SMALL && self.path(&sha256).is_file() {
                    let row = Row { sha256, size, form: Form::File, bytes: None };
                    return Ok((row, Some(Reserved { _lock: lock })));
                }
                self.put(Content::File(path))
            }
            Content::File(path) => {
                let failed = |source| StoreError::Blob { path: path.clone(), source };
                let mut file = File::open(&path).map_err(failed)?;
                if file.metadata().map_err(failed)?.len() > SMALL {
                    return self.large(&mut file);
                }
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).map_err(failed)?;
                Ok((small(bytes), None))
            }
        }
    }

    /// Where a large blob lies.
    pub(crate) fn path(&self, sha256: &Digest) -> PathBuf {
        let name = sha256.to_string();
        self.folder.join(&name[..2]).join(name)
    }

    /// Nobody is between making a file and naming it, and nobody begins while this is held.
    pub(crate) fn sweeping(&self) -> io::Result<Option<File>> {
        match File::open(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            folder => {
                let folder = folder?;
                flock(&folder, FlockOperation::LockExclusive)?;
                Ok(Some(folder))
            }
        }
    }

    /// Nothing is swept while this is held; nothing at all where there are no files.
    pub(crate) fn reserve_for_reading(&self) -> io::Result<Option<Reserved>> {
        if !self.folder.is_dir() {
            return Ok(None);
        }
        let folder = File::open(&self.folder)?;
        flock(&folder, FlockOperation::LockShared)?;
        Ok(Some(Reserved { _lock: folder }))
    }

    fn large(&self, from: &mut dyn Read) -> Result<(Row, Option<Reserved>), StoreError> {
        let failed = |source| StoreError::Blob { path: self.folder.clone(), source };
        let lock = self.reserve().map_err(failed)?;
        let draft = self.folder.join(crate::store::draft_name());
        let placed = write_compressed(from, &draft).map_err(failed).and_then(|(file, sha256, size)| {
            self.durable(file.sync_data())?;
            self.place(&draft, &sha256)?;
            Ok((sha256, size))
        });
        let (sha256, size) = placed.inspect_err(|_| drop(std::fs::remove_file(&draft)))?;
        Ok((Row { sha256, size, form: Form::File, bytes: None }, Some(Reserved { _lock: lock })))
    }

    fn reserve(&self) -> io::Result<File> {
        crate::store::make_all(&self.folder)?;
        let folder = File::open(&self.folder)?;
        flock(&folder, FlockOperation::LockShared)?;
        Ok(folder)
    }

    /// Gives a finished file its name. The name is durable only when its folder is, and that when the one above is.
    fn place(&self, draft: &Path, sha256: &Digest) -> Result<(), StoreError> {
        let failed = |source| StoreError::Blob { path: self.folder.clone(), source };
        let path = self.path(sha256);
        let shelf = path.parent().unwrap_or(&self.folder);
        if !shelf.is_dir() {
            crate::store::make_all(shelf).map_err(failed)?;
            self.durable(File::open(&self.folder).map_err(failed)?.sync_all())?;
        }
        std::fs::rename(draft, &path).map_err(failed)?;
        self.durable(File::open(shelf).map_err(failed)?.sync_all())
    }

    /// A wait for the disk that failed is another thing than a file that could not be written.
    fn durable(&self, waited: io::Result<()>) -> Result<(), StoreError> {
        waited.map_err(|source| StoreError::Sync { path: self.folder.clone(), source: Arc::new(source) })
    }
}

/// Reads a blob's bytes again, and holds them against its name: at the end comes an error when they are others.
pub(crate) fn open(row: Row, blobs: &Blobs) -> Result<Checked, StoreError> {
    let path = || blobs.path(&row.sha256);
    let failed = |source| StoreError::Blob { path: path(), source };
    let inner: Box<dyn Read> = match (row.form, row.bytes) {
        (Form::Raw, Some(bytes)) => Box::new(io::Cursor::new(bytes)),
        (Form::Zstd, Some(bytes)) => {
            Box::new(zstd::Decoder::with_buffer(io::Cursor::new(bytes)).map_err(failed)?)
        }
        (Form::File, None) => {
            let file = crate::store::open_plain(&path()).map_err(failed)?;
            Box::new(zstd::Decoder::new(file).map_err(failed)?)
        }
        (Form::Raw | Form::Zstd, None) | (Form::File, Some(_)) => {
            return Err(StoreError::WrongBlob { sha256: row.sha256 });
        }
    };
    // One more than there may be, so that a longer one is noticed and an endless one ends.
    Ok(Checked {
        inner: inner.take(row.size.saturating_add(1)),
        hash: Sha256::new(),
        left: row.size,
        sha256: row.sha256,
    })
}

/// The bytes of a blob, which are told to be others when they are.
pub struct Checked {
    inner: io::Take<Box<dyn Read>>,
    hash: Sha256,
    left: u64,
    sha256: Digest,
}

impl Checked {
    fn wrong(&self) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, StoreError::WrongBlob { sha256: self.sha256 }.to_string())
    }
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = self.inner.read(buffer)?;
        if count as u64 > self.left {
            return Err(self.wrong());
        }
        self.left -= count as u64;
        self.hash.update(&buffer[..count]);
        if count == 0 && (self.left > 0 || Digest(self.hash.clone().finalize().into()) != self.sha256) {
            return Err(self.wrong());
        }
        Ok(count)
    }
}

fn small(bytes: Vec<u8>) -> Row {
    let (sha256, size) = (Digest::of(&bytes), bytes.len() as u64);
    if bytes.len() > TINY
        && let Ok(packed) = zstd::bulk::compress(&bytes, EFFORT)
        && packed.len() < bytes.len()
    {
        return Row { sha256, size, form: Form::Zstd, bytes: Some(packed) };
    }
    Row { sha256, size, form: Form::Raw, bytes: Some(bytes) }
}

fn write_compressed(from: &mut dyn Read, path: &Path) -> io::Result<(File, Digest, u64)> {
    let file = crate::store::private().create_new(true).open(path)?;
    let mut encoder = zstd::Encoder::new(file, EFFORT)?;
    let (mut hash, mut size, mut piece) = (Sha256::new(), 0, vec![0; 128 << 10]);
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        hash.update(&piece[..count]);
        encoder.write_all(&piece[..count])?;
        size += count as u64;
    }
    Ok((encoder.finish()?, Digest::finish(hash), size))
}
