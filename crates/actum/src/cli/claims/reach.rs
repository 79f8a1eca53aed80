//! Which inputs of a run can have had a say in it.
//!
//! A record lists the code of the whole workspace. Where the command names a file of code, only what that file mentions by name
//! counts, and what those mention in turn; where it names none, as `pytest` does, all of it. Rather one too many than one missed.

use actum_model::Record;
use std::collections::HashSet;
use std::path::Path;

/// Files that tools read without anybody naming them.
const ALWAYS: &[&str] = &[
    "conftest.py",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "pytest.ini",
    "tox.ini",
    "package.json",
    "Cargo.toml",
    "Makefile",
    "go.mod",
];
/// Longer files are not looked through.
const LARGEST: u64 = 1 << 20;

/// Paths of the inputs that count.
pub(super) fn of(record: &Record, command: &str) -> HashSet<String> {
    let all: Vec<&str> = record.inputs.iter().map(|input| input.path.as_str()).collect();
    let words: Vec<&str> = command
        .split_whitespace()
        .map(|word| word.trim_matches(['\'', '"']).trim_start_matches("./"))
        .collect();
    let source = record.source.path.as_deref().unwrap_or_default();
    let is_named = |path: &str| {
        words.iter().any(|word| word.split("::").next() == Some(path))
            || (!source.is_empty() && Path::new(source).ends_with(path))
    };
    let named: Vec<&str> =
        all.iter().copied().filter(|path| is_named(path) || path.starts_with('/')).collect();
    if !named.iter().any(|path| is_code(path)) {
        return all.into_iter().map(str::to_owned).collect();
    }
    let mut reached: HashSet<String> = named.iter().map(|path| (*path).to_owned()).collect();
    reached.extend(all.iter().filter(|path| ALWAYS.contains(&name(path))).map(|path| (*path).to_owned()));
    let mut open: Vec<String> = reached.iter().cloned().collect();
    while let Some(path) = open.pop() {
        let mentioned = words_of(&Path::new(&record.workspace).join(&path));
        for other in &all {
            if !reached.contains(*other) && mentioned.contains(stem(other)) {
                reached.insert((*other).to_owned());
                open.push((*other).to_owned());
            }
        }
    }
    reached
}

fn words_of(path: &Path) -> HashSet<String> {
    let is_small =
        std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST);
    let text = if is_small { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    let text = String::from_utf8_lossy(&text);
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What code calls a file: its name without its ending, or its folder's where the file speaks for that.
fn stem(path: &str) -> &str {
    let stem = name(path).split('.').next().unwrap_or_default();
    let folder = path.rsplit('/').nth(1).unwrap_or(stem);
    if ["__init__", "__main__", "index", "mod", "lib"].contains(&stem) { folder } else { stem }
}

fn is_code(path: &str) -> bool {
    [
        ".py", ".js", ".mjs", ".ts", ".rs", ".go", ".rb", ".php", ".sh", ".pl", ".r", ".jl", ".lua", ".java",
        ".c", ".cpp",
    ]
    .iter()
    .any(|ending| path.ends_with(ending))
}
