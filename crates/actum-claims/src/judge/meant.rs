//! Which runs the files and the switches of a sentence mean, where no command binds it or several runs are of that command.

use super::scope::program;
use crate::evidence::RunFacts;
use actum_commands::command;

/// Runs that name a file of the text: by its name, or by what stands before its ending where that can be nothing else.
pub(crate) fn of_files<'e>(text: &str, runs: &[&'e RunFacts]) -> Vec<&'e RunFacts> {
    let said = said(text);
    runs.iter().copied().filter(|run| !shared(&said, run).is_empty()).collect()
}

/// Leaves out runs of a program where another run of it has more of the files that a text names, and runs without a switch
/// that it names.
pub(crate) fn prune(text: &str, runs: &mut Vec<&RunFacts>) {
    let said = said(text);
    let found: Vec<(Option<String>, Vec<String>)> =
        runs.iter().map(|run| (program(&run.command), shared(&said, run))).collect();
    let is_less = |(of, files): &(Option<String>, Vec<String>)| {
        found.iter().any(|(other, more)| {
            other == of && more.len() > files.len() && files.iter().all(|file| more.contains(file))
        })
    };
    let mut keep = found.iter().map(|one| !is_less(one));
    runs.retain(|_| keep.next().unwrap_or(true));
    by_switches(&said, runs);
}

/// `with --strict` means the runs that were given it, `without --strict` the others.
fn by_switches(said: &[String], runs: &mut Vec<&RunFacts>) {
    for (at, switch) in said.iter().enumerate().filter(|(_, word)| word.len() > 3 && word.starts_with("--")) {
        let before = at.checked_sub(1).map(|before| said[before].to_lowercase()).unwrap_or_default();
        let is_without = ["without", "omitting", "dropping", "minus", "no"].contains(&before.as_str());
        let is_meant = |run: &&RunFacts| {
            let given = command::words(&run.command);
            given.iter().any(|word| word.split('=').next() == Some(switch.as_str())) != is_without
        };
        if runs.iter().any(is_meant) {
            runs.retain(is_meant);
        }
    }
}

/// Runs of a program that a text names by its file, where it names one: how `load.py` ended on a file is not how others did.
pub(crate) fn of_program(text: &str, runs: &mut Vec<&RunFacts>) {
    let said = said(text);
    let is_of_it = |run: &&RunFacts| {
        let program = program(&run.command).unwrap_or_default();
        let is_script = [".py", ".sh", ".js", ".ts", ".rb"].iter().any(|ending| program.ends_with(ending));
        let is_checked = !command::checks(&run.command).is_empty();
        is_script && !is_checked && said.iter().any(|word| Some(word.as_str()) == program.rsplit('/').next())
    };
    if runs.iter().any(is_of_it) {
        runs.retain(is_of_it);
    }
}

/// The words of a text as files are called: without folders, and without the marks around them.
fn said(text: &str) -> Vec<String> {
    let is_edge = |c: char| c.is_whitespace() || "`\"',:;()[]*<>→".contains(c);
    text.split(is_edge)
        .map(|word| word.trim_end_matches(['.', '!', '?', '/']))
        .filter_map(|word| word.rsplit('/').next())
        .filter(|word| word.len() > 1)
        .map(str::to_owned)
        .collect()
}

/// Which files of a run a text names.
fn shared(said: &[String], run: &RunFacts) -> Vec<String> {
    let of_command = command::words(&run.command).into_iter().filter(|word| !word.starts_with('-'));
    let written = run.wrote.iter().map(|wrote| wrote.path.clone());
    let mut files: Vec<String> = Vec::new();
    for path in of_command.chain(written) {
        let file = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let is_named = |word: &String| word == file || is_telling(stem) && word == stem;
        if file.contains('.') && said.iter().any(is_named) && !files.iter().any(|one| one == file) {
            files.push(file.to_owned());
        }
    }
    files
}

/// `load_rows`, `2031-04-07`: no word of a language.
fn is_telling(stem: &str) -> bool {
    stem.contains('_') || stem.len() > 5 && stem.contains('-') && stem.contains(|c: char| c.is_ascii_digit())
}
