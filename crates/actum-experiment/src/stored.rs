//! Experiments that are in the store: their records, and what was attached to them.

use crate::error::ExperimentError;
use crate::manifest::Manifest;
use crate::result::ExperimentResult;
use actum_evidence::{EvidenceError, Reading};
use actum_model::{Digest, Record, RunId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::io::Read;

/// Uncommitted changes are the largest that is read.
const LARGEST: u64 = 260 << 20;

/// One experiment with its record.
#[derive(Debug)]
pub struct StoredExperiment {
    pub record: Record,
    pub manifest: Manifest,
    /// Absent where it could not be run at all.
    pub result: Option<ExperimentResult>,
}

impl StoredExperiment {
    /// The experiment that a person means by an id, a part of one, or `last`.
    pub fn find(reading: &Reading, text: &str) -> Result<Self, ExperimentError> {
        let kept = reading.find(text)?;
        Self::read(reading, kept.id)
    }

    /// The experiment of a run.
    pub fn read(reading: &Reading, run: RunId) -> Result<Self, ExperimentError> {
        let record = reading.sealed(run)?.record;
        let manifest = read_manifest(reading, &record)?;
        let result = attachment(reading, &record, ExperimentResult::FILE)?;
        let result = result.map(|bytes| parse(&record, &bytes)).transpose()?;
        Ok(Self { record, manifest, result })
    }

    /// The points of its curves, as JSON lines.
    pub fn metrics(&self, reading: &Reading) -> Result<Vec<u8>, ExperimentError> {
        Ok(attachment(reading, &self.record, ExperimentResult::METRICS)?.unwrap_or_default())
    }

    /// The uncommitted changes that it ran with.
    pub fn patch(&self, reading: &Reading) -> Result<Option<Vec<u8>>, ExperimentError> {
        attachment(reading, &self.record, Manifest::PATCH)
    }

    /// The lock of its environment.
    pub fn lock(&self, reading: &Reading) -> Result<Option<String>, ExperimentError> {
        let bytes = attachment(reading, &self.record, Manifest::LOCK)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn read_manifest(reading: &Reading, record: &Record) -> Result<Manifest, ExperimentError> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let run = record.run.short();
    let bytes = attachment(reading, record, Manifest::FILE)?;
    let Some(bytes) = bytes else { return Err(ExperimentError::NoManifest { run }) };
    let Version { v: version } = parse(record, &bytes)?;
    if version > Manifest::VERSION {
        return Err(ExperimentError::Newer { run, version });
    }
    parse(record, &bytes)
}

fn parse<T: DeserializeOwned>(record: &Record, bytes: &[u8]) -> Result<T, ExperimentError> {
    let failed = |source| ExperimentError::Manifest { run: record.run.short(), source };
    serde_json::from_slice(bytes).map_err(failed)
}

/// The bytes of an attachment; none where the record names none of that name.
pub(crate) fn attachment(
    reading: &Reading,
    record: &Record,
    name: &str,
) -> Result<Option<Vec<u8>>, ExperimentError> {
    let Some(facts) = record.attachments.iter().find(|one| one.name == name) else { return Ok(None) };
    if facts.bytes.0 == 0 {
        // Nothing has no blob.
        return Ok(Some(Vec::new()));
    }
    blob(reading, &facts.sha256, name).map(Some)
}

/// The bytes that are kept by a digest.
pub(crate) fn blob(reading: &Reading, sha256: &Digest, what: &str) -> Result<Vec<u8>, ExperimentError> {
    let missing = || ExperimentError::Missing { what: what.to_owned() };
    let is_kept = reading.reader.has_blob(sha256).map_err(EvidenceError::from)?;
    if !is_kept {
        return Err(missing());
    }
    let mut bytes = Vec::new();
    let blob = reading.reader.blob(sha256).map_err(EvidenceError::from)?;
    let read = blob.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|source| ExperimentError::restore(what, source))?;
    if bytes.len() as u64 > LARGEST { Err(missing()) } else { Ok(bytes) }
}
