//! The attempt that is continued: its manifest from its record, or from where it was kept while it ran.

use crate::error::ExperimentError;
use crate::kept_manifest;
use crate::manifest::{GitState, Manifest};
use crate::reproduce::{Drifted, drifted};
use crate::stored::StoredExperiment;
use actum_evidence::{EvidenceError, Reading, RunProgress};
use actum_model::Outcome;
use std::path::Path;

/// Changed files are named up to there.
const MOST_NAMED: usize = 20;

/// An attempt that is over.
#[derive(Debug)]
pub struct EarlierAttempt {
    pub manifest: Manifest,
    pub outcome: Outcome,
    /// What is not as it was, as far as that is known.
    pub drifted: Vec<Drifted>,
}

/// The attempt that a person means by an id, a part of one, or `last`.
pub fn find(reading: &Reading, text: &str) -> Result<EarlierAttempt, ExperimentError> {
    let kept = reading.find(text)?;
    let is_sealed = reading.reader.sealed(kept.id).map_err(EvidenceError::from)?.is_some();
    if is_sealed {
        let stored = StoredExperiment::read(reading, kept.id)?;
        let drifted = drifted(&stored, Path::new(&stored.manifest.workspace));
        let outcome = stored.record.outcome;
        return Ok(EarlierAttempt { manifest: stored.manifest, outcome, drifted });
    }
    match reading.state(kept.id, None) {
        RunProgress::Running => Err(ExperimentError::Request {
            what: format!("run {} is still going on", kept.id.short()),
            hint: format!(
                "wait for it, or end it first; `actum logs {}` shows what it prints",
                kept.id.short()
            ),
        }),
        RunProgress::Ended(outcome) => {
            Ok(EarlierAttempt { manifest: kept_manifest::read(&kept)?, outcome, drifted: Vec::new() })
        }
    }
}

impl EarlierAttempt {
    /// Its manifest with the command as it was before anything was added to continue.
    pub(super) fn base(&self) -> Manifest {
        let mut manifest = self.manifest.clone();
        let words = &mut manifest.command.words;
        let added = usize::try_from(manifest.command.added).unwrap_or(usize::MAX);
        words.truncate(words.len().saturating_sub(added).max(1));
        manifest.command.added = 0;
        manifest
    }

    pub(super) fn check(&self, again: bool) -> Result<(), ExperimentError> {
        match self.outcome {
            Outcome::Success if !again => Err(ExperimentError::Request {
                what: format!("run {} succeeded: there is nothing to continue", self.manifest.run.short()),
                hint: "continue it anyway with --again".to_owned(),
            }),
            Outcome::Success
            | Outcome::Failure
            | Outcome::Error
            | Outcome::Timeout
            | Outcome::Cancelled
            | Outcome::Skipped
            | Outcome::Lost => Ok(()),
        }
    }

    /// What has changed since, in sentences.
    pub(super) fn notes(&self, now: Option<&GitState>) -> Vec<String> {
        let mut notes = Vec::new();
        let short = |commit: &str| commit.chars().take(10).collect::<String>();
        if let (Some(was), Some(now)) = (&self.manifest.git, now) {
            if was.commit != now.commit {
                let commits = (short(&was.commit), short(&now.commit));
                notes.push(format!("the commit was {}, and is {}", commits.0, commits.1));
            } else if was.patch.map(|patch| patch.sha256) != now.patch.map(|patch| patch.sha256) {
                notes.push("the uncommitted changes are not those of the earlier attempt".to_owned());
            }
        }
        let more = self.drifted.len().saturating_sub(MOST_NAMED);
        notes.extend(self.drifted.iter().take(MOST_NAMED).map(Drifted::describe));
        if more > 0 {
            notes.push(format!("and {more} more files have changed"));
        }
        notes
    }
}
