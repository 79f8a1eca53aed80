//! Holds what was expected of a run against what came out, before anything that it changed is applied.
//!
//! What facts settle (how it ended, what it used, which files are there) is judged here; what has to be parsed is handed to
//! a confined worker, since a program that nobody trusts wrote it. What cannot be judged is told as that, with the reason,
//! and does not count as held: a run never fails or hangs because of what its program wrote. Start reading at [`validate`].

mod advice;
mod cases;
mod contents;
mod judging;
mod printed;
mod worker;

pub(crate) use advice::of_warnings;
pub(crate) use cases::run_cases;

use crate::answer::Printed;
use crate::attempt::Traces;
use crate::outcome::{RunOutcome, Subject};
use crate::request::{House, Purpose, Request};
use crate::workspace::Workspace;
use actum_judge::Finding;
use actum_model::{
    Advice, Bytes, Case, Check, Ending, Expectation, Expected, Origin, Part, Piece, Place, Span, Stream,
    Validation, WorkspaceMode,
};
use actum_output::analyse::{self, Metrics};
use contents::Kept;
use judging::{Judging, check};
use std::time::Duration;

/// What a run left, where it can still be looked at.
pub(crate) struct Matter<'a> {
    pub(crate) outcome: &'a RunOutcome<'a>,
    pub(crate) house: &'a House<'a>,
    pub(crate) workspace: &'a Workspace,
    pub(crate) traces: Option<&'a Traces<'a>>,
    /// What came of its cases.
    pub(crate) cases: Vec<Case>,
    /// What an answer says that its parts print.
    pub(crate) printed: &'a [Printed],
}

/// How a run went: by how its program ended, and by what was expected of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conclusion {
    AsExpected,
    /// The program ended well, and a check did not hold.
    NotAsExpected,
    /// The program did not end well.
    Failed,
}

impl Conclusion {
    /// Of what nothing more was expected than that it ends well.
    pub(crate) fn of_ending(ending: &Ending) -> Self {
        if ending.is_success() { Self::AsExpected } else { Self::Failed }
    }

    pub(crate) fn of(request: &Request, ending: &Ending, validation: &Validation) -> Self {
        // Of cases no one program's own code speaks for all.
        if !request.cases.is_empty() && matches!(ending, Ending::Exited { .. }) && !validation.holds() {
            return Self::NotAsExpected;
        }
        match (ending.is_success() || request.expects(ending), validation.holds()) {
            (false, _) => Self::Failed,
            (true, true) => Self::AsExpected,
            (true, false) => Self::NotAsExpected,
        }
    }
}

/// What a run whose checks did not hold is told as.
pub(crate) fn summary(validation: &Validation) -> String {
    let (held, all) = validation.counts();
    let check = validation.checks.iter().find(|check| !check.held).map(|check| check.name.clone());
    let case = || validation.cases.iter().find(|case| !case.held).map(|case| format!("case {}", case.name));
    let first = check.or_else(case).map(|name| format!(": {name}"));
    let what = if validation.cases.is_empty() { "checks" } else { "checks and cases" };
    match (all - held, all) {
        (1, 1) => format!("the check failed{}", first.unwrap_or_default()),
        (broken, all) => format!("{broken} of {all} {what} failed{}", first.unwrap_or_default()),
    }
}

/// Makes every check.
pub(crate) fn validate(mut matter: Matter<'_>) -> Validation {
    let cases = std::mem::take(&mut matter.cases);
    let expected = &matter.outcome.subject.request.expectations;
    let kept = Kept::of(&matter);
    let (findings, advice) = matter.judge(&kept);
    let told = |(expected, finding): (&Expected, Finding)| {
        let piece = matter.piece(&expected.what, finding.lines);
        check(matter.house.run, expected, finding, piece)
    };
    let mut checks: Vec<Check> = expected.iter().zip(findings).map(told).collect();
    checks.extend(matter.printed(&kept));
    checks.extend(matter.nothing_changed());
    Validation { checks, cases, advice }
}

impl Matter<'_> {
    /// What came of each expectation, in their order; or advice, where there is none.
    fn judge(&self, kept: &Kept<'_>) -> (Vec<Finding>, Vec<Advice>) {
        let metrics = self.metrics_told(kept);
        let Subject { request, .. } = &self.outcome.subject;
        let (ending, done) = (self.outcome.ending(), &self.outcome.programs.done);
        let expected = &request.expectations;
        expected.iter().for_each(|expected| kept.hash(&expected.what));
        let judging = Judging {
            house: self.house,
            request,
            ending,
            wall: Span(done.iter().map(|done| done.ended.usage.wall.0).sum::<Duration>()),
            memory: done.iter().filter_map(|done| done.ended.usage.memory_peak).max(),
            metrics: &metrics.listed,
            stream: &|stream| kept.stream(stream),
            file: &|path| kept.at(path),
            contents: &|path, slice| kept.file(path, slice),
        };
        let asks_nothing = expected.is_empty() && request.cases.is_empty() && self.printed.is_empty();
        let is_run = request.purpose == Purpose::Run;
        match asks_nothing {
            true if is_run && ending.is_success() => (Vec::new(), advice::advise(self, kept, &judging)),
            true => Default::default(),
            false => (judging.judge(expected), Vec::new()),
        }
    }

    /// Numbers that were printed, read where something is expected of them.
    fn metrics_told(&self, kept: &Kept<'_>) -> Metrics {
        let is_about = |expected: &Expected| matches!(&expected.what, Expectation::Numbers { series, .. } if series.place == Place::Metric);
        if !self.outcome.subject.request.expectations.iter().any(is_about) {
            return Metrics::default();
        }
        let text = |stream: Stream| analyse::Text::of(kept.stream(stream).unwrap_or_default());
        self.outcome.metrics.clone().and(analyse::metrics(&text(Stream::Stdout), &text(Stream::Stderr)))
    }

    /// Where it was found. Lines are those of the whole stream.
    fn piece(&self, expectation: &Expectation, lines: Option<[u64; 2]>) -> Piece {
        let output = |stream: Stream| {
            let before = self.outcome.stretch[0][stream.index()].line_ends;
            Piece::Output(stream, lines.map(|lines| lines.map(|line| line + before)))
        };
        match expectation {
            Expectation::Exit { .. } => Piece::Exit,
            Expectation::Stream { stream, .. } => output(*stream),
            Expectation::File { path, .. } => Piece::File(path.clone()),
            Expectation::Numbers { series, .. } => match (&series.place, &series.part) {
                (Place::Metric, Part::Named(name) | Part::Pointer(name)) => {
                    Piece::Metric { name: name.clone(), step: None }
                }
                (Place::Metric, Part::All) => Piece::Whole,
                (Place::Stream(stream), _) => output(*stream),
                (Place::File(path), _) => Piece::File(path.clone()),
            },
            Expectation::Duration { .. } | Expectation::Memory { .. } => Piece::Whole,
        }
    }

    /// A run that must not change anything proves that it did not.
    fn nothing_changed(&self) -> Option<Check> {
        let Request { attempt, purpose, .. } = self.outcome.subject.request;
        if attempt.policy.workspace != WorkspaceMode::ReadOnly || *purpose != Purpose::Run {
            return None;
        }
        let count = crate::course::meaningful(&self.outcome.changes.changes).count();
        Some(Check {
            name: "nothing changed".to_owned(),
            held: count == 0,
            expected: "no file of the workspace created, modified or deleted".to_owned(),
            found: match count {
                0 => "none".to_owned(),
                1 => "1 change, discarded".to_owned(),
                count => format!("{count} changes, discarded"),
            },
            origin: Some(Origin::ReadOnly.to_string()),
            ..Check::default()
        })
    }
}

/// What is parsed of a stream or file is no longer than this: larger ones are data that takes a program of its own.
pub(crate) const LARGEST: Bytes = Bytes::mib(64);
