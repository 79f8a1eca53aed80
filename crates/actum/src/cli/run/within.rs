//! The walls without a run: for workers of our own that are handed what strangers wrote.

use super::{Problem, Run, Said, Words, internal, tools};
use crate::cli::{self, Command};
use crate::config::{Config, Surroundings};
use actum_run::{Answer, AnswerReader, Desk, Request, ask_database};
use actum_sandbox::{Machine, Opening, Sandboxes, Warden};
use std::path::{Path, PathBuf};

/// Walls that are open, and what is asked of them. Nothing is left behind but what was read.
pub(in crate::cli) struct Within {
    sandboxes: Sandboxes,
    config: Config,
    request: Request,
    cache: PathBuf,
    /// An empty folder.
    desk: PathBuf,
}

impl Run {
    /// A run that asks for nothing.
    fn plain() -> Box<Self> {
        let words = ["actum", "run", "--", "true"].map(Into::into);
        match cli::read(words.into_iter()).map(|actum| actum.command) {
            Ok(Command::Run(run)) => run,
            Ok(_) | Err(_) => unreachable!("BUG: a run of `true` is understood"),
        }
    }
}

impl Within {
    /// Opens the walls that a run has which asks for nothing.
    pub(in crate::cli) fn open(warden: Warden, surroundings: &Surroundings) -> Result<Self, Problem> {
        let run = Run::plain();
        let opening = Opening::begin(warden, run.ceiling())?;
        let config = Config::resolve(surroundings, None)?;
        let said = Said { line: Vec::new(), words: Words::Command, stdin: None, approved: None };
        let request = run.request(surroundings, &config, &said)?;
        let places = request.attempt.tool_places(&surroundings.cache);
        let machine = Machine::survey(surroundings.path(), surroundings.home.as_deref(), places);
        let sandboxes = opening.finish(machine)?;
        let (cache, desk) = (surroundings.cache.clone(), tools::desk(surroundings));
        Ok(Self { sandboxes, config, request, cache, desk })
    }

    /// Hands a reader of programs to whoever looks.
    pub(in crate::cli) fn read_texts<T>(
        &self,
        look: &mut dyn FnMut(&mut AnswerReader<'_>) -> T,
    ) -> Result<T, Problem> {
        let reader = internal::reader()?;
        let desk = Desk {
            sandboxes: &self.sandboxes,
            reader: &reader,
            cache: &self.cache,
            folder: &self.desk,
            attempt: &self.request.attempt,
        };
        Ok(look(&mut AnswerReader { desk, languages: &self.config.languages }))
    }

    /// Asks a database that lies in a folder of its own; nothing where nobody could be sent.
    pub(in crate::cli) fn ask(&self, database: &Path, question: &str) -> Option<Answer> {
        let sqlite = internal::sqlite().ok()?;
        ask_database(&self.sandboxes, &self.request.attempt, &sqlite, database, question).ok()
    }
}
