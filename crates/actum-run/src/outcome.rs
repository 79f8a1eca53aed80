//! What a run came to: one value, from the end of its programs to its report. Each fact is worked out once, here.

use crate::beside::Seen;
use crate::capture::{Captured, Reached};
use crate::course::Done;
use crate::error::RunError;
use crate::recover::Care;
use crate::request::Request;
use crate::stage::Ready;
use crate::validate::Conclusion;
use crate::workspace::Settlement;
use actum_changes::Collected;
use actum_model::{Applied, BlockFacts, Ending, Hosts, Instant, Risk, RunId, SourceFacts, Span, Validation};
use actum_output::analyse::Metrics;
use std::path::Path;

/// What the programs of a run came to.
#[derive(Default)]
pub(crate) struct ProgramResults<'a> {
    pub(crate) done: Vec<Done>,
    /// Attempts that failed and were followed by another.
    pub(crate) earlier: Vec<Done>,
    /// What was not run because something before it failed.
    pub(crate) left: Vec<Ready>,
    /// What was done for each.
    pub(crate) cares: Vec<Care<'a>>,
    pub(crate) failed: Option<RunError>,
}

/// Which run it is, what was asked and what ran.
pub(crate) struct Subject<'a> {
    pub(crate) run: RunId,
    pub(crate) request: &'a Request,
    pub(crate) folder: &'a Path,
    pub(crate) source: SourceFacts,
    pub(crate) blocks: Vec<BlockFacts>,
    pub(crate) risk: Risk,
}

/// When a run began, when it ended, and how long that was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunTimes {
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
    pub(crate) wall: Span,
}

/// What a run came to. Until it is validated and settled, nothing was expected of it and nothing was changed by it.
pub(crate) struct RunOutcome<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) times: RunTimes,
    pub(crate) captured: [Captured; 2],
    pub(crate) programs: ProgramResults<'a>,
    /// Which of the programs decides how the run ended: the first that failed, else the last.
    decisive: usize,
    /// The part of both streams that is what came out: what earlier attempts of the only program printed is kept, and is not.
    pub(crate) stretch: [[Reached; 2]; 2],
    pub(crate) changes: Collected,
    /// Those of files that it wrote.
    pub(crate) metrics: Metrics,
    validation: Validation,
    conclusion: Conclusion,
    pub(crate) settlement: Settlement,
    pub(crate) hosts: Option<Hosts>,
    /// What was looked at beside it.
    pub(crate) seen: Seen,
    /// What to do next, beside what the report finds out.
    pub(crate) recommendations: Vec<String>,
}

impl<'a> RunOutcome<'a> {
    pub(crate) fn new(
        subject: Subject<'a>,
        times: RunTimes,
        captured: [Captured; 2],
        mut programs: ProgramResults<'a>,
    ) -> Result<Self, RunError> {
        if let Some(error) = programs.failed.take() {
            return Err(error);
        }
        let done = &programs.done;
        let failed = done.iter().position(|done| !done.ended.ending.is_success());
        let decisive = failed.or_else(|| done.len().checked_sub(1)).ok_or(RunError::Nothing)?;
        let stretch = match done.len() + programs.left.len() {
            1 => [done[decisive].from, done[decisive].to],
            _ => [[Reached::default(); 2], [captured[0].end, captured[1].end]],
        };
        let validation = Validation::default();
        let conclusion = Conclusion::of(subject.request, &done[decisive].ended.ending, &validation);
        Ok(Self {
            subject,
            times,
            captured,
            programs,
            decisive,
            stretch,
            changes: Collected::default(),
            metrics: Metrics::default(),
            validation,
            conclusion,
            settlement: Applied::Nothing.into(),
            hosts: None,
            seen: Seen::default(),
            recommendations: Vec::new(),
        })
    }

    /// Takes what came of the expectations.
    pub(crate) fn validated(&mut self, validation: Validation) {
        self.conclusion = Conclusion::of(self.subject.request, self.ending(), &validation);
        self.validation = validation;
    }

    /// The program that decides how the run ended.
    pub(crate) fn decisive(&self) -> &Done {
        &self.programs.done[self.decisive]
    }

    /// Counted from 0.
    pub(crate) fn decisive_index(&self) -> usize {
        self.decisive
    }

    /// How the run ended: as the program that decides did.
    pub(crate) fn ending(&self) -> &Ending {
        &self.decisive().ended.ending
    }

    pub(crate) fn validation(&self) -> &Validation {
        &self.validation
    }

    pub(crate) fn conclusion(&self) -> Conclusion {
        self.conclusion
    }
}
