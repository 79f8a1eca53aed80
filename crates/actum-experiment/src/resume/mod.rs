//! On from a checkpoint: another attempt of an experiment that failed, was cancelled or was killed, in its output folder and with one
//! joined curve.
//!
//! [`find`] gives the earlier attempt and says whether it can be continued, [`prepare`] makes the next one of it, which is run like any
//! prepared experiment. Start at [`prepare`].

mod checkpoint;
mod earlier;
mod way;

pub use checkpoint::FoundCheckpoint;
pub use earlier::{EarlierAttempt, find};

use crate::error::ExperimentError;
use crate::git_state;
use crate::machine;
use crate::manifest::{EnvironmentFacts, Manifest, Purpose};
use crate::output_folder::OutputFolder;
use crate::pinning::{self, PinFacts};
use crate::prepared::{self, PreparedExperiment, TRACKING_PORT};
use crate::reproduce::again;
use crate::request::ExperimentRequest;
use crate::variables;
use actum_determinism::{NetworkAccess, ProcessIds, Profile};
use actum_engine::{CancelHandle, Engine, Request, RequestBuilder, SourceChoice, clock};
use actum_gate::own;
use actum_run::{Support, Tracing};
use std::path::{Path, PathBuf};

/// How it is continued.
#[derive(Debug, Clone, Default)]
pub struct ResumeOptions {
    /// Continue even if it succeeded.
    pub again: bool,
    /// Words to add to the command, from the configuration; `{checkpoint}` stands for the checkpoint.
    pub declared: Option<String>,
    /// This checkpoint, and not the newest.
    pub checkpoint: Option<String>,
}

/// Prepares the next attempt. Nothing of it runs, except perhaps the program's own `--help`.
pub fn prepare(
    engine: &Engine,
    earlier: &EarlierAttempt,
    options: &ResumeOptions,
) -> Result<PreparedExperiment, ExperimentError> {
    earlier.check(options.again)?;
    let before = &earlier.manifest;
    let workspace = Path::new(&before.workspace);
    let output = OutputFolder::open(workspace, &before.output)?;
    // Of a run that was lost only the names of packages are known.
    let drift = again::Drift { packages: before.environment.packages.is_empty(), ..Default::default() };
    let asked = again::asked(&earlier.base(), (workspace, &drift));
    let found = checkpoint::find(before, &output, options.checkpoint.as_deref())?;
    let added = way::words(engine, (before, &asked), &found, options.declared.as_deref())?;
    let mut next = Next::begin(engine, earlier, (&asked, &added))?;
    next.manifest.purpose = Purpose::Resume { of: before.run, checkpoint: Some(found.shown.clone()) };
    let git = next.manifest.git.clone();
    let Next { manifest, support, scratch, probe } = next;
    let cancel = CancelHandle::new();
    let asked = with_words(asked, &added);
    let own_network = engine.serves_ports(&probe)?;
    let mut builder = RequestBuilder { support, tracing: Tracing::Whole, ..asked.clone() };
    builder.writes.push(output.path.clone());
    builder.labels.extend(prepared::label(&before.name));
    if own_network {
        builder.listeners = vec![TRACKING_PORT];
    }
    let request = engine.request(builder)?.with_id(probe.id()).cancel_with(&cancel)?;
    let mut request_of = ExperimentRequest::new(asked);
    request_of.purpose = manifest.purpose.clone();
    let mut prepared =
        PreparedExperiment::continued(manifest, output, (request, cancel), (request_of, scratch));
    prepared.notes = earlier.notes(git.as_ref());
    prepared
        .notes
        .insert(0, format!("continuing {} from {}: {}", before.run.short(), found.shown, added.join(" ")));
    Ok(prepared)
}

/// What the next attempt consists of.
struct Next {
    manifest: Manifest,
    support: Support,
    scratch: PathBuf,
    probe: Request,
}

impl Next {
    fn begin(
        engine: &Engine,
        earlier: &EarlierAttempt,
        (asked, added): (&RequestBuilder, &[String]),
    ) -> Result<Self, ExperimentError> {
        let before = &earlier.manifest;
        let source = SourceChoice::Command(vec!["true".into()]);
        let probe = engine.request(RequestBuilder { source, arguments: Vec::new(), ..asked.clone() })?;
        let run = probe.id();
        let scratch = engine.surroundings().cache.join("experiments").join(run.to_string());
        own::make_private_folders(&scratch)
            .map_err(|source| ExperimentError::Scratch { path: scratch.clone(), source })?;
        let git = git_state::look(engine, &probe, &scratch.join(Manifest::PATCH))?;
        let own_network = engine.serves_ports(&probe)?;
        let output = Path::new(&before.workspace).join(&before.output);
        let (mut support, determinism) = pinning::pin(PinFacts {
            profile: before.determinism.profile.parse::<Profile>().unwrap_or_default(),
            seed: before.seed,
            threads: before.machine.threads,
            started_at: again::started_at(before),
            language: before.environment.interpreter.as_ref().map(|one| one.name.clone()),
            network: if probe.reaches_network() { NetworkAccess::Granted } else { NetworkAccess::None },
            process_ids: if own_network { ProcessIds::Own } else { ProcessIds::Shared },
            given: Vec::new(),
        })?;
        again::keep_values(&mut support, before, &again::Drift::default());
        prepared::add_own_variables(&mut support, (&output, &before.name), own_network);
        let split = variables::split(support.variables.iter().cloned());
        let mut command = earlier.base().command;
        command.words.extend(added.iter().cloned());
        command.added = added.len() as u64;
        let mut attempts = before.attempts.clone();
        attempts.push(before.run);
        let machine = machine::look(&output, before.machine.threads, &before.request.gpus);
        let manifest = Manifest {
            run,
            created_at: clock::now(),
            warnings: prepared::warnings(git.as_ref(), &machine),
            git,
            command,
            determinism,
            environment: EnvironmentFacts {
                interpreter: before.environment.interpreter.as_ref().map(again::interpreter_now),
                variables: split.by_value,
                other_variables: split.by_name,
                packages: Vec::new(),
                lock: None,
                active: before.environment.active.clone(),
            },
            machine,
            attempts,
            estimate: None,
            ..before.clone()
        };
        Ok(Self { manifest, support, scratch, probe })
    }
}

/// The request with words behind its own.
fn with_words(mut asked: RequestBuilder, added: &[String]) -> RequestBuilder {
    let words = added.iter().map(Into::into);
    match &mut asked.source {
        SourceChoice::Command(command) => command.extend(words),
        SourceChoice::File(_)
        | SourceChoice::Shell(_)
        | SourceChoice::Stdin(_)
        | SourceChoice::Code(_)
        | SourceChoice::Nothing => asked.arguments.extend(words),
    }
    asked
}
