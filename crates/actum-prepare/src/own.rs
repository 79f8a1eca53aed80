//! An interpreter that a project brings: a virtual environment in a workspace, or anything else on `PATH` that is not in a
//! trusted place. It is started inside the project's sandbox and nowhere else, so it is not asked what it is. Its files tell
//! enough to work out which packages are missing; a lie there changes what is installed for the project, and nothing else.

use super::interpreter::holds_module;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What the folder of such an interpreter looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPython {
    pub path: PathBuf,
    /// From the name of its folder of libraries.
    pub version: Option<(u8, u8)>,
    site_packages: Option<PathBuf>,
}

impl OwnPython {
    /// Looks at `lib/python3.N/site-packages` beside it. Nothing is read but names.
    pub fn look(path: &Path) -> Self {
        let prefix = path.parent().filter(|folder| folder.file_name() == Some(OsStr::new("bin")));
        let libraries = prefix.and_then(Path::parent).map(|prefix| prefix.join("lib"));
        let names = libraries.as_deref().and_then(|folder| actum_gate::own::names(folder).ok());
        let site_packages = |name: std::ffi::OsString| {
            let folder = libraries.as_deref()?.join(&name).join("site-packages");
            Some((version(name.to_str()?)?, folder))
        };
        let mut found: Vec<((u8, u8), PathBuf)> =
            names.into_iter().flatten().take(MOST).filter_map(site_packages).collect();
        found.sort();
        let newest = found.pop();
        Self {
            path: path.to_path_buf(),
            version: newest.as_ref().map(|(version, _)| *version),
            site_packages: newest.map(|(_, folder)| folder),
        }
    }

    /// Whether its own packages hold a module.
    pub fn has_module(&self, module: &str) -> bool {
        let top = module.split('.').next().unwrap_or(module);
        self.site_packages.as_deref().is_some_and(|folder| holds_module(folder, top))
    }
}

/// Folders of libraries have a handful of entries.
const MOST: usize = 256;

/// `python3.11`
fn version(name: &str) -> Option<(u8, u8)> {
    let (major, minor) = name.strip_prefix("python")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_tell_the_version_and_the_packages() {
        let world = tempfile::tempdir().unwrap();
        let venv = world.path().join(".venv");
        std::fs::create_dir_all(venv.join("lib/python3.12/site-packages/numpy")).unwrap();
        std::fs::create_dir_all(venv.join("bin")).unwrap();
        let own = OwnPython::look(&venv.join("bin/python3"));
        assert_eq!(own.version, Some((3, 12)));
        assert!(own.has_module("numpy.linalg") && !own.has_module("pandas"));
        let odd = OwnPython::look(&world.path().join("python3"));
        assert_eq!((odd.version, odd.has_module("numpy")), (None, false));
    }
}
