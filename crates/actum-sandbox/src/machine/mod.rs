//! What of this machine a program may see: the parts of the system that are named here, and the runtimes that live
//! elsewhere. Surveyed once at the door; everything else stays outside.

mod keys;
mod runtimes;
pub(crate) mod template;
mod tools;
mod walk;
mod written;

pub use keys::{KeyRow, key_rows};
pub(crate) use keys::{homes, homes_of_others, keys_of_others, table_rows};
pub use runtimes::{Runtimes, find_command};
pub(crate) use template::{DEVICES, c_path, is_covered};
pub use template::{ETC_FILES, ETC_FOLDERS, SYSTEM_FOLDERS};
pub use tools::{Distrust, ToolPlaces, TrustedTool};
pub use written::note_written;

use std::ffi::{CString, OsStr, OsString};
use std::path::{Path, PathBuf};

/// The survey's result.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(crate) runtimes: Runtimes,
    /// Which folders programs may write.
    pub(crate) places: ToolPlaces,
    /// Key folders and files of the caller's homes that exist, by their real paths. Hidden even from the policy `open`.
    pub(crate) keys: Vec<PathBuf>,
}

impl Machine {
    /// Looks at the folders of `path` (the variable) and for keys in the home.
    pub fn survey(path: &OsStr, home: Option<&Path>, places: ToolPlaces) -> Self {
        let runtimes = Runtimes::find(path, &places);
        let keys = homes(home).iter().flat_map(|home| keys::existing_in(home)).collect();
        Self { runtimes, places, keys }
    }

    /// The folders that the template gets beside the system's own.
    pub(crate) fn furniture(&self) -> Vec<CString> {
        let shown = self.runtimes.folders.iter().filter(|folder| !is_covered(folder) && folder.is_dir());
        shown.map(|folder| c_path(folder)).collect()
    }

    /// Folders of runtimes outside the system's own.
    pub fn runtimes(&self) -> Vec<PathBuf> {
        self.runtimes.folders.clone()
    }

    /// The variable `PATH` as the program gets it: the caller's folders that can be seen from inside.
    pub(crate) fn path_inside(&self, path: &OsStr, workspace: &Path, granted: &[&Path]) -> OsString {
        let is_granted = |folder: &Path| granted.iter().any(|path| folder.starts_with(path));
        let is_seen = |folder: &PathBuf| self.can_see(folder, workspace) || is_granted(folder);
        let mut kept: Vec<PathBuf> = std::env::split_paths(path).filter(is_seen).collect();
        for folder in ["/usr/local/bin", "/usr/bin", "/bin"] {
            if !kept.iter().any(|other| other == Path::new(folder)) {
                kept.push(PathBuf::from(folder));
            }
        }
        std::env::join_paths(kept).unwrap_or_else(|_| OsString::from("/usr/local/bin:/usr/bin:/bin"))
    }

    /// Whether a path of the machine is visible from inside.
    pub(crate) fn can_see(&self, path: &Path, workspace: &Path) -> bool {
        path.starts_with(workspace)
            || SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder))
            || self.runtimes.folders.iter().any(|folder| path.starts_with(folder))
    }
}
