//! Test tools that are packages of Node: a runner of TypeScript, the test runner of the report's first example, a
//! verifier of bundles, and the library that samples in JavaScript compare with.
//!
//! They are installed below the target folder, so that nothing of the machine changes.

use super::python;
use crate::check::metadata;
use crate::command::{self, Command};
use crate::error::Error;
use crate::say;
use crate::step::{Outcome, Session};
use std::path::Path;

/// With their versions, so that what tests saw yesterday they see tomorrow.
const TOOLS: &[&str] =
    &["tsx@4.23.15", "jest@30.5.2", "@sigstore/verify@3.1.1", "@sigstore/bundle@4.0.0", "lodash@4.18.1"];

pub fn install(_: &mut Session) -> Result<Outcome, Error> {
    let folder = folder()?;
    let mut wanted = TOOLS.iter().map(|tool| name(tool));
    if wanted.all(|tool| Path::new(&folder).join("node_modules").join(tool).exists()) {
        say::line("nothing to install");
        return Ok(Outcome::Held);
    }
    if !command::is_on_path("npm") {
        return Ok(Outcome::Skipped(
            "npm is not installed; tests that need its packages report it".to_owned(),
        ));
    }
    std::fs::create_dir_all(&folder).map_err(|source| Error::Write { path: folder.clone(), source })?;
    let mut arguments = vec!["install", "--no-audit", "--no-fund", "--no-save", "--prefix", folder.as_str()];
    arguments.extend(TOOLS);
    match Command::new("npm", &arguments).live()? {
        true => Ok(Outcome::Held),
        false => Ok(Outcome::Skipped("npm failed; tests that need its packages report it".to_owned())),
    }
}

/// Folders of programs that tests look in beside the system's.
pub fn search_path() -> Result<String, Error> {
    let toolchain = Command::new("rustc", &["--print", "sysroot"]).output()?;
    Ok(format!("{}/bin:{}/node_modules/.bin:{}", toolchain.trim(), folder()?, python::programs()?))
}

/// Without its version. The name of a package in a scope begins with `@` as well.
fn name(tool: &str) -> &str {
    tool.rsplit_once('@').map_or(tool, |(name, _)| name)
}

/// Below which all of them are.
pub(super) fn folder() -> Result<String, Error> {
    Ok(format!("{}/test-tools", metadata::target_folder()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_name_and_a_version() {
        let names: Vec<&str> = TOOLS.iter().map(|tool| name(tool)).collect();
        assert_eq!(names, ["tsx", "jest", "@sigstore/verify", "@sigstore/bundle", "lodash"]);
    }
}
