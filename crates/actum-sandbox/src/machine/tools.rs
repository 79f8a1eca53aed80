//! Which programs Actum may start for itself: interpreters, installers, `git`.
//!
//! A program that ran in a workspace may have written everything below it, and its owner is the caller all the same. So
//! neither a name on `PATH` nor an owner makes a tool: [`ToolPlaces`] follows the whole path and looks at each folder and
//! each link on the way. A [`TrustedTool`] exists only where every one of them belongs to root or the caller, cannot be
//! written by others, and lies outside every folder that programs may write. docs/design/tools.md says why.

use super::SYSTEM_FOLDERS;
use super::walk::{Kind, Step, walk};
use super::written;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A program that may be started outside a project's sandbox. Made by [`ToolPlaces`] alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedTool {
    path: PathBuf,
    real: PathBuf,
}

impl TrustedTool {
    /// As it was found: programs such as those of a virtual environment look at the name by which they are started.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file behind all links.
    pub fn real(&self) -> &Path {
        &self.real
    }
}

/// Why a program is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distrust {
    pub path: PathBuf,
    pub why: &'static str,
}

impl fmt::Display for Distrust {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path.display(), self.why)
    }
}

/// What is known about this machine's folders: whose they are, and which of them programs may write.
#[derive(Debug, Clone, Default)]
pub struct ToolPlaces {
    home: Option<PathBuf>,
    /// Folders that this run's programs may write, and the projects around them; without links.
    now: Vec<PathBuf>,
    /// Our own cache, which no program sees; it keeps the list of folders in which programs ran before, which is read when it
    /// is first needed.
    cache: Option<PathBuf>,
    earlier: Arc<OnceLock<Vec<PathBuf>>>,
    /// Where version managers keep interpreters.
    managers: Vec<PathBuf>,
}

/// Folders of version managers below a home. What a virtual environment names is shown if it lies in one of them.
const MANAGERS: [&str; 12] = [
    ".pyenv/versions",
    ".local/share/uv/python",
    ".local/share/mise/installs",
    ".local/share/rtx/installs",
    ".asdf/installs",
    ".rye/py",
    "miniconda3",
    "anaconda3",
    "miniforge3",
    "mambaforge",
    "micromamba",
    ".conda/envs",
];
/// Variables of the caller that name such a folder, and what follows below it.
const MANAGER_VARIABLES: [(&str, &str); 5] = [
    ("PYENV_ROOT", "versions"),
    ("UV_PYTHON_INSTALL_DIR", ""),
    ("XDG_DATA_HOME", "uv/python"),
    ("MAMBA_ROOT_PREFIX", ""),
    ("ASDF_DATA_DIR", "installs"),
];
/// The owner of files whose owner is not mapped into this user namespace.
const UNMAPPED: u32 = 65534;

impl ToolPlaces {
    /// `written` are the workspace and the folders that programs of this run may write; `cache` is our own, in which
    /// [`super::note_written`] keeps those of earlier runs.
    pub fn new(home: Option<&Path>, written: &[PathBuf], cache: Option<&Path>) -> Self {
        let home = home.and_then(|home| actum_gate::real_path(home).ok());
        let mut now: Vec<PathBuf> = Vec::new();
        for folder in written.iter().filter_map(|folder| actum_gate::real_path(folder).ok()) {
            now.extend(projects_around(&folder, home.as_deref()));
            now.push(folder);
        }
        let managers = home.iter().flat_map(|home| MANAGERS.iter().map(|below| home.join(below))).collect();
        let cache = cache.map(|cache| actum_gate::real_path(cache).unwrap_or_else(|_| cache.to_path_buf()));
        Self { home, now, cache, earlier: Arc::default(), managers }
    }

    /// The same, with the managers that the caller's variables name.
    #[must_use]
    pub fn with_variables(mut self, variables: &[(OsString, OsString)]) -> Self {
        for (name, below) in MANAGER_VARIABLES {
            let named = variables.iter().find(|(other, _)| other == name).map(|(_, value)| Path::new(value));
            let Some(folder) = named.filter(|folder| folder.is_absolute()) else { continue };
            if let Ok(real) = folder.join(below).canonicalize()
                && !self.is_too_wide(&real)
            {
                self.managers.push(real);
            }
        }
        self
    }

    pub(super) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The first tool of this name in the folders of `path` (the variable) that can be trusted. Relative and empty entries
    /// do not count, and one that is not trusted hides none that is. Where there is none: why the first one was refused.
    pub fn find(&self, name: &str, path: &OsStr) -> Result<TrustedTool, Option<Distrust>> {
        let mut refused = None;
        for folder in std::env::split_paths(path) {
            let candidate = folder.join(name);
            if !candidate.is_file() {
                continue;
            }
            match self.tool(&candidate) {
                Ok(tool) => return Ok(tool),
                Err(distrust) => refused = refused.or(Some(distrust)),
            }
        }
        Err(refused)
    }

    /// A program by its path, if it can be trusted.
    pub fn tool(&self, path: &Path) -> Result<TrustedTool, Distrust> {
        let distrust = |why: &'static str| Distrust { path: path.to_path_buf(), why };
        if !path.is_absolute() {
            return Err(distrust("its folder is a relative path"));
        }
        let steps = walk(path).map_err(|_| distrust("it does not resolve to a file"))?;
        let real = steps.last().expect("a walk has its first step").path.clone();
        if self.led(&steps).is_some() {
            return Err(distrust("a program that Actum ran may have written it"));
        }
        if let Some(why) = weakness(&steps, &Caller::own()) {
            return Err(distrust(why));
        }
        if rustix::fs::access(&real, rustix::fs::Access::EXEC_OK).is_err() {
            return Err(distrust("it is not executable"));
        }
        Ok(TrustedTool { path: path.to_path_buf(), real })
    }

    /// Whether what lies at a path may be the work of a program, or have been chosen by one.
    pub fn may_be_written(&self, path: &Path) -> bool {
        self.led_by(path).is_some()
    }

    /// The folder that programs may write through which a path leads, if it leads through one.
    pub(super) fn led_by(&self, path: &Path) -> Option<PathBuf> {
        self.led(&walk(path).ok()?).cloned()
    }

    fn led(&self, steps: &[Step]) -> Option<&PathBuf> {
        let cache = self.cache.as_deref();
        let ends_there =
            cache.is_some_and(|cache| steps.last().is_some_and(|last| last.path.starts_with(cache)));
        // The way to our own cache may lead through a workspace; no program sees the cache itself.
        let is_on_the_way = |step: &&Step| {
            ends_there
                && step.kind == Kind::Folder
                && cache.is_some_and(|cache| cache.starts_with(&step.path))
        };
        steps.iter().filter(|step| !is_on_the_way(step)).find_map(|step| self.written_root(&step.path))
    }

    /// The folders that a program needs to see of its own installation, beside the system's: where it lies, and where its
    /// libraries are. Worked out from where the file is, whatever the program says about itself.
    pub fn installation(&self, tool: &TrustedTool) -> Vec<PathBuf> {
        let above = |path: &Path| {
            let folder = path.parent()?.canonicalize().ok()?;
            let is_bin = folder.file_name() == Some(OsStr::new("bin"));
            folder.parent().filter(|_| is_bin).map(Path::to_path_buf)
        };
        let is_system = |folder: &PathBuf| SYSTEM_FOLDERS.iter().any(|system| folder.starts_with(system));
        let mut folders: Vec<PathBuf> =
            [above(&tool.path), above(&tool.real)].into_iter().flatten().collect();
        folders.retain(|folder| !is_system(folder) && !self.is_too_wide(folder));
        folders.dedup();
        folders
    }

    /// Whether a real path lies where a version manager of the caller keeps what it installed, and no program may write it.
    pub(super) fn is_managed(&self, prefix: &Path) -> bool {
        let is_below = |manager: &PathBuf| match prefix.strip_prefix(manager) {
            Ok(rest) => rest.components().next().is_some() || prefix.join("conda-meta").is_dir(),
            Err(_) => false,
        };
        let is_known = self.managers.iter().any(is_below) || self.is_installation(prefix);
        is_known && !self.is_too_wide(prefix) && self.written_root(prefix).is_none()
    }

    /// Whether a folder has the form that version managers give to what they install, wherever they keep it, and its interpreter
    /// could be used as a tool.
    fn is_installation(&self, prefix: &Path) -> bool {
        let Some(folder) = prefix.parent() else { return false };
        let beside = |names: &[&str]| {
            let root = folder.parent();
            root.is_some_and(|root| names.iter().any(|name| root.join(name).is_dir()))
        };
        let is_named = |path: Option<&Path>, name: &str| {
            path.and_then(Path::file_name).is_some_and(|own| own == OsStr::new(name))
        };
        let starts = |start: &str| {
            prefix.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(start.as_bytes()))
        };
        let is_pyenv = is_named(Some(folder), "versions") && beside(&["shims", "libexec"]);
        let is_uv = is_named(Some(folder), "python") && (starts("cpython-") || starts("pypy-"));
        let is_mise = is_named(folder.parent(), "installs");
        let is_conda = prefix.join("conda-meta").is_dir();
        (is_pyenv || is_uv || is_mise || is_conda) && self.tool(&prefix.join("bin/python3")).is_ok()
    }

    /// Whether showing a folder would show the home, what surrounds it, or a place where programs keep their settings and
    /// keys. Given without links.
    pub(super) fn is_too_wide(&self, folder: &Path) -> bool {
        const OF_HOME: [&str; 5] = [".local", ".local/share", ".config", ".cache", ".local/state"];
        if folder.parent().is_none() {
            return true;
        }
        let Some(home) = &self.home else { return false };
        let Ok(below) = folder.strip_prefix(home) else { return home.starts_with(folder) };
        let Some(first) = below.components().next() else { return true };
        // Most rows are passed over by their first name: there are hundreds, and each folder of `PATH` is asked about.
        let first = first.as_os_str().as_encoded_bytes();
        let is_near = |path: &str| path.as_bytes().split(|byte| *byte == b'/').next() == Some(first);
        let is_key = |path: &str| below.starts_with(path) || Path::new(path).starts_with(below);
        OF_HOME.iter().any(|name| below == Path::new(name))
            || super::key_rows().any(|row| is_near(row.path) && is_key(row.path))
    }

    /// The folder of programs that a real path lies in.
    fn written_root(&self, path: &Path) -> Option<&PathBuf> {
        if self.cache.as_deref().is_some_and(|cache| path.starts_with(cache)) {
            return None;
        }
        let inside = |root: &&PathBuf| path.starts_with(root);
        self.now.iter().find(inside).or_else(|| self.earlier().iter().find(inside))
    }

    fn earlier(&self) -> &[PathBuf] {
        self.earlier.get_or_init(|| {
            let Some(cache) = &self.cache else { return Vec::new() };
            // A run in the home or in a folder of the system would leave no tool at all. What such a run may change there
            // is decided when its changes are applied.
            let is_wide = |folder: &PathBuf| {
                let home = self.home.as_deref().is_some_and(|home| home.starts_with(folder));
                home || SYSTEM_FOLDERS.iter().any(|system| Path::new(system).starts_with(folder))
            };
            written::read(cache).into_iter().filter(|folder| !is_wide(folder)).collect()
        })
    }
}

/// Folders above a workspace that hold a repository: its files come from the same hands. Never the home.
fn projects_around(folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let is_below =
        |above: &&Path| above.parent().is_some() && !home.is_some_and(|home| home.starts_with(above));
    let above = folder.ancestors().skip(1).take_while(is_below);
    above.filter(|above| above.join(".git").exists()).map(Path::to_path_buf).collect()
}

/// Who asks.
struct Caller {
    user: u32,
    group: u32,
}

impl Caller {
    fn own() -> Self {
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        Self { user, group }
    }
}

/// Why somebody else could have chosen the file at the end of these steps. Pure.
fn weakness(steps: &[Step], caller: &Caller) -> Option<&'static str> {
    let is_system = |step: &Step| {
        let folders = SYSTEM_FOLDERS.iter().any(|folder| step.path.starts_with(folder));
        folders || step.path.parent().is_none()
    };
    for (step, next) in steps.iter().zip(steps[1..].iter().map(Some).chain([None])) {
        let is_unmapped = step.owner == UNMAPPED && caller.user != UNMAPPED && is_system(step);
        if ![0, caller.user].contains(&step.owner) && !is_unmapped {
            return Some("it, or a folder above it, belongs to another user");
        }
        if step.kind == Kind::Link {
            continue;
        }
        if step.mode & 0o002 != 0 {
            // In a folder with the sticky bit nobody takes away what belongs to another; but anybody may add a name.
            let is_passed = step.mode & 0o1000 != 0 && next.is_some_and(|next| next.kind == Kind::Folder);
            if step.kind != Kind::Folder || !is_passed {
                return Some("it, or a folder above it, is world-writable");
            }
        }
        let is_own_group = [0, caller.group].contains(&step.group) || step.owner == 0 && is_system(step);
        if step.mode & 0o020 != 0 && !is_own_group && step.mode & 0o1000 == 0 {
            return Some("it, or a folder above it, is group-writable");
        }
    }
    match steps.last() {
        Some(Step { kind: Kind::File, .. }) => None,
        _ => Some("it is not a regular file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn program(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn world() -> (tempfile::TempDir, PathBuf) {
        let world = tempfile::tempdir().unwrap();
        let root = world.path().canonicalize().unwrap();
        (world, root)
    }

    #[test]
    fn a_workspace_chooses_no_tool_by_any_way() {
        let (_world, root) = world();
        let workspace = root.join("work");
        for tool in ["work/bin/uv", "outside/bin/uv", "tools/uv"] {
            program(&root.join(tool));
        }
        // Out of the workspace, into it, and through it.
        symlink(root.join("outside/bin"), workspace.join("linked")).unwrap();
        symlink(workspace.join("bin/uv"), root.join("tools/inside")).unwrap();
        symlink(workspace.join("linked"), root.join("through")).unwrap();
        let places = ToolPlaces::new(None, std::slice::from_ref(&workspace), None);
        for refused in ["work/bin/uv", "work/linked/uv", "tools/inside", "through/uv", "tools/../work/bin/uv"]
        {
            assert!(places.tool(&root.join(refused)).is_err(), "{refused}");
        }
        assert!(places.tool(&root.join("outside/bin/uv")).is_ok());
        let path = std::env::join_paths([
            PathBuf::new(),
            "work/bin".into(),
            workspace.join("bin"),
            workspace.join("linked"),
            root.join("tools"),
        ]);
        let found = places.find("uv", &path.unwrap()).unwrap();
        assert_eq!(found.path(), root.join("tools/uv"));
    }

    #[test]
    fn projects_of_earlier_runs_choose_no_tool_and_a_home_leaves_some() {
        let (_world, root) = world();
        let (home, cache) = (root.join("home"), root.join("home/.cache/actum"));
        for tool in ["home/project/bin/uv", "home/.local/bin/uv"] {
            program(&root.join(tool));
        }
        written::note_written(&cache, &[&home.join("project"), &home]);
        let places = ToolPlaces::new(Some(&home), &[], Some(&cache));
        assert!(places.tool(&home.join("project/bin/uv")).is_err());
        assert!(places.tool(&home.join(".local/bin/uv")).is_ok());
        let at_home = ToolPlaces::new(Some(&home), std::slice::from_ref(&home), Some(&cache));
        assert!(at_home.tool(&home.join(".local/bin/uv")).is_err());
        program(&cache.join("tools/uv"));
        assert!(at_home.tool(&cache.join("tools/uv")).is_ok(), "no program sees our cache");
    }

    #[test]
    fn the_repository_around_a_workspace_counts_as_the_project() {
        let (_world, root) = world();
        let home = root.join("home");
        program(&home.join("repo/.venv/bin/python3"));
        std::fs::create_dir_all(home.join("repo/.git")).unwrap();
        std::fs::create_dir_all(home.join("repo/sub/deep")).unwrap();
        std::fs::create_dir(home.join(".git")).unwrap();
        let places = ToolPlaces::new(Some(&home), &[home.join("repo/sub/deep")], None);
        assert_eq!(places.now, [home.join("repo"), home.join("repo/sub/deep")]);
        assert!(places.tool(&home.join("repo/.venv/bin/python3")).is_err());
    }

    #[test]
    fn owners_and_modes_decide() {
        let caller = Caller { user: 1000, group: 1000 };
        let step = |path: &str, kind: Kind, owner: u32, mode: u32| Step {
            path: path.into(),
            kind,
            owner,
            group: if owner == 0 { 50 } else { owner },
            mode,
        };
        let (root, file) =
            (step("/", Kind::Folder, 0, 0o755), |owner, mode| step("/x/f", Kind::File, owner, mode));
        let folder = |owner: u32, mode: u32| step("/x", Kind::Folder, owner, mode);
        for (folder, file, trusted) in [
            (folder(0, 0o755), file(0, 0o755), true),
            (folder(1000, 0o755), file(1000, 0o755), true),
            (folder(1000, 0o775), file(1000, 0o775), true),
            (folder(1001, 0o755), file(1000, 0o755), false),
            (folder(1000, 0o755), file(1001, 0o755), false),
            (folder(0, 0o1777), file(1000, 0o755), false),
            (folder(0, 0o777), file(0, 0o755), false),
            (folder(0, 0o775), file(0, 0o755), false),
            (folder(1000, 0o755), file(1000, 0o777), false),
            (folder(UNMAPPED, 0o755), file(0, 0o755), false),
        ] {
            let steps = [root.clone(), folder, file];
            assert_eq!(weakness(&steps, &caller).is_none(), trusted, "{steps:?}");
        }
        let below = [
            root.clone(),
            step("/tmp", Kind::Folder, 0, 0o1777),
            step("/tmp/a", Kind::Folder, 1000, 0o755),
            step("/tmp/a/f", Kind::File, 1000, 0o755),
        ];
        assert_eq!(weakness(&below, &caller), None);
        let system = [
            root.clone(),
            step("/usr", Kind::Folder, UNMAPPED, 0o755),
            step("/usr/f", Kind::File, UNMAPPED, 0o755),
        ];
        assert_eq!(weakness(&system, &caller), None);
        assert!(weakness(&[root], &caller).is_some(), "a folder is no program");
    }

    #[test]
    fn a_home_and_its_keys_are_too_wide_to_be_shown() {
        let (_world, root) = world();
        let places = ToolPlaces::new(Some(&root), &[], None);
        for wide in ["", ".local", ".local/share", ".config", ".ssh", ".ssh/bin", ".config/gcloud/x"] {
            assert!(places.is_too_wide(&root.join(wide).components().collect::<PathBuf>()), "{wide}");
        }
        assert!(places.is_too_wide(root.parent().unwrap()) && places.is_too_wide(Path::new("/")));
        assert!(!places.is_too_wide(&root.join(".pyenv/versions/3.11")));
    }
}
