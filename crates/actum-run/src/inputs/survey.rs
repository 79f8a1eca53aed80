//! What lies in a workspace: its folders, and its code, which a program may import and tests are about. Whoever asks later
//! whether a result is still true of it needs its digests of then.

use crate::request::{Request, Tracing};
use crate::source::Source;
use actum_gate::{Kind, Root};
use actum_model::Grant;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a walk looks at: a few milliseconds. A larger workspace is seen from its top down.
const MOST_ENTRIES: usize = 2000;
const MOST_FILES: usize = 100;
/// Folders in which opened files are seen: each costs some microseconds before the start.
const MOST_FOLDERS: usize = 128;

/// How far is looked.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    entries: usize,
    files: usize,
    folders: usize,
}

const USUAL: Bounds = Bounds { entries: MOST_ENTRIES, files: MOST_FILES, folders: MOST_FOLDERS };
/// Where everything that is read is to be known: a second for the largest, and half of the watches that a user usually has.
const WHOLE: Bounds = Bounds { entries: 400_000, files: 20_000, folders: 30_000 };
/// Folders that are passed over even then: installed packages are known by their versions, and nothing reads git's objects.
const OTHERS_OF_WHOLE: &[&str] = &["node_modules", "site-packages", ".git", ".actum"];
/// Longer files are data.
const LARGEST: u64 = 256 << 10;

/// Names of files that hold code, or say how it is built.
const ENDINGS: &[&[u8]] = &[
    b"py", b"pyx", b"rs", b"js", b"mjs", b"cjs", b"ts", b"tsx", b"jsx", b"go", b"java", b"kt", b"rb", b"php",
    b"c", b"cc", b"cpp", b"h", b"hpp", b"cs", b"sh", b"pl", b"lua", b"r", b"jl", b"sql", b"toml", b"cfg",
    b"ini", b"mod",
];

/// Where Python keeps what it compiled: it opens that in place of a module.
pub(super) const COMPILED: &str = "__pycache__";

/// Folders that hold what others wrote, or what was made.
const OTHERS: &[&str] = &[
    "node_modules",
    "target",
    "venv",
    "dist",
    "build",
    "__pycache__",
    "site-packages",
    "vendor",
    "out",
    "mlruns",
    "coverage",
];

/// What lies in a workspace, from its top down, as far as is looked.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// By their paths inside the workspace, as are files; that of the workspace itself is empty.
    pub(crate) folders: Vec<PathBuf>,
    /// Files that hold code, or say how it is built.
    pub(super) code: Vec<PathBuf>,
    /// Granted folders and those in them, by their whole paths.
    pub(super) granted: Vec<PathBuf>,
    pub(super) tracing: Tracing,
}

impl Survey {
    /// Looks at the workspace of a request.
    pub(crate) fn of(request: &Request) -> Self {
        let workspace = &request.attempt.workspace;
        let mut survey = Self::below(workspace, request.tracing);
        if request.tracing == Tracing::Whole {
            survey.granted = granted_folders(request);
        }
        match &request.source {
            Source::Command(_) | Source::Shell(_) => {}
            Source::File(path) => {
                let own = path.canonicalize().ok();
                survey.code.retain(|path| Some(workspace.join(path)) != own);
            }
            Source::Inline(_) | Source::Stdin(_) => survey.code.clear(),
        }
        survey
    }

    fn below(workspace: &Path, tracing: Tracing) -> Self {
        let (mut survey, mut looked_at) = (Self { tracing, ..Self::default() }, 0);
        let most = if tracing == Tracing::Whole { WHOLE } else { USUAL };
        let Ok(root) = Root::open(workspace) else { return survey };
        let mut ahead = VecDeque::from([PathBuf::new()]);
        while let Some(folder) = ahead.pop_front().filter(|_| survey.folders.len() < most.folders) {
            let mut entries: Vec<(OsString, Kind)> = root.names(&folder, most.entries).unwrap_or_default();
            // Each name is made once: sorting is most of what this costs.
            entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
            survey.folders.push(folder.clone());
            for (name, kind) in entries {
                looked_at += 1;
                if looked_at > most.entries {
                    return survey;
                }
                // No link is followed: it may lead anywhere.
                if kind == Kind::Folder && name == COMPILED {
                    survey.folders.push(folder.join(name));
                } else if kind == Kind::Folder && !is_passed_over(&name, tracing) {
                    ahead.push_back(folder.join(name));
                } else if kind == Kind::File && survey.code.len() < most.files && is_code(&name) {
                    let path = folder.join(name);
                    let is_small = root.facts_of(&path).is_ok_and(|facts| facts.size <= LARGEST);
                    survey.code.extend(is_small.then_some(path));
                }
            }
        }
        survey
    }
}

/// The folders that a request grants, and those in them.
fn granted_folders(request: &Request) -> Vec<PathBuf> {
    let grants = request.attempt.policy.grants.iter();
    let inputs = grants.filter_map(|grant| match grant {
        Grant::Read(path) => Some(path),
        Grant::Write(_) => None,
    });
    let below = |path: &PathBuf| {
        let folders = Survey::below(path, Tracing::Whole).folders;
        folders.into_iter().map(|folder| path.join(folder)).collect::<Vec<_>>()
    };
    inputs.filter(|path| path.is_dir()).flat_map(below).take(WHOLE.folders).collect()
}

fn is_passed_over(name: &OsStr, tracing: Tracing) -> bool {
    if tracing == Tracing::Whole {
        return OTHERS_OF_WHOLE.iter().any(|other| name == *other);
    }
    name.as_bytes().starts_with(b".") || OTHERS.iter().any(|other| name == *other)
}

fn is_code(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let ending = name.rsplit(|byte| *byte == b'.').next().filter(|ending| ending.len() < name.len());
    !name.starts_with(b".")
        && (ending.is_some_and(|ending| ENDINGS.contains(&ending))
            || name == b"Makefile"
            || name == b"package.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_workspace_is_looked_at_in_part() {
        let folder = tempfile::tempdir().unwrap();
        for at in 0..MOST_FOLDERS + 50 {
            std::fs::create_dir(folder.path().join(format!("{at:04}"))).unwrap();
        }
        assert_eq!(Survey::below(folder.path(), Tracing::Bounded).folders.len(), MOST_FOLDERS);
        for at in 0..MOST_ENTRIES + 50 {
            std::fs::write(folder.path().join(format!("{at:04}.py")), "x").unwrap();
        }
        let survey = Survey::below(folder.path(), Tracing::Bounded);
        assert_eq!((survey.code.len(), &survey.folders[..1]), (MOST_FILES, &[PathBuf::new()][..]));
    }

    #[test]
    fn code_is_found_and_what_others_wrote_is_not() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            "b.py",
            "a.txt",
            "src/lib.rs",
            "node_modules/x/i.js",
            ".hidden/x.py",
            "Makefile",
            "data.csv",
            "__pycache__/b.cpython-312.pyc",
            ".x.py",
        ] {
            let whole = folder.path().join(path);
            std::fs::create_dir_all(whole.parent().unwrap()).unwrap();
            std::fs::write(whole, "x").unwrap();
        }
        let survey = Survey::below(folder.path(), Tracing::Bounded);
        assert_eq!(survey.code, ["Makefile", "b.py", "src/lib.rs"].map(PathBuf::from));
        assert_eq!(survey.folders, ["", "__pycache__", "src"].map(PathBuf::from));
    }
}
