//! Whether a tracking store knows a run: the hands of `actum_model::tracking`, for tasks and claims alike.
//!
//! A file of the file store is read. A database is a stranger's: it is asked by a worker in a sandbox, which is made when
//! the first one has to be.

use actum_changes::settle::{Keeping, Sides};
use actum_engine::{Engine, Readers, Surroundings};
use actum_gate::own;
use actum_model::{
    Bytes, Change, KeptChanges, Report, Standing, TrackingFile, database_question, meta_names, tracking_files,
};
use actum_run::Answer;
use actum_store::Store;
use sha2::{Digest as _, Sha256};
use std::cell::OnceCell;
use std::path::PathBuf;

/// A tracking database of years; what is larger is not copied to be asked.
pub(crate) const LARGEST: Bytes = Bytes::gib(1);

/// Looks into the files of tracking stores.
pub struct Asker<'e> {
    engine: &'e Engine,
    /// Nothing where they could not be made.
    readers: OnceCell<Option<Readers<'e>>>,
}

impl<'e> Asker<'e> {
    pub fn new(engine: &'e Engine) -> Self {
        Self { engine, readers: OnceCell::new() }
    }

    /// Whether a file of a tracking store holds this run; nothing where that cannot be told.
    pub fn holds(&self, file: &TrackingFile, bytes: &[u8], id: &str) -> Option<bool> {
        match file {
            TrackingFile::Meta { id: of, .. } => {
                Some(of == id && meta_names(&String::from_utf8_lossy(bytes), id))
            }
            TrackingFile::Database { .. } => self.database_holds(bytes, id),
        }
    }

    fn database_holds(&self, bytes: &[u8], id: &str) -> Option<bool> {
        let question = database_question(&[id])?;
        // A row holds its key as it is: where the bytes do not occur nobody has to be asked.
        if !bytes.windows(id.len()).any(|window| window == id.as_bytes()) {
            return Some(false);
        }
        let folder = Aside::make(self.engine.surroundings())?;
        let database = folder.0.join("store.db");
        own::write(&database, bytes).ok()?;
        match self.readers()?.ask_database(&database, &question)? {
            Answer::Rows(rows) => Some(rows.lines().any(|row| row == id)),
            Answer::Nothing => Some(false),
            Answer::Unknown => None,
        }
    }

    fn readers(&self) -> Option<&Readers<'e>> {
        self.readers.get_or_init(|| self.engine.readers().ok()).as_ref()
    }
}

/// A folder of ours, gone when it is dropped.
struct Aside(PathBuf);

impl Aside {
    fn make(surroundings: &Surroundings) -> Option<Self> {
        let path = surroundings.cache.join("asked").join(actum_engine::clock::new_run().to_string());
        own::make_private_folders(&path).ok()?;
        Some(Self(path))
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let _ = own::remove_tree(&self.0);
    }
}

/// The files of tracking stores that a run wrote, with what they were before.
pub struct Stores {
    pub files: Vec<TrackingFile>,
    kept: Option<(Keeping, KeptChanges)>,
    changes: Vec<Change>,
}

/// Since when a file of a store holds a run, by what was recorded of one that wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// It did not, or was not there.
    Unknown,
    Known,
    /// What stood there is no longer to be had.
    CannotTell,
}

impl Stores {
    pub fn of(report: &Report, store: &Store) -> Self {
        let changes = report.changes.files.clone();
        let files = tracking_files(&changes);
        let kept = || {
            let kept = store.find(&report.run.to_string()).ok()?;
            let keeping = actum_engine::reading(store.root(), kept.folder);
            let list = keeping.read().ok()?;
            Some((keeping, list))
        };
        let kept = if files.is_empty() { None } else { kept() };
        Self { files, kept, changes }
    }

    /// A file before the run and as the run left it: the bytes that were recorded, or none.
    pub fn sides(&self, path: &[u8]) -> Option<Sides> {
        let (keeping, list) = self.kept.as_ref()?;
        let kept = list.changes.iter().find(|kept| kept.change.path == path)?;
        let change = self.change(path)?;
        let recorded = |bytes: Option<Vec<u8>>, standing: &Standing| {
            bytes.filter(|bytes| standing.sha256.is_some_and(|sha256| Sha256::digest(bytes)[..] == sha256.0))
        };
        let Sides { old, new } = keeping.sides(list, kept, LARGEST);
        Some(Sides { old: recorded(old, &change.before), new: recorded(new, &change.after) })
    }

    /// Whether a file knew a run before this one wrote it.
    pub fn before(&self, file: &TrackingFile, id: &str, asker: &Asker<'_>) -> Before {
        let path = file.path();
        if self.change(path).is_some_and(|change| change.before.is_nothing()) {
            return Before::Unknown;
        }
        let old = self.sides(path).and_then(|sides| sides.old);
        match old.and_then(|bytes| asker.holds(file, &bytes, id)) {
            Some(true) => Before::Known,
            Some(false) => Before::Unknown,
            None => Before::CannotTell,
        }
    }

    fn change(&self, path: &[u8]) -> Option<&Change> {
        self.changes.iter().find(|change| change.path == path)
    }
}
