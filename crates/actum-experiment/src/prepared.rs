//! Everything before an experiment starts: the command found, the state of the repository kept, seeds pinned, the output folder made
//! and the manifest written.

use crate::error::ExperimentError;
use crate::git_state;
use crate::machine;
use crate::manifest::{
    Command, DataFacts, Determinism, EnvironmentFacts, GitState, InterpreterFacts, MachineFacts, Manifest,
    Purpose, RequestFacts,
};
use crate::output_folder::{OutputFolder, PatternValues};
use crate::pinning::{self, PinFacts};
use crate::program::Program;
use crate::request::ExperimentRequest;
use crate::variables;
use actum_determinism::{NetworkAccess, ProcessIds};
use actum_engine::{CancelHandle, Engine, Request, RequestBuilder, clock};
use actum_gate::own;
use actum_model::{Digest, Label, Moment, RunId, path_text};
use actum_run::{Support, Tracing};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The port of the sandbox's own loopback at which a tracking server listens, next to the proxy's.
pub(crate) const TRACKING_PORT: u16 = 3129;
/// What stands for the output folder in words of the command.
const OUTPUT: &str = "{output}";
/// Limits of a run that may last, where the caller says nothing. They are there to find slips, not to bound work.
const LIMITS: [&str; 3] = ["cpu=10000h", "disk=1TiB", "file-size=1TiB"];
const LONGEST: &str = "7d";

/// An experiment that is ready to start.
pub struct PreparedExperiment {
    pub manifest: Manifest,
    pub output: OutputFolder,
    /// Where logs go, if not to the output folder.
    pub(crate) logs: Option<OutputFolder>,
    pub(crate) request: Request,
    pub(crate) cancel: CancelHandle,
    pub(crate) asked: ExperimentRequest,
    /// The uncommitted changes.
    pub(crate) patch: Option<PathBuf>,
    /// A folder of ours for it.
    scratch: Option<PathBuf>,
    /// What was changed for this run, and what limits how exactly it can be repeated.
    pub notes: Vec<String>,
    /// It continues an earlier attempt, in the output folder of that one.
    pub(crate) continues: bool,
}

impl Drop for PreparedExperiment {
    fn drop(&mut self) {
        self.scratch.iter().for_each(|scratch| drop(own::remove_tree(scratch)));
    }
}

/// Prepares an experiment. Nothing of it runs.
pub fn prepare(engine: &Engine, asked: ExperimentRequest) -> Result<PreparedExperiment, ExperimentError> {
    let mut asked = asked;
    ask_for_enough(&mut asked.asked);
    let probe = engine.request(with_any_source(&asked.asked))?;
    let run = probe.id();
    let scratch = engine.surroundings().cache.join("experiments").join(run.to_string());
    own::make_private_folders(&scratch)
        .map_err(|source| ExperimentError::Scratch { path: scratch.clone(), source })?;
    let patch = scratch.join(Manifest::PATCH);
    let (workspace, folder) = (probe.workspace().to_path_buf(), probe.folder().to_path_buf());
    let (git, mut program) = look(engine, &asked, (&probe, &patch))?;
    if let Some(git) = git.as_ref().filter(|git| asked.require_clean && git.dirty) {
        return Err(ExperimentError::Dirty { top: PathBuf::from(&git.top), count: git.differences().max(1) });
    }
    let name = asked.name.clone().unwrap_or_else(|| program.name());
    let now = clock::now();
    let values = PatternValues { name: &name, now, run, seed: asked.seed.value };
    let output = OutputFolder::create(&workspace, &asked.pattern, values)?;
    let configs = program.save_config(&asked, (&folder, &output))?;
    fill_output(&mut program.words, &output, (&workspace, &folder));
    let machine = machine::look(&output.path, threads(&asked), &asked.asked.cards);
    let own_network = engine.serves_ports(&probe)?;
    let (mut support, determinism) = pinning::pin(PinFacts {
        profile: asked.profile,
        seed: asked.seed,
        threads: machine.threads,
        started_at: now,
        language: program.language.clone(),
        network: if probe.reaches_network() { NetworkAccess::Granted } else { NetworkAccess::None },
        process_ids: if own_network { ProcessIds::Own } else { ProcessIds::Shared },
        given: given(&asked.asked.variables),
    })?;
    add_own_variables(&mut support, (&output.path, &name), own_network);
    let environment = environment(&probe, (&asked.asked, &support), &program);
    let warnings = warnings(git.as_ref(), &machine);
    let manifest = Manifest {
        git,
        workspace: path_text(workspace.as_os_str().as_bytes()),
        folder: relative(&folder, &workspace),
        configs,
        environment,
        machine,
        output: output.shown.clone(),
        warnings,
        determinism,
        ..described((&asked, &engine.surroundings().folder), &program, (run, name.clone(), now))
    };
    let (source, arguments) = program.source();
    let mut builder = RequestBuilder { source, arguments, support, ..asked.asked.clone() };
    builder.tracing = Tracing::Whole;
    builder.writes.push(output.path.clone());
    builder.labels.extend(label(&name));
    if own_network {
        builder.listeners = vec![TRACKING_PORT];
    }
    let cancel = CancelHandle::new();
    let request = engine.request(builder)?.with_id(run).cancel_with(&cancel)?;
    let patch = manifest.git.as_ref().and_then(|git| git.patch.as_ref()).map(|_| patch);
    let notes = program.notes;
    let prepared = PreparedExperiment {
        manifest,
        output,
        logs: None,
        request,
        cancel,
        asked,
        patch,
        scratch: Some(scratch),
        notes,
        continues: false,
    };
    prepared.write_manifest(&prepared.manifest)?;
    Ok(prepared)
}

/// Two sandboxes beside each other: git compares, and the program's text is read.
fn look(
    engine: &Engine,
    asked: &ExperimentRequest,
    (probe, patch): (&Request, &Path),
) -> Result<(Option<GitState>, Program), ExperimentError> {
    let (git, program) = std::thread::scope(|scope| {
        let git = scope.spawn(|| git_state::look(engine, probe, patch));
        let program = Program::find(engine, asked, (probe.workspace(), probe.folder()));
        let git = git.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (git, program)
    });
    Ok((git?, program?))
}

/// What a manifest says about what was asked for, and about the program.
fn described(
    (asked, from): (&ExperimentRequest, &Path),
    program: &Program,
    (run, name, created_at): (RunId, String, Moment),
) -> Manifest {
    Manifest {
        v: Manifest::VERSION,
        run,
        name,
        purpose: asked.purpose.clone(),
        created_at,
        git: None,
        workspace: String::new(),
        folder: String::new(),
        command: Command {
            words: program.words.clone(),
            is_file: program.is_file,
            found: program.found.clone(),
            added: 0,
        },
        request: request_facts(&asked.asked, from),
        seed: asked.seed,
        determinism: Determinism::default(),
        parameters: program.parameters(),
        configs: Vec::new(),
        data: Some(program.data.clone()).filter(|data| *data != DataFacts::default()),
        environment: EnvironmentFacts::default(),
        machine: MachineFacts::default(),
        output: String::new(),
        attempts: Vec::new(),
        estimate: None,
        warnings: Vec::new(),
    }
}

impl PreparedExperiment {
    /// The repetition of an experiment, whose files are put together already.
    pub(crate) fn again(
        manifest: Manifest,
        (output, logs): (OutputFolder, OutputFolder),
        (request, cancel): (Request, CancelHandle),
        asked: ExperimentRequest,
    ) -> Self {
        let (patch, scratch, notes) = (None, None, Vec::new());
        Self {
            manifest,
            output,
            logs: Some(logs),
            request,
            cancel,
            asked,
            patch,
            scratch,
            notes,
            continues: false,
        }
    }

    /// Another attempt of an experiment, in its output folder.
    pub(crate) fn continued(
        manifest: Manifest,
        output: OutputFolder,
        (request, cancel): (Request, CancelHandle),
        (asked, scratch): (ExperimentRequest, PathBuf),
    ) -> Self {
        let patch = manifest.git.as_ref().and_then(|git| git.patch.as_ref());
        let patch = patch.map(|_| scratch.join(Manifest::PATCH));
        let (logs, scratch, notes) = (None, Some(scratch), Vec::new());
        Self { manifest, output, logs, request, cancel, asked, patch, scratch, notes, continues: true }
    }

    /// Writes the manifest to the output folder.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), ExperimentError> {
        let mut text = serde_json::to_vec_pretty(manifest)?;
        text.push(b'\n');
        self.output.write(Manifest::FILE, &text)
    }

    /// Removes its output folder again: it is not run. That of an earlier attempt stays.
    pub fn discard(self) {
        if !self.continues {
            let _ = own::remove_tree(&self.output.path);
        }
    }
}

/// A request that is not for a certain program yet.
fn with_any_source(asked: &RequestBuilder) -> RequestBuilder {
    RequestBuilder { source: actum_engine::SourceChoice::Command(vec!["true".into()]), ..asked.clone() }
}

/// Limits for work that may last, unless the caller has own ones.
fn ask_for_enough(asked: &mut RequestBuilder) {
    let own: Vec<String> = LIMITS.iter().map(|limit| (*limit).to_owned()).collect();
    asked.limits.splice(0..0, own);
    asked.timeout.get_or_insert_with(|| LONGEST.to_owned());
}

fn threads(asked: &ExperimentRequest) -> u32 {
    asked
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |count| count.get() as u32))
}

/// Puts the output folder in the place of `{output}`, relative to where the program starts if it starts in the workspace itself.
fn fill_output(words: &mut [String], output: &OutputFolder, (workspace, folder): (&Path, &Path)) {
    let path =
        if workspace == folder { output.shown.clone() } else { output.path.to_string_lossy().into_owned() };
    words
        .iter_mut()
        .filter(|word| word.contains(OUTPUT))
        .for_each(|word| *word = word.replace(OUTPUT, &path));
}

pub(crate) fn add_own_variables(support: &mut Support, (output, name): (&Path, &str), serves: bool) {
    let mut set = |name: &str, value: OsString| support.variables.push((name.into(), value));
    set("ACTUM_OUTPUT", output.into());
    if serves {
        set("MLFLOW_TRACKING_URI", format!("http://127.0.0.1:{TRACKING_PORT}").into());
        set("MLFLOW_EXPERIMENT_NAME", name.into());
        // Nobody answers on the other side of a proxy.
        set("GIT_PYTHON_REFRESH", "quiet".into());
    }
}

/// Variables that the user sets for the program, where they are text.
fn given(variables: &[OsString]) -> Vec<(String, String)> {
    let pair = |text: &OsString| {
        let (name, value) = text.to_str()?.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    };
    variables.iter().filter_map(pair).collect()
}

fn environment(
    request: &Request,
    (asked, support): (&RequestBuilder, &Support),
    program: &Program,
) -> EnvironmentFacts {
    let split = variables::split(support.variables.iter().cloned().chain(granted(request, asked)));
    let runtime = program.runtime.as_ref();
    EnvironmentFacts {
        interpreter: runtime.map(|runtime| InterpreterFacts {
            name: runtime.name.clone(),
            path: runtime.path.clone(),
            version: runtime.version.clone(),
            sha256: file_digest(Path::new(&runtime.path)),
        }),
        active: active(request),
        variables: split.by_value,
        other_variables: split.by_name,
        ..EnvironmentFacts::default()
    }
}

/// Variables that the program is granted, with their values.
fn granted(request: &Request, asked: &RequestBuilder) -> Vec<(OsString, OsString)> {
    let value = |name: &str| request.variables().iter().find(|(other, _)| other == name);
    let pair = |text: &OsString| match text.to_string_lossy().split_once('=') {
        Some((name, value)) => Some((name.into(), value.into())),
        None => value(&text.to_string_lossy()).cloned(),
    };
    asked.variables.iter().filter_map(pair).collect()
}

fn file_digest(path: &Path) -> Option<Digest> {
    let (file, _) = actum_gate::open_named(path).ok()?;
    crate::reproduce::digest(file).ok()
}

fn active(request: &Request) -> Option<String> {
    let names = ["VIRTUAL_ENV", "CONDA_PREFIX"];
    let mut found = request.variables().iter().filter(|(name, _)| names.iter().any(|known| name == known));
    found.next().map(|(_, value)| value.to_string_lossy().into_owned())
}

/// A granted card with less of its memory free than this is used by somebody else.
const LEAST_FREE: f64 = 0.5;

pub(crate) fn warnings(git: Option<&GitState>, machine: &MachineFacts) -> Vec<String> {
    let mut warnings = Vec::new();
    for gpu in machine.gpus.iter().filter(|gpu| gpu.granted) {
        if (gpu.memory_free.0 as f64) < LEAST_FREE * gpu.memory.0 as f64 {
            warnings.push(format!(
                "GPU {} has only {} of {} free: another program holds the rest",
                gpu.index, gpu.memory_free, gpu.memory
            ));
        }
    }
    match git {
        None => warnings
            .push("there is no git repository: only the files that the program reads are kept".to_owned()),
        Some(git) => {
            if let Some(operation) = &git.operation {
                warnings.push(format!("the repository is in the middle of a {operation}"));
            }
            if git.branch.is_none() {
                warnings
                    .push("no branch is checked out: the commit may be removed by git one day".to_owned());
            }
        }
    }
    warnings
}

/// Paths are kept whole, so that they mean the same from another folder.
fn request_facts(asked: &RequestBuilder, from: &Path) -> RequestFacts {
    let path = |path: &PathBuf| path_text(from.join(path).as_os_str().as_bytes());
    let paths = |paths: &[PathBuf]| paths.iter().map(path).collect();
    let name = |text: &OsString| {
        let text = text.to_string_lossy();
        text.split_once('=').map_or(&*text, |(name, _)| name).to_owned()
    };
    RequestFacts {
        language: asked.language.clone(),
        policy: asked.policy.clone(),
        network: asked.network.clone(),
        inputs: paths(&asked.inputs),
        writes: paths(&asked.writes),
        gpus: asked.cards.clone(),
        timeout: asked.timeout.clone(),
        limits: asked.limits.clone(),
        packages: asked.packages.clone(),
        python: asked.python.clone(),
        exclude_newer: asked.exclude_newer.clone(),
        offline: asked.offline,
        no_prepare: asked.no_prepare,
        variables: asked.variables.iter().map(name).collect(),
    }
}

fn relative(folder: &Path, workspace: &Path) -> String {
    let below = folder.strip_prefix(workspace).unwrap_or(folder);
    match below.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => path_text(below.as_os_str().as_bytes()),
    }
}

/// By which `actum ls --label` finds the runs of an experiment.
pub(crate) fn label(name: &str) -> Option<Label> {
    crate::output_folder::file_name(name).parse().ok()
}

/// What the purpose of a run is called in an index.
pub(crate) fn purpose_word(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Experiment => "experiment",
        Purpose::Smoke => "smoke",
        Purpose::Resume { .. } => "resume",
        Purpose::Reproduction { .. } => "reproduction",
        Purpose::Trial { .. } => "trial",
    }
}
