//! The texts behind what differs between two experiments: source files that both read, as they were.

use crate::compare::{Comparison, Group};
use crate::error::ExperimentError;
use crate::stored::{StoredExperiment, blob};
use actum_evidence::Reading;

/// More files are named, and not shown.
const MOST: usize = 20;
const LARGEST: u64 = 1 << 20;

/// A file that two experiments read in different forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSource {
    pub path: String,
    /// Empty where the experiment did not read it.
    pub one: String,
    pub other: String,
}

/// Source files that differ, with their texts. What was not kept, or is no text, is left out.
pub fn changed_sources(
    reading: &Reading,
    (one, other): (&StoredExperiment, &StoredExperiment),
    comparison: &Comparison,
) -> Result<Vec<ChangedSource>, ExperimentError> {
    let sources = comparison.ingredients.iter().filter(|found| found.kind.group() == Group::Source);
    let mut changed: Vec<ChangedSource> = Vec::new();
    for path in sources.map(|found| &found.what) {
        let texts = (text(reading, one, path)?, text(reading, other, path)?);
        let is_new = changed.iter().all(|known| known.path != *path);
        if let ((Some(one), Some(other)), true) = (texts, is_new && changed.len() < MOST)
            && one != other
        {
            changed.push(ChangedSource { path: path.clone(), one, other });
        }
    }
    Ok(changed)
}

/// The text of a file as an experiment read it: nothing where it did not, none where it is not known.
fn text(reading: &Reading, of: &StoredExperiment, path: &str) -> Result<Option<String>, ExperimentError> {
    let Some(file) = of.record.inputs.iter().find(|file| file.path == path) else {
        return Ok(Some(String::new()));
    };
    let is_small = file.size.is_some_and(|size| size.0 <= LARGEST);
    let Some(sha256) = file.sha256.filter(|_| file.kept && is_small) else { return Ok(None) };
    match file.size.is_some_and(|size| size.0 == 0) {
        true => Ok(Some(String::new())),
        false => Ok(String::from_utf8(blob(reading, &sha256, path)?).ok()),
    }
}
