//! What a run would need, without a run.

use super::{Carried, Problem, internal, kept, tools};
use crate::config::{Config, Surroundings};
use actum_model::RunId;
use actum_run::{Extracted, House, Request};
use actum_sandbox::Sandboxes;
use actum_store::{Keyring, Store};

/// Reads and looks, and leaves nothing behind but what was read.
pub(super) fn plan(
    (request, extracted): (&Request, Extracted<'_>),
    (surroundings, config): (&Surroundings, &Config),
    (sandboxes, store, run): (&Sandboxes, &Store, RunId),
) -> Result<Carried, Problem> {
    let folder = surroundings.cache.join("plans").join(std::process::id().to_string());
    actum_gate::own::make_folders(&folder).map_err(|source| Problem::Path {
        path: folder.clone(),
        hint: "name a cache folder that you can write with XDG_CACHE_HOME",
        source,
    })?;
    let keeping = kept::keeping(&Keyring::at(&surroundings.keys), store.root(), folder.clone());
    let sqlite = internal::sqlite()?;
    let tools = tools::tools(surroundings, config, request.packages.preparing)?;
    let house = House {
        sandboxes,
        languages: &config.languages,
        run,
        folder: &folder,
        keeping: &keeping,
        cache: &surroundings.cache,
        sqlite: &sqlite,
        tools: &tools,
    };
    let plan = actum_run::plan(request, &house, extracted);
    let _ = actum_gate::own::remove_tree(&folder);
    Ok(Carried::Planned(plan))
}
