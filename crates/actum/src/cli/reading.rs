//! What the commands that read share: the store, opened for reading, and why that can fail.

use super::fail;
use crate::config::{self, ConfigError};
use crate::screen::{State, Unfinished};
use actum_engine::{EngineError, Surroundings};
use actum_model::{Anchor, AnchorError, Bytes, Digest, Entry, Outcome, Report, RunId, Started, Stream};
use actum_store::{Kept, Keyring, Reader, Sealed, Store, StoreError};
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;

/// The store that is in force, open for reading. Works where nobody can write.
pub(super) struct Reading {
    pub(super) surroundings: Surroundings,
    pub(super) store: Store,
    pub(super) reader: Reader,
}

/// Why something could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("invalid anchor")]
    Anchor(#[from] AnchorError),
    #[error("cannot read the output of run {run}")]
    Printed { run: RunId, source: io::Error },
    #[error("cannot read the report of run {run}")]
    Report { run: RunId, source: io::Error },
    #[error("cannot write to stdout")]
    Write { source: io::Error },
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
    #[error("run {run} has no record: it is still running, or was lost")]
    NoRecord { run: RunId },
    #[error("cannot find {anchor}: {why}")]
    NoPiece { anchor: Box<Anchor>, why: String },
    #[error("cannot print {path}: only its SHA-256 was recorded, {sha256}")]
    OnlyDigest { path: String, sha256: Digest },
    #[error("cannot print {path}: it was not a regular file, or it was too large")]
    Unread { path: String },
    #[error("cannot print {size} as JSON: the limit is {most}")]
    TooLong { size: Bytes, most: Bytes },
    #[error("cannot read {}", path.display())]
    Text { path: PathBuf, source: io::Error },
    #[error("cannot read {}: messages over 16 MiB are not supported", path.display())]
    LongText { path: PathBuf },
    #[error("cannot parse the claims in {}", path.display())]
    Structured { path: PathBuf, source: serde_json::Error },
    #[error("invalid pattern `{pattern}`: {why}")]
    Pattern { pattern: String, why: String },
}

impl Problem {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Config(error) => Some(error.hint().to_owned()),
            Self::Engine(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Anchor(_) => Some("`actum evidence RUN --list` lists a run's anchors".to_owned()),
            Self::NoPiece { anchor, .. } => {
                let short = anchor.run.rsplit('-').next().unwrap_or_default();
                Some(format!("`actum evidence {short} --list` lists all anchors"))
            }

            Self::NoRecord { run } => Some(format!("`actum show {}` shows what is known", run.short())),
            Self::OnlyDigest { .. } => {
                Some("if you have the file, compare its sha256sum with this hash".to_owned())
            }
            Self::Unread { .. } => Some("`actum show RUN --record` prints what was recorded about it".to_owned()),
            Self::TooLong { .. } => Some("omit --json".to_owned()),
            Self::Pattern { .. } => {
                Some("put a backslash before characters that you mean literally".to_owned())
            }
            Self::Printed { .. } | Self::Report { .. } => {
                Some("`actum verify` lists all problems of a store".to_owned())
            }
            Self::Structured { .. } => Some(
                "write them as {\"claims\":[{\"kind\":\"tests\",\"passed\":12}]}; `actum help claims` explains the format".to_owned(),
            ),
            Self::Write { .. } | Self::Json(_) | Self::Text { .. } | Self::LongText { .. } => None,
        }
    }
}

/// The evidence is not there, at most its digest: as a claim that nothing supports.
const UNSUPPORTED: u8 = 4;

/// Tells what failed, and ends with the code for it.
pub(super) fn failed(problem: &Problem) -> ExitCode {
    let code = fail(problem, problem.hint().as_deref());
    let is_unsupported = matches!(problem, Problem::OnlyDigest { .. } | Problem::Unread { .. });
    if is_unsupported { ExitCode::from(UNSUPPORTED) } else { code }
}

impl Reading {
    pub(super) fn open() -> Result<Self, Problem> {
        let surroundings = config::surroundings()?;
        let store = Store::at(&surroundings.store);
        let reader = Reader::open(&store)?;
        Ok(Self { surroundings, store, reader })
    }

    /// The store, and the run in it that a person means.
    pub(super) fn open_at(text: &str) -> Result<(Self, Kept), Problem> {
        let surroundings = config::surroundings()?;
        let store = Store::at(&surroundings.store);
        let kept = store.find(text)?;
        let reader = Reader::open(&store)?;
        Ok((Self { surroundings, store, reader }, kept))
    }

    /// Another run that a person means.
    pub(super) fn find(&self, text: &str) -> Result<Kept, Problem> {
        Ok(self.store.find(text)?)
    }

    /// The record of a run, which must have one.
    pub(super) fn sealed(&self, run: RunId) -> Result<Sealed, Problem> {
        self.reader.sealed(run)?.ok_or(Problem::NoRecord { run })
    }

    pub(super) fn keyring(&self) -> Keyring {
        Keyring::at(&self.surroundings.keys)
    }

    /// The report that a record names, with what the ledger proves about it now.
    pub(super) fn report(&self, sealed: &Sealed) -> Result<Report, Problem> {
        let run = sealed.record.run;
        let mut text = Vec::new();
        let failed = |source| Problem::Report { run, source };
        self.reader.blob(&sealed.record.report.sha256)?.read_to_end(&mut text).map_err(failed)?;
        let mut report: Report = serde_json::from_slice(&text).map_err(|error| failed(error.into()))?;
        report.evidence = Some(super::proof::evidence(&self.reader, &self.keyring(), sealed));
        Ok(report)
    }

    /// How far a run is, by what a list holds about it.
    pub(super) fn state(&self, run: RunId, outcome: Option<Outcome>) -> State {
        match outcome {
            Some(outcome) => State::Ended(outcome),
            None if self.store.is_going_on(run) => State::Running,
            // Nobody has opened the store for writing since its process went.
            None => State::Ended(Outcome::Lost),
        }
    }

    /// What is known about a run without a record.
    pub(super) fn unfinished(&self, kept: &Kept) -> Result<Unfinished, Problem> {
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
        let first = started.first().ok_or(Problem::NoRecord { run: kept.id })?;
        let size = |stream: Stream| kept.folder.join(stream.name()).metadata().map_or(0, |file| file.len());
        Ok(Unfinished {
            run: kept.id,
            state: self.state(kept.id, None),
            started_at: first.at,
            command: first.command.clone(),
            language: first.language.clone(),
            folder: first.folder.clone(),
            labels: first.labels.clone(),
            attempts: started.len(),
            printed: Bytes(Stream::ALL.into_iter().map(size).sum()),
        })
    }
}
