//! How long an experiment is expected to take: from earlier runs of the same program.

use crate::index::Experiments;
use crate::manifest::{Estimate, Manifest, Purpose};
use crate::prepared::PreparedExperiment;
use crate::stored::StoredExperiment;
use actum_engine::Engine;
use actum_evidence::Reading;
use actum_model::{Outcome, Span};

/// Earlier runs that are looked at.
const MOST: u64 = 20;

/// Adds an estimate, if earlier runs tell one. What cannot be read tells nothing.
pub fn estimate(engine: &Engine, prepared: &mut PreparedExperiment) {
    if prepared.manifest.purpose == Purpose::Smoke {
        return;
    }
    let Ok(reading) = Reading::open(engine.surroundings().clone()) else { return };
    let Ok(experiments) = Experiments::open(&reading) else { return };
    let earlier = experiments.newest(&reading, Some(&prepared.manifest.name), MOST).unwrap_or_default();
    prepared.manifest.estimate = of_earlier(&prepared.manifest, &earlier);
    if prepared.manifest.estimate.is_some() {
        let _ = prepared.write_manifest(&prepared.manifest);
    }
}

/// The median of runs that came to their end with the same parameters, else of those of the same program.
fn of_earlier(manifest: &Manifest, earlier: &[StoredExperiment]) -> Option<Estimate> {
    let ended =
        earlier.iter().filter(|one| one.manifest.command.words.first() == manifest.command.words.first());
    let ended: Vec<(&Manifest, Span)> = ended
        .filter_map(|one| {
            Some((&one.manifest, one.result.as_ref().filter(|it| it.outcome == Outcome::Success)?.duration))
        })
        .filter(|(other, _)| other.purpose != Purpose::Smoke)
        .collect();
    let same: Vec<Span> = ended
        .iter()
        .filter(|(other, _)| other.parameters == manifest.parameters)
        .map(|(_, duration)| *duration)
        .collect();
    let (mut durations, what) = match same.is_empty() {
        false => (same, "with the same parameters"),
        true => (ended.into_iter().map(|(_, duration)| duration).collect(), "with other parameters"),
    };
    durations.sort();
    let median = *durations.get(durations.len() / 2)?;
    let runs = if durations.len() == 1 { "earlier run" } else { "earlier runs" };
    Some(Estimate { duration: median, basis: format!("{} {runs} {what}", durations.len()) })
}
