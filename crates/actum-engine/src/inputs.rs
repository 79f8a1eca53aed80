//! Contents of the files that a run read: kept beside its record where the run is to be repeatable without them.
//!
//! They are read when the run is over, and kept only if they are still what the record says; a file that the run itself replaced is
//! taken from what is saved for `actum undo`.

use actum_changes::settle::Keeping;
use actum_gate::own;
use actum_model::{Bytes, Digest, FileFacts, path_text};
use actum_run::redact::Redaction;
use actum_store::{Content, Reader};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::path::Path;

/// Larger ones are named by their digest; whoever repeats the run has to bring them.
const EACH: Bytes = Bytes(256 << 20);
/// Files up to this size are looked through for secrets before they are kept. Larger ones are data.
const SEARCHED: u64 = 4 << 20;

/// Where the files of a run lie.
pub(crate) struct InputPlace<'a> {
    pub(crate) workspace: &'a Path,
    /// The run's own folder.
    pub(crate) folder: &'a Path,
    pub(crate) keeping: &'a Keeping,
    pub(crate) redaction: &'a Redaction,
    /// The ledger, which may have the contents already.
    pub(crate) reader: Option<Reader>,
}

/// Marks what is kept, and gives the contents.
pub(crate) fn keep(inputs: &mut [FileFacts], place: &InputPlace<'_>) -> Vec<Content> {
    let (mut contents, mut seen) = (Vec::new(), HashSet::new());
    for file in inputs.iter_mut().filter(|file| file.opened != Some(false)) {
        let (Some(sha256), Some(size)) = (file.sha256, file.size) else { continue };
        if size > EACH {
            continue;
        }
        let is_there =
            || place.reader.as_ref().is_some_and(|reader| reader.has_blob(&sha256).unwrap_or(false));
        if seen.contains(&sha256) {
            file.kept = true;
        } else if let Some(content) = place.content(file, sha256, is_there()) {
            file.kept = true;
            seen.insert(sha256);
            contents.push(content);
        }
    }
    contents
}

impl InputPlace<'_> {
    /// The contents that the record names, if they are still somewhere and hold no secret.
    fn content(&self, file: &FileFacts, sha256: Digest, is_there: bool) -> Option<Content> {
        let size = file.size?.0;
        let path = self.workspace.join(&file.path);
        if size <= SEARCHED {
            let bytes = read(&path, sha256).or_else(|| self.replaced(file, sha256))?;
            let is_plain = size == 0 || self.redaction.replaced(&bytes).is_none();
            return is_plain.then_some(Content::Bytes(bytes));
        }
        // A large one is compressed and written again only if it has to be.
        let copy = self.folder.join("inputs").join(sha256.to_string());
        match is_there {
            true => Some(Content::Known { path, sha256, size }),
            false => copied(&path, &copy, sha256).then_some(Content::File(copy)),
        }
    }

    /// What stood there before the run changed it.
    fn replaced(&self, file: &FileFacts, sha256: Digest) -> Option<Vec<u8>> {
        let list = self.keeping.read().ok()?;
        let change = list.changes.iter().find(|kept| path_text(&kept.change.path) == file.path)?;
        let bytes = self.keeping.sides(&list, change, Bytes(SEARCHED)).old?;
        (Digest::of(&bytes) == sha256).then_some(bytes)
    }
}

fn read(path: &Path, sha256: Digest) -> Option<Vec<u8>> {
    let bytes = actum_gate::read_named(path, actum_gate::Bound(SEARCHED)).ok()?;
    (Digest::of(&bytes) == sha256).then_some(bytes)
}

/// Copies a file, and says whether it was what the record says.
fn copied(from: &Path, to: &Path, sha256: Digest) -> bool {
    let copy = || -> io::Result<bool> {
        let (mut from, _) = actum_gate::open_named(from).map_err(actum_gate::GateError::into_io)?;
        own::make_private_folders(to.parent().unwrap_or(to))?;
        let mut to = own::create(to)?;
        let (mut hash, mut piece) = (Sha256::new(), vec![0; 256 << 10]);
        loop {
            match from.read(&mut piece)? {
                0 => return Ok(Digest::finish(hash) == sha256),
                count => {
                    hash.update(&piece[..count]);
                    to.write_all(&piece[..count])?;
                }
            }
        }
    };
    copy().unwrap_or(false)
}
