//! The only module of a project that is meant to be started.

use super::names::{Goal, meaning};
use super::{Entry, EntryKind, Source, line};
use actum_gate::{Bound, Kind, Root};
use std::path::Path;

/// More files of a project are not read.
const MOST_FILES: usize = 200;

const LARGEST: Bound = Bound(512 << 10);

/// Nothing where there are several, or more files than are read.
pub(super) fn only(root: &Root) -> Option<Entry> {
    let mut found = Vec::new();
    let mut files = 0;
    for folder in ["", "src", "bin", "tools", "scripts"] {
        let mut names = root.names(Path::new(folder), super::MOST_NAMES).unwrap_or_default();
        names.sort_by(|one, other| one.0.cmp(&other.0));
        let modules = names.into_iter().filter(|(_, kind)| *kind == Kind::File);
        for name in modules.filter_map(|(name, _)| name.into_string().ok()).filter(|name| is_program(name)) {
            files += 1;
            if files > MOST_FILES {
                return None;
            }
            let file = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let Ok(text) = root.read_text(Path::new(&file), LARGEST) else { continue };
            found.extend(guard(text.as_str()).map(|at| (file, at)));
        }
    }
    let [(file, at)] = found.as_slice() else { return None };
    let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".py");
    Some(Entry {
        command: vec!["python3".to_owned(), file.clone()],
        kind: EntryKind::MainModule,
        goal: meaning(stem).map_or(Goal::Run, |meaning| meaning.goal),
        file: file.clone(),
        line: line(*at),
        why: format!("`{file}` is the only module with `if __name__ == \"__main__\":`"),
        rank: Source::Module.rank(true),
        name: stem.to_owned(),
    })
}

fn is_program(name: &str) -> bool {
    name.ends_with(".py")
        && !name.starts_with("test_")
        && !name.ends_with("_test.py")
        && !["setup.py", "conftest.py", "noxfile.py", "fabfile.py", "manage.py"].contains(&name)
}

/// The line of `if __name__ == "__main__":`
fn guard(text: &str) -> Option<usize> {
    text.lines().position(|line| {
        let plain: String = line.split_whitespace().collect::<String>().replace('\'', "\"");
        plain.starts_with("if__name__==\"__main__\":") && line.starts_with("if")
            || plain.starts_with("if\"__main__\"==__name__:") && line.starts_with("if")
    })
}
