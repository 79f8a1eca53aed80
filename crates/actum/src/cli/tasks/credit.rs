//! Whether an id that code told is known where it comes from.
//!
//! A printed line proves that it was printed. An id of MLflow is credited when the tracking store that this very run wrote knows
//! it, and did not know it before: its file among the run's recorded changes, or a row of a database among them. Which files these are, and what counts, is
//! judged by `actum_model::tracking`; here are the hands that read them.

use super::carry::Runner;
use crate::cli::kept;
use actum_model::{
    Anchor, Bytes, Change, ExternalId, KeptChanges, Piece, Report, RunId, Standing, TrackingFile,
    database_question, is_mlflow_id, meta_names, path_text, tracking_files,
};
use actum_run::settle::{Keeping, Sides};
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
    let stores = Stores::of(report, store);
    let judged = told.into_iter().map(|Told { id, place }| {
        let (credited, why, anchor) = match stores.knows(&id, runner) {
            Ok(path) => (true, "the run wrote it into its tracking store".to_owned(), Some(path)),
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

    /// The file that knows it, or why it does not count.
    fn knows(&self, id: &str, runner: &Runner<'_>) -> Result<Vec<u8>, String> {
        if !is_mlflow_id(id) {
            return Err("it is no id of MLflow, which has 32 hexadecimal digits".to_owned());
        }
        if self.files.is_empty() {
            let more = if self.cut { ", as far as its changes are listed" } else { "" };
            return Err(format!("the run wrote no tracking store{more}; a printed line is no evidence"));
        }
        for file in &self.files {
            let (TrackingFile::Meta { path, .. } | TrackingFile::Database { path }) = file;
            let Some(sides) = self.sides(path) else { continue };
            if !sides.new.is_some_and(|bytes| holds(file, bytes, id, runner)) {
                continue;
            }
            let was_there = self.changes.iter().any(|one| one.path == *path && !one.before.is_nothing());
            let before = sides.old.map(|bytes| holds(file, bytes, id, runner));
            return match (was_there, before) {
                (false, _) | (true, Some(false)) => Ok(path.clone()),
                (true, Some(true)) => Err("the tracking store knew it before this run".to_owned()),
                (true, None) => {
                    Err("whether the tracking store knew it before this run cannot be told".to_owned())
                }
            };
        }
        Err("the tracking store that the run wrote does not know it".to_owned())
    }

    /// A file before the run and as the run left it: the bytes that were recorded, or none.
    fn sides(&self, path: &[u8]) -> Option<Sides> {
        let (keeping, list) = self.kept.as_ref()?;
        let kept = list.changes.iter().find(|kept| kept.change.path == path)?;
        let change = self.changes.iter().find(|change| change.path == path)?;
        let recorded = |bytes: Option<Vec<u8>>, standing: &Standing| {
            bytes.filter(|bytes| standing.sha256.is_some_and(|sha256| Sha256::digest(bytes)[..] == sha256.0))
        };
        let Sides { old, new } = keeping.sides(list, kept, LARGEST);
        Some(Sides { old: recorded(old, &change.before), new: recorded(new, &change.after) })
    }
}

/// Whether a file of a tracking store holds this run.
fn holds(file: &TrackingFile, bytes: Vec<u8>, id: &str, runner: &Runner<'_>) -> bool {
    match file {
        TrackingFile::Meta { id: of, .. } => of == id && meta_names(&String::from_utf8_lossy(&bytes), id),
        TrackingFile::Database { .. } => database_holds(bytes, id, runner).unwrap_or_default(),
    }
}

/// Asked inside the walls, in a folder of its own: our own process opens no database of a stranger's.
fn database_holds(bytes: Vec<u8>, id: &str, runner: &Runner<'_>) -> Option<bool> {
    let question = database_question(&[id])?;
    let folder = Aside::make()?;
    let database = folder.0.join("store.db");
    std::fs::write(&database, bytes).ok()?;
    let report = runner.ask(&folder.0, &database, &question).ok()?.report?;
    Some(report.result.success && report.result.stdout.contains(id))
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
