//! What programs are read and prepared with: this binary, `uv`, the interpreters of this machine, and where packages come from.

use crate::defaults::RunDefaults;
use crate::program::HelperProgram;
use crate::surroundings::Surroundings;
use crate::workers;
use actum_prepare::needs::Preparing;
use actum_prepare::{Packages, Reach, ToolCandidates};
use actum_run::Tools;
use std::path::PathBuf;

/// Everything that may be needed. Nothing of it is started here, and nothing is read but names of folders.
pub(crate) fn tools(
    program: &HelperProgram,
    (surroundings, defaults): (&Surroundings, &RunDefaults),
    preparing: Preparing,
) -> Tools {
    let named = surroundings.variables.iter().find(|(name, _)| name == "ACTUM_UV");
    let named = named.map(|(_, path)| PathBuf::from(path));
    let candidates = ToolCandidates::new(named, surroundings.path().to_owned(), surroundings.home.clone());
    Tools {
        reader: program.command(workers::READ),
        judge: program.command(workers::JUDGE),
        editor: program.command(workers::EDIT),
        packages: Packages {
            index: defaults.packages.index.clone(),
            more: Vec::new(),
            wheels: defaults.packages.wheels.clone(),
            registry: None,
            reach: match preparing {
                Preparing::Auto => Reach::Online,
                Preparing::Offline | Preparing::Never => Reach::Offline,
            },
            settings: settings(surroundings),
        },
        candidates,
    }
}

/// An empty folder that programs are read in. Where it cannot be made, the reader tells so.
pub(crate) fn desk(surroundings: &Surroundings) -> PathBuf {
    let path = surroundings.cache.join("desk");
    let _ = actum_gate::own::make_private_folders(&path);
    path
}

/// Files in which the clients keep their settings, the most important one first.
fn settings(surroundings: &Surroundings) -> Vec<PathBuf> {
    const OF_HOME: [&str; 3] = [".config/uv/uv.toml", ".config/pip/pip.conf", ".pip/pip.conf"];
    const OF_SYSTEM: [&str; 2] = ["/etc/uv/uv.toml", "/etc/pip.conf"];
    let at_home = surroundings.home.iter().flat_map(|home| OF_HOME.iter().map(|name| home.join(name)));
    let all = at_home.chain(OF_SYSTEM.iter().map(PathBuf::from));
    all.filter(|path| path.is_file()).collect()
}
