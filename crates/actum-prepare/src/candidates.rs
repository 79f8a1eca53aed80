//! Where tools may be on a machine. Paths only; whether something works there is asked later, inside the walls.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where `uv` and interpreters of Python may be. Folders are listed when somebody asks, and once: most runs need neither.
#[derive(Debug, Clone, Default)]
pub struct ToolCandidates {
    named_uv: Option<PathBuf>,
    path: OsString,
    home: Option<PathBuf>,
    uv: OnceLock<Vec<PathBuf>>,
    pythons: OnceLock<Vec<PathBuf>>,
}

impl ToolCandidates {
    /// `named_uv` is the one that the user prefers, `path` the folders of `PATH`.
    pub fn new(named_uv: Option<PathBuf>, path: OsString, home: Option<PathBuf>) -> Self {
        Self { named_uv, path, home, ..Self::default() }
    }

    /// Where `uv` may be, the first one preferred.
    pub fn uv(&self) -> &[PathBuf] {
        let find =
            || uv_candidates(self.named_uv.as_deref(), &self.path, self.home.as_deref(), self.pythons());
        self.uv.get_or_init(find)
    }

    /// Where interpreters of Python may be, the ones of `PATH` first.
    pub fn pythons(&self) -> &[PathBuf] {
        self.pythons.get_or_init(|| python_candidates(&self.path, self.home.as_deref()))
    }
}

/// Where `uv` may be: where the user says, in the folders of `PATH`, in a home, beside interpreters. The first one is preferred.
fn uv_candidates(
    named: Option<&Path>,
    path: &OsStr,
    home: Option<&Path>,
    interpreters: &[PathBuf],
) -> Vec<PathBuf> {
    let on_path =
        std::env::split_paths(path).filter(|folder| folder.is_absolute()).map(|folder| folder.join("uv"));
    let in_home =
        home.into_iter().flat_map(|home| [".local/bin/uv", ".cargo/bin/uv"].map(|below| home.join(below)));
    let beside = interpreters.iter().filter_map(|python| Some(python.parent()?.join("uv")));
    let all = named.map(Path::to_path_buf).into_iter().chain(on_path).chain(in_home).chain(beside);
    // A script in its place is a shim that chooses among several, or none at all.
    unique(all.filter(|path| path.is_file() && !is_script(path)))
}

/// Where interpreters of Python may be, the ones of `PATH` first: what a shell would start, then every version of pyenv and
/// of uv, then the system's.
fn python_candidates(path: &OsStr, home: Option<&Path>) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    let first = folders.iter().flat_map(|folder| ["python3", "python"].map(|name| folder.join(name)));
    let managed = home.into_iter().flat_map(|home| {
        let versions = [".pyenv/versions", ".local/share/uv/python", ".local/share/mise/installs/python"];
        versions.map(|below| home.join(below)).into_iter().flat_map(|folder| listed(&folder, |_| true))
    });
    let managed = managed.map(|prefix| prefix.join("bin/python"));
    let system = ["/usr/bin", "/usr/local/bin"].map(PathBuf::from);
    // `/bin` leads to `/usr/bin`: a large folder is listed once.
    let numbered = unique(folders.iter().chain(&system).cloned()).into_iter();
    let numbered = numbered.flat_map(|folder| listed(&folder, |name| name.to_str().is_some_and(is_numbered)));
    unique(first.chain(managed).chain(numbered).filter(|path| path.is_file()))
}

/// `python3.11`, and not `python3.11-config`.
fn is_numbered(name: &str) -> bool {
    let version = name.strip_prefix("python").unwrap_or_default();
    version.split_once('.').is_some_and(|(major, minor)| {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number(major) && is_number(minor)
    })
}

/// Entries of a folder whose names are wanted, in the order of their names.
fn listed(folder: &Path, is_wanted: fn(&OsStr) -> bool) -> Vec<PathBuf> {
    let mut names = actum_gate::own::names(folder).unwrap_or_default();
    names.retain(|name| is_wanted(name));
    names.sort();
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Each once, by the file that it leads to; shims lead to none and count by their names.
fn unique(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut seen: Vec<PathBuf> = Vec::new();
    let is_new = |path: &PathBuf| {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let is_new = !seen.contains(&real);
        seen.push(real);
        is_new
    };
    paths.filter(is_new).collect()
}

pub fn is_script(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 2];
    let Ok((mut file, _)) = actum_gate::open_named(path) else { return false };
    file.read_exact(&mut start).is_ok() && &start == b"#!"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_come_in_the_order_of_their_weight() {
        let world = tempfile::tempdir().unwrap();
        let root = world.path();
        for (path, text) in [
            ("one/uv", "#!/bin/sh\n"),
            ("two/uv", "ELF"),
            ("home/.local/bin/uv", "ELF2"),
            ("two/python3", "ELF"),
            ("two/python3.11-config", ""),
            ("home/.pyenv/versions/3.9.1/bin/python", "ELF"),
        ] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::os::unix::fs::symlink("python3", root.join("two/python3.11")).unwrap();
        let path = std::env::join_paths([root.join("one"), root.join("two")]).unwrap();
        let found = uv_candidates(None, &path, Some(&root.join("home")), &[]);
        assert_eq!(found, [root.join("two/uv"), root.join("home/.local/bin/uv")]);
        let found = python_candidates(&path, Some(&root.join("home")));
        assert_eq!(
            found[..2],
            [root.join("two/python3"), root.join("home/.pyenv/versions/3.9.1/bin/python")]
        );
        assert!(
            !found.iter().any(|path| path.ends_with("python3.11-config") || path.ends_with("two/python3.11"))
        );
    }
}
