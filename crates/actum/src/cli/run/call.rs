//! One run that somebody asks for at a command line: engine, presenter, result, exit code.

use super::presenter::Presenter;
use super::problem::Problem;
use super::reporting::{Options, Reporter};
use crate::cli::kept;
use crate::config::{self, Config};
use crate::screen;
use actum_engine::{
    EarlySigner, Engine, EngineConfig, EngineError, HelperProgram, Lifetime, Request, RequestBuilder,
    RunDefaults, RunResult, RunState, Surroundings, WardenSource,
};
use actum_model::Tier;
use actum_sandbox::{Opening, Warden};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// A request from a command line.
#[derive(Debug)]
pub(in crate::cli) struct Call {
    pub(in crate::cli) asked: RequestBuilder,
    pub(in crate::cli) presentation: Presentation,
    /// Show what would be done.
    pub(in crate::cli) dry_run: bool,
    /// The highest tier of confinement to use.
    pub(in crate::cli) ceiling: Tier,
    /// The digest of what somebody approved.
    pub(in crate::cli) approved: Option<String>,
}

/// How the result is shown; kept with a request that waits for approval.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::cli) struct Presentation {
    /// The command line.
    pub(in crate::cli) line: Vec<OsString>,
    pub(in crate::cli) options: Options,
    pub(in crate::cli) terminal: ProgramTerminal,
}

/// Whether the program has a terminal, and whose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cli) enum ProgramTerminal {
    #[default]
    None,
    /// One of its own, shown on ours.
    Shown,
    /// The same, and our keys go to it.
    TypedAt,
}

impl Presentation {
    pub(super) fn kept_with(&self, asked: RequestBuilder) -> Result<RequestBuilder, Problem> {
        Ok(RequestBuilder { presentation: serde_json::to_value(self)?, ..asked })
    }
}

/// What an engine for one run is made from, as far as it was begun before the words were read.
pub(in crate::cli) struct OneRun {
    warden: WardenSource,
    signer: Option<EarlySigner>,
}

impl OneRun {
    /// For commands that run outside of sandboxes.
    pub(in crate::cli) fn without_sandbox() -> Self {
        Self { warden: WardenSource::Unneeded, signer: None }
    }

    pub(in crate::cli) fn opening(opening: Opening, signer: Option<EarlySigner>) -> Self {
        Self { warden: WardenSource::Opening(opening), signer }
    }
}

impl From<Warden> for OneRun {
    fn from(warden: Warden) -> Self {
        Self { warden: WardenSource::Forked(warden), signer: None }
    }
}

/// An engine of this process.
pub(in crate::cli) fn engine(
    one: OneRun,
    (surroundings, defaults): (Surroundings, RunDefaults),
    lifetime: Lifetime,
    ceiling: Tier,
) -> Result<Engine, EngineError> {
    let base = EngineConfig::new(surroundings, HelperProgram::itself()?);
    let OneRun { warden, signer } = one;
    Engine::new(EngineConfig { defaults, lifetime, ceiling, warden, signer, ..base })
}

/// An engine of this process for so many runs side by side.
pub(in crate::cli) fn engine_for(
    one: OneRun,
    (surroundings, defaults): (Surroundings, RunDefaults),
    at_once: NonZeroUsize,
) -> Result<Engine, EngineError> {
    let base = EngineConfig::new(surroundings, HelperProgram::itself()?);
    let OneRun { warden, signer } = one;
    let most_runs = base.most_runs.max(at_once);
    Engine::new(EngineConfig { defaults, lifetime: Lifetime::ManyRuns, warden, signer, most_runs, ..base })
}

impl Call {
    /// Runs it, shows the result, and gives the exit code.
    pub(in crate::cli) fn execute(self, one: OneRun) -> ExitCode {
        match self.go(one) {
            Ok(code) => code.into(),
            Err(problem) => problem.fail(),
        }
    }

    fn go(self, one: OneRun) -> Result<actum_model::ExitCode, Problem> {
        let Self { asked, presentation, dry_run, ceiling, approved } = self;
        let surroundings = config::surroundings()?;
        let config = Config::resolve(&surroundings, asked.workspace.as_deref())?;
        let engine = engine(one, (surroundings, config.run), Lifetime::OneRun, ceiling)?;
        let mut request = engine.request(asked)?;
        if let Some(digest) = approved {
            request = request.approved(digest);
        }
        // A report that cannot be written is an error before an hour was spent.
        let reporter =
            Reporter::prepare(&presentation.options, &engine.surroundings().variables, request.id())?;
        let done = match dry_run {
            true => engine.plan(&request).map_err(Problem::from).map(|plan| reporter.show_plan(&plan)),
            false => run(&engine, &request, (&reporter, presentation.terminal)),
        };
        match done {
            Ok(shown) => shown,
            Err(problem) => {
                // A program that reads our report gets one of this failure too.
                if let Problem::Engine(error) = &problem {
                    reporter.write_failure(&request.failure_report(error))?;
                }
                Err(problem)
            }
        }
    }
}

/// Runs it. The outer error is one of the run, the inner one of showing it.
fn run(
    engine: &Engine,
    request: &Request,
    (reporter, terminal): (&Reporter, ProgramTerminal),
) -> Result<Result<actum_model::ExitCode, Problem>, Problem> {
    kept::report_unfinished(&engine.finish_pending());
    let mut presenter = Presenter::new(reporter, terminal);
    let result = engine.run(request, &mut presenter);
    drop(presenter);
    let RunResult { report, state, unsigned } = result?;
    if let Some(error) = unsigned {
        screen::problem(&error, error.hint().as_deref());
    }
    Ok(match state {
        RunState::Recorded => reporter.show(&report),
        RunState::AwaitingApproval { question } => {
            question.iter().for_each(|line| screen::note(line));
            let id = request.id().short();
            screen::note(&format!(
                "actum: the run waits for approval\nhint: run it with: actum approve {id}"
            ));
            reporter.show_waiting(&report)
        }
    })
}
