//! Files that are named after a goal, started by their interpreter.

use super::names::{Meaning, meaning};
use super::{Entry, EntryKind, MOST_NAMES, Source, text, words};
use actum_gate::{Kind, Root};
use std::path::Path;

/// Endings and what starts such a file, in the order of preference for the same name: a shell script calls the program with its options.
const ENDINGS: [(&str, &str); 12] = [
    ("sh", "bash"),
    ("bash", "bash"),
    ("zsh", "zsh"),
    ("", ""),
    ("py", "python3"),
    ("R", "Rscript"),
    ("r", "Rscript"),
    ("jl", "julia"),
    ("js", "node"),
    ("mjs", "node"),
    ("pl", "perl"),
    ("rb", "ruby"),
];

/// A file that may be an entry.
struct Found {
    file: String,
    stem: String,
    ending: usize,
    meaning: Meaning,
}

/// Entries among the files of a folder.
pub(super) fn in_folder(root: &Root, folder: &str, source: Source) -> Vec<Entry> {
    let mut names = root.names(Path::new(folder), MOST_NAMES).unwrap_or_default();
    names.sort_by(|one, other| one.0.cmp(&other.0));
    let files = names.into_iter().filter(|(_, kind)| matches!(kind, Kind::File | Kind::Link));
    let mut found: Vec<Found> =
        files.filter_map(|(name, _)| candidate(folder, &name.into_string().ok()?)).collect();
    found.sort_by(|one, other| one.stem.cmp(&other.stem).then(one.ending.cmp(&other.ending)));
    // `train.sh` goes before `train.py`, which it starts.
    found.dedup_by(|one, other| one.stem == other.stem);
    found.into_iter().filter_map(|found| entry(root, folder, source, found)).collect()
}

fn candidate(folder: &str, name: &str) -> Option<Found> {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let ending = ENDINGS.iter().position(|(known, _)| *known == ending)?;
    let file = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    Some(Found { file, stem: stem.to_owned(), ending, meaning: meaning(stem)? })
}

fn entry(root: &Root, folder: &str, source: Source, found: Found) -> Option<Entry> {
    let text = text(root, &found.file)?;
    let first = text.lines().next().unwrap_or_default();
    let (ending, usual) = ENDINGS[found.ending];
    let mut command = match ending {
        "py" => return Some(python(root, folder, source, found, &text)),
        // Without an ending only its first line says what it is.
        "" => interpreter(first)?,
        _ => interpreter(first).unwrap_or_else(|| words([usual])),
    };
    command.push(found.file.clone());
    Some(finish(source, found, command))
}

fn finish(source: Source, found: Found, command: Vec<String>) -> Entry {
    let goal = found.meaning.goal;
    let why = format!("`{}` is named after what it does", found.file);
    let rank = source.rank(found.meaning.is_exact);
    let name = found.stem;
    Entry { command, kind: EntryKind::Script, goal, file: found.file, line: None, why, rank, name }
}

/// A module that takes from beside itself is started as one.
fn python(root: &Root, folder: &str, source: Source, found: Found, text: &str) -> Entry {
    let is_package = !folder.is_empty() && root.has_file(&Path::new(folder).join("__init__.py"));
    let is_relative = text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("from .")
            || line.starts_with(&format!("from {folder}."))
            || line.starts_with(&format!("import {folder}."))
    });
    let command = if is_package && is_relative {
        let module = found.file.trim_end_matches(".py").replace('/', ".");
        vec!["python3".to_owned(), "-m".to_owned(), module]
    } else {
        vec!["python3".to_owned(), found.file.clone()]
    };
    finish(source, found, command)
}

/// What the first line of a script says starts it: known interpreters by their name, without options of a path.
fn interpreter(first: &str) -> Option<Vec<String>> {
    const KNOWN: [&str; 14] = [
        "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "Rscript", "node", "perl", "ruby",
        "julia", "make",
    ];
    let mut parts = first.strip_prefix("#!")?.split_whitespace().peekable();
    let mut program = parts.next()?.rsplit('/').next()?;
    if program == "env" {
        while parts.peek().is_some_and(|word| word.starts_with('-')) {
            parts.next();
        }
        program = parts.next()?;
    }
    let known = KNOWN
        .iter()
        .find(|known| **known == program || program.starts_with("python3.") && **known == "python3")?;
    let known = if *known == "python" { "python3" } else { known };
    let options = parts.filter(|word| word.starts_with('-') && known != "python3").take(4).map(str::to_owned);
    Some(std::iter::once(known.to_owned()).chain(options).collect())
}
