//! Folders in which programs are installed: those of the system, and those of the user's installers and version managers.
//!
//! A folder on `PATH` is none of them by that alone. An agent without a sandbox can put any folder there and start Actum again.

use super::files::plain;
use actum_gate::Bound;
use actum_model::Untrusted;
use actum_sandbox::ToolPlaces;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folders that packages of a system are installed into.
const SYSTEM: [&str; 11] = [
    "/usr",
    "/bin",
    "/sbin",
    "/opt/conda",
    "/opt/hostedtoolcache",
    "/snap",
    "/nix",
    "/gnu/store",
    "/run/current-system",
    "/etc/profiles",
    "/home/linuxbrew/.linuxbrew",
];

/// Folders below a home that installers and version managers write.
const OF_HOME: [&str; 37] = [
    "bin",
    ".local/bin",
    ".local/share",
    ".local/pipx",
    ".cargo",
    ".rustup",
    "go",
    ".go",
    ".goenv",
    ".pyenv",
    ".rye",
    ".poetry",
    ".conda",
    "miniconda3",
    "anaconda3",
    "miniforge3",
    "mambaforge",
    "micromamba",
    ".nvm",
    ".fnm",
    ".nodenv",
    ".volta",
    ".npm-global",
    ".npm-packages",
    ".yarn",
    ".bun",
    ".deno",
    ".asdf",
    ".mise",
    ".rbenv",
    ".rvm",
    ".gem",
    ".plenv",
    ".phpenv",
    ".composer",
    ".config/composer",
    ".nix-profile",
];

/// 1 MiB: the users of a machine.
const LONGEST: Bound = Bound(1 << 20);

pub(super) struct Trusted {
    workspace: PathBuf,
    home: Option<PathBuf>,
    places: ToolPlaces,
}

impl Trusted {
    pub(super) fn of(home: Option<&Path>, workspace: &Path) -> Self {
        let user = rustix::process::geteuid().as_raw();
        let users =
            actum_gate::read_named_text(Path::new("/etc/passwd"), LONGEST).map(Untrusted::into_string);
        // A variable says where the home is; the list of users knows better.
        let home = home_of(&users.unwrap_or_default(), user).or_else(|| home.map(Path::to_path_buf));
        let places = ToolPlaces::new(home.as_deref(), &[workspace.to_path_buf()], None);
        Self { workspace: workspace.to_path_buf(), home, places }
    }

    /// Whether a folder, given without `..`, is one that programs are installed into.
    pub(super) fn has(&self, folder: &Path) -> bool {
        let is_of_home = |home: &PathBuf| OF_HOME.iter().any(|below| folder.starts_with(home.join(below)));
        let is_installed = SYSTEM.iter().any(|system| folder.starts_with(system))
            || self.home.as_ref().is_some_and(is_of_home)
            || is_of_root(folder);
        is_installed && self.is_outside(folder)
    }

    fn is_outside(&self, folder: &Path) -> bool {
        !folder.starts_with(&self.workspace)
            && !folder.canonicalize().is_ok_and(|real| real.starts_with(&self.workspace))
    }

    /// Whether a folder can be a home or have its settings: the workspace may lie in it, and not the other way round.
    pub(super) fn may_be_home(&self, folder: &Path) -> bool {
        let folder = plain(folder);
        folder == self.workspace || self.is_outside(&folder)
    }

    pub(super) fn is_in_home(&self, path: &Path, name: &str) -> bool {
        self.home.as_ref().is_some_and(|home| home.join(name) == path)
    }

    /// Whether nobody but the system and the user could have chosen the program at a path.
    pub(super) fn has_tool(&self, path: &Path) -> bool {
        self.places.tool(path).is_ok()
    }
}

/// Whether only root can have made a folder. Root itself installs into `/opt` as into `/usr`.
fn is_of_root(folder: &Path) -> bool {
    if rustix::process::geteuid().is_root() {
        return folder.starts_with("/opt");
    }
    let is_roots =
        |folder: &Path| folder.metadata().is_ok_and(|facts| facts.uid() == 0 && facts.mode() & 0o022 == 0);
    folder.canonicalize().is_ok_and(|folder| folder.ancestors().all(is_roots))
}

/// The home of a user, as `/etc/passwd` has it.
fn home_of(users: &str, user: u32) -> Option<PathBuf> {
    users.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        match fields.as_slice() {
            [_, _, id, _, _, home, _] if id.parse() == Ok(user) => Some(PathBuf::from(home)),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_trusted_by_its_place_and_not_by_path() {
        let places = ToolPlaces::default();
        let trusted = Trusted { workspace: "/home/u/w".into(), home: Some("/home/u".into()), places };
        for folder in [
            "/usr/bin",
            "/usr/local/cargo/bin",
            "/opt/conda/bin",
            "/home/u/.local/bin",
            "/home/u/.nvm/v20/bin",
        ] {
            assert!(trusted.has(Path::new(folder)), "{folder}");
        }
        for folder in
            ["/srv/evil", "/tmp/x/bin", "/home/u/evil", "/home/u/.local", "/home/u", "/usrx/bin", "bin"]
        {
            assert!(!trusted.has(Path::new(folder)), "{folder}");
        }
    }

    #[test]
    fn a_home_is_that_of_the_list_of_users() {
        let users = "root:x:0:0:root:/root:/bin/bash\nu:x:1000:1000::/home/u:/bin/sh\nbad:x:1\n";
        assert_eq!(home_of(users, 1000), Some("/home/u".into()));
        assert_eq!(home_of(users, 0), Some("/root".into()));
        assert_eq!(home_of(users, 1), None);
    }
}
