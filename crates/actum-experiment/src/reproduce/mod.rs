//! A stored experiment once more: its files put together again, run with the same seed and knobs, and compared.
//!
//! [`reproduce`] tells the story. What differs is named ingredient by ingredient; [`bisect`] finds out which of them makes the
//! difference, by running again with one ingredient at a time as it is now.

pub(crate) mod again;
mod drift;
mod facts;
mod restore;

pub use again::Drift;
pub use drift::{Drifted, Tried, bisect, drifted};
pub use facts::facts_of;
pub(crate) use restore::digest;
pub use restore::{MissingFile, Restored};

use crate::compare::{Comparison, compare};
use crate::error::ExperimentError;
use crate::experiment::{self, FinishedExperiment};
use crate::grade::{Cause, Graded, Tolerances, Volatile, causes, grade};
use crate::stored::StoredExperiment;
use actum_engine::{Engine, RequestBuilder, Sink, SourceChoice, clock};
use actum_evidence::Reading;
use actum_gate::own;
use again::Place;
use restore::Sources;
use std::path::{Path, PathBuf};

/// How an experiment is repeated.
#[derive(Debug, Clone, Default)]
pub struct ReproduceOptions {
    /// The workspace as it is now: files are taken from there if the store does not have them.
    pub workspace: PathBuf,
    pub tolerances: Tolerances,
    pub volatile: Volatile,
    pub drift: Drift,
    /// Files of the workspace that are taken as they are now.
    pub as_now: Vec<String>,
    /// Keep the folder in which it was put together.
    pub keep: bool,
}

/// What came of it.
pub struct Reproduction {
    pub graded: Graded,
    pub comparison: Comparison,
    pub causes: Vec<Cause>,
    pub restored: Restored,
    /// What is not as it was in the workspace, and was put back for the repetition.
    pub drifted: Vec<Drifted>,
    pub finished: FinishedExperiment,
    /// The folder of the repetition, if it was kept.
    pub folder: Option<PathBuf>,
}

/// Repeats an experiment, and compares.
pub fn reproduce(
    engine: &Engine,
    (reading, original): (&Reading, &StoredExperiment),
    options: &ReproduceOptions,
    sink: &mut dyn Sink,
) -> Result<Reproduction, ExperimentError> {
    let scratch = Scratch::make(engine)?;
    let restored = put_together(engine, (reading, original), options, &scratch.folder)?;
    let place = Place { restored: &restored, scratch: &scratch.folder };
    let prepared = again::prepare(engine, &original.manifest, (place, &options.drift))?;
    let finished = experiment::run(engine, prepared, sink)?;
    let repeated =
        StoredExperiment::read(&Reading::open(engine.surroundings().clone())?, finished.manifest.run)?;
    let (one, other) = (facts_of(reading, original)?, facts_of(reading, &repeated)?);
    let comparison = compare(&one, &other);
    let graded = grade(&one, &other, &options.tolerances, &options.volatile);
    let causes = causes(&graded, &comparison, &finished.manifest.determinism);
    let folder = options.keep.then(|| scratch.keep());
    let drifted = drifted(original, &options.workspace);
    Ok(Reproduction { graded, comparison, causes, restored, drifted, finished, folder })
}

fn put_together(
    engine: &Engine,
    (reading, original): (&Reading, &StoredExperiment),
    options: &ReproduceOptions,
    scratch: &Path,
) -> Result<Restored, ExperimentError> {
    let helper = engine.request(RequestBuilder {
        source: SourceChoice::Command(vec!["true".into()]),
        workspace: Some(scratch.to_path_buf()),
        ..RequestBuilder::default()
    })?;
    let now = &options.workspace;
    let top = original.manifest.git.as_ref().map(|git| Path::new(&git.top));
    // A clone serves as well, wherever it lies.
    let repository = top.filter(|top| !top.join(".git").exists()).map(|_| now.as_path());
    let sources = Sources { reading, workspace: now, repository };
    let restored = restore::restore(engine, &helper, original, (sources, scratch))?;
    restore::take_as_now(&restored, now, &options.as_now)?;
    Ok(restored)
}

/// A folder for one repetition, which is removed unless it is kept.
struct Scratch {
    folder: PathBuf,
    is_kept: std::cell::Cell<bool>,
}

impl Scratch {
    fn make(engine: &Engine) -> Result<Self, ExperimentError> {
        let name = again::folder_name(clock::new_run());
        let folder = engine.surroundings().cache.join("reproductions").join(name);
        own::make_private_folders(&folder)
            .map_err(|source| ExperimentError::Scratch { path: folder.clone(), source })?;
        Ok(Self { folder, is_kept: std::cell::Cell::new(false) })
    }

    fn keep(&self) -> PathBuf {
        self.is_kept.set(true);
        self.folder.clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_kept.get() {
            let _ = own::remove_tree(&self.folder);
        }
    }
}
