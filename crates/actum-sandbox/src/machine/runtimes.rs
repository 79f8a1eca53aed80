//! Runtimes that do not live in the system's folders: pyenv, uv, conda, nvm, mise, rustup and their like.
//!
//! Found from the folders of `PATH`: each manager keeps its things in a folder of a recognisable shape, and only that
//! folder is shown, never the home around it.

use super::tools::ToolPlaces;
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
    /// Looks at each folder of `path` that is not the system's. Those that lead through a folder that programs may write come
    /// last: what they name is shown where the others, or the folders of version managers, have shown it to be a runtime.
    pub(super) fn find(path: &OsStr, places: &ToolPlaces) -> Self {
        let mut found = Self::default();
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute() && !is_system(folder))
        {
            // Those that are named twice are looked at once.
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let mut written = Vec::new();
        for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
            match places.led_by(&folder) {
                Some(root) => written.push((folder, root)),
                None => found.consider(&folder, places),
            }
        }
        for (folder, root) in written {
            found.consider_written(&folder, &root, places);
        }
        found
    }

    fn consider(&mut self, folder: &Path, places: &ToolPlaces) {
        for runtime in recognise(folder, places.home()) {
            self.add(&runtime, places);
        }
        if let Some(base) = environment_of(folder).and_then(|prefix| base_of_environment(&prefix)) {
            self.add_base(&base, places);
        }
    }

    /// A folder that somebody's program may have made, or made a link of. It is shown as far as it stays where that program
    /// could write; what it says about itself opens nothing else.
    fn consider_written(&mut self, folder: &Path, root: &Path, places: &ToolPlaces) {
        let Ok(real) = folder.canonicalize() else { return };
        for runtime in recognise(folder, places.home()) {
            let stays = runtime.canonicalize().is_ok_and(|real| real.starts_with(root));
            if stays && runtime.starts_with(root) {
                self.add(&runtime, places);
            }
        }
        if !real.starts_with(root) {
            let prefix = real.parent().unwrap_or(&real).to_path_buf();
            self.add_base(&prefix, places);
        }
        if let Some(base) = environment_of(&real).and_then(|prefix| base_of_environment(&prefix)) {
            self.add_base(&base, places);
        }
    }

    /// The interpreter behind a virtual environment: only one that we know by other ways than by what the environment says.
    fn add_base(&mut self, prefix: &Path, places: &ToolPlaces) {
        let is_shown = self.folders.iter().any(|folder| prefix.starts_with(folder));
        if !is_shown && places.is_managed(prefix) {
            self.add(prefix, places);
        }
    }

    /// Adds the runtime that a program of its own folder belongs to: `~/tools/bin/x`, a virtual environment.
    pub(crate) fn add_program(&mut self, program: &Path, places: &ToolPlaces) -> Vec<PathBuf> {
        let before = self.folders.len();
        let real = program.canonicalize().unwrap_or_else(|_| program.to_path_buf());
        if is_system(program) && is_system(&real) {
            return Vec::new();
        }
        if let Some(root) = places.led_by(program) {
            self.add_written_program(program, &real, (&root, places));
            return self.folders[before..].to_vec();
        }
        for path in [program, real.as_path()] {
            if is_system(path) || self.folders.iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            match path.parent() {
                Some(folder) if !recognise(folder, places.home()).is_empty() => self.consider(folder, places),
                _ => self.add(path, places),
            }
        }
        self.folders[before..].to_vec()
    }

    /// A program of a workspace: what is needed beside it is the interpreter of its virtual environment.
    pub(crate) fn add_environment(&mut self, program: &Path, places: &ToolPlaces) -> Vec<PathBuf> {
        let before = self.folders.len();
        let named = program.parent().and_then(environment_of).and_then(|prefix| base_of_environment(&prefix));
        if let Some(base) = named {
            self.add_base(&base, places);
        }
        self.folders[before..].to_vec()
    }

    fn add_written_program(&mut self, program: &Path, real: &Path, (root, places): (&Path, &ToolPlaces)) {
        let Some(folder) = program.parent() else { return };
        self.consider_written(folder, root, places);
        if real.starts_with(root) {
            self.add(real, places);
            if program.starts_with(root) {
                self.add(program, places);
            }
        } else if let Some(prefix) = real.parent().and_then(Path::parent) {
            self.add_base(prefix, places);
        }
    }

    fn add(&mut self, folder: &Path, places: &ToolPlaces) {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let too_wide = places.is_too_wide(folder) || places.is_too_wide(&real);
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
        return vec![prefix.to_path_buf()];
    }
    // nvm, uv, sdkman and hand-made ones: a prefix with programs and libraries. `~/.local` looks like one and is not.
    let is_local = home.is_some_and(|home| prefix == home || prefix == home.join(".local"));
    let is_prefix = has(prefix, &["lib"]) || has(prefix, &["share"]) || has(prefix, &["include"]);
    if is_prefix && !is_local { vec![prefix.to_path_buf()] } else { Vec::new() }
}

/// The virtual environment that a folder of programs belongs to.
fn environment_of(folder: &Path) -> Option<PathBuf> {
    let prefix = folder.parent().filter(|_| folder.file_name() == Some(OsStr::new("bin")))?;
    prefix.join("pyvenv.cfg").is_file().then(|| prefix.to_path_buf())
}

/// Longer than any that a tool writes.
const LONGEST_SETTINGS: u64 = 64 << 10;

/// The folder of the interpreter that a virtual environment names, without links. The file says what it likes: who asks
/// decides whether that is believed.
fn base_of_environment(prefix: &Path) -> Option<PathBuf> {
    use std::io::Read;
    // Neither a pipe is waited for nor a device read.
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let opened = rustix::fs::open(prefix.join("pyvenv.cfg"), flags, rustix::fs::Mode::empty()).ok()?;
    let opened = std::fs::File::from(opened);
    let mut text = String::new();
    opened.metadata().ok().filter(std::fs::Metadata::is_file)?;
    opened.take(LONGEST_SETTINGS).read_to_string(&mut text).ok()?;
    let home =
        text.lines().find_map(|line| line.split_once('=').filter(|(name, _)| name.trim() == "home"))?.1;
    let programs = Path::new(home.trim()).canonicalize().ok()?;
    let is_python = programs.file_name() == Some(OsStr::new("bin")) && programs.join("python3").exists();
    programs.parent().filter(|_| is_python && !is_system(&programs)).map(Path::to_path_buf)
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
        let found = Runtimes::find(&path, &places(&home));
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
        assert_eq!(found.add_program(&home.join("rust/bin/rustc"), &places(&home)), [home.join("rust")]);
        let tsx = home.join("tools/node_modules/.bin/tsx");
        assert_eq!(found.add_program(&tsx, &places(&home)), [home.join("tools/node_modules")]);
    }

    #[test]
    fn a_program_of_somebody_s_own_folder_is_shown_alone() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        make(&home, &["secrets"], &["bin/tool"]);
        let mut found = Runtimes::default();
        assert_eq!(found.add_program(&home.join("bin/tool"), &places(&home)), [home.join("bin/tool")]);
    }

    fn places(home: &Path) -> ToolPlaces {
        ToolPlaces::new(Some(home), &[], None)
    }

    /// A home with interpreters of uv, another project and a workspace with a virtual environment.
    fn home_with_environment(home: &Path) -> PathBuf {
        make(
            home,
            &[".local/share/uv/python/3.12/lib/python3.12", "other/lib/python3.12", ".ssh"],
            &[".local/share/uv/python/3.12/bin/python3", "other/bin/python3", "work/.venv/bin/python3"],
        );
        home.join(".local/share/uv/python/3.12")
    }

    #[test]
    fn a_virtual_environment_brings_an_interpreter_that_we_know_ourselves() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let base = home_with_environment(&home);
        let venv = home.join("work/.venv");
        let outside = ToolPlaces::new(Some(&home), &[], None);
        let inside = ToolPlaces::new(Some(&home), &[home.join("work")], None);
        for (named, shown) in [
            (base.join("bin"), vec![venv.clone(), base.clone()]),
            (home.join("other/bin"), vec![venv.clone()]),
            (home.join(".ssh"), vec![venv.clone()]),
        ] {
            std::fs::write(venv.join("pyvenv.cfg"), format!("home = {}\n", named.display())).unwrap();
            for places in [&outside, &inside] {
                let found = Runtimes::find(venv.join("bin").as_os_str(), places);
                assert_eq!(found.folders, shown, "{}", named.display());
            }
            let beside = Runtimes::default().add_environment(&venv.join("bin/python3"), &inside);
            assert_eq!(beside, shown[1..], "{}", named.display());
        }
    }

    #[test]
    fn a_version_manager_elsewhere_is_known_by_its_form() {
        use std::os::unix::fs::PermissionsExt;
        let world = tempfile::tempdir().unwrap();
        let root = world.path().canonicalize().unwrap();
        let (home, work) = (root.join("home"), root.join("work"));
        make(&root, &["pyenv/shims", "conda/conda-meta", "home"], &["work/.venv/bin/python3"]);
        let places = ToolPlaces::new(Some(&home), std::slice::from_ref(&work), None);
        for (base, shown) in [
            ("pyenv/versions/3.12.1", true),
            ("conda", true),
            ("python/cpython-3.12-linux", true),
            ("python/notes", false),
            ("work/versions/3.12.1", false),
            ("elsewhere/versions/3.12.1", false),
        ] {
            let python = root.join(base).join("bin/python3");
            make(&root, &["work/shims"], &[&format!("{base}/bin/python3")]);
            std::fs::set_permissions(&python, PermissionsExt::from_mode(0o755)).unwrap();
            let text = format!("home = {}\n", python.parent().unwrap().display());
            std::fs::write(work.join(".venv/pyvenv.cfg"), text).unwrap();
            let found = Runtimes::find(work.join(".venv/bin").as_os_str(), &places);
            assert_eq!(found.folders.contains(&root.join(base)), shown, "{base}: {:?}", found.folders);
        }
    }

    #[test]
    fn an_interpreter_on_the_path_is_one_that_we_know() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        home_with_environment(&home);
        let venv = home.join("work/.venv");
        let text = format!("home = {}\n", home.join("other/bin").display());
        std::fs::write(venv.join("pyvenv.cfg"), text).unwrap();
        let path = std::env::join_paths([venv.join("bin"), home.join("other/bin")]).unwrap();
        let places = ToolPlaces::new(Some(&home), &[home.join("work")], None);
        assert_eq!(Runtimes::find(&path, &places).folders, [home.join("other"), venv]);
    }

    #[test]
    fn a_link_in_a_workspace_shows_nothing_outside_it() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        home_with_environment(&home);
        make(&home, &[".local/bin", "bin", "lib", ".ssh/bin", ".ssh/lib"], &["other/secret"]);
        let venv = home.join("work/.venv");
        let places = ToolPlaces::new(Some(&home), &[home.join("work")], None);
        for target in ["other", ".local", "", ".ssh"] {
            std::fs::remove_dir_all(&venv).or_else(|_| std::fs::remove_file(&venv)).unwrap();
            std::os::unix::fs::symlink(home.join(target), &venv).unwrap();
            let found = Runtimes::find(venv.join("bin").as_os_str(), &places);
            assert_eq!(found.folders, [] as [PathBuf; 0], "{target}");
        }
        // A project of an earlier run, whose tool is a link.
        let mut found = Runtimes::default();
        make(&home, &["work/tools"], &[]);
        std::os::unix::fs::symlink(home.join("other/secret"), home.join("work/tools/run")).unwrap();
        assert_eq!(found.add_program(&home.join("work/tools/run"), &places), [] as [PathBuf; 0]);
    }
}
