//! The files that decide what a command is.

use super::trusted::Trusted;
use super::{activate, inherited, runners};
use actum_gate::Bound;
use actum_model::Untrusted;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// What is asked about files; paths are whole.
pub trait Files {
    /// Where a line starts.
    fn start(&self) -> PathBuf;
    /// The same as the shell names it: by the links that led there.
    fn typed_start(&self) -> PathBuf {
        self.start()
    }
    /// The folder that `cd` leads into, without links, where it lies in the workspace and can be entered.
    fn enter(&self, path: &Path) -> Option<PathBuf> {
        self.inside(path)
    }
    fn exists(&self, path: &Path) -> bool;
    /// The text of a small regular file.
    fn text(&self, path: &Path) -> Option<String>;
    /// Variables that the run is given beside those that every run has.
    fn variables(&self) -> &[(String, String)];
    /// The names in a folder; nothing where it cannot be listed or has too many.
    fn names(&self, folder: &Path) -> Option<Vec<String>>;
    /// What is behind a path, without links, where it lies in the workspace.
    fn inside(&self, path: &Path) -> Option<PathBuf>;
    /// Where a program's word leads; `first` are folders before those of `PATH`.
    fn place(&self, program: &str, folder: &Path, first: &[PathBuf]) -> Place;
    /// Whether a file is the `activate` of a virtual environment.
    fn is_environment(&self, activate: &Path) -> bool;
}

/// Where a program comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Installed for the system or the user, outside of the workspace.
    System,
    /// Installed into an environment: `.venv/bin`, `node_modules/.bin`.
    Environment,
    /// Found nowhere: at most the sandbox has it.
    Missing,
    /// At a path of somebody's choice, or no file that an installer writes.
    Unknown,
}

/// The files around a run, as they are now.
pub struct Workspace {
    folder: PathBuf,
    typed: PathBuf,
    workspace: PathBuf,
    path: Vec<PathBuf>,
    variables: Vec<(String, String)>,
    trusted: Trusted,
}

/// Longer ones are no scripts.
const LONGEST: Bound = Bound(256 << 10);
/// A folder with more names in it is not read to its end.
const MOST_NAMES: usize = 20_000;
/// Folders that only the system's administrator changes.
const OF_SYSTEM: [&str; 6] = ["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin"];

/// Where a command starts.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    pub folder: &'a Path,
    pub workspace: &'a Path,
    pub home: Option<&'a Path>,
    /// The folders that are searched for programs.
    pub path: &'a OsStr,
}

impl Workspace {
    /// Where a command has these variables beside those that every run has.
    pub fn given(start: &Start<'_>, variables: &[(OsString, OsString)]) -> Self {
        let files = Self::around(start);
        let given = variables.iter().map(texts);
        let variables =
            given.filter(|(name, value)| name != "PATH" && !files.is_usual(name, value)).collect();
        Self { variables, ..files }
    }

    /// Where a command has all variables of the caller: those that choose what programs do count like those that are given.
    pub fn of_caller(start: &Start<'_>, variables: &[(OsString, OsString)], typed: Option<&OsStr>) -> Self {
        let mut files = Self::around(start);
        let steers = |(name, value): &(String, String)| {
            !files.is_usual(name, value) && inherited::steers_programs(name, value, &files.trusted)
        };
        let variables = variables.iter().map(texts).filter(steers).collect();
        files.variables = variables;
        // A shell names its folder by `PWD` where it is true.
        let typed = typed.map(PathBuf::from).unwrap_or_default();
        let is_true = typed.is_absolute()
            && plain(&typed) == typed
            && typed.canonicalize().is_ok_and(|real| real == files.typed);
        if is_true {
            files.typed = typed;
        }
        files
    }

    fn around(start: &Start<'_>) -> Self {
        Self {
            folder: start.folder.to_path_buf(),
            typed: start.folder.canonicalize().unwrap_or_else(|_| start.folder.to_path_buf()),
            workspace: start.workspace.to_path_buf(),
            path: std::env::split_paths(start.path).collect(),
            variables: Vec::new(),
            trusted: Trusted::of(start.home, start.workspace),
        }
    }

    /// Variables of the terminal, and where runtimes are: outside of the workspace that is the user's choice.
    fn is_usual(&self, name: &str, value: &str) -> bool {
        let path = plain(Path::new(value));
        match name {
            "COLORTERM" | "LINES" | "PYENV_VERSION" | "SOURCE_DATE_EPOCH" | "TERM" | "VIRTUAL_ENV" => true,
            "CONDA_PREFIX" | "JAVA_HOME" => !path.starts_with(&self.workspace),
            "GOROOT" | "PYENV_ROOT" => self.trusted.has(&path) && !self.is_inside(&path),
            "RUSTUP_TOOLCHAIN" => !value.contains('/'),
            _ => false,
        }
    }

    fn is_inside(&self, path: &Path) -> bool {
        plain(path).starts_with(&self.workspace)
            || path.canonicalize().is_ok_and(|path| path.starts_with(&self.workspace))
    }

    /// A file of a folder that is searched for programs and in which programs are installed. To be on `PATH` is not enough: whoever
    /// starts Actum chooses that.
    fn is_of_system(&self, path: &Path) -> bool {
        let Some(bin) = path.parent() else { return false };
        let is_searched = self.path.iter().any(|place| place.is_absolute() && plain(place) == bin)
            || OF_SYSTEM.iter().any(|place| Path::new(place) == bin);
        is_searched && !self.is_inside(path) && self.trusted.has(bin) && self.trusted.has_tool(path)
    }

    /// A program of an environment: those are made by installers, and look like it.
    fn is_installed(&self, path: &Path) -> bool {
        let Some(bin) = path.parent() else { return false };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if bin.ends_with("node_modules/.bin") {
            return self.is_node_program(path, bin, &name);
        }
        let is_environment = bin.ends_with("bin") && bin.with_file_name("pyvenv.cfg").is_file();
        if !is_environment {
            return false;
        }
        if runners::is_python(&name) {
            return self.is_interpreter(path);
        }
        self.text(path).is_some_and(|text| is_entry_point(&text, &name, bin))
    }

    /// The interpreter of an environment is a link to the one that made it, or a copy of that.
    fn is_interpreter(&self, path: &Path) -> bool {
        let Ok(target) = path.canonicalize() else { return false };
        let is_python = target.file_name().is_some_and(|name| runners::is_python(&name.to_string_lossy()));
        is_python && target.is_file() && is_binary(&target).unwrap_or(false)
    }

    /// A link into the package of that name, or the script that pnpm and yarn write instead.
    fn is_node_program(&self, path: &Path, bin: &Path, name: &str) -> bool {
        let is_link = path.symlink_metadata().is_ok_and(|facts| facts.is_symlink());
        let modules = bin.parent().and_then(|modules| modules.canonicalize().ok());
        match (is_link, path.canonicalize(), modules) {
            (true, Ok(target), Some(modules)) => target.starts_with(modules) && target.is_file(),
            (false, Ok(_), Some(_)) => self.text(path).is_some_and(|text| is_node_shim(&text, name)),
            _ => false,
        }
    }
}

fn texts((name, value): &(OsString, OsString)) -> (String, String) {
    (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
}

/// `exec node "$basedir/../jest/bin/jest.js" "$@"`, with nothing that prints.
fn is_node_shim(text: &str, name: &str) -> bool {
    let is_known = |line: &str| {
        let line = line.trim();
        let first = line.split_whitespace().next().unwrap_or_default();
        ["#!/bin/sh", "if", "then", "else", "fi", "case", "esac", "export", "exec", ""].contains(&first)
            || line.starts_with("basedir=")
            || line.starts_with('*')
            || line.ends_with(";;")
    };
    text.lines().all(is_known)
        && text.contains(&format!("/{name}/"))
        && !["echo", "printf", "cat", "print", "-e ", "passed"].iter().any(|word| text.contains(word))
}

/// A script that an installer wrote: it imports a function of the package of its name, and calls it.
fn is_entry_point(text: &str, name: &str, bin: &Path) -> bool {
    let module = match name {
        "py.test" => "pytest".to_owned(),
        name => name.split(['-', '.']).next().unwrap_or(name).to_lowercase(),
    };
    let bin = bin.to_string_lossy();
    let is_interpreter = |path: &str| {
        path.strip_prefix(&*bin).and_then(|rest| rest.strip_prefix('/')).is_some_and(runners::is_python)
    };
    let is_import = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match words.as_slice() {
            ["from", from, "import", what] => {
                // What a package keeps to itself has its name with a line before it: `_pytest.config`.
                let package = from.split('.').next().unwrap_or_default();
                let package = package.strip_prefix('_').unwrap_or(package);
                is_word(what) && package.eq_ignore_ascii_case(&module)
            }
            _ => false,
        }
    };
    let is_known = |line: &str| {
        let line = line.trim();
        let is_start = line.strip_prefix("#!").is_some_and(|path| path == "/bin/sh" || is_interpreter(path))
            || line.strip_prefix("'''exec' ").is_some_and(|rest| {
                let path = rest.strip_suffix(" \"$0\" \"$@\"").unwrap_or_default();
                is_interpreter(path.trim_matches(['"', '\'']))
            });
        let is_name = line.starts_with("sys.argv[0] = re.sub(r") && line.ends_with(", '', sys.argv[0])")
            || line.starts_with("sys.argv[0] = re.sub(r") && line.ends_with(", \"\", sys.argv[0])")
            || line.starts_with("sys.argv[0] = sys.argv[0].removesuffix(")
            || line.starts_with("sys.argv[0] = sys.argv[0][:-");
        let is_condition = (line.starts_with("if sys.argv[0].endswith(")
            || line.starts_with("elif sys.argv[0].endswith("))
            && line.ends_with("):");
        let is_call = line
            .strip_prefix("sys.exit(")
            .and_then(|rest| rest.strip_suffix("())"))
            .is_some_and(|call| call.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
        const FIXED: [&str; 9] = [
            "",
            "' '''",
            "import re",
            "import sys",
            "import re, sys",
            "# -*- coding: utf-8 -*-",
            "# -*- coding: utf8 -*-",
            "if __name__ == '__main__':",
            "if __name__ == \"__main__\":",
        ];
        is_start
            || is_call
            || is_import(line)
            || FIXED.contains(&line)
            || (is_name || is_condition) && !line.contains([';', '+']) && line.matches('(').count() <= 3
    };
    text.starts_with("#!") && text.lines().all(is_known) && text.lines().any(is_import)
}

/// Whether a path leads to the same place by its text and by the file system, for which `link/..` is above the link's target.
fn leads_by_text(path: &Path) -> bool {
    let text = plain(path);
    let folder = |path: &Path| path.parent().and_then(|folder| folder.canonicalize().ok());
    text == path || folder(path).is_some_and(|real| folder(&text) == Some(real))
}

/// Without `.` and `..`, by the text alone.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

impl Files for Workspace {
    fn start(&self) -> PathBuf {
        self.folder.clone()
    }

    fn typed_start(&self) -> PathBuf {
        self.typed.clone()
    }

    fn enter(&self, path: &Path) -> Option<PathBuf> {
        // A name in a folder is found only where the folder can be entered.
        let can_be_entered = path.join(".").metadata().is_ok_and(|facts| facts.is_dir());
        self.inside(path).filter(|_| can_be_entered)
    }

    fn exists(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }

    fn text(&self, path: &Path) -> Option<String> {
        actum_gate::read_named_text(path, LONGEST).ok().map(Untrusted::into_string)
    }

    fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    fn names(&self, folder: &Path) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(open_folder(folder)?).ok()? {
            if names.len() >= MOST_NAMES {
                return None;
            }
            names.push(entry.ok()?.file_name().to_string_lossy().into_owned());
        }
        Some(names)
    }

    fn inside(&self, path: &Path) -> Option<PathBuf> {
        let whole = path.canonicalize().ok()?;
        let workspace = self.workspace.canonicalize().ok()?;
        whole.starts_with(workspace).then_some(whole)
    }

    fn place(&self, program: &str, folder: &Path, first: &[PathBuf]) -> Place {
        let is_program = |path: &PathBuf| {
            path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
        };
        let found = match program.contains('/') {
            true => Some(folder.join(program)).filter(is_program),
            false => {
                let places = first.iter().chain(&self.path);
                places.map(|place| folder.join(place).join(program)).find(is_program)
            }
        };
        if found.as_deref().is_some_and(|path| !leads_by_text(path)) {
            return Place::Unknown;
        }
        match found.map(|path| plain(&path)) {
            Some(path) if self.is_of_system(&path) => Place::System,
            Some(path) if self.is_installed(&path) => Place::Environment,
            Some(_) => Place::Unknown,
            None => Place::Missing,
        }
    }

    fn is_environment(&self, activate: &Path) -> bool {
        if !leads_by_text(activate) {
            return false;
        }
        let activate = plain(activate);
        let Some(bin) = activate.parent() else { return false };
        let Some(root) = bin.parent().filter(|root| root.join("pyvenv.cfg").is_file()) else { return false };
        let brings = |name: &&str| bin.join(name).symlink_metadata().is_ok();
        !activate::STARTED.iter().any(brings)
            && self.text(&activate).is_some_and(|text| activate::is_activate(&text, &root.to_string_lossy()))
    }
}

fn is_binary(path: &Path) -> rustix::io::Result<bool> {
    use rustix::fs::{Mode, OFlags};
    let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
    let mut magic = [0; 4];
    Ok(rustix::io::read(file, &mut magic)? == 4 && magic == *b"\x7fELF")
}

fn open_folder(folder: &Path) -> Option<rustix::fd::OwnedFd> {
    use rustix::fs::{Mode, OFlags};
    rustix::fs::open(folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}

#[cfg(test)]
mod tests {
    use super::is_entry_point;
    use std::path::Path;

    #[test]
    fn a_script_of_an_installer_starts_the_package_of_its_name() {
        let script = |import: &str, call: &str| {
            format!(
                "#!/w/.venv/bin/python3\nimport sys\n{import}\nif __name__ == '__main__':\n    sys.exit({call}())\n"
            )
        };
        for (name, import, is_one) in [
            ("pytest", "from pytest import console_main", true),
            ("pytest", "from _pytest.config import console_main", true),
            ("py.test", "from _pytest.config import console_main", true),
            ("pytest", "from __pytest import console_main", false),
            ("pytest", "from fake import console_main", false),
            ("pytest", "from _fake.pytest import console_main", false),
        ] {
            let text = script(import, "console_main");
            assert_eq!(is_entry_point(&text, name, Path::new("/w/.venv/bin")), is_one, "{name}: {import}");
        }
        let newest = script("from _pytest.config import _console_main", "_console_main");
        assert!(is_entry_point(&newest, "pytest", Path::new("/w/.venv/bin")));
    }
}
