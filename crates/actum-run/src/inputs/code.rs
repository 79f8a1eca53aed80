//! The code that lies in a workspace: what a program may import, and what tests are about. Whoever asks later whether a result
//! is still true of it needs its digests of then.

use crate::request::Request;
use crate::source::Source;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a walk looks at: a few milliseconds. A larger workspace is seen from its top down.
const MOST_ENTRIES: usize = 2000;
const MOST_FILES: usize = 100;
/// Longer files are data.
const LARGEST: u64 = 256 << 10;

/// Names of files that hold code, or say how it is built.
const ENDINGS: &[&[u8]] = &[
    b"py", b"pyx", b"rs", b"js", b"mjs", b"cjs", b"ts", b"tsx", b"jsx", b"go", b"java", b"kt", b"rb", b"php",
    b"c", b"cc", b"cpp", b"h", b"hpp", b"cs", b"sh", b"pl", b"lua", b"r", b"jl", b"sql", b"toml", b"cfg",
    b"ini", b"mod",
];

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

/// Code of the workspace, from its top down.
pub(super) fn beside(request: &Request) -> Vec<PathBuf> {
    let own = match &request.source {
        Source::Command(_) | Source::Shell(_) => None,
        Source::File(path) => path.canonicalize().ok(),
        Source::Inline(_) | Source::Stdin(_) => return Vec::new(),
    };
    let mut found = below(&request.attempt.workspace);
    found.retain(|path| Some(path) != own.as_ref());
    found
}

fn below(workspace: &Path) -> Vec<PathBuf> {
    let (mut found, mut looked_at) = (Vec::new(), 0);
    let mut folders = VecDeque::from([workspace.to_path_buf()]);
    while let Some(folder) = folders.pop_front() {
        let mut entries: Vec<_> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES).collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            looked_at += 1;
            if looked_at > MOST_ENTRIES || found.len() >= MOST_FILES {
                return found;
            }
            // No link is followed: it may lead anywhere.
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !is_passed_over(&entry.file_name()) {
                folders.push_back(entry.path());
            } else if kind.is_file()
                && is_code(&entry.file_name())
                && entry.metadata().is_ok_and(|file| file.len() <= LARGEST)
            {
                found.push(entry.path());
            }
        }
    }
    found
}

fn is_passed_over(name: &OsStr) -> bool {
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
            ".x.py",
        ] {
            let whole = folder.path().join(path);
            std::fs::create_dir_all(whole.parent().unwrap()).unwrap();
            std::fs::write(whole, "x").unwrap();
        }
        let names: Vec<String> = below(folder.path())
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["Makefile", "b.py", "src/lib.rs"]);
    }
}
