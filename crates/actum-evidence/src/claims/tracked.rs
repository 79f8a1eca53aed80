//! Runs that a tracking store knows, of those that claims name: MLflow's folder of files, or its database.
//!
//! A store has to know an id now, and a recorded run has to have brought it there: one that wrote the store and told the id, and
//! whose store did not know it before. Where it is no longer to be had what the store was before, that run has the benefit of the doubt.

use crate::tracking::{Asker, Before, LARGEST, Stores};
use actum_claims::{Evidence, RunFacts, Tracked};
use actum_gate::{Bound, Root};
use actum_model::{Claim, Said, TrackingFile, is_mlflow_id, path_text, tracking_file};
use std::path::{Path, PathBuf};

/// Entries of a folder that are looked at.
const MOST: usize = 10_000;

/// What a run wrote into tracking stores.
pub(super) struct Wrote {
    pub(super) run: String,
    pub(super) workspace: PathBuf,
    pub(super) stores: Stores,
}

/// A file of a store as it is now.
struct Now {
    workspace: PathBuf,
    file: TrackingFile,
}

/// The ids of MLflow that claims name.
pub(super) fn ids(claims: &[Claim]) -> Vec<String> {
    let id = |claim: &Claim| {
        let Said::RunId { system, id } = &claim.said else { return None };
        let id = id.to_ascii_lowercase();
        (system == "mlflow" && is_mlflow_id(&id)).then_some(id)
    };
    claims.iter().filter_map(id).collect()
}

/// What stores know, those that runs wrote and those of this folder.
pub(super) fn tracked(
    folder: &Path,
    ids: &[String],
    wrote: &[Wrote],
    evidence: &Evidence,
    asker: &Asker<'_>,
) -> Vec<Tracked> {
    let mut known = Vec::new();
    for now in stores_now(folder, wrote) {
        let asked = match &now.file {
            // Every one of them: what else a run brought there tells that a claim has the wrong id.
            TrackingFile::Meta { id, .. } => std::slice::from_ref(id),
            TrackingFile::Database { .. } => ids,
        };
        let Some(bytes) = read(&now) else { continue };
        for id in asked.iter().filter(|id| asker.holds(&now.file, &bytes, id) == Some(true)) {
            known.extend(told(&now, id, wrote, evidence, asker));
        }
    }
    known
}

/// Every file of a store once.
fn stores_now(folder: &Path, wrote: &[Wrote]) -> Vec<Now> {
    let here = of_folder(folder).into_iter().map(|file| Now { workspace: folder.to_path_buf(), file });
    let of_run = |one: &Wrote| {
        let now = |file: &TrackingFile| Now { workspace: one.workspace.clone(), file: file.clone() };
        one.stores.files.iter().map(now).collect::<Vec<_>>()
    };
    let mut all: Vec<Now> = wrote.iter().flat_map(of_run).chain(here).collect();
    all.sort_by_key(Now::path);
    all.dedup_by_key(|now| now.path());
    all
}

impl Now {
    fn path(&self) -> PathBuf {
        self.workspace.join(path_text(self.file.path()))
    }
}

/// `mlflow.db`, and `mlruns/<experiment>/<run>/meta.yaml`.
fn of_folder(folder: &Path) -> Vec<TrackingFile> {
    let Ok(root) = Root::open(folder) else { return Vec::new() };
    let entries = |path: &Path| root.names(path, MOST).unwrap_or_default();
    let mut files: Vec<TrackingFile> = tracking_file(b"mlflow.db").into_iter().collect();
    for (experiment, _) in entries(Path::new("mlruns")) {
        for (run, _) in entries(&Path::new("mlruns").join(&experiment)) {
            let path = format!("mlruns/{}/{}/meta.yaml", experiment.to_string_lossy(), run.to_string_lossy());
            files.extend(tracking_file(path.as_bytes()));
        }
    }
    files
}

fn read(now: &Now) -> Option<Vec<u8>> {
    let root = Root::open(&now.workspace).ok()?;
    root.read(Path::new(&path_text(now.file.path())), Bound(LARGEST.0)).ok()
}

/// By the path that a record has where a recorded run brought it there, otherwise by one that no record has.
fn told(now: &Now, id: &str, wrote: &[Wrote], evidence: &Evidence, asker: &Asker<'_>) -> Option<Tracked> {
    let path = now.file.path();
    let tracked = |path: String| Tracked { system: "mlflow".to_owned(), id: id.to_owned(), path };
    let writers: Vec<&Wrote> = wrote
        .iter()
        .filter(|one| one.workspace == now.workspace && one.stores.files.contains(&now.file))
        .collect();
    let brought = |one: &&Wrote| {
        let facts = evidence.runs.iter().find(|facts| facts.run == one.run);
        let is_told = path_text(path).contains(id) || facts.is_some_and(|facts| printed(facts, id));
        is_told && one.stores.before(&now.file, id, asker) != Before::Known
    };
    if writers.iter().any(brought) {
        return Some(tracked(path_text(path)));
    }
    // What is written below the run's own folder would count as having brought it there.
    let may_mislead = matches!(now.file, TrackingFile::Meta { .. }) && !writers.is_empty();
    (!may_mislead).then(|| tracked(now.path().to_string_lossy().into_owned()))
}

fn printed(facts: &RunFacts, id: &str) -> bool {
    facts.printed.iter().any(|line| line.text.to_ascii_lowercase().contains(id))
}
