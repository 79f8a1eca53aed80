//! Has texts of programs read by a confined worker, without a run.

use super::{Problem, Run, Said, Words, internal, kept, tools};
use crate::clock;
use crate::config::{Config, Surroundings};
use actum_run::{AnswerReader, House, Preparing};
use actum_sandbox::{Machine, Opening, Warden};
use actum_store::Store;

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
        let folder = surroundings.cache.join("plans").join(std::process::id().to_string());
        std::fs::create_dir_all(&folder).map_err(|source| Problem::Path {
            path: folder.clone(),
            hint: "name a cache folder that you can write with XDG_CACHE_HOME",
            source,
        })?;
        let store = Store::at(&surroundings.store);
        let keeping = kept::keeping(store.root(), folder.clone());
        let sqlite = internal::sqlite()?;
        let tools = tools::tools(surroundings, &config, Preparing::Never)?;
        let house = House {
            sandboxes: &sandboxes,
            languages: &config.languages,
            run: clock::new_run(),
            folder: &folder,
            keeping: &keeping,
            cache: &surroundings.cache,
            sqlite: &sqlite,
            tools: &tools,
        };
        let seen = look(&mut AnswerReader { house: &house, attempt: &request.attempt });
        let _ = std::fs::remove_dir_all(&folder);
        Ok(seen)
    }
}
