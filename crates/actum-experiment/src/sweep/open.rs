//! Sweeps made and gone on with.
//!
//! After a kill the journal may say that trials run. Nothing of them does: programs go with the process that started them. A trial
//! whose run was recorded has ended, though nobody wrote that down; every other one is lost with the sweep, and is started again.

use super::error::SweepError;
use super::file::{Code, MetricChoice, SweepFile, TrialTemplate};
use super::journal::{Happening, Journal, Replayed, TrialRun, TrialRuns};
use super::settle;
use crate::manifest::Purpose;
use crate::output_folder::{OutputFolder, PatternValues};
use crate::prepared::prepare;
use crate::stored::StoredExperiment;
use actum_engine::{Engine, RequestBuilder, SourceChoice, clock};
use actum_evidence::{EvidenceError, Reading};
use actum_gate::own;
use actum_sweep::{Definition, Fact, LossCause, Rules, SweepState, TrialRef, Trials};
use std::path::{Path, PathBuf};

/// A sweep that is to be made.
#[derive(Clone, Debug)]
pub struct SweepPlan {
    pub name: String,
    /// Of its folder, below the workspace.
    pub pattern: String,
    pub definition: Definition,
    pub rules: Rules,
    pub metric: MetricChoice,
    pub budget: Option<String>,
    pub trial: TrialTemplate,
}

/// A sweep that this process drives.
#[derive(Debug)]
pub struct Sweep {
    pub file: SweepFile,
    pub folder: OutputFolder,
    pub(super) state: SweepState,
    pub(super) journal: Journal,
    pub(super) runs: TrialRuns,
}

/// What was found after a kill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Trials whose runs had ended, by index and rung.
    pub found: Vec<TrialRef>,
    /// Trials that are started again.
    pub lost: Vec<TrialRef>,
}

impl Sweep {
    /// Makes a sweep and its folder. The first trial is prepared once, so that a wrong name is told before anything runs.
    pub fn create(engine: &Engine, plan: SweepPlan) -> Result<Self, SweepError> {
        let SweepPlan { name, pattern, definition, rules, metric, budget, mut trial } = plan;
        let trials = Trials::new(definition.clone())?;
        let state = SweepState::new(trials, rules.clone())?;
        let workspace = settle_places(engine, &mut trial.asked)?;
        let (id, now) = (clock::new_run(), clock::now());
        let values = PatternValues { name: &name, now, run: id, seed: definition.seed };
        let folder = OutputFolder::create(&workspace, &pattern, values)?;
        let why = "a snapshot of the code was not made".to_owned();
        let digest = state.trials().digest();
        let code = Code::Live { why };
        let v = SweepFile::VERSION;
        let file = SweepFile {
            v,
            id,
            name,
            created_at: now,
            workspace,
            digest,
            definition,
            rules,
            metric,
            budget,
            trial,
            code,
        };
        let made = try_first(engine, &file, &folder, &state).and_then(|()| {
            file.write(&folder)?;
            Journal::open(&folder)
        });
        match made {
            Ok((journal, _)) => Ok(Self { file, folder, state, journal, runs: TrialRuns::new() }),
            Err(error) => {
                let _ = own::remove_tree(&folder.path);
                Err(error)
            }
        }
    }

    /// Goes on with a sweep.
    pub fn resume(engine: &Engine, folder: &Path) -> Result<(Self, Recovered), SweepError> {
        let file = SweepFile::read(folder)?;
        check_place(engine, &file)?;
        let folder = open_folder(&file, folder)?;
        let (journal, Replayed { facts, runs, .. }) = Journal::open(&folder)?;
        let failed = |source| SweepError::Replay { path: folder.path.join(Journal::FILE), source };
        let state = SweepState::replay(file.trials()?, file.rules.clone(), &facts).map_err(failed)?;
        let mut sweep = Self { file, folder, state, journal, runs };
        let recovered = sweep.recover(engine)?;
        Ok((sweep, recovered))
    }

    pub fn state(&self) -> &SweepState {
        &self.state
    }

    /// Takes a fact in and keeps it, before anything is done that depends on it. One that cannot have happened is not kept.
    pub(super) fn record(&mut self, fact: Fact) -> Result<(), SweepError> {
        // What is refused changes nothing. A journal that cannot be written ends the sweep, whose state is then read from the journal.
        self.state.apply(&fact)?;
        self.journal.add(clock::now(), Happening::Fact(fact))
    }

    /// Keeps which run a trial becomes.
    pub(super) fn record_run(&mut self, run: TrialRun) -> Result<(), SweepError> {
        self.journal.add(clock::now(), Happening::Run(run.clone()))?;
        self.runs.insert((run.index, run.rung), run);
        Ok(())
    }

    fn recover(&mut self, engine: &Engine) -> Result<Recovered, SweepError> {
        let mut recovered = Recovered::default();
        let running = self.state.running();
        if running.is_empty() {
            return Ok(recovered);
        }
        let reading = open_store(engine)?;
        for running in running {
            let trial = running.trial;
            let run = self.runs.get(&(trial.index, trial.rung));
            let found = match (run, &reading) {
                (Some(run), Some(reading)) => self.find_end(reading, &trial, run)?,
                (Some(_) | None, _) => None,
            };
            match found {
                Some(fact) => {
                    self.record(fact)?;
                    recovered.found.push(trial);
                }
                None => {
                    let TrialRef { index, rung, .. } = trial;
                    self.record(Fact::Lost { index, rung, cause: LossCause::Sweep })?;
                    recovered.lost.push(trial);
                }
            }
        }
        Ok(recovered)
    }

    /// How the run of a trial ended, if it is recorded as a run of this trial.
    fn find_end(
        &self,
        reading: &Reading,
        trial: &TrialRef,
        run: &TrialRun,
    ) -> Result<Option<Fact>, SweepError> {
        let Some(sealed) = reading.reader.sealed(run.run).map_err(|error| experiment(error.into()))? else {
            return Ok(None);
        };
        let Ok(stored) = StoredExperiment::read(reading, run.run) else { return Ok(None) };
        let purpose = Purpose::Trial { sweep: self.file.id.to_string(), index: trial.index };
        if stored.manifest.purpose != purpose || stored.manifest.output != run.output {
            return Ok(None);
        }
        let report = reading.report(&sealed).map_err(experiment)?;
        let fact = settle::fact(trial, (&report, stored.result.as_ref()), &self.file);
        Ok(match fact {
            Fact::Finished { .. } => Some(fact),
            Fact::Proposed { .. }
            | Fact::Started { .. }
            | Fact::Lost { .. }
            | Fact::Stopped { .. }
            | Fact::Resumed => None,
        })
    }
}

/// The folder of a sweep, below its workspace.
pub(super) fn open_folder(file: &SweepFile, folder: &Path) -> Result<OutputFolder, SweepError> {
    let missing = |_| SweepError::NoSweep { folder: folder.to_path_buf() };
    let real = actum_gate::real_path(folder).map_err(missing)?;
    let shown = real.strip_prefix(&file.workspace).ok().and_then(Path::to_str);
    let shown = shown.ok_or_else(|| SweepError::Usage {
        what: format!(
            "the sweep in {} was made for the workspace {}",
            real.display(),
            file.workspace.display()
        ),
        hint: "put it back there, or start another sweep".to_owned(),
    })?;
    Ok(OutputFolder::open(&file.workspace, shown)?)
}

fn experiment(error: EvidenceError) -> SweepError {
    SweepError::Experiment(error.into())
}

/// The store for reading. None where nothing was ever recorded.
fn open_store(engine: &Engine) -> Result<Option<Reading>, SweepError> {
    match Reading::open(engine.surroundings().clone()) {
        Ok(reading) => Ok(Some(reading)),
        Err(_) if engine.store().ledger_file().symlink_metadata().is_err() => Ok(None),
        Err(error) => Err(experiment(error)),
    }
}

/// Prepares the first trial and puts it away again.
fn try_first(
    engine: &Engine,
    file: &SweepFile,
    folder: &OutputFolder,
    state: &SweepState,
) -> Result<(), SweepError> {
    let actum_sweep::Decision::Start(first) = state.next(1) else { return Ok(()) };
    let Some((run, trial)) = first.first().and_then(|run| Some((run, state.trial(run.index)?))) else {
        return Ok(());
    };
    prepare(engine, file.request(&trial, run, &folder.shown))?.discard();
    Ok(())
}

/// A file that is named relative to the workspace is found from there only.
fn check_place(engine: &Engine, file: &SweepFile) -> Result<(), SweepError> {
    let SourceChoice::File(path) = &file.trial.asked.source else { return Ok(()) };
    if path.is_absolute() || engine.surroundings().folder == file.workspace {
        return Ok(());
    }
    Err(SweepError::Usage {
        what: format!("the sweep runs {}, which lies in {}", path.display(), file.workspace.display()),
        hint: format!("go there first: cd {}", file.workspace.display()),
    })
}

/// Makes the places of a request the same for whoever goes on with the sweep, from whatever folder. Gives the workspace.
fn settle_places(engine: &Engine, asked: &mut RequestBuilder) -> Result<PathBuf, SweepError> {
    let probe = engine.request(RequestBuilder {
        source: SourceChoice::Command(vec!["true".into()]),
        arguments: Vec::new(),
        ..asked.clone()
    });
    let probe = probe.map_err(crate::ExperimentError::from)?;
    let workspace = probe.workspace().to_path_buf();
    let here = &engine.surroundings().folder;
    let absolute = |path: &mut PathBuf| *path = here.join(&*path);
    asked.inputs.iter_mut().for_each(absolute);
    asked.writes.iter_mut().for_each(absolute);
    match &mut asked.source {
        // A name that is told relative to the workspace is one that can be repeated elsewhere.
        SourceChoice::File(path) if *here != workspace => absolute(path),
        SourceChoice::File(_)
        | SourceChoice::Command(_)
        | SourceChoice::Shell(_)
        | SourceChoice::Nothing
        | SourceChoice::Stdin(_)
        | SourceChoice::Code(_) => {}
    }
    asked.workspace = Some(workspace.clone());
    Ok(workspace)
}
