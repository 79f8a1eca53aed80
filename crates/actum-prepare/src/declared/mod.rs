//! What a project says it needs: `uv.lock` with `pyproject.toml`, `pyproject.toml` alone, `requirements*.txt`, `environment.yml`.
//!
//! The first of these that names packages is taken, whole. The files come with the project, so they are read as a stranger's:
//! nothing outside the workspace is followed, no address is fetched, no index is asked that the user did not name. What cannot
//! be kept is refused with its line, or left out with a note where the program can do without. Start at [`read`].

mod conda;
mod project;
mod requirements;
mod uv_lock;

use super::error::PrepareError;
use super::wanted::ProjectLock;
use actum_gate::{Bound, GateError, Root};
use actum_model::Untrusted;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    /// As PEP 508 writes them.
    pub requirements: Vec<String>,
    pub constraints: Vec<String>,
    pub lock: Option<ProjectLock>,
    /// The versions of Python that it is for, as in `>=3.9`.
    pub python: Option<String>,
    /// Indexes that its files name. They are asked only where the user named them too.
    pub indexes: Vec<String>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// What the project around a folder declares; the workspace is where it ends. None where no file names anything.
pub fn read(folder: &Path, workspace: &Path) -> Result<Option<Declared>, PrepareError> {
    let inside = folder.ancestors().take_while(|above| above.starts_with(workspace));
    for folder in inside {
        if let Some(found) = of_folder(folder, workspace)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What one file declares, whichever it is.
pub fn read_file(path: &Path, workspace: &Path) -> Result<Declared, PrepareError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("toml") => project::read(path, &text(path, workspace)?, None),
        Some("yml" | "yaml") => conda::read(path, &text(path, workspace)?, workspace),
        _ => requirements::read(path, workspace),
    }
}

fn of_folder(folder: &Path, workspace: &Path) -> Result<Option<Declared>, PrepareError> {
    let project = folder.join("pyproject.toml");
    if project.is_file() {
        let lock = folder.join("uv.lock");
        let lock = lock.is_file().then(|| text(&lock, workspace)).transpose()?;
        let found = project::read(&project, &text(&project, workspace)?, lock)?;
        if found.lock.is_some() || !found.requirements.is_empty() {
            return Ok(Some(found));
        }
    }
    for name in ["requirements.txt", "requirements.in", "requirements-dev.txt", "requirements/base.txt"] {
        let path = folder.join(name);
        if path.is_file() {
            let found = requirements::read(&path, workspace)?;
            if !found.requirements.is_empty() {
                return Ok(Some(found));
            }
        }
    }
    for name in ["environment.yml", "environment.yaml"] {
        let path = folder.join(name);
        if path.is_file() {
            return conda::read(&path, &text(&path, workspace)?, workspace).map(Some);
        }
    }
    Ok(None)
}

/// Larger than the lock of any project.
const LARGEST: Bound = Bound::mib(32);

/// The text of a file: a regular one of a bearable size. A pipe that somebody put there is not waited for.
pub fn text(path: &Path, workspace: &Path) -> Result<String, PrepareError> {
    let failed = |error: GateError| PrepareError::io("read", path)(error.into_io());
    let below =
        path.strip_prefix(workspace).map_err(|_| failed(GateError::Outside { path: path.to_path_buf() }))?;
    let root = Root::open(workspace).map_err(failed)?;
    root.read_text(below, LARGEST).map(Untrusted::into_string).map_err(failed)
}

/// Reads a text as each kind of file and drops what comes of it.
pub fn parse(text: &str) {
    let nowhere = Path::new("/nonexistent");
    let _ = project::read(&nowhere.join("pyproject.toml"), text, Some(text.to_owned()));
    let _ = conda::read(&nowhere.join("environment.yml"), text, nowhere);
}

fn refused(path: &Path, line: &str, why: &'static str) -> PrepareError {
    let line: String = line.chars().filter(|c| !c.is_control()).take(200).collect();
    PrepareError::Line { path: path.to_path_buf(), line, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(files: &[(&str, &str)]) -> tempfile::TempDir {
        let world = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = world.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        world
    }

    #[test]
    fn the_first_file_that_names_packages_is_taken() {
        let world = world(&[
            ("pyproject.toml", "[tool.black]\nline-length = 100\n"),
            ("requirements.txt", "six\n"),
            ("environment.yml", "dependencies:\n  - numpy\n"),
            ("sub/deep/main.py", ""),
            (
                "sub/pyproject.toml",
                "[project]\nname='x'\nrequires-python='>=3.9'\ndependencies=['attrs>=22']\n",
            ),
        ]);
        let root = world.path();
        let found = read(&root.join("sub/deep"), root).unwrap().unwrap();
        assert_eq!(
            (found.requirements, found.python),
            (vec!["attrs>=22".to_owned()], Some(">=3.9".to_owned()))
        );
        assert_eq!(read(root, root).unwrap().unwrap().requirements, ["six"]);
        // Nothing above the workspace counts.
        assert_eq!(read(&root.join("sub/deep"), &root.join("sub/deep")).unwrap(), None);
    }

    #[test]
    fn a_lock_is_taken_with_its_project() {
        let world = world(&[("pyproject.toml", "[project]\nname='x'\n"), ("uv.lock", "version = 1\n")]);
        let found = read(world.path(), world.path()).unwrap().unwrap();
        assert_eq!(found.lock.unwrap().lock, "\"version\" = 1\n");
    }
}
