//! What a run came to.

use crate::error::{EngineError, describe};
use crate::request::Request;
use actum_model::{Report, Risk};
use actum_run::{Account, NotRun};
use actum_store::signer::SealError;

/// A run that was carried out and recorded, or that waits for approval.
#[derive(Debug)]
pub struct RunResult {
    pub report: Box<Report>,
    pub state: RunState,
    /// Why the record is not signed.
    pub unsigned: Option<SealError>,
}

/// How far a request got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    /// It ran, and its record is in the ledger.
    Recorded,
    /// Nothing ran: it is kept until somebody approves it.
    AwaitingApproval {
        /// What is at stake, for people.
        question: Vec<String>,
    },
}

impl Request {
    /// The report of a request that could not be carried out, for callers that read reports.
    pub fn failure_report(&self, error: &EngineError) -> Box<Report> {
        Box::new(self.account_of(error).report)
    }

    pub(crate) fn account_of(&self, error: &EngineError) -> Account {
        let (reason, hint) = (describe(error), error.hint());
        let why = NotRun { reason: &reason, hint: hint.as_deref(), exit_code: error.exit_code() };
        actum_run::not_run(self.id, &self.run, Risk::default(), why)
    }
}
