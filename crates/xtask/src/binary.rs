//! The binary that tests start, and the programs of the testkit beside it, built once with the profile `ci`: as the release build, but
//! without optimisation across crates, which takes less than half of the time.

use crate::check::metadata;
use crate::command::Command;
use crate::error::Error;

pub const PROFILE: &str = "ci";

/// Builds `actum` and the programs of the testkit; true when that worked. Always all of them: cargo chooses the features of what several
/// packages use by the packages that are asked for, and would build half of them again for another choice.
pub fn build() -> Result<bool, Error> {
    let packages = ["--package", "actum", "--package", "actum-testkit"];
    Command::cargo(&[&["build", "--profile", PROFILE, "--bins"], &packages[..]].concat()).live()
}

/// The path of one of them.
pub fn path(name: &str) -> Result<String, Error> {
    Ok(format!("{}/{name}", folder()?))
}

/// Where all of them are.
pub fn folder() -> Result<String, Error> {
    Ok(format!("{}/{PROFILE}", metadata::target_folder()?))
}
