//! What has changed in a workspace since an experiment ran in it, and which of these changes make a difference.

use super::restore::{is_given, read_files};
use super::{ReproduceOptions, reproduce};
use crate::error::ExperimentError;
use crate::grade::{Grade, Graded};
use crate::stored::StoredExperiment;
use actum_engine::{Engine, NoSink};
use actum_evidence::Reading;
use actum_gate::Root;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// More changed files are tried together, not one at a time.
const MOST_TRIED: usize = 20;

/// One ingredient that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Drifted {
    /// A file that the program read has other contents now.
    Changed { path: String },
    /// A file that the program read is gone.
    Gone { path: String },
    /// The interpreter's file is another one.
    Interpreter { path: String },
}

impl Drifted {
    pub fn describe(&self) -> String {
        match self {
            Self::Changed { path } => format!("{path} has changed"),
            Self::Gone { path } => format!("{path} is gone"),
            Self::Interpreter { path } => format!("the interpreter {path} has changed"),
        }
    }
}

/// What making one ingredient as it is now did to the result.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Tried {
    pub ingredients: Vec<Drifted>,
    pub grade: Grade,
    /// With everything else as it was, the result is another one.
    pub is_cause: bool,
}

/// What is not as it was.
pub fn drifted(original: &StoredExperiment, workspace: &Path) -> Vec<Drifted> {
    let mut found = Vec::new();
    if let Ok(root) = Root::open(workspace) {
        for file in read_files(original).filter(|file| is_given(original, file)) {
            let path = file.path.clone();
            match root.open_file(Path::new(&path)) {
                Err(_) => found.push(Drifted::Gone { path }),
                Ok(now) => match super::digest(now) {
                    Ok(now) if Some(now) == file.sha256 => {}
                    Ok(_) | Err(_) => found.push(Drifted::Changed { path }),
                },
            }
        }
    }
    if let Some(was) = &original.manifest.environment.interpreter {
        let now =
            actum_gate::open_named(Path::new(&was.path)).ok().and_then(|(file, _)| super::digest(file).ok());
        if was.sha256.is_some() && now != was.sha256 {
            found.push(Drifted::Interpreter { path: was.path.clone() });
        }
    }
    found
}

/// Runs again with one changed ingredient at a time as it is now, everything else as it was.
pub fn bisect(
    engine: &Engine,
    (reading, original): (&Reading, &StoredExperiment),
    options: &ReproduceOptions,
    progress: &mut dyn FnMut(&[Drifted]),
) -> Result<Vec<Tried>, ExperimentError> {
    let files = drifted(original, &options.workspace);
    let files: Vec<Drifted> =
        files.into_iter().filter(|one| !matches!(one, Drifted::Interpreter { .. })).collect();
    let groups = files.chunks(files.len().div_ceil(MOST_TRIED).max(1));
    let mut tried = Vec::new();
    for group in groups {
        progress(group);
        let as_now = group.iter().filter_map(path).collect();
        let options = ReproduceOptions { as_now, keep: false, ..options.clone() };
        let repeated = reproduce(engine, (reading, original), &options, &mut NoSink)?;
        let Graded { grade, .. } = repeated.graded;
        let is_cause = matches!(grade, Grade::R1 | Grade::R2 | Grade::R3 | Grade::R4);
        tried.push(Tried { ingredients: group.to_vec(), grade, is_cause });
    }
    Ok(tried)
}

fn path(of: &Drifted) -> Option<String> {
    match of {
        Drifted::Changed { path } | Drifted::Gone { path } => Some(path.clone()),
        Drifted::Interpreter { .. } => None,
    }
}
