//! Has texts of programs read by a confined worker, without a run.

use super::{Problem, Run, Said, Words, internal, tools};
use crate::config::{Config, Surroundings};
use actum_run::{AnswerReader, Desk};
use actum_sandbox::{Machine, Opening, Warden};

impl Run {
    /// Opens the walls, hands a reader to whoever looks, and leaves nothing behind but what was read.
    pub(in crate::cli) fn read_texts<T>(
        &self,
        warden: Warden,
        surroundings: &Surroundings,
        look: &mut dyn FnMut(&mut AnswerReader<'_>) -> T,
    ) -> Result<T, Problem> {
        let opening = Opening::begin(warden, self.ceiling())?;
        let config = Config::resolve(surroundings, self.workspace.as_deref())?;
        let said = Said { line: Vec::new(), words: Words::Command, stdin: None, approved: None };
        let request = self.request(surroundings, &config, &said)?;
        let machine = Machine::survey(surroundings.path(), surroundings.home.as_deref());
        let sandboxes = opening.finish(machine)?;
        let (reader, folder) = (internal::reader()?, tools::desk(surroundings));
        let desk = Desk {
            sandboxes: &sandboxes,
            reader: &reader,
            cache: surroundings.cache.as_path(),
            folder: &folder,
            attempt: &request.attempt,
        };
        Ok(look(&mut AnswerReader { desk, languages: &config.languages }))
    }
}
