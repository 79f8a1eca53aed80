//! Experiments of a store, found by name and ranked by metrics. The index behind it is derived, and caught up whenever somebody looks.

use crate::error::ExperimentError;
use crate::manifest::{Manifest, Purpose};
use crate::prepared::purpose_word;
use crate::result::{ExperimentResult, MetricSummary};
use crate::stored::{StoredExperiment, blob};
use actum_evidence::{EvidenceError, Reading};
use actum_model::{Digest, RunId};
use actum_store::experiments::{ExperimentFilter, ExperimentIndex, ExperimentRow, MetricRow, Ranking};

/// The name by which contents of a result are held.
const HELD: &str = "attachment/results.json";
/// So many are added in one transaction.
const BATCH: usize = 1000;

/// The experiments of a store.
pub struct Experiments {
    index: ExperimentIndex,
}

impl Experiments {
    /// Opens the index, and adds what was recorded since.
    pub fn open(reading: &Reading) -> Result<Self, ExperimentError> {
        let store = Digest::of(reading.store.root().as_os_str().as_encoded_bytes()).to_string();
        let path = reading.surroundings.cache.join("indexes").join(format!("{}.sqlite", &store[..16]));
        let index = ExperimentIndex::open(&path).map_err(EvidenceError::from)?;
        let mut experiments = Self { index };
        experiments.catch_up(reading)?;
        Ok(experiments)
    }

    fn catch_up(&mut self, reading: &Reading) -> Result<(), ExperimentError> {
        let log = reading.reader.origin().map_err(EvidenceError::from)?;
        let size = reading.reader.head().map_err(EvidenceError::from)?.size;
        let seen = self.index.seen(&log).map_err(EvidenceError::from)?;
        if seen >= size {
            return Ok(());
        }
        let new = reading.reader.holding(HELD, seen).map_err(EvidenceError::from)?;
        for batch in new.chunks(BATCH) {
            let rows: Vec<ExperimentRow> =
                batch.iter().filter_map(|one| row(reading, one.run, &one.sha256)).collect();
            self.index.add(&log, &rows, seen).map_err(EvidenceError::from)?;
        }
        self.index.add(&log, &[], size).map_err(EvidenceError::from)?;
        Ok(())
    }

    /// The newest experiments.
    pub fn newest(
        &self,
        reading: &Reading,
        name: Option<&str>,
        most: u64,
    ) -> Result<Vec<StoredExperiment>, ExperimentError> {
        let filter =
            ExperimentFilter { name: name.map(str::to_owned), limit: Some(most), ..Default::default() };
        let runs = self.index.list(&filter).map_err(EvidenceError::from)?;
        Ok(read_all(reading, runs.into_iter()))
    }

    /// The best by a metric.
    pub fn best(
        &self,
        reading: &Reading,
        (metric, ranking): (&str, Ranking),
        filter: &ExperimentFilter,
    ) -> Result<Vec<StoredExperiment>, ExperimentError> {
        let runs = self.index.best(metric, ranking, filter).map_err(EvidenceError::from)?;
        Ok(read_all(reading, runs.into_iter().map(|(run, _)| run)))
    }

    /// Names of metrics, the most frequent first.
    pub fn metrics(&self, most: u64) -> Result<Vec<String>, ExperimentError> {
        Ok(self.index.metrics(most).map_err(EvidenceError::from)?)
    }
}

/// Experiments whose records were removed since are left out.
fn read_all(reading: &Reading, runs: impl Iterator<Item = RunId>) -> Vec<StoredExperiment> {
    runs.filter_map(|run| StoredExperiment::read(reading, run).ok()).collect()
}

/// What the index has about an experiment. One that cannot be read is not in it.
fn row(reading: &Reading, run: RunId, sha256: &Digest) -> Option<ExperimentRow> {
    let bytes = blob(reading, sha256, ExperimentResult::FILE).ok()?;
    let result: ExperimentResult = serde_json::from_slice(&bytes).ok()?;
    let record = reading.sealed(run).ok()?.record;
    let manifest = record.attachments.iter().find(|one| one.name == Manifest::FILE)?;
    let manifest: Manifest =
        serde_json::from_slice(&blob(reading, &manifest.sha256, Manifest::FILE).ok()?).ok()?;
    // Whoever writes a result into another run's record does not speak for that run.
    (result.run == run && manifest.run == run).then(|| ExperimentRow {
        run,
        name: result.name,
        purpose: purpose_word(&manifest.purpose).to_owned(),
        began: result.started_at,
        outcome: result.outcome.to_string(),
        output: result.output,
        // What is abbreviated, or the same again, is not ranked.
        metrics: match manifest.purpose {
            Purpose::Smoke | Purpose::Reproduction { .. } => Vec::new(),
            Purpose::Experiment | Purpose::Resume { .. } | Purpose::Trial { .. } => {
                result.metrics.iter().map(metric).collect()
            }
        },
    })
}

fn metric(of: &MetricSummary) -> MetricRow {
    MetricRow { key: of.name.clone(), last: of.last, low: of.min, high: of.max }
}
