//! What goes with one program through all its attempts.

use super::bounds::{Bounds, Over, Spent};
use super::situation::Situation;
use crate::extract::Part;
use actum_model::{
    Bytes, Diagnosis, Ending, EnvironmentPlan, LockedPackage, Needs, PreparedFacts, Proposal, Reading,
    RecoveryStep, Remedy, RemedyKind, Span, StepResult,
};
use actum_prepare::Prepared;
use actum_prepare::Wish;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// One program, and everything that is done so that it runs.
pub(crate) struct Care<'e> {
    pub(crate) part: Part<'e>,
    /// Counted from 1.
    pub(crate) number: u32,
    /// What its text says; none for a command that runs no program of a language that is known.
    pub(crate) reading: Option<Reading>,
    pub(crate) needs: Option<Needs>,
    pub(crate) situation: Situation,
    /// Folders that are made for it because its text says that it writes into them.
    pub(crate) foreseen: BTreeSet<PathBuf>,
    pub(crate) prepared: Option<Arc<Prepared>>,
    /// The interpreter that it gets without one, behind all shims.
    pub(crate) interpreter: Option<PathBuf>,
    pub(crate) spent: Spent,
    pub(crate) steps: Vec<RecoveryStep>,
    /// Changes to the source that were not made, or made in a copy.
    pub(crate) proposals: Vec<Proposal>,
    /// Why it was not tried once more.
    pub(crate) stopped: Option<String>,
    /// What was changed last is only worth something if it helps.
    pub(crate) speculated: bool,
    /// Which of the failed attempts was the last before anything was guessed.
    pub(crate) before_guessing: Option<usize>,
}

/// Whether it is tried once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Again,
    Over,
}

/// What may be kept of what programs left: a limit that was raised for one holds for that as well.
pub(crate) fn most_disk(cares: &[Care<'_>]) -> Bytes {
    cares.iter().map(|care| care.situation.limits.disk).max().unwrap_or_default()
}

impl<'e> Care<'e> {
    pub(crate) fn new(part: Part<'e>, number: u32, situation: Situation) -> Self {
        Self {
            part,
            number,
            reading: None,
            needs: None,
            situation,
            foreseen: BTreeSet::new(),
            prepared: None,
            interpreter: None,
            spent: Spent::default(),
            steps: Vec::new(),
            proposals: Vec::new(),
            stopped: None,
            speculated: false,
            before_guessing: None,
        }
    }

    pub(crate) fn wish(&self) -> &Wish {
        &self.situation.wish
    }

    /// What the step before this attempt came to, now that it is known.
    pub(crate) fn judge_last(&mut self, ending: &Ending, row: Option<&str>) {
        let Some(last) = self.steps.last_mut().filter(|step| step.remedy.is_some()) else { return };
        let same = last.diagnosis.as_ref().map(|diagnosis| diagnosis.row.as_str()) == row;
        last.result = match (ending.is_success(), same) {
            (true, _) => StepResult::Mended,
            (false, true) => StepResult::Unchanged,
            (false, false) => StepResult::Changed,
        };
    }

    /// A failure about which nothing is done.
    pub(crate) fn stop(&mut self, step: RecoveryStep, why: String) -> Next {
        self.steps.push(RecoveryStep { remedy: None, result: StepResult::Stopped, ..step });
        self.stopped = Some(why);
        Next::Over
    }

    pub(crate) fn remedied(&mut self, step: RecoveryStep, remedy: Remedy) -> Next {
        let row = step.diagnosis.as_ref().map(|diagnosis| diagnosis.row.clone()).unwrap_or_default();
        self.spent.remedied(&row, remedy.kind);
        self.steps.push(RecoveryStep { remedy: Some(remedy), ..step });
        Next::Again
    }

    /// Why no further attempt is allowed, whatever the remedy.
    pub(crate) fn is_over(
        &self,
        bounds: &Bounds,
        diagnosis: &Diagnosis,
        elapsed: Duration,
        wall: Span,
    ) -> Option<Over> {
        self.spent.next_attempt(bounds, &diagnosis.row, elapsed, wall)
    }

    /// Kinds of remedies that were tried.
    pub(crate) fn tried(&self) -> Vec<RemedyKind> {
        self.steps.iter().filter_map(|step| step.remedy.as_ref().map(|remedy| remedy.kind)).collect()
    }

    /// What was prepared for it, for the report.
    pub(crate) fn prepared_facts(&self) -> Option<PreparedFacts> {
        let prepared = self.prepared.as_ref()?;
        let plan =
            self.needs.as_ref().map(|needs| needs.environment.clone()).unwrap_or(EnvironmentPlan::Imports);
        let locked = |one: &actum_prepare::Locked| LockedPackage {
            name: one.name.clone(),
            version: one.version.clone(),
        };
        Some(PreparedFacts {
            plan,
            tool: prepared.tool.clone(),
            lock: prepared.lock,
            cached: prepared.cached,
            took: (!prepared.cached).then_some(prepared.took),
            newest: self.wish().newest.clone(),
            requirements: self.wish().asked(),
            packages: prepared.packages.iter().map(locked).collect(),
            notes: prepared.notes.clone(),
            data: self.wish().data.clone(),
        })
    }
}
