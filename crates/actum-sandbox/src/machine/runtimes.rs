//! Runtimes that do not live in the system's folders: pyenv, uv, conda, nvm, mise, rustup and their like.
//!
//! Found from the folders of `PATH`: each manager keeps its things in a folder of a recognisable shape, and only that
//! folder is shown, never the home around it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runtimes {
    /// Folders to show read-only.
    pub folders: Vec<PathBuf>,
    /// Variables that lead a manager to its folder although the home has changed.
    pub variables: Vec<(OsString, OsString)>,
}

impl Runtimes {
    /// Looks at each folder of `path` that is not the system's.
    pub(super) fn find(path: &OsStr, home: Option<&Path>) -> Self {
        let mut found = Self::default();
        for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute() && folder.is_dir()) {
            found.consider(&folder, home);
        }
        found
    }

    fn consider(&mut self, folder: &Path, home: Option<&Path>) {
        if is_system(folder) {
            return;
        }
        for runtime in recognise(folder, home) {
            self.add(&runtime, home);
        }
    }

    /// Adds the runtime that a program of its own folder belongs to: `~/tools/bin/x`, a virtual environment.
    pub(crate) fn add_program(&mut self, program: &Path, home: Option<&Path>) -> Vec<PathBuf> {
        let before = self.folders.len();
        let real = program.canonicalize().unwrap_or_else(|_| program.to_path_buf());
        for path in [program, real.as_path()] {
            if is_system(path) || self.folders.iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            match path.parent() {
                Some(folder) if !recognise(folder, home).is_empty() => self.consider(folder, home),
                _ => self.add(path, home),
            }
        }
        self.folders[before..].to_vec()
    }

    fn add(&mut self, folder: &Path, home: Option<&Path>) {
        let too_wide = home.is_some_and(|home| home.starts_with(folder)) || folder.parent().is_none();
        if too_wide || is_system(folder) || self.folders.iter().any(|other| folder.starts_with(other)) {
            return;
        }
        if folder.file_name() == Some(OsStr::new(".rustup")) {
            self.variables.push(("RUSTUP_HOME".into(), folder.into()));
        }
        self.folders.retain(|other| !other.starts_with(folder));
        self.folders.push(folder.to_path_buf());
    }
}

fn is_system(path: &Path) -> bool {
    super::SYSTEM_FOLDERS.iter().any(|system| path.starts_with(system))
}

/// The folders of the runtime that a folder of programs belongs to; none when it is just somebody's folder.
fn recognise(folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let has = |base: &Path, names: &[&str]| names.iter().all(|name| base.join(name).exists());
    for base in folder.ancestors().take(4).filter(|base| Some(*base) != home) {
        // pyenv, rbenv, nodenv; mise and asdf; volta; conda.
        let shims = has(base, &["versions", "libexec"]) || has(base, &["shims", "installs"]);
        if shims || has(base, &["tools", "bin/volta"]) || has(base, &["conda-meta"]) {
            return vec![base.to_path_buf()];
        }
    }
    // A toolchain of Rust itself, not the folder of its proxies.
    if let Some(prefix) = folder.parent().filter(|prefix| has(prefix, &["bin/rustc", "lib/rustlib"])) {
        return vec![prefix.to_path_buf()];
    }
    // A command of a package: it needs the packages beside it.
    let packages =
        folder.ancestors().filter(|base| base.file_name() == Some(OsStr::new("node_modules"))).last();
    if let Some(packages) = packages {
        return vec![packages.to_path_buf()];
    }
    if has(folder, &["rustc", "cargo"]) || has(folder, &["rustup"]) {
        // Not the folder above: it keeps the registry's credentials.
        let toolchains = home.map(|home| home.join(".rustup")).filter(|rustup| rustup.is_dir());
        return [folder.to_path_buf()].into_iter().chain(toolchains).collect();
    }
    let Some(prefix) = folder.parent().filter(|_| folder.file_name() == Some(OsStr::new("bin"))) else {
        return Vec::new();
    };
    if prefix.join("pyvenv.cfg").is_file() {
        return [prefix.to_path_buf()].into_iter().chain(base_of_environment(prefix)).collect();
    }
    // nvm, uv, sdkman and hand-made ones: a prefix with programs and libraries. `~/.local` looks like one and is not.
    let is_local = home.is_some_and(|home| prefix == home || prefix == home.join(".local"));
    let is_prefix = has(prefix, &["lib"]) || has(prefix, &["share"]) || has(prefix, &["include"]);
    if is_prefix && !is_local { vec![prefix.to_path_buf()] } else { Vec::new() }
}

/// A virtual environment only points to the interpreter that made it.
fn base_of_environment(prefix: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(prefix.join("pyvenv.cfg")).ok()?;
    let home =
        text.lines().find_map(|line| line.split_once('=').filter(|(name, _)| name.trim() == "home"))?.1;
    let programs = Path::new(home.trim()).canonicalize().ok()?;
    let prefix = programs.parent().filter(|_| !is_system(&programs))?;
    // The file says what it likes, and a hostile project may have written it: only what looks like Python is shown.
    let libraries = std::fs::read_dir(prefix.join("lib")).ok()?.flatten();
    let has_libraries =
        libraries.map(|entry| entry.file_name()).any(|name| name.as_bytes().starts_with(b"python3"));
    let is_python = programs.file_name() == Some(OsStr::new("bin")) && programs.join("python3").exists();
    (is_python && has_libraries).then(|| prefix.to_path_buf())
}

/// The file that a command's name stands for, as a shell would find it.
pub fn find_command(name: &OsStr, path: &OsStr, folder: &Path) -> Option<PathBuf> {
    let runnable =
        |path: &Path| path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    if name.as_bytes().contains(&b'/') {
        let path = folder.join(name);
        return path.exists().then_some(path);
    }
    std::env::split_paths(path).map(|entry| folder.join(entry).join(name)).find(|path| runnable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(base: &Path, folders: &[&str], files: &[&str]) {
        for folder in folders {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        for file in files {
            std::fs::create_dir_all(base.join(file).parent().unwrap()).unwrap();
            std::fs::write(base.join(file), "").unwrap();
        }
    }

    #[test]
    fn managers_are_known_by_their_shape() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        make(
            &home,
            &[
                ".pyenv/shims",
                ".pyenv/versions",
                ".pyenv/libexec",
                ".rustup",
                ".local/bin",
                ".local/lib",
                "bin",
            ],
            &[],
        );
        make(
            &home,
            &[".nvm/versions/node/v20/lib", "conda/conda-meta", "conda/bin"],
            &[".nvm/versions/node/v20/bin/node"],
        );
        make(&home, &[], &[".cargo/bin/cargo", ".cargo/bin/rustc", ".cargo/credentials.toml"]);
        let path = std::env::join_paths(
            [".pyenv/shims", ".cargo/bin", ".nvm/versions/node/v20/bin", "conda/bin", ".local/bin", "bin"]
                .map(|p| home.join(p)),
        )
        .unwrap();
        let found = Runtimes::find(&path, Some(&home));
        let names: Vec<_> =
            found.folders.iter().map(|f| f.strip_prefix(&home).unwrap().display().to_string()).collect();
        assert_eq!(names, [".pyenv", ".cargo/bin", ".rustup", ".nvm/versions/node/v20", "conda"]);
        assert_eq!(found.variables, [("RUSTUP_HOME".into(), home.join(".rustup").into())]);
    }

    #[test]
    fn toolchains_and_packages_bring_what_lies_beside_them() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        make(&home, &["rust/lib/rustlib"], &["rust/bin/rustc", "rust/bin/cargo"]);
        make(&home, &["tools/node_modules/.bin"], &["tools/node_modules/tsx/cli.mjs", "tools/secret"]);
        std::os::unix::fs::symlink("../tsx/cli.mjs", home.join("tools/node_modules/.bin/tsx")).unwrap();
        let mut found = Runtimes::default();
        assert_eq!(found.add_program(&home.join("rust/bin/rustc"), Some(&home)), [home.join("rust")]);
        let tsx = home.join("tools/node_modules/.bin/tsx");
        assert_eq!(found.add_program(&tsx, Some(&home)), [home.join("tools/node_modules")]);
    }

    #[test]
    fn a_program_of_somebody_s_own_folder_is_shown_alone() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        make(&home, &["secrets"], &["bin/tool"]);
        let mut found = Runtimes::default();
        assert_eq!(found.add_program(&home.join("bin/tool"), Some(&home)), [home.join("bin/tool")]);
    }

    #[test]
    fn a_virtual_environment_brings_its_interpreter() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        make(
            &home,
            &["uv/python/3.12/lib/python3.12", ".config/gh/x"],
            &["uv/python/3.12/bin/python3", "project/.venv/bin/python3"],
        );
        let config = format!("home = {}\n", home.join("uv/python/3.12/bin").display());
        std::fs::write(home.join("project/.venv/pyvenv.cfg"), config).unwrap();
        let found = Runtimes::find(home.join("project/.venv/bin").as_os_str(), Some(&home));
        assert_eq!(found.folders, [home.join("project/.venv"), home.join("uv/python/3.12")]);
        let config = format!("home = {}\n", home.join(".config/gh").display());
        std::fs::write(home.join("project/.venv/pyvenv.cfg"), config).unwrap();
        let found = Runtimes::find(home.join("project/.venv/bin").as_os_str(), Some(&home));
        assert_eq!(found.folders, [home.join("project/.venv")], "a project cannot open the home around it");
    }
}
