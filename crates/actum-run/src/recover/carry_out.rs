//! From a failed attempt to the next one: diagnosed, decided, prepared.

use super::bounds::Over;
use super::care::{Care, Next};
use super::choose::{Case, Change, Choice, choose, found, not_found};
use super::failure::{self, Failed};
use super::provide::{ProgramPython, Providing, pair};
use super::scouting;
use super::situation::Situation;
use crate::extract::Part;
use crate::request::SourceChanges;
use actum_model::{
    Anchor, Class, Diagnosis, EnvironmentPlan, Network, Piece, Priority, Proposal, RecoveryStep, Remedy,
    RemedyKind, RunId, Span, StepResult,
};
use actum_prepare::Wish;
use actum_prepare::{PrepareError, Trouble, Version};
use std::path::PathBuf;
use std::time::Duration;

/// What stands around a decision.
pub(crate) struct Around<'a, 'b> {
    pub(crate) providing: &'a Providing<'a>,
    pub(crate) run: RunId,
    /// Which attempt of the run it was; none for a check before it.
    pub(crate) attempt: Option<u32>,
    /// Since the run began.
    pub(crate) elapsed: Duration,
    /// Why it cannot be started a second time.
    pub(crate) left_traces: Option<&'static str>,
    pub(crate) tell: &'b mut dyn FnMut(&str),
}

/// Decides whether a program that failed is tried again, and prepares that.
pub(crate) fn after(care: &mut Care<'_>, failed: &Failed, around: &mut Around<'_, '_>) -> Next {
    let providing = around.providing;
    let diagnosis = failure::diagnose(care, failed, providing);
    care.judge_last(&failed.ending, diagnosis.as_ref().map(|diagnosis| diagnosis.row.as_str()));
    let step = RecoveryStep {
        program: care.number,
        attempt: around.attempt,
        ending: Some(failed.ending.clone()),
        anchor: diagnosis.as_ref().and_then(|diagnosis| anchor(diagnosis, around.run)),
        diagnosis: diagnosis.clone(),
        remedy: None,
        result: StepResult::Stopped,
    };
    // What nobody knows anything about is no step: the ending tells it already.
    let Some(diagnosis) = diagnosis else { return Next::Over };
    if let Some(why) = forbidden(care, &diagnosis, around) {
        return care.stop(step, why);
    }
    let choice = decide(care, failed, &diagnosis, around);
    match choice {
        Choice::Change(change) => apply(care, step, *change, around),
        Choice::Propose(proposal, change) => propose(care, step, (proposal, *change), around),
        Choice::Stop(why) => care.stop(step, why),
        Choice::Scout(_) => care.stop(step, "no release that has it was found".to_owned()),
    }
}

/// A change to the source: made in a copy where that was allowed, else only shown.
fn propose(
    care: &mut Care<'_>,
    step: RecoveryStep,
    (mut proposal, change): (Proposal, Change),
    around: &mut Around<'_, '_>,
) -> Next {
    if around.providing.request.source_changes == SourceChanges::Denied {
        let why = format!(
            "the source would have to be changed ({}): pass --allow-source-changes to try that",
            proposal.what
        );
        care.proposals.push(proposal);
        return care.stop(step, why);
    }
    proposal.applied = true;
    care.proposals.push(proposal);
    apply(care, step, change, around)
}

/// What forbids any further attempt.
fn forbidden(care: &Care<'_>, diagnosis: &Diagnosis, around: &Around<'_, '_>) -> Option<String> {
    let request = around.providing.request;
    if let Some(over) = care.is_over(&request.bounds, diagnosis, around.elapsed, request.attempt.limits.wall)
    {
        return (request.bounds.attempts > 1)
            .then(|| over.to_string())
            .or_else(|| Some("recovery is disabled".to_owned()));
    }
    if let Some(why) = around.left_traces {
        return Some(why.to_owned());
    }
    let reaches_out = !matches!(request.attempt.policy.network, Network::None | Network::Loopback);
    let is_import = diagnosis.priority == Priority::IMPORT;
    (reaches_out && !is_import)
        .then(|| "it had network access, and its effects there cannot be undone".to_owned())
}

fn decide(care: &Care<'_>, failed: &Failed, diagnosis: &Diagnosis, around: &mut Around<'_, '_>) -> Choice {
    let providing = around.providing;
    let request = providing.request;
    // They are asked for what they are, which takes time: only where another one could help.
    let interpreters = if care.part.is_python() && may_need_another(care, diagnosis) {
        providing.versions()
    } else {
        Vec::new()
    };
    let default =
        care.part.is_python().then(|| providing.program_python().and_then(ProgramPython::version)).flatten();
    let installed: Vec<(String, String)> = care
        .prepared
        .iter()
        .flat_map(|prepared| prepared.packages.iter().map(|one| (one.name.clone(), one.version.clone())))
        .collect();
    let tried = care.tried();
    let file: Option<PathBuf> = care.part.file();
    let case = Case {
        diagnosis,
        ending: &failed.ending,
        usage: &failed.usage,
        language: care.part.language(),
        code: care.part.code(),
        file: file.as_deref(),
        workspace: &request.attempt.workspace,
        folder: &request.attempt.folder,
        reading: care.reading.as_ref(),
        situation: &care.situation,
        ceiling: &request.bounds.ceiling,
        tried: &tried,
        still_printing: failed.still_printing,
        interpreters: &interpreters,
        interpreter: care.situation.wish.interpreter.or(default),
        installed: &installed,
        era: &|version| era(version),
    };
    match choose(&case) {
        Choice::Scout(wanted) => {
            (around.tell)(&format!("looking for the release of {} that has it", wanted.package));
            match scouting::ask(providing, &wanted, around.tell) {
                Some(pick) => found(&case, &wanted, &pick),
                None => not_found(&case, &wanted),
            }
        }
        choice @ (Choice::Change(_) | Choice::Stop(_) | Choice::Propose(..)) => choice,
    }
}

/// Prepares what was decided. What cannot be prepared leaves everything as it was.
fn apply(care: &mut Care<'_>, step: RecoveryStep, change: Change, around: &mut Around<'_, '_>) -> Next {
    let bounds = around.providing.request.bounds;
    if let Some(over) = care.spent.next_remedy(&bounds, change.kind) {
        return care.stop(step, over.to_string());
    }
    if change.speculative && matches!(care.part, Part::Together(_)) {
        let why = "its blocks run together, and blocks that succeeded are not repeated without need";
        return care.stop(step, why.to_owned());
    }
    let Change { kind, what, why, permanent, speculative, mut to } = change;
    let watch = crate::clock::Stopwatch::start();
    if touches_environment(kind) {
        match rebuild(care, &mut to, around) {
            Ok(()) => {}
            Err(why) => {
                let remedy = Remedy { kind, what, why, permanent: None, state: to.digest(), took: None };
                care.steps.push(RecoveryStep {
                    remedy: Some(remedy.clone()),
                    result: StepResult::NotPossible,
                    ..step
                });
                care.stopped = Some(remedy.why);
                return Next::Over;
            }
        }
    }
    let state = to.digest();
    if care.spent.has_met(&state) {
        return care.stop(step, Over::State.to_string());
    }
    care.spent.met(state);
    care.situation = to;
    care.speculated = speculative;
    let took = Some(Span(watch.elapsed()));
    care.remedied(step, Remedy { kind, what, why, permanent, state, took })
}

fn may_need_another(care: &Care<'_>, diagnosis: &Diagnosis) -> bool {
    match diagnosis.class {
        Class::Import | Class::Version | Class::Legacy => true,
        Class::Logic => care.prepared.is_some() && care.wish().guessed,
        Class::Path
        | Class::Resource
        | Class::Performance
        | Class::Permission
        | Class::Network
        | Class::Encoding
        | Class::Gpu
        | Class::Toolchain
        | Class::Port
        | Class::Interactive
        | Class::Display
        | Class::Syslib
        | Class::Notebook
        | Class::Async
        | Class::Truncated
        | Class::Sandbox
        | Class::Service => false,
    }
}

/// The day whose releases fit an interpreter.
fn era(version: (u8, u8)) -> Option<String> {
    let version = Version::from(version);
    actum_prepare::era::era(version).map(|day| day.to_string())
}

fn touches_environment(kind: RemedyKind) -> bool {
    match kind {
        RemedyKind::Packages | RemedyKind::Versions | RemedyKind::Interpreter | RemedyKind::Data => true,
        RemedyKind::Limit
        | RemedyKind::Variables
        | RemedyKind::Files
        | RemedyKind::Launcher
        | RemedyKind::Source
        | RemedyKind::Again => false,
    }
}

/// Another environment, in the place of the one that was there.
fn rebuild(care: &mut Care<'_>, to: &mut Situation, around: &mut Around<'_, '_>) -> Result<(), String> {
    let providing = around.providing;
    if providing.is_off() {
        return Err("package installation is disabled".to_owned());
    }
    let plan = care.needs.as_ref().map(|needs| needs.environment.clone()).unwrap_or_default();
    let declared = declared_file(&plan, providing);
    let before = care.prepared.as_ref().map(|prepared| prepared.lock);
    let tell = &mut *around.tell;
    let prepared = provide_somehow(providing, to, &plan, declared, tell).map_err(|error| told(&error))?;
    care.spent.builds += u32::from(prepared.as_ref().is_none_or(|prepared| !prepared.cached));
    to.lock = prepared.as_ref().map(|prepared| prepared.lock);
    if to.lock.is_some() && to.lock == before && to.wish.interpreter == care.situation.wish.interpreter {
        return Err("the environment would be the same as before".to_owned());
    }
    care.prepared = prepared;
    Ok(())
}

/// The wish as it is; where we guessed and it cannot be met with this interpreter, with another one.
pub(crate) fn provide_somehow(
    providing: &Providing<'_>,
    to: &mut Situation,
    plan: &EnvironmentPlan,
    declared: Option<PathBuf>,
    tell: &mut dyn FnMut(&str),
) -> Result<Option<std::sync::Arc<actum_prepare::Prepared>>, PrepareError> {
    let mut stages = |stage: actum_prepare::Stage| tell(&stage.to_string());
    let first = match providing.provide(&to.wish, plan, declared.as_deref(), &mut stages) {
        Err(error) if to.wish.guessed && may_be_the_interpreter(&error) => error,
        other => return other,
    };
    // Bounds that only the text asked for are a guess: a program that really needs them tells so when it fails.
    if to.lock.is_none() && !to.wish.constraints.is_empty() {
        let wish = Wish { constraints: Vec::new(), ..to.wish.clone() };
        if let Ok(prepared) = providing.provide(&wish, plan, declared.as_deref(), &mut stages) {
            to.wish = wish;
            return Ok(prepared);
        }
    }
    // Neighbours of an old release may have had no wheels in its time: then newer ones have to do.
    if to.wish.newest.is_some() && !to.wish.constraints.is_empty() {
        let wish = Wish { newest: None, ..to.wish.clone() };
        if let Ok(prepared) = providing.provide(&wish, plan, declared.as_deref(), &mut stages) {
            to.wish = wish;
            return Ok(prepared);
        }
    }
    const OTHERS: usize = 3;
    let default = to.wish.interpreter.or_else(|| providing.default().map(pair));
    let mut others: Vec<(u8, u8)> = providing
        .versions()
        .into_iter()
        .filter(|version| version.0 == 3 && Some(*version) != default)
        .collect();
    // Those that are older and near are likelier to have wheels than the oldest and the newest.
    others.sort_by_key(|version| (default.is_some_and(|now| *version > now), std::cmp::Reverse(*version)));
    for version in others.into_iter().take(OTHERS) {
        let mut wish = to.wish.clone();
        wish.interpreter = Some(version);
        if let Ok(prepared) = providing.provide(&wish, plan, declared.as_deref(), &mut stages) {
            to.wish = wish;
            return Ok(prepared);
        }
    }
    Err(first)
}

fn may_be_the_interpreter(error: &PrepareError) -> bool {
    match error.trouble() {
        Some(
            Trouble::NoWheel
            | Trouble::OtherPython
            | Trouble::Unsatisfiable
            | Trouble::NoVersion
            | Trouble::Build,
        ) => true,
        Some(
            Trouble::NotFound
            | Trouble::Unreachable
            | Trouble::Undated
            | Trouble::Mismatch
            | Trouble::Malformed
            | Trouble::DiskFull
            | Trouble::Cancelled
            | Trouble::TimedOut
            | Trouble::Other,
        )
        | None => false,
    }
}

/// The file that the plan names, where it lies.
pub(crate) fn declared_file(plan: &EnvironmentPlan, providing: &Providing<'_>) -> Option<PathBuf> {
    match plan {
        EnvironmentPlan::Declared { file } => Some(providing.request.attempt.folder.join(file)),
        EnvironmentPlan::Nothing
        | EnvironmentPlan::Interpreter { .. }
        | EnvironmentPlan::Script
        | EnvironmentPlan::Imports => None,
    }
}

fn told(error: &PrepareError) -> String {
    match error.said() {
        Some(said) => format!("{error}; {}", said.lines().last().unwrap_or_default().trim()),
        None => error.to_string(),
    }
}

/// Where the evidence for a diagnosis is.
fn anchor(diagnosis: &Diagnosis, run: RunId) -> Option<String> {
    let matched = diagnosis.matched?;
    let piece = Piece::Output(matched.stream, Some([matched.line, matched.line]));
    Some(Anchor::of(run, piece).to_string())
}
