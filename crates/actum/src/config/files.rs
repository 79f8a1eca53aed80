//! Which files are read, and how: bounded, regular files only, without waiting, and nobody else's.

use super::ConfigError;
use actum_engine::Surroundings;
use actum_gate::own::{is_callers, is_own};
use actum_gate::{Bound, Owner, Root};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const NAME: &str = "actum.toml";

/// A configuration file and its text.
#[derive(Debug)]
pub struct ConfigFile {
    pub path: PathBuf,
    pub text: String,
}

/// The user's own file. It may be a link: people keep such files elsewhere, and what it leads to is hidden as well.
pub(super) fn users_file(surroundings: &Surroundings) -> Result<Option<ConfigFile>, ConfigError> {
    let failed = |source| ConfigError::Gate { source };
    let Some(path) = &surroundings.config_file else { return Ok(None) };
    // Asked first: most have none, and this is a single call.
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let real = actum_gate::own::check_file_place(path).map_err(failed)?;
    let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else { return Ok(None) };
    let root = Root::open(folder).map_err(failed)?.owned_by(Owner::CallerOrRoot);
    let text = root.read_text(Path::new(name), Bound::SMALL).map_err(failed)?;
    Ok(Some(ConfigFile { path: path.clone(), text: text.into_string() }))
}

/// The nearest `actum.toml` of the workspace and the folders above it. In a folder that all can write, such as `/tmp`,
/// anybody could leave one: a stranger's is passed over. One of the caller's own has to be a file of its folder.
pub fn project_file(
    surroundings: &Surroundings,
    workspace: Option<&Path>,
) -> Result<Option<ConfigFile>, ConfigError> {
    Ok(project_files(surroundings, workspace)?.into_iter().next())
}

/// The same for each way to the workspace: by its name, and without links where that leads to another file.
pub(super) fn project_files(
    surroundings: &Surroundings,
    workspace: Option<&Path>,
) -> Result<Vec<ConfigFile>, ConfigError> {
    let failed = |source| ConfigError::Gate { source };
    let folder = workspace
        .map_or_else(|| surroundings.folder.clone(), |workspace| surroundings.folder.join(workspace));
    let nearest = ways(&folder).into_iter().filter_map(|way| files_above(&way).next());
    let read = |path: PathBuf| {
        let root =
            Root::open(path.parent().unwrap_or(&folder)).map_err(failed)?.owned_by(Owner::CallerOrRoot);
        let text = root.read_text(Path::new(NAME), Bound::SMALL).map_err(failed)?;
        Ok(ConfigFile { path, text: text.into_string() })
    };
    without_repeats(nearest).into_iter().map(read).collect()
}

/// Each `actum.toml` of a folder and the folders above it that is the caller's or root's. A link in the path must not hide a
/// project's file, so the folders above by name, above each link and above the real folder all count.
pub(super) fn project_files_above(folder: &Path) -> Vec<PathBuf> {
    without_repeats(ways(folder).iter().flat_map(|way| files_above(way)))
}

/// A folder by its name, the folder of each link on the way to it, and its real path. Of a folder that is gone, the real path of
/// the nearest one that is there.
fn ways(folder: &Path) -> Vec<PathBuf> {
    let links = actum_gate::own::links_on_way(folder).unwrap_or_default();
    let links = links.iter().filter_map(|link| link.parent().map(Path::to_path_buf));
    let real = folder.ancestors().find_map(|above| above.canonicalize().ok());
    let mut ways: Vec<PathBuf> = Vec::new();
    for way in std::iter::once(folder.to_path_buf()).chain(real).chain(links) {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}

/// The nearest first. A link counts by its own owner: what it leads to is judged when it is read. In a folder of the caller's
/// that the caller may not enter there may be one.
fn files_above(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let counts = |path: &PathBuf| match path.symlink_metadata() {
        Ok(file) => is_own(&file) && !file.is_dir(),
        Err(error) => {
            let is_denied = error.kind() == std::io::ErrorKind::PermissionDenied;
            let above = path.parent().and_then(|above| above.symlink_metadata().ok());
            is_denied && above.is_some_and(|above| is_callers(&above))
        }
    };
    folder.ancestors().map(|above| above.join(NAME)).filter(counts)
}

fn without_repeats(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let identity = |path: &PathBuf| path.symlink_metadata().ok().map(|file| (file.dev(), file.ino()));
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !kept
            .iter()
            .any(|other| *other == path || identity(other).is_some() && identity(other) == identity(&path))
        {
            kept.push(path);
        }
    }
    kept
}
