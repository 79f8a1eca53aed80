//! What follows from evidence, before it is told.

use crate::evidence::RunFacts;
use actum_commands::command;
use actum_model::ClaimStatus;

/// A status with its reason and the run that it rests on.
#[derive(Debug)]
pub(crate) struct Verdict<'e> {
    pub(crate) status: ClaimStatus,
    pub(crate) why: String,
    pub(crate) run: Option<&'e RunFacts>,
    pub(crate) anchor: Option<String>,
    pub(crate) observed: Option<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) considered: Vec<String>,
    pub(crate) ages: Ages,
}

/// Which changes since the run make a finding stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ages {
    /// Any of what it was given, the code around it among that.
    WithInputs,
    /// Only what its command names: the rest has no say in it.
    WithNamed,
    /// None: it is held against the thing itself.
    Never,
}

impl<'e> Verdict<'e> {
    pub(crate) fn of(status: ClaimStatus, why: String) -> Self {
        let (run, anchor, observed, notes, considered) = (None, None, None, Vec::new(), Vec::new());
        Self { status, why, run, anchor, observed, notes, considered, ages: Ages::WithInputs }
    }

    pub(crate) fn unsupported(why: impl Into<String>) -> Self {
        Self::of(ClaimStatus::Unsupported, why.into())
    }

    pub(crate) fn ambiguous(why: impl Into<String>) -> Self {
        Self::of(ClaimStatus::Ambiguous, why.into())
    }

    pub(crate) fn verified(why: impl Into<String>) -> Self {
        Self::of(ClaimStatus::Verified, why.into())
    }

    pub(crate) fn contradicted(why: impl Into<String>) -> Self {
        Self::of(ClaimStatus::Contradicted, why.into())
    }

    /// Rests on a piece of a run that says this.
    pub(crate) fn on(mut self, run: &'e RunFacts, piece: &str, observed: impl Into<String>) -> Self {
        self.run = Some(run);
        self.anchor = Some(run.anchor(piece));
        self.observed = Some(observed.into());
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(crate) fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    pub(crate) fn considered(mut self, lines: Vec<String>) -> Self {
        self.considered.extend(lines);
        self
    }

    /// Whatever the run was given does not matter.
    pub(crate) fn ageless(mut self) -> Self {
        self.ages = Ages::Never;
        self
    }

    /// Only what the command names matters.
    pub(crate) fn of_named(mut self) -> Self {
        self.ages = Ages::WithNamed;
        self
    }

    /// Lays staleness and signals over it.
    pub(crate) fn settle(mut self) -> Self {
        let Some(run) = self.run else { return self };
        if let Some(mask) = command::find_mask(&run.command) {
            self.notes.push(format!("signal: the command has `{mask}`, which can hide a failure"));
        }
        let counts = |path: &&String| match self.ages {
            Ages::WithInputs => true,
            Ages::WithNamed => path.rsplit('/').next().is_some_and(|name| run.command.contains(name)),
            Ages::Never => false,
        };
        let changed: Vec<String> = run.changed_inputs.iter().filter(counts).take(3).cloned().collect();
        if changed.is_empty() {
            return self;
        }
        let changed = changed.join(", ");
        match self.status {
            ClaimStatus::Verified => {
                self.status = ClaimStatus::Stale;
                self.why = format!("it was true when the run was made, but {changed} changed since");
            }
            // It was true of no inputs that a run had. Whoever mended it since has to run it again.
            ClaimStatus::Contradicted => {
                self.notes.push(format!("{changed} changed since, and nothing was run again"));
            }
            ClaimStatus::None
            | ClaimStatus::NotJudged
            | ClaimStatus::Unsupported
            | ClaimStatus::Ambiguous
            | ClaimStatus::Stale
            | ClaimStatus::Invalid => {}
        }
        self
    }
}
