//! The store, opened for reading: runs, their records and their reports.

use super::error::EvidenceError;
use super::unfinished::{RunProgress, UnfinishedChanges, UnfinishedRun};
use actum_engine::Surroundings;
use actum_model::{Bytes, Entry, Outcome, Report, RunId, Started, Stream};
use actum_store::{Kept, Keyring, Reader, Sealed, Store};
use std::io::Read;

/// The store that is in force, open for reading. Works where nobody can write.
pub struct Reading {
    pub surroundings: Surroundings,
    pub store: Store,
    pub reader: Reader,
}

impl Reading {
    pub fn open(surroundings: Surroundings) -> Result<Self, EvidenceError> {
        let store = Store::at(&surroundings.store);
        let reader = Reader::open(&store)?;
        Ok(Self { surroundings, store, reader })
    }

    /// The store, and the run in it that a person means.
    pub fn open_at(surroundings: Surroundings, text: &str) -> Result<(Self, Kept), EvidenceError> {
        let store = Store::at(&surroundings.store);
        let kept = store.find(text)?;
        let reader = Reader::open(&store)?;
        Ok((Self { surroundings, store, reader }, kept))
    }

    /// Another run that a person means.
    pub fn find(&self, text: &str) -> Result<Kept, EvidenceError> {
        Ok(self.store.find(text)?)
    }

    /// The record of a run, which must have one.
    pub fn sealed(&self, run: RunId) -> Result<Sealed, EvidenceError> {
        self.reader.sealed(run)?.ok_or(EvidenceError::NoRecord { run })
    }

    pub fn keyring(&self) -> Keyring {
        Keyring::at(&self.surroundings.keys)
    }

    /// The report that a record names, with what the ledger proves about it now.
    pub fn report(&self, sealed: &Sealed) -> Result<Report, EvidenceError> {
        let run = sealed.record.run;
        let mut text = Vec::new();
        let failed = |source| EvidenceError::Report { run, source };
        self.reader.blob(&sealed.record.report.sha256)?.read_to_end(&mut text).map_err(failed)?;
        let mut report: Report = serde_json::from_slice(&text).map_err(|error| failed(error.into()))?;
        report.evidence = Some(crate::proof::evidence(&self.reader, &self.keyring(), sealed));
        Ok(report)
    }

    /// How far a run is, by what a list holds about it.
    pub fn state(&self, run: RunId, outcome: Option<Outcome>) -> RunProgress {
        match outcome {
            Some(outcome) => RunProgress::Ended(outcome),
            None if self.store.is_going_on(run) => RunProgress::Running,
            // Nobody has opened the store for writing since its process went.
            None => RunProgress::Ended(Outcome::Lost),
        }
    }

    /// What is known about a run without a record.
    pub fn unfinished(&self, kept: &Kept) -> Result<UnfinishedRun, EvidenceError> {
        let entries = self.reader.entries(kept.id)?;
        let started: Vec<&Started> = entries
            .iter()
            .filter_map(|(_, entry)| match entry {
                Entry::Started(started) => Some(started),
                Entry::Made(_)
                | Entry::Ended(_)
                | Entry::Lost(_)
                | Entry::Pruned(_)
                | Entry::KeyChanged(_)
                | Entry::Fact(_) => None,
            })
            .collect();
        let first = started.first().ok_or(EvidenceError::NoRecord { run: kept.id })?;
        let size = |stream: Stream| kept.folder.join(stream.name()).metadata().map_or(0, |file| file.len());
        let state = self.state(kept.id, None);
        Ok(UnfinishedRun {
            run: kept.id,
            state,
            changes: match state {
                RunProgress::Running => UnfinishedChanges::UnknownYet,
                RunProgress::Ended(_) if actum_changes::settle::has_saved(&kept.folder) => {
                    UnfinishedChanges::Saved
                }
                RunProgress::Ended(_) => UnfinishedChanges::NotSaved,
            },
            started_at: first.at,
            command: first.command.clone().into(),
            language: first.language.clone().into(),
            folder: first.folder.clone().into(),
            labels: first.labels.clone(),
            attempts: started.len(),
            printed: Bytes(Stream::ALL.into_iter().map(size).sum()),
        })
    }
}
