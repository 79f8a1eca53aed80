//! This program by its own path, for lines that a shell starts later.

use actum_engine::Surroundings;
use actum_model::command_line::single_quoted;
use actum_sandbox::{Distrust, ToolPlaces};
use std::io;
use std::path::{Path, PathBuf};

/// The real path of this program as a word of a shell. Never its name alone: on `PATH`, a folder of the project may come first.
pub(super) fn quoted_path() -> io::Result<String> {
    let path = real_path()?;
    let text = path.to_str().ok_or_else(|| io::Error::other("its path is not UTF-8 text"))?;
    Ok(single_quoted(text))
}

/// Checks that neither programs that run in `workspace` nor other users can replace this program.
pub(super) fn check_replaceable(workspace: &Path, surroundings: &Surroundings) -> Result<(), Distrust> {
    let path =
        real_path().map_err(|_| Distrust { path: "actum".into(), why: "this program cannot be found" })?;
    let home = surroundings.home.as_deref();
    // In a home everything would count as written, also where programs are installed.
    let is_wide = home.is_some_and(|home| home.starts_with(workspace));
    let written: &[PathBuf] = if is_wide { &[] } else { &[workspace.to_path_buf()] };
    ToolPlaces::new(home, written, Some(&surroundings.cache)).tool(&path).map(|_| ())
}

fn real_path() -> io::Result<PathBuf> {
    std::env::current_exe()?.canonicalize()
}
