//! `actum rerun`

use super::experiment::{Carrying, ExperimentProblem, carry_out};
use super::fail;
use super::run::{Call, OneRun, Options, Presentation, ProgramTerminal};
use crate::config;
use crate::screen;
use actum_engine::{EarlySigner, RequestBuilder, SourceChoice};
use actum_evidence::{EvidenceError, Reading};
use actum_experiment::{ExperimentError, Manifest, StoredExperiment, ask_again};
use actum_model::{Digest, Limit, Limits, Record, Requested, SourceKind, Tier, Witness, WorkspaceMode};
use actum_sandbox::{Opening, Warden};
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Start a recorded run again, as it was asked for
///
/// The same command or file with the same arguments, policy, limits, grants and labels, in the workspace as it is now: nothing is put
/// back as it was. An experiment gets a new output folder, with the same seed and parameters. Variables that were passed with --env
/// are taken from your environment now; expectations and cases of the command line are not kept. To repeat an experiment exactly, see
/// `actum reproduce`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum rerun last
  actum rerun 3f9a02 --json
  actum rerun 3f9a02 --dry-run                   show what would be done

Exit codes: those of `actum run`.")]
pub struct Rerun {
    /// Run: its id, the id's beginning or end, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Do not ask for confirmation of an experiment
    #[arg(long, short)]
    yes: bool,
    /// Show what would be done, run nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    reporting: Options,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Config(#[from] config::ConfigError),
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error("{what}")]
    NotKept { what: String, hint: String },
}

/// What is started again.
enum Again {
    Run(Box<RequestBuilder>),
    Experiment(Box<actum_experiment::ExperimentRequest>),
}

impl Rerun {
    pub fn execute(self, warden: Warden, signer: Option<EarlySigner>) -> ExitCode {
        let opening = match Opening::begin(warden, Tier::N) {
            Ok(opening) => opening,
            Err(error) => return fail(&error, error.hint().as_deref()),
        };
        let one = OneRun::opening(opening, signer);
        match self.find() {
            Ok(Again::Run(asked)) => self.call(*asked).execute(one),
            Ok(Again::Experiment(request)) => {
                self.carry_out(one, *request).unwrap_or_else(|error| error.fail())
            }
            Err(problem) => {
                let hint = match &problem {
                    Problem::Evidence(error) => error.hint(),
                    Problem::Experiment(error) => error.hint(),
                    Problem::NotKept { hint, .. } => Some(hint.clone()),
                    Problem::Config(_) => None,
                };
                fail(&problem, hint.as_deref())
            }
        }
    }

    fn call(self, asked: RequestBuilder) -> Call {
        let line = std::env::args_os().collect();
        let presentation = Presentation { line, options: self.reporting, terminal: ProgramTerminal::None };
        Call { asked, presentation, dry_run: self.dry_run, ceiling: Tier::N, approved: None }
    }

    fn carry_out(
        self,
        one: OneRun,
        request: actum_experiment::ExperimentRequest,
    ) -> Result<ExitCode, ExperimentProblem> {
        let Self { yes, dry_run, reporting, .. } = self;
        let how = Carrying { reporting, terminal: ProgramTerminal::None, yes, dry_run, output: None };
        carry_out(one, request, how).map(Into::into)
    }

    fn find(&self) -> Result<Again, Problem> {
        let (reading, kept) = Reading::open_at(config::surroundings()?, &self.run)?;
        let record = reading.sealed(kept.id)?.record;
        if !Path::new(&record.workspace).is_dir() {
            return Err(Problem::NotKept {
                what: format!(
                    "the workspace of the run, {}, is not there",
                    screen::harmless(&record.workspace)
                ),
                hint: "put it back, or start the program anew where it is now".to_owned(),
            });
        }
        if record.attachments.iter().any(|one| one.name == Manifest::FILE) {
            let stored = StoredExperiment::read(&reading, kept.id)?;
            return Ok(Again::Experiment(Box::new(ask_again(&stored.manifest))));
        }
        Ok(Again::Run(Box::new(asked(&reading, &record)?)))
    }
}

/// The request that a record is of.
fn asked(reading: &Reading, record: &Record) -> Result<RequestBuilder, Problem> {
    let command = screen::harmless(&record.command);
    let not_kept = |why: &str| Problem::NotKept {
        what: format!("run {} cannot be started again: {why}", record.run.short()),
        hint: format!("its command was: {command}"),
    };
    if record.witness != Witness::Executed {
        return Err(not_kept("it was observed, not run by Actum"));
    }
    let Some(requested) = &record.requested else {
        return Err(not_kept("its record is of an earlier version, which did not keep what was asked for"));
    };
    if requested.is_lossy {
        return Err(not_kept("its command held a secret or was no text, and is not kept as it was"));
    }
    let source = source(reading, (record, requested), &not_kept)?;
    let mode = record.asked.workspace_mode;
    let below = Path::new(&record.folder).strip_prefix(&record.workspace).map(Path::to_path_buf);
    let labels = record.labels.iter().filter_map(|label| label.parse().ok()).collect();
    let requested: Requested = (**requested).clone();
    Ok(RequestBuilder {
        source,
        arguments: record.arguments.iter().map(OsString::from).collect(),
        language: requested.language,
        database: requested.database.map(PathBuf::from),
        labels,
        keep_going: requested.keep_going,
        task: record.task.clone(),
        packages: requested.packages,
        exclude_newer: requested.exclude_newer,
        python: requested.python,
        policy: Some(record.asked.policy.clone()),
        network: requested.network,
        variables: variables(reading, record),
        inputs: requested.reads.iter().map(PathBuf::from).collect(),
        writes: requested.writes.iter().map(PathBuf::from).collect(),
        cards: requested.cards,
        approval: Some(record.asked.approval),
        limits: limits(&record.asked.limits),
        workspace: Some(PathBuf::from(&record.workspace)),
        workdir: below.ok().filter(|below| !below.as_os_str().is_empty()),
        read_only: mode == WorkspaceMode::ReadOnly,
        in_place: mode == WorkspaceMode::InPlace,
        ..RequestBuilder::default()
    })
}

fn source(
    reading: &Reading,
    (record, requested): (&Record, &Requested),
    not_kept: &dyn Fn(&str) -> Problem,
) -> Result<SourceChoice, Problem> {
    let words = requested.words.iter().map(OsString::from);
    Ok(match record.source.kind {
        SourceKind::Command => SourceChoice::Command(words.collect()),
        SourceKind::Shell => SourceChoice::Shell(words.collect()),
        SourceKind::Inline => SourceChoice::Code(contents(reading, record, not_kept)?),
        SourceKind::Stdin => SourceChoice::Stdin(contents(reading, record, not_kept)?),
        SourceKind::File | SourceKind::Answer => match &record.source.path {
            Some(path) => {
                let path = Path::new(&record.workspace).join(path);
                warn_if_changed(&path, record);
                SourceChoice::File(path)
            }
            None => SourceChoice::Stdin(contents(reading, record, not_kept)?),
        },
    })
}

/// Code that came without a file, if its bytes are kept.
fn contents(
    reading: &Reading,
    record: &Record,
    not_kept: &dyn Fn(&str) -> Problem,
) -> Result<Vec<u8>, Problem> {
    let missing = || not_kept("its code came from the command line or stdin, and is not kept");
    let digest: Digest =
        record.source.sha256.as_deref().and_then(|text| text.parse().ok()).ok_or_else(missing)?;
    if !reading.reader.has_blob(&digest).map_err(EvidenceError::from)? {
        return Err(missing());
    }
    let mut bytes = Vec::new();
    let mut blob = reading.reader.blob(&digest).map_err(EvidenceError::from)?;
    blob.read_to_end(&mut bytes).map_err(|_| missing())?;
    Ok(bytes)
}

fn warn_if_changed(path: &Path, record: &Record) {
    let now = actum_gate::open_named(path).ok().and_then(|(mut file, _)| {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok().map(|_| Digest::of(&bytes).to_string())
    });
    if now.is_some() && record.source.sha256.is_some() && now != record.source.sha256 {
        let path = path.to_string_lossy();
        screen::note(&format!("actum: {} has changed since that run", screen::harmless(&path)));
    }
}

/// By name: their values are not kept. One that is not set now is told.
fn variables(reading: &Reading, record: &Record) -> Vec<OsString> {
    let own = &reading.surroundings.variables;
    let is_set = |name: &&String| own.iter().any(|(other, _)| other == name.as_str());
    let (set, unset): (Vec<&String>, Vec<&String>) = record.variables.names.iter().partition(is_set);
    if !unset.is_empty() {
        let names: Vec<String> = unset.iter().map(|name| screen::harmless(name)).collect();
        screen::note(&format!("actum: not set now, and not passed: {}", names.join(", ")));
    }
    set.into_iter().map(OsString::from).collect()
}

fn limits(of: &Limits) -> Vec<String> {
    Limit::ALL.into_iter().map(|limit| format!("{limit}={}", of.get(limit))).collect()
}
