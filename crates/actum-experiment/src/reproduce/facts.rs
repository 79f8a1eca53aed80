//! What a stored experiment is compared by.

use crate::compare::{ExperimentFacts, FileDigest};
use crate::error::ExperimentError;
use crate::stored::StoredExperiment;
use actum_evidence::Reading;
use actum_model::{FileFacts, Held};

/// Everything that is known about an experiment.
pub fn facts_of(reading: &Reading, of: &StoredExperiment) -> Result<ExperimentFacts, ExperimentError> {
    let file = |file: &FileFacts| FileDigest { path: file.path.clone(), sha256: file.sha256 };
    let output = format!("{}/", of.manifest.output);
    let read = of.record.inputs.iter().filter(|file| file.opened != Some(false));
    // What it wrote itself is no ingredient.
    let inputs = read.filter(|file| !file.path.starts_with(&output)).map(file).collect();
    let written = of.record.outputs.iter().filter(|file| !file.path.starts_with(&output));
    let stream = |held: &Held| (held.redactions == 0).then_some(held.sha256);
    let patch = of.patch(reading).ok().flatten();
    Ok(ExperimentFacts {
        manifest: of.manifest.clone(),
        result: of.result.clone(),
        inputs: Some(inputs),
        outputs: written.map(file).collect(),
        stdout: stream(&of.record.stdout),
        stderr: stream(&of.record.stderr),
        patch: patch.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    })
}
