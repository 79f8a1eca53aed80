//! `actum tasks`
//!
//! The list is read (`document`, `spans`), each task is judged (`select`), the code of those that are chosen is carried out as
//! an ordinary run (`carry`), what it told is checked (`credit`) and turned into what is written back (`ran`, `evidence`).

mod carry;
mod document;
mod evidence;
mod options;
mod ran;
mod select;
mod spans;
mod written;

use super::fail;
use super::kept;
use super::reading;
use super::report_file::ReportFile;
use super::run::{self, Problem as RunProblem};
use crate::config::{self, Config};
use crate::screen::{self, Detail, Look, Spinner, TaskSection};
use crate::signals;
use actum_answers::Hint;
use actum_engine::{Lifetime, Surroundings};
use actum_evidence::Asker;
use actum_gate::own;
use actum_model::{BlockCounts, Digest, Outcome, TaskExecution, TaskOutcome, TasksSummary, Tier, Witness};
use actum_sandbox::Warden;
use carry::{Ran, Runner};
use document::{Document, DocumentError, Update};
use ran::{About, Executed};
use select::{Selection, Skipped};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use written::{Target, Written};

pub use options::Tasks;

/// What can go wrong with a list of tasks as a whole. What goes wrong with one of them is its own affair.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Run(#[from] RunProblem),
    #[error("cannot read the task results {}", path.display())]
    Results { path: PathBuf, source: io::Error },
    #[error("cannot parse the task results {}", path.display())]
    Document { path: PathBuf, source: DocumentError },
    #[error("cannot write the task results to {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot save a response in {}", path.display())]
    Keep { path: PathBuf, source: io::Error },
    #[error("invalid variable `{text}`")]
    Variable { text: String },
    #[error("cannot write both the results and the summary to stdout")]
    Twice,
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
}

impl Problem {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Run(problem) => problem.hint(),
            Self::Results { .. } => Some("name a file of task results, or - for stdin".to_owned()),
            Self::Document { .. } => {
                Some("see docs/design/tasks.md and task-results.schema.json for the format".to_owned())
            }
            Self::Write { .. } => Some("name a file in a writable folder with --output".to_owned()),
            Self::Keep { .. } => Some("set XDG_CACHE_HOME to a writable folder".to_owned()),
            Self::Variable { .. } => Some("use the form --variable MULTI_AGENT_ROOT=/data".to_owned()),
            Self::Twice => Some("name a file for the results with --output".to_owned()),
            Self::Json(_) => None,
        }
    }
}

/// A task failed.
const FAILED: u8 = 1;

impl Tasks {
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.go(warden) {
            Ok(code) => ExitCode::from(code),
            Err(problem) => {
                let _ = fail(&problem, problem.hint().as_deref());
                actum_model::ExitCode::OWN_ERROR.into()
            }
        }
    }

    fn go(&self, warden: Warden) -> Result<u8, Problem> {
        let surroundings = config::surroundings().map_err(RunProblem::from)?;
        let config = Config::resolve(&surroundings, self.workspace()).map_err(RunProblem::from)?;
        if self.is_json() && self.target() == Target::Stdout && !self.is_dry() {
            return Err(Problem::Twice);
        }
        let document = self.document()?;
        let selection = self.selection(&config.tasks);
        let variables = self.variables(&config.tasks)?;
        let report = self.report_file()?;
        let written = Written::prepare(self.target(), document.with(&[]).len())?;
        // Before the first thread: one that was there earlier would take the signal.
        let cancel = signals::cancel();
        let look = Look::of_stderr(&surroundings.variables, Detail::Brief);
        let folder = Responses::make(&surroundings)?;
        let engine = run::engine(warden.into(), (surroundings, config.run), Lifetime::ManyRuns, Tier::N)
            .map_err(RunProblem::from)?;
        kept::report_unfinished(&engine.finish_pending());
        let runner = Runner::new(&engine, self.options()?, &variables, cancel.as_ref());
        let look = if self.is_json() { look.still() } else { look };
        let mut list = List {
            asked: self,
            selection: &selection,
            document: &document,
            runner: &runner,
            asker: Asker::new(&engine),
            look,
            folder,
            updates: Vec::new(),
            sections: Vec::new(),
        };
        list.carry_out(&written)?;
        let List { updates, sections, .. } = list;
        let text = document.with(&updates);
        if !self.is_dry() {
            written.write(&text)?;
        }
        let mut summary = summary(&sections);
        summary.interrupted = runner.is_stopped();
        summary.written = written.shown().filter(|_| !self.is_dry());
        if let Some(file) = report {
            file.write(&screen::tasks_report(&summary, &sections))?;
        }
        self.tell(&summary, &look, written.is_stdout().then_some(text.as_str()))?;
        Ok(exit_code(&summary))
    }

    fn tell(&self, summary: &TasksSummary, look: &Look, text: Option<&str>) -> Result<(), Problem> {
        if let Some(text) = text.filter(|_| !self.is_dry()) {
            screen::say(text.strip_suffix('\n').unwrap_or(text));
        }
        match self.is_json() {
            true => screen::say(&screen::json(summary)?),
            false => screen::note(&screen::tasks_summary(summary, look)),
        }
        Ok(())
    }

    fn report_file(&self) -> Result<Option<ReportFile>, Problem> {
        Ok(self.report().map(ReportFile::prepare).transpose()?)
    }
}

/// A list that is being carried out.
struct List<'a> {
    asked: &'a Tasks,
    selection: &'a Selection,
    document: &'a Document,
    runner: &'a Runner<'a>,
    asker: Asker<'a>,
    look: Look,
    folder: Responses,
    updates: Vec<Update>,
    sections: Vec<TaskSection<'a>>,
}

impl<'a> List<'a> {
    /// One task after the other, as they stand in the list; each may use what the ones before it left.
    fn carry_out(&mut self, written: &Written) -> Result<(), Problem> {
        let total = self.document.tasks.len();
        for (at, task) in self.document.tasks.iter().enumerate() {
            let (execution, skipped, [stdout, stderr]) = match self.choose(at) {
                Err(skipped) => (None, Some(skipped.words()), <[String; 2]>::default()),
                Ok(_) if self.asked.is_dry() => (None, None, <[String; 2]>::default()),
                Ok(response) => match self.run(at, response)? {
                    Ok(Executed { execution, stdout, stderr }) => (Some(execution), None, [stdout, stderr]),
                    Err(skipped) => (None, Some(skipped.words()), <[String; 2]>::default()),
                },
            };
            let outcome = execution.as_ref().map_or(Outcome::Skipped, |execution| execution.outcome);
            let told = TaskOutcome {
                id: task.id.clone(),
                action: task.result.action.clone(),
                outcome,
                skipped,
                execution,
            };
            if !self.asked.is_json() {
                screen::note(&screen::tasks_progress((at + 1, total), &told, &self.look));
            }
            if let Some(execution) = &told.execution {
                self.updates.push(Update { task: at, execution: execution.clone() });
                written.keep_up(|| self.document.with(&self.updates))?;
            }
            let keeps_output = self.asked.report().is_some();
            let [stdout, stderr] = if keeps_output { [stdout, stderr] } else { <[String; 2]>::default() };
            self.sections.push(TaskSection { told, result: &task.result, stdout, stderr });
        }
        Ok(())
    }

    /// The response to run, without what was appended to it before.
    fn choose(&self, at: usize) -> Result<&'a str, Skipped> {
        let task = &self.document.tasks[at];
        let response = evidence::without(select::select(&task.result, self.selection)?);
        if !may_hold_code(response) {
            return Err(Skipped::NoCode { agent: self.selection.agent.clone() });
        }
        let is_done = |execution: &TaskExecution| {
            execution.source_sha256 == digest(response)
                && execution.agent == self.selection.agent
                && is_final(execution.outcome)
        };
        let done =
            task.result.execution.as_ref().filter(|execution| self.asked.resumes() && is_done(execution));
        if done.is_some_and(|execution| self.is_recorded(execution, (&task.id, response))) {
            return Err(Skipped::Done);
        }
        if self.runner.is_stopped() {
            return Err(Skipped::Interrupted);
        }
        Ok(response)
    }

    /// Whether the ledger holds the run that a task says was made of it, and tells the same about it. The list itself is a
    /// file like any other: whoever wrote it can say anything.
    fn is_recorded(&self, execution: &TaskExecution, (task, response): (&str, &str)) -> bool {
        let [run] = execution.runs.as_slice() else { return false };
        let found = reading::open().and_then(|reading| {
            let sealed = reading.sealed(*run)?;
            Ok((reading.report(&sealed)?, sealed.record))
        });
        let Ok((report, record)) = found else { return false };
        let about = About { agent: &self.selection.agent, source: digest(response) };
        record.task.as_deref() == Some(task)
            && record.witness == Witness::Executed
            && record.source.sha256.as_deref() == Some(about.source.to_string().as_str())
            && ran::is_told_so(execution, &report, &about, &self.asker)
    }

    fn run(&self, at: usize, response: &str) -> Result<Result<Executed, Skipped>, Problem> {
        let id = &self.document.tasks[at].id;
        let label = format!("task {}", screen::harmless(id));
        let _spinner = Spinner::start(&self.look, &label);
        let file = self.folder.keep(at, response)?;
        let ran = self.runner.task(id, &file);
        let _ = own::remove_file(&file);
        let about = About { agent: &self.selection.agent, source: digest(response) };
        let ran = match ran {
            Ran::NoCode(why) => {
                return Ok(Err(Skipped::NothingToRun { agent: self.selection.agent.clone(), why }));
            }
            Ran::Report(report) => Ok(report),
            Ran::NoRun(why) => Err(why),
        };
        Ok(Ok(ran::executed(ran, &about, &self.asker)))
    }
}

/// Whether there is anything in a response that looks like code. What of it can be run is the run's to find out.
fn may_hold_code(response: &str) -> bool {
    actum_answers::read(response.as_bytes(), Hint::File("response.md"))
        .map_or(true, |answer| !answer.pieces.is_empty())
}

/// Whether the code itself came to its end. What was stopped, refused or not prepared is tried again.
fn is_final(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Success | Outcome::Failure | Outcome::Timeout => true,
        Outcome::Error | Outcome::Cancelled | Outcome::Skipped | Outcome::Lost => false,
    }
}

fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// Where responses lie while they are run; gone with the list.
struct Responses(PathBuf);

impl Responses {
    fn make(surroundings: &Surroundings) -> Result<Self, Problem> {
        let path = surroundings.cache.join("tasks").join(std::process::id().to_string());
        let made = own::make_private_folders(&path);
        made.map_err(|source| Problem::Keep { path: path.clone(), source })?;
        Ok(Self(path))
    }

    fn keep(&self, at: usize, response: &str) -> Result<PathBuf, Problem> {
        let path = self.0.join(format!("task-{}.md", at + 1));
        own::write(&path, response.as_bytes())
            .map_err(|source| Problem::Keep { path: path.clone(), source })?;
        Ok(path)
    }
}

impl Drop for Responses {
    fn drop(&mut self) {
        let _ = own::remove_tree(&self.0);
    }
}

fn summary(sections: &[TaskSection<'_>]) -> TasksSummary {
    let tasks: Vec<TaskOutcome> = sections.iter().map(|section| section.told.clone()).collect();
    let executions: Vec<&TaskExecution> = tasks.iter().filter_map(|task| task.execution.as_ref()).collect();
    let blocks = || executions.iter().flat_map(|execution| &execution.blocks);
    let succeeded = executions.iter().filter(|execution| execution.outcome == Outcome::Success).count();
    let ran = blocks().filter(|block| block.outcome != Outcome::Skipped).count();
    let well = blocks().filter(|block| block.outcome == Outcome::Success).count();
    let told = executions.iter().flat_map(|execution| &execution.external_ids);
    TasksSummary {
        v: TasksSummary::VERSION,
        processed: tasks.len(),
        executed: executions.len(),
        succeeded,
        failed: executions.len() - succeeded,
        skipped: tasks.len() - executions.len(),
        blocks: BlockCounts { executed: ran, succeeded: well, failed: ran - well },
        not_credited: told.filter(|one| !one.credited).count(),
        interrupted: false,
        written: None,
        tasks,
    }
}

fn exit_code(summary: &TasksSummary) -> u8 {
    match summary {
        TasksSummary { interrupted: true, .. } => actum_model::ExitCode::CANCELLED.get(),
        TasksSummary { failed: 1.., .. } => FAILED,
        TasksSummary { not_credited: 1.., .. } => actum_model::ExitCode::CHECK_FAILED.get(),
        TasksSummary { .. } => 0,
    }
}

/// Reads a list of task results and writes it back unchanged.
pub(crate) fn parse_task_list(bytes: &[u8]) {
    if let Ok(document) = document::Document::read(bytes.to_vec()) {
        let _ = document.with(&[]);
    }
}
