//! Commands of coding agents: carried out as the agent's own shell would, or only observed, and recorded either way.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::recorder::Recorder;
use crate::redaction;
use crate::request::{Request, RequestBuilder, SourceChoice};
use actum_model::{Approval, ExitCode, Label, RunId};
use actum_run::Account;
use actum_run::redact::is_secret_name;
use actum_run::unconfined::{self, Line, Shell, Starter, Surface, Told, Without};
use actum_sandbox::Variable;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Where an agent's command runs.
#[derive(Debug, Clone)]
pub struct AgentPlace {
    /// The project.
    pub workspace: PathBuf,
    /// Where the command starts.
    pub folder: PathBuf,
}

/// What an agent's command is connected to.
pub struct AgentStreams<'a> {
    pub stdout: BorrowedFd<'a>,
    pub stderr: BorrowedFd<'a>,
    /// Called once, before there are threads: what becomes readable for each request to cancel.
    pub cancel: &'a dyn Fn() -> Option<OwnedFd>,
    /// Called when the command has ended and everything that it printed was passed on.
    pub finished: &'a dyn Fn(),
}

/// One command of an agent.
pub struct AgentCommand<'e> {
    engine: &'e Engine,
    request: Request,
}

impl Engine {
    /// Builds the request for a line of an agent's shell: as it would run without us, on the host, and labelled with the agent.
    pub fn agent_command(
        &self,
        line: &OsStr,
        place: &AgentPlace,
        agent: &str,
    ) -> Result<AgentCommand<'_>, EngineError> {
        let label: Option<Label> = format!("agent={agent}").parse().ok();
        let asked = RequestBuilder {
            source: SourceChoice::Shell(line.to_owned()),
            labels: label.into_iter().collect(),
            policy: Some("open".to_owned()),
            approval: Some(Approval::Never),
            in_place: true,
            no_prepare: true,
            no_recover: true,
            workspace: Some(place.workspace.clone()),
            workdir: Some(place.folder.clone()),
            ..RequestBuilder::default()
        };
        let mut request = self.request(asked)?;
        // It has all of them; those that sound like a secret are named, and taken out of what is kept.
        let is_secret = |(name, value): &&(OsString, OsString)| {
            // Where certificates lie is no secret, whatever the variable is called.
            is_secret_name(name.as_bytes()) && !value.as_bytes().starts_with(b"/")
        };
        let secret = self.surroundings.variables.iter().filter(is_secret).map(|(name, _)| name.clone());
        request.run.attempt.granted_variables = secret.map(Variable::Inherited).collect();
        request.run.redaction = redaction::for_request(&request.run.attempt, &self.defaults.redact);
        Ok(AgentCommand { engine: self, request })
    }
}

impl AgentCommand<'_> {
    /// Carries it out and gives its exit code. Where it was not started nothing was printed either, and who could start it
    /// otherwise is given back.
    pub fn execute(
        &self,
        run: RunId,
        shell: &Shell,
        streams: &AgentStreams<'_>,
    ) -> Result<ExitCode, Option<Starter>> {
        // In this order: processes are copied while there is one thread, and signals are taken over before there are more.
        self.engine.signing();
        let starter = Starter::ready();
        let cancel = (streams.cancel)();
        let Ok(mut recorder) = Recorder::begin(self.engine, run, &self.request.run) else {
            return Err(Some(starter));
        };
        let folder = recorder.folder().to_path_buf();
        let line = Line { request: &self.request.run, run, folder: &folder };
        let surface = Surface {
            stdout: streams.stdout,
            stderr: streams.stderr,
            cancel: cancel.as_ref().map(AsFd::as_fd),
            journal: &mut recorder,
        };
        match unconfined::execute(line, shell, starter, surface) {
            Ok(account) => {
                let code = account.report.exit_code;
                (streams.finished)();
                let _ = self.seal(recorder, account);
                Ok(code)
            }
            Err(Without::NotKept { ending, .. }) => Ok(ending.exit_code()),
            Err(Without::NotStarted { starter, .. }) => Err(starter),
        }
    }

    /// Records what an agent reported about it.
    pub fn observe(&self, run: RunId, told: Told<'_>) -> Result<(), EngineError> {
        self.engine.signing();
        let recorder = Recorder::begin(self.engine, run, &self.request.run)?;
        let folder = recorder.folder().to_path_buf();
        let account = unconfined::observe(Line { request: &self.request.run, run, folder: &folder }, told)?;
        self.seal(recorder, account)
    }

    fn seal(&self, recorder: Recorder<'_>, account: Account) -> Result<(), EngineError> {
        let keeping = recorder.keeping();
        recorder.seal(account, &keeping, &self.request.run, Vec::new()).map(drop)
    }
}
