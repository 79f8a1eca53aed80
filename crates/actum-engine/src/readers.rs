//! Sandboxes without a run: for workers of our own that are handed what strangers wrote.

use crate::engine::{Engine, Lifetime};
use crate::error::EngineError;
use crate::request::{Request, RequestBuilder};
use crate::{tools, workers};
use actum_run::{Answer, AnswerReader, Desk, ask_database};
use actum_sandbox::Sandboxes;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Confined workers that read untrusted text and databases. Nothing is left behind but what was read.
pub struct Readers<'e> {
    engine: &'e Engine,
    sandboxes: Sandboxes,
    /// What a run that asks for nothing would be given.
    request: Request,
    /// An empty folder.
    desk: PathBuf,
    reader: Vec<OsString>,
}

impl Engine {
    /// Makes workers ready. On an engine for one run they are that run.
    pub fn readers(&self) -> Result<Readers<'_>, EngineError> {
        let request = self.request(RequestBuilder::default().command(["true"]))?;
        let machine = self.survey(request.run.attempt.tool_places(&self.surroundings.cache));
        let sandboxes = match self.lifetime() {
            Lifetime::OneRun => self.open_once(machine)?,
            Lifetime::ManyRuns => self.shared_sandboxes()?.with_machine(machine),
        };
        let (desk, reader) = (tools::desk(&self.surroundings), self.program().command(workers::READ));
        Ok(Readers { engine: self, sandboxes, request, desk, reader })
    }
}

impl Readers<'_> {
    /// Hands a reader of programs to whoever looks.
    pub fn read_texts<T>(&self, look: impl FnOnce(&mut AnswerReader<'_>) -> T) -> T {
        let desk = Desk {
            sandboxes: &self.sandboxes,
            reader: &self.reader,
            cache: &self.engine.surroundings.cache,
            folder: &self.desk,
            attempt: &self.request.run.attempt,
        };
        look(&mut AnswerReader { desk, languages: &self.engine.defaults.languages })
    }

    /// Asks a database that lies in a folder of its own; nothing where no worker could be started.
    pub fn ask_database(&self, database: &Path, question: &str) -> Option<Answer> {
        let sqlite = self.engine.program().command(workers::SQL);
        ask_database(&self.sandboxes, &self.request.run.attempt, &sqlite, database, question).ok()
    }
}
