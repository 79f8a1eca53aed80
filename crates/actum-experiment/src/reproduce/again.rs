//! Prepares the repetition of a stored experiment: its manifest as it was, with what the machine and the environment are now.

use super::restore::Restored;
use crate::error::ExperimentError;
use crate::machine;
use crate::manifest::{EnvironmentFacts, InterpreterFacts, Manifest, Purpose};
use crate::output_folder::OutputFolder;
use crate::pinning::{self, PinFacts};
use crate::prepared::{self, PreparedExperiment, TRACKING_PORT};
use crate::request::ExperimentRequest;
use crate::variables;
use actum_determinism::{NetworkAccess, ProcessIds, Profile};
use actum_engine::{CancelHandle, Engine, RequestBuilder, SourceChoice, clock};
use actum_model::{Moment, RunId};
use actum_run::{Support, Tracing};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What is not as it was in the original run: a repetition that finds out what an ingredient does takes it as it is now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    pub seed: Option<u64>,
    pub threads: Option<u32>,
    /// Take packages by their names, in whatever version comes.
    pub packages: bool,
    /// Take the machine's own kernels of linear algebra.
    pub kernels: bool,
}

/// Where a repetition runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) restored: &'a Restored,
    /// A folder of ours beside the restored files.
    pub(super) scratch: &'a Path,
}

/// Prepares it. Nothing of it runs.
pub(super) fn prepare(
    engine: &Engine,
    original: &Manifest,
    (place, drift): (Place<'_>, &Drift),
) -> Result<PreparedExperiment, ExperimentError> {
    let workspace = place.restored.workspace.clone();
    let asked = asked(original, (&workspace, drift));
    let probe = engine
        .request(RequestBuilder { source: SourceChoice::Command(vec!["true".into()]), ..asked.clone() })?;
    let run = probe.id();
    let own_network = engine.serves_ports(&probe)?;
    let output = OutputFolder::open_or_create(&workspace, &original.output)?;
    let logs = OutputFolder::open_or_create(place.scratch, &format!("logs-{}", run.short()))?;
    let threads = drift.threads.unwrap_or(original.machine.threads);
    let machine = machine::look(&output.path, threads, &original.request.gpus);
    let mut seed = original.seed;
    seed.value = drift.seed.unwrap_or(seed.value);
    let profile: Profile = original.determinism.profile.parse().unwrap_or_default();
    let (mut support, determinism) = pinning::pin(PinFacts {
        profile,
        seed,
        threads,
        started_at: original.determinism.clock.unwrap_or(original.created_at),
        language: original.environment.interpreter.as_ref().map(|one| one.name.clone()),
        network: if probe.reaches_network() { NetworkAccess::Granted } else { NetworkAccess::None },
        process_ids: if own_network { ProcessIds::Own } else { ProcessIds::Shared },
        given: Vec::new(),
    })?;
    keep_values(&mut support, original, drift);
    prepared::add_own_variables(&mut support, (&seen_output(original), &original.name), own_network);
    let split = variables::split(support.variables.iter().cloned());
    let manifest = Manifest {
        run,
        purpose: Purpose::Reproduction { of: original.run },
        created_at: clock::now(),
        seed,
        determinism,
        environment: EnvironmentFacts {
            interpreter: original.environment.interpreter.as_ref().map(interpreter_now),
            variables: split.by_value,
            other_variables: split.by_name,
            packages: Vec::new(),
            lock: None,
            active: original.environment.active.clone(),
        },
        machine,
        estimate: None,
        ..original.clone()
    };
    let cancel = CancelHandle::new();
    let mut builder = RequestBuilder { support, tracing: Tracing::Whole, ..asked.clone() };
    if own_network {
        builder.listeners = vec![TRACKING_PORT];
        builder.shown_at = Some(PathBuf::from(&original.workspace));
    }
    let request = engine.request(builder)?.with_id(run).cancel_with(&cancel)?;
    let asked = ExperimentRequest::new(asked);
    Ok(PreparedExperiment::again(manifest, (output, logs), (request, cancel), asked))
}

/// The request of the original, in another folder.
pub(crate) fn asked(original: &Manifest, (workspace, drift): (&Path, &Drift)) -> RequestBuilder {
    let facts = original.request.clone();
    let words: Vec<OsString> = original.command.words.iter().map(OsString::from).collect();
    let folder = Path::new(&original.folder);
    let (source, arguments) = match original.command.is_file {
        true => {
            let file = words.first().map(PathBuf::from).unwrap_or_default();
            (SourceChoice::File(workspace.join(folder).join(file)), words.into_iter().skip(1).collect())
        }
        false => (SourceChoice::Command(words), Vec::new()),
    };
    let locked = original.environment.packages.iter().map(|one| format!("{}=={}", one.name, one.version));
    let packages = if drift.packages { facts.packages } else { locked.collect() };
    RequestBuilder {
        source,
        arguments,
        language: facts.language,
        policy: facts.policy,
        network: facts.network,
        inputs: facts.inputs.iter().map(PathBuf::from).collect(),
        writes: facts.writes.iter().map(PathBuf::from).collect(),
        cards: facts.gpus,
        timeout: facts.timeout,
        limits: facts.limits,
        packages,
        python: facts.python,
        exclude_newer: facts.exclude_newer,
        offline: facts.offline,
        no_prepare: facts.no_prepare,
        variables: facts.variables.iter().map(OsString::from).collect(),
        workspace: Some(workspace.to_path_buf()),
        workdir: (original.folder != ".").then(|| folder.to_path_buf()),
        no_expectations: true,
        ..RequestBuilder::default()
    }
}

/// Where the clock of the profile `strict` started.
pub(crate) fn started_at(original: &Manifest) -> Moment {
    original.determinism.clock.unwrap_or(original.created_at)
}

/// Variables that matter have the values that they had: those of another processor's kernels as well.
pub(crate) fn keep_values(support: &mut Support, original: &Manifest, drift: &Drift) {
    const KERNELS: [&str; 3] = ["OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "MKL_CBWR"];
    const OF_SEED: [&str; 3] = ["PYTHONHASHSEED", "ACTUM_SEED", "PERL_HASH_SEED"];
    for (name, value) in &original.environment.variables {
        let is_drifting = (drift.seed.is_some() && OF_SEED.contains(&name.as_str()))
            || (drift.threads.is_some() && name.ends_with("_THREADS"))
            || (drift.kernels && KERNELS.contains(&name.as_str()));
        if is_drifting || value.contains("{support}") {
            continue;
        }
        support.variables.retain(|(other, _)| other != name.as_str());
        support.variables.push((name.into(), value.into()));
    }
    if drift.kernels {
        support.variables.retain(|(name, _)| !KERNELS.iter().any(|kernel| name == kernel));
    }
}

/// The output folder as the program saw it.
fn seen_output(original: &Manifest) -> PathBuf {
    Path::new(&original.workspace).join(&original.output)
}

pub(crate) fn interpreter_now(was: &InterpreterFacts) -> InterpreterFacts {
    let sha256 =
        actum_gate::open_named(Path::new(&was.path)).ok().and_then(|(file, _)| super::digest(file).ok());
    // The same file is the same interpreter; another one says its version when it runs.
    let version = if sha256 == was.sha256 { was.version.clone() } else { None };
    InterpreterFacts { sha256, version, ..was.clone() }
}

/// A name for a folder of a repetition.
pub(super) fn folder_name(run: RunId) -> String {
    run.to_string()
}
