//! Whether an id that code told is known where it comes from.
//!
//! A printed line proves that it was printed. An id of MLflow is credited when the tracking store that this very run wrote knows
//! it: its file among the run's recorded changes, or a row of a database among them. Which files these are, and what counts, is
//! judged by `actum_model::tracking`; here are the hands that read them.

use super::carry::Runner;
use crate::cli::kept;
use actum_model::{
    Anchor, Bytes, Change, ExternalId, KeptChanges, Piece, Report, RunId, TrackingFile, database_question,
    is_mlflow_id, meta_names, path_text, tracking_files,
};
use actum_run::settle::Keeping;
use actum_store::Store;
use sha2::{Digest as _, Sha256};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A tracking database of years; what is larger is not copied to be asked.
const LARGEST: Bytes = Bytes::gib(1);

/// An id as it was told.
pub(super) struct Told {
    pub(super) id: String,
    /// An anchor, or the name of a variable.
    pub(super) place: String,
}

/// What is found about each of them.
pub(super) fn credit(
    told: Vec<Told>,
    report: &Report,
    store: &Store,
    runner: &Runner<'_>,
) -> Vec<ExternalId> {
    let mut stores = Stores::of(report, store);
    let judged = told.into_iter().map(|Told { id, place }| {
        let (credited, why, anchor) = match stores.knows(&id, runner) {
            Ok(path) => (true, "the tracking store that the run wrote knows it".to_owned(), Some(path)),
            Err(why) => (false, why, None),
        };
        let anchor = anchor.map(|path| file_anchor(report.run, &path));
        ExternalId { system: "mlflow".to_owned(), id, told: place, credited, why, anchor }
    });
    judged.collect()
}

fn file_anchor(run: RunId, path: &[u8]) -> String {
    Anchor { run: run.to_string(), piece: Piece::File(path_text(path)) }.to_string()
}

/// The tracking stores that a run wrote.
struct Stores {
    files: Vec<TrackingFile>,
    kept: Option<(Keeping, KeptChanges)>,
    changes: Vec<Change>,
    cut: bool,
}

impl Stores {
    fn of(report: &Report, store: &Store) -> Self {
        let kept = store.find(&report.run.to_string()).ok().and_then(|kept| {
            let keeping = kept::keeping(store.root(), kept.folder);
            let list = keeping.read().ok()?;
            Some((keeping, list))
        });
        let changes = report.changes.files.clone();
        Self { files: tracking_files(&changes), kept, changes, cut: report.changes.cut }
    }

    /// The file that knows it, or why nobody does.
    fn knows(&mut self, id: &str, runner: &Runner<'_>) -> Result<Vec<u8>, String> {
        if !is_mlflow_id(id) {
            return Err("it is no id of MLflow, which has 32 hexadecimal digits".to_owned());
        }
        if self.files.is_empty() {
            let more = if self.cut { ", as far as its changes are listed" } else { "" };
            return Err(format!("the run wrote no tracking store{more}; a printed line is no evidence"));
        }
        let knows = self.files.iter().find(|file| match file {
            TrackingFile::Meta { id: of, path } => {
                of == id
                    && self.bytes(path).is_some_and(|meta| meta_names(&String::from_utf8_lossy(&meta), id))
            }
            TrackingFile::Database { path } => self.database_knows(path, id, runner),
        });
        match knows {
            Some(TrackingFile::Meta { path, .. } | TrackingFile::Database { path }) => Ok(path.clone()),
            None => Err("the tracking store that the run wrote does not know it".to_owned()),
        }
    }

    /// The bytes of a file as the run left it: those that were recorded, or none.
    fn bytes(&self, path: &[u8]) -> Option<Vec<u8>> {
        let (keeping, list) = self.kept.as_ref()?;
        let change = list.changes.iter().find(|kept| kept.change.path == path)?;
        let bytes = keeping.sides(list, change, LARGEST).new?;
        let recorded = self.changes.iter().find(|change| change.path == path)?.after.sha256?;
        (Sha256::digest(&bytes)[..] == recorded.0).then_some(bytes)
    }

    /// Asked inside the walls, in a folder of its own: our own process opens no database of a stranger's.
    fn database_knows(&self, path: &[u8], id: &str, runner: &Runner<'_>) -> bool {
        let (Some(bytes), Some(question)) = (self.bytes(path), database_question(&[id])) else {
            return false;
        };
        let Some(folder) = Aside::make() else { return false };
        let database = folder.0.join("store.db");
        if std::fs::write(&database, bytes).is_err() {
            return false;
        }
        let answer = runner.ask(&folder.0, &database, &question).ok().and_then(|ran| ran.report);
        answer.is_some_and(|report| report.result.success && report.result.stdout.contains(id))
    }
}

/// A folder of ours, gone when it is dropped. Not in the cache: a sandbox shows nothing of that.
struct Aside(PathBuf);

impl Aside {
    fn make() -> Option<Self> {
        let path = Path::new("/tmp").join(format!("actum-tasks-{}", crate::clock::new_run()));
        std::fs::DirBuilder::new().mode(0o700).create(&path).ok()?;
        Some(Self(path))
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
