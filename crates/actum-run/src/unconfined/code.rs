//! The code of a project, by its digests: what tests were run on.
//!
//! A command of an agent does not say what it reads. Tests read the project's code, and what they say is no longer known to be true when
//! that has changed, so its files are among the inputs of a run that counted tests.

use crate::inputs;
use actum_model::FileFacts;
use std::path::{Path, PathBuf};

/// A record is read whole: more files than these are a project whose tests nobody runs at once.
const MOST: usize = 400;
/// All of them together: a tenth of a second.
const MOST_BYTES: u64 = 64 << 20;
/// Entries that are looked at for them.
const MOST_ENTRIES: usize = 20_000;

/// Ends of names of what people write and tests run.
const CODE: [&str; 33] = [
    "py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts", "vue", "svelte", "rs", "go", "java",
    "kt", "scala", "c", "h", "cc", "cpp", "hpp", "cs", "rb", "php", "pl", "pm", "lua", "r", "jl", "sh",
    "swift", "sql",
];

/// Folders of what others wrote, or of what was made from the code.
const OTHERS: [&str; 9] =
    ["node_modules", "target", "build", "dist", "venv", "__pycache__", "vendor", "site-packages", "coverage"];

/// The files, as they are now, in the order of their names.
pub(super) fn files(workspace: &Path) -> Vec<FileFacts> {
    let mut left = MOST_BYTES;
    let mut found = Vec::new();
    let mut folders = vec![workspace.to_path_buf()];
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') || entries > MOST_ENTRIES {
                continue;
            }
            if kind.is_dir() && !OTHERS.contains(&name.as_ref()) {
                folders.push(entry.path());
            } else if kind.is_file() && is_code(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found.truncate(MOST);
    found.iter().filter_map(|path: &PathBuf| inputs::facts(path, workspace, &mut left)).collect()
}

fn is_code(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    CODE.contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_the_project_and_nobody_else_s() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a.py", "sub/b.rs", "node_modules/x/c.js", ".git/d.py", "notes.md", "target/e.rs"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let found: Vec<String> = files(folder.path()).into_iter().map(|file| file.path).collect();
        assert_eq!(found, ["a.py", "sub/b.rs"]);
    }
}
