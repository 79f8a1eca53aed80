//! A run whose programs are calls of a session: the interpreter and its sandbox were there before and stay after it.

use crate::beside::Beside;
use crate::beside::Seen;
use crate::capture::{Capture, Reached};
use crate::clock::{self, Stopwatch};
use crate::course::Done;
use crate::error::RunError;
use crate::extract::{Extracted, Part};
use crate::live::Live;
use crate::outcome::{ProgramResults, RunOutcome, RunTimes, Subject};
use crate::request::Request;
use crate::session::{self, Call, Echo, Language, Place, Reply, SessionName, Settled, Standing};
use crate::source::Code;
use crate::stage::Ready;
use actum_changes::settle::Keeping;
use actum_languages::Program;
use actum_model::{Applied, Happened, Risk, RunId, Span, Tier};
use actum_output::Origin;
use actum_sandbox::{Ended, Phases, Sandboxes};
use std::path::Path;

/// Which session, and what a run of it is carried out with.
#[derive(Debug)]
pub struct InSession<'a> {
    pub name: SessionName,
    /// For what is asked beside the calls; the session itself has a warden of its own.
    pub sandboxes: &'a Sandboxes,
    pub place: &'a Place,
    /// How long it stays without a call.
    pub idle: Span,
    pub ceiling: Tier,
    pub run: RunId,
    pub folder: &'a Path,
    pub keeping: &'a Keeping,
}

/// Carries the programs of a request out by calls of a session. Nothing is expected of a call, and what it changed is the session's
/// own: changes are kept with the run that began it.
pub(crate) fn carry_calls<'a>(
    request: &'a Request,
    session: &InSession<'a>,
    (extracted, risk): (Extracted<'_>, Risk),
    live: &mut Live<'_>,
    beside: &Beside,
) -> Result<RunOutcome<'a>, RunError> {
    let (started, begun) = (clock::instant(), Stopwatch::start());
    let Extracted { parts, facts: source, .. } = extracted;
    let calls: Vec<(Language, Code)> = parts.into_iter().map(spoken).collect::<Result<_, _>>()?;
    let elapsed = || begun.elapsed();
    let mut capture =
        Capture::new(session.folder, (&mut *live.output, live.passing), &request.redaction, &elapsed);
    let (command, steps) = (request.shown(), calls.len() as u32);
    let language = calls.first().map(|(language, _)| language.name().to_owned()).unwrap_or_default();
    live.watcher.happened(Happened::RunStarted { command, language, steps });
    let (mut results, mut standing) = (ProgramResults::default(), Standing::Lives);
    for ((language, code), number) in calls.into_iter().zip(1..) {
        let ready = ready(language, &code, request);
        let is_over = results.done.last().is_some_and(|done: &Done| !done.ended.ending.is_success());
        if results.failed.is_some() || is_over {
            results.left.push(ready);
            continue;
        }
        let from = capture.reached();
        live.watcher
            .happened(Happened::AttemptStarted { step: number, command: ready.program.shown.clone() });
        live.journal.will_start(request.started(session.run, number, &ready.program));
        live.journal.wait().map_err(|source| RunError::Journal { source })?;
        beside.program_starts();
        let call = session.call(request, language, code);
        match session::call(session.place, &call, &mut capture, live.cancel) {
            Ok(reply) => {
                let to = capture.reached();
                live.watcher.happened(Happened::AttemptEnded { step: number, ending: reply.ending.clone() });
                standing = reply.standing.clone();
                results.done.push(done_with(ready, number, reply, (from, to)));
            }
            Err(error) => results.failed = Some(error.into()),
        }
    }
    let captured = capture.finish()?;
    let times = RunTimes { started, ended: clock::instant(), wall: Span(begun.elapsed()) };
    let (run, folder, blocks) = (session.run, session.folder, Vec::new());
    let subject = Subject { run, request, folder, source, blocks, risk };
    let mut outcome = RunOutcome::new(subject, times, captured, results)?;
    // What a call prints can come from a function, an alias or a thread of an earlier one.
    outcome.seen = Seen { origin: Some(Origin::nobody()), ..beside.finish() };
    if let Standing::Gone(settled) = &standing {
        outcome.recommendations.push(gone(session.name.as_str(), settled));
    }
    Ok(outcome)
}

impl InSession<'_> {
    fn call(&self, request: &Request, language: Language, code: Code) -> Call {
        let mut attempt = request.attempt.clone();
        attempt.command = vec![interpreter(language).into()];
        attempt.terminal = None;
        let file = code.file.as_deref().map(|path| path.to_string_lossy().into_owned());
        Call {
            name: self.name.clone(),
            language,
            request: attempt,
            ceiling: self.ceiling,
            // A file is run for what it does; a line is typed to see what it comes to.
            echo: if file.is_some() { Echo::Nothing } else { Echo::LastValue },
            file,
            code: code.bytes,
            arguments: request.arguments.clone(),
            idle: self.idle,
            keeping: self.keeping.clone(),
        }
    }
}

fn interpreter(language: Language) -> &'static str {
    match language {
        Language::Python => "python3",
        Language::Bash => "bash",
    }
}

/// Only these two can be kept alive.
fn spoken(part: Part<'_>) -> Result<(Language, Code), RunError> {
    match part {
        Part::Program { code, chosen } => match chosen.language.name.as_str() {
            "python" => Ok((Language::Python, code)),
            "bash" | "sh" => Ok((Language::Bash, code)),
            other => Err(RunError::NoSession { what: other.to_owned() }),
        },
        Part::Command(_) => Err(RunError::NoSession { what: "a command".to_owned() }),
        Part::Together(_) => Err(RunError::NoSession { what: "combined blocks (--together)".to_owned() }),
        Part::Edits(_) => Err(RunError::NoSession { what: "an answer with files".to_owned() }),
    }
}

fn ready(language: Language, code: &Code, request: &Request) -> Ready {
    let own = code.file.iter().cloned().collect();
    let mut program =
        Program::called(language.name(), interpreter(language), &code.bytes, code.file.as_deref());
    program.shown = request.redaction.text(&program.shown);
    let (grants, variables) = (Vec::new(), Vec::new());
    Ready { program, code: Vec::new(), grants, own, lines: code.lines, variables, server: None }
}

fn done_with(ready: Ready, attempt: u32, reply: Reply, (from, to): ([Reached; 2], [Reached; 2])) -> Done {
    let Reply { ending, usage, confinement, .. } = reply;
    let written = actum_model::Bytes(0);
    let ended = Ended { phases: Phases::default(), ending, usage, written, confinement };
    Done { ready, ended, compiled: None, attempt, from, to, printed: None }
}

/// What is told to somebody whose session is gone.
fn gone(name: &str, settled: &Settled) -> String {
    let count = settled.changes.iter().filter(|change| change.withheld.is_none()).count();
    let noun = if count == 1 { "change" } else { "changes" };
    let kept = match (settled.applied, &settled.run) {
        (Applied::Nothing, _) => String::new(),
        (Applied::Kept | Applied::Refused, Some(run)) => {
            format!("; {count} {noun} kept apart: actum apply {run}")
        }
        (state, _) => format!("; {count} {noun} {}", state.word()),
    };
    format!("session {name} has ended; its process exited and its variables are lost{kept}")
}
