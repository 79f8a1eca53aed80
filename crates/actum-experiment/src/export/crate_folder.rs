//! Writes a run crate: gathers what the store and the output folder have of a run, and copies it into a new folder.

use crate::artifacts;
use crate::error::ExperimentError;
use crate::manifest::Manifest;
use crate::result::ExperimentResult;
use crate::ro_crate::{CrateInput, CrateSource, FileRole, METADATA, Publication, run_crate};
use crate::stored::StoredExperiment;
use actum_evidence::{EvidenceError, Reading};
use actum_gate::{Root, own};
use actum_model::{Bytes, Digest};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What was written.
#[derive(Debug, Default)]
pub struct WrittenCrate {
    pub files: usize,
    /// Files that the run had and whose contents cannot be had.
    pub left_out: Vec<String>,
}

/// Where the bytes of a file come from.
enum From {
    Bytes(Vec<u8>),
    Store,
    /// The output folder, where it still is what the result says.
    Output(PathBuf),
}

/// Writes the crate into a folder that is not there or empty.
pub fn write_crate(
    reading: &Reading,
    stored: &StoredExperiment,
    publication: &Publication,
    folder: &Path,
) -> Result<WrittenCrate, ExperimentError> {
    let failed = |source| ExperimentError::Output { path: folder.to_path_buf(), source };
    own::make_folders(folder).map_err(failed)?;
    if !own::names(folder).map_err(failed)?.is_empty() {
        return Err(ExperimentError::Request {
            what: format!("the folder {} is not empty", folder.display()),
            hint: "name a new folder".to_owned(),
        });
    }
    let mut gathered =
        Gathered { reading, sources: Vec::new(), from: Vec::new(), written: WrittenCrate::default() };
    gathered.gather(stored)?;
    let Gathered { sources, from, mut written, .. } = gathered;
    let input = CrateInput {
        manifest: &stored.manifest,
        result: stored.result.as_ref(),
        sources: &sources,
        publication,
    };
    let described = run_crate(input);
    for file in &described.files {
        let (Some(source), Some(from)) = (sources.get(file.source), from.get(file.source)) else { continue };
        let path = folder.join(&file.path);
        path.parent().map(own::make_folders).transpose().map_err(failed)?;
        copy(reading, (source, from), &path)?;
        written.files += 1;
    }
    own::write(&folder.join(METADATA), described.metadata.as_bytes()).map_err(failed)?;
    Ok(written)
}

struct Gathered<'a> {
    reading: &'a Reading,
    sources: Vec<CrateSource>,
    from: Vec<From>,
    written: WrittenCrate,
}

impl Gathered<'_> {
    fn gather(&mut self, stored: &StoredExperiment) -> Result<(), ExperimentError> {
        let record = &stored.record;
        let sealed = self.reading.sealed(record.run)?;
        let of_record = CrateSource {
            role: FileRole::Record,
            path: "record.json".to_owned(),
            bytes: Bytes(sealed.bytes.len() as u64),
            sha256: Digest::of(&sealed.bytes),
        };
        self.add(of_record, From::Bytes(sealed.bytes));
        for attached in &record.attachments {
            let role = match attached.name.as_str() {
                Manifest::FILE => FileRole::Manifest,
                Manifest::PATCH => FileRole::Patch,
                Manifest::LOCK => FileRole::Lock,
                ExperimentResult::FILE => FileRole::Result,
                ExperimentResult::METRICS => FileRole::Metrics,
                _ => continue,
            };
            self.kept(role, &attached.name, (attached.bytes, attached.sha256))?;
        }
        self.kept(FileRole::Stdout, "stdout", (record.stdout.bytes, record.stdout.sha256))?;
        self.kept(FileRole::Stderr, "stderr", (record.stderr.bytes, record.stderr.sha256))?;
        let output = format!("{}/", stored.manifest.output);
        for file in &record.inputs {
            let (Some(bytes), Some(sha256)) = (file.size, file.sha256) else { continue };
            match file.path.strip_prefix(&output) {
                Some(below) if below.starts_with("config/") => {
                    self.kept(FileRole::Config, below, (bytes, sha256))?
                }
                // What it wrote itself is among the artifacts.
                Some(_) => {}
                None => self.kept(FileRole::Input, &file.path, (bytes, sha256))?,
            }
        }
        for file in record.outputs.iter().filter(|file| !file.path.starts_with(&output)) {
            if let (Some(bytes), Some(sha256)) = (file.size, file.sha256) {
                self.kept(FileRole::Output, &file.path, (bytes, sha256))?;
            }
        }
        self.artifacts(stored);
        Ok(())
    }

    /// What lies in the output folder, if it is still what the run left.
    fn artifacts(&mut self, stored: &StoredExperiment) {
        let folder = Path::new(&stored.manifest.workspace).join(&stored.manifest.output);
        let now = artifacts::list(&folder).listed;
        for artifact in stored.result.iter().flat_map(|result| &result.artifacts) {
            let is_same = now.iter().any(|one| one.path == artifact.path && one.sha256 == artifact.sha256);
            let path = format!("{}/{}", stored.manifest.output, artifact.path);
            match artifact.sha256.filter(|_| is_same) {
                Some(sha256) => {
                    let source = CrateSource { role: FileRole::Output, path, bytes: artifact.bytes, sha256 };
                    self.add(source, From::Output(folder.join(&artifact.path)));
                }
                None => self.written.left_out.push(path),
            }
        }
    }

    fn kept(
        &mut self,
        role: FileRole,
        path: &str,
        (bytes, sha256): (Bytes, Digest),
    ) -> Result<(), ExperimentError> {
        let source = CrateSource { role, path: path.to_owned(), bytes, sha256 };
        if bytes.0 == 0 {
            // Nothing has no blob.
            self.add(source, From::Bytes(Vec::new()));
        } else if self.reading.reader.has_blob(&sha256).map_err(EvidenceError::from)? {
            self.add(source, From::Store);
        } else {
            self.written.left_out.push(path.to_owned());
        }
        Ok(())
    }

    fn add(&mut self, source: CrateSource, from: From) {
        self.sources.push(source);
        self.from.push(from);
    }
}

fn copy(
    reading: &Reading,
    (source, from): (&CrateSource, &From),
    path: &Path,
) -> Result<(), ExperimentError> {
    let failed = |error| ExperimentError::Output { path: path.to_path_buf(), source: error };
    let mut to = own::create(path).map_err(failed)?;
    let mut copy = |mut from: &mut dyn Read| io::copy(&mut from, &mut to).map(drop).map_err(failed);
    match from {
        From::Bytes(bytes) => copy(&mut bytes.as_slice()),
        From::Store => copy(&mut reading.reader.blob(&source.sha256).map_err(EvidenceError::from)?),
        From::Output(file) => {
            let (folder, name) = (file.parent().unwrap_or(file), file.file_name().unwrap_or_default());
            let root = Root::open(folder).map_err(ExperimentError::gate)?;
            copy(&mut root.open_file(Path::new(name)).map_err(ExperimentError::gate)?.take(source.bytes.0))
        }
    }
}
