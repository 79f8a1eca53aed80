//! Test tools that are packages of Node: a runner of TypeScript, and the test runner of the report's first example.
//!
//! They are installed below the target folder, so that nothing of the machine changes.

use crate::check::metadata;
use crate::command::{self, Command};
use crate::error::Error;
use crate::say;
use crate::step::{Outcome, Session};
use std::path::Path;

/// With their versions, so that what tests saw yesterday they see tomorrow.
const TOOLS: &[&str] = &["tsx@4.23.15", "jest@30.5.2"];

pub fn install(_: &mut Session) -> Result<Outcome, Error> {
    let folder = folder()?;
    let wanted = TOOLS.iter().filter_map(|tool| tool.split('@').next());
    if wanted.clone().all(|tool| Path::new(&folder).join("node_modules/.bin").join(tool).exists()) {
        say::line("nothing to install");
        return Ok(Outcome::Held);
    }
    if !command::is_on_path("npm") {
        return Ok(Outcome::Skipped("npm is not here; tests that need its packages say so".to_owned()));
    }
    std::fs::create_dir_all(&folder).map_err(|source| Error::Write { path: folder.clone(), source })?;
    let mut arguments = vec!["install", "--no-audit", "--no-fund", "--no-save", "--prefix", folder.as_str()];
    arguments.extend(TOOLS);
    match Command::new("npm", &arguments).live()? {
        true => Ok(Outcome::Held),
        false => Ok(Outcome::Skipped("npm did not succeed; tests that need its packages say so".to_owned())),
    }
}

/// Folders of programs that tests look in beside the system's.
pub fn search_path() -> Result<String, Error> {
    let toolchain = Command::new("rustc", &["--print", "sysroot"]).output()?;
    Ok(format!("{}/bin:{}/node_modules/.bin", toolchain.trim(), folder()?))
}

fn folder() -> Result<String, Error> {
    Ok(format!("{}/test-tools", metadata::target_folder()?))
}
