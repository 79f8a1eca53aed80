//! Runs that need somebody's approval: asked now, or kept until somebody approves them.

use crate::clock;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::request::{Request, RequestBuilder};
use crate::result::{RunResult, RunState};
use crate::sink::{Decision, Sink};
use actum_model::{ExitCode, Moment, Risk, RunId};
use actum_run::{Extracted, NotRun};
use actum_store::{Pending, Store};
use std::path::PathBuf;

/// Whether a run may start.
pub(crate) enum Approved {
    Yes,
    /// Somebody has to be asked who is not there now.
    Later {
        digest: String,
        question: Vec<String>,
    },
}

/// Asks where that is wanted.
pub(crate) fn ask(
    request: &Request,
    (extracted, risk): (&Extracted<'_>, &Risk),
    sink: &mut dyn Sink,
) -> Result<Approved, EngineError> {
    let asks = request.run.approval.asks(risk.level);
    if request.approved.is_none() && !asks {
        return Ok(Approved::Yes);
    }
    let digest = extracted.digest(&request.run);
    if let Some(approved) = &request.approved {
        return if *approved == digest { Ok(Approved::Yes) } else { Err(EngineError::NotWhatWasApproved) };
    }
    // The last line is the question itself, which only a terminal is asked.
    let mut question = actum_risk::question(risk);
    question.pop();
    match sink.decide(&question).map_err(|source| EngineError::Ask { source })? {
        Decision::Approved => Ok(Approved::Yes),
        Decision::Refused => Err(EngineError::Refused),
        Decision::Wait => Ok(Approved::Later { digest, question }),
    }
}

/// A request that waits for approval.
#[derive(Debug)]
pub struct PendingRequest {
    kept: Pending,
    /// What was asked.
    pub asked: RequestBuilder,
}

impl PendingRequest {
    /// Reads what a store keeps.
    pub fn read(kept: Pending) -> Result<Self, EngineError> {
        let asked =
            serde_json::from_value(kept.request.clone()).map_err(|source| EngineError::Kept { source })?;
        Ok(Self { kept, asked })
    }

    /// The folder that relative paths begin at.
    pub fn folder(&self) -> PathBuf {
        PathBuf::from(&self.kept.folder)
    }

    /// The run that it will become.
    pub fn run(&self) -> RunId {
        self.kept.run
    }

    pub fn asked_at(&self) -> Moment {
        self.kept.asked_at
    }

    /// What is at stake, for people.
    pub fn question(&self) -> &[String] {
        &self.kept.question
    }

    /// Takes it away, once, and gives the digest of what may run.
    pub fn take(&self, store: &Store) -> Result<String, EngineError> {
        store.take_pending(&self.kept)?;
        Ok(self.kept.digest.clone())
    }
}

impl Engine {
    /// Keeps the request until somebody approves it.
    pub(crate) fn keep_until_approved(
        &self,
        request: &Request,
        risk: Risk,
        (digest, question): (String, Vec<String>),
    ) -> Result<RunResult, EngineError> {
        let pending = Pending {
            run: request.id,
            asked_at: clock::now(),
            request: serde_json::to_value(&request.asked)?,
            folder: self.surroundings.folder.clone().into(),
            digest,
            question: question.clone(),
        };
        self.store.wait_for_approval(&pending, &self.keyring.seal_key())?;
        let why = NotRun { reason: "waiting for approval", hint: None, exit_code: ExitCode::REFUSED };
        let mut account = actum_run::not_run(request.id, &request.run, risk, why);
        account.report.recommendations = vec![format!("actum approve {}", request.id.short())];
        let state = RunState::AwaitingApproval { question };
        Ok(RunResult { report: Box::new(account.report), state, unsigned: None })
    }

    /// The requests that wait for approval, oldest first.
    pub fn pending(&self) -> Result<Vec<PendingRequest>, EngineError> {
        let kept = self.store.list_pending(&self.keyring.seal_key())?;
        kept.into_iter().map(PendingRequest::read).collect()
    }

    /// The request that waits under this id, the beginning or end of it, or `last`.
    pub fn find_pending(&self, text: &str) -> Result<PendingRequest, EngineError> {
        PendingRequest::read(self.store.find_pending(text, &self.keyring.seal_key())?)
    }

    /// Takes a request away without running it.
    pub fn refuse(&self, pending: &PendingRequest) -> Result<(), EngineError> {
        pending.take(&self.store).map(drop)
    }

    /// Takes a request away and gives it ready to [`run`](Engine::run), once: whoever takes it first runs it. It runs only if it
    /// is still what was asked for.
    pub fn approve(&self, pending: PendingRequest) -> Result<Request, EngineError> {
        let digest = pending.take(&self.store)?;
        Ok(self.request(pending.asked)?.approved(digest))
    }
}
