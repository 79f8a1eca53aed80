//! What of this machine a program may see: the parts of the system that are named here, and the runtimes that live
//! elsewhere. Surveyed once at the door; everything else stays outside.

mod runtimes;
pub(crate) mod template;

pub use runtimes::{Runtimes, find_command};
pub(crate) use template::{DEVICES, c_path, is_covered};
pub use template::{ETC_FILES, ETC_FOLDERS, SYSTEM_FOLDERS};

use std::ffi::{CString, OsStr, OsString};
use std::path::{Path, PathBuf};

/// The survey's result.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(crate) runtimes: Runtimes,
    /// Key folders and files of the home that exist, hidden even from the policy `open`.
    pub(crate) keys: Vec<PathBuf>,
}

impl Machine {
    /// Looks at the folders of `path` (the variable) and for keys in the home.
    pub fn survey(path: &OsStr, home: Option<&Path>) -> Self {
        let runtimes = Runtimes::find(path, home);
        let keys = home.map(existing_keys).unwrap_or_default();
        Self { runtimes, keys }
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

/// Where keys, tokens and credentials are kept in a home.
const KEYS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".config/actum",
    ".local/share/actum",
];

fn existing_keys(home: &Path) -> Vec<PathBuf> {
    KEYS.iter().map(|name| home.join(name)).filter(|path| path.exists()).collect()
}
