//! What git printed of the repository that a command ran in.

use crate::{RecordedCommand, exit_status};
use actum_model::command_line::CommandLine;

/// Options of `git log` that leave its lines as they are.
const HARMLESS: [&str; 8] = [
    "--oneline",
    "--stat",
    "--shortstat",
    "--name-only",
    "--no-decorate",
    "--first-parent",
    "--all",
    "--reverse",
];

/// Whether what a run printed is git's of this repository: nothing else in its line prints a text, and git was asked for one of these.
pub fn prints_only_git(run: &RecordedCommand<'_>, asked: &[&str]) -> bool {
    let parts = exit_status::list_commands(run.line, run.exit);
    let is_number =
        |word: &str| word.trim_start_matches(['-', 'n']).bytes().all(|byte| byte.is_ascii_digit());
    let is_here = |folder: &str| [run.folder, run.workspace, "."].contains(&folder);
    let prints_nothing = |words: &[String]| match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // `git -C other`, `git -c alias.log='!echo'`, `git config`: what stands before the subcommand changes what it means.
        ["git", verb, ..] => !verb.starts_with('-') && verb != "config",
        ["cd", folder] => is_here(folder),
        ["true"] => true,
        ["head" | "tail", ref rest @ ..] => rest.iter().all(|word| word.starts_with('-') && is_number(word)),
        _ => false,
    };
    let asks = |words: &[String]| match words {
        [first, verb, ..] => first == "git" && (asked.is_empty() || asked.contains(&verb.as_str())),
        _ => false,
    };
    // Variables choose another repository, and joined streams mix what hooks print into it.
    let is_plain = !["GIT_", "2>&1", "&>", "|&"].iter().any(|text| run.line.contains(text));
    is_plain
        && !run.is_nested
        && CommandLine::parse(run.line).is_some()
        && parts.iter().all(|part| prints_nothing(&part.words))
        && parts.iter().any(|part| asks(&part.words))
}

/// Whether a command printed nothing but `git log --oneline`. Other forms of it can be set to print anything.
pub fn prints_only_short_log(run: &RecordedCommand<'_>) -> bool {
    let is_harmless = |word: &&String| {
        !word.starts_with('-')
            || HARMLESS.contains(&word.as_str())
            || word.trim_start_matches(['-', 'n']).bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts = exit_status::list_commands(run.line, run.exit);
    let mut logs = parts.iter().filter(|part| part.words.first().is_some_and(|first| first == "git"));
    run.exit == 0
        && prints_only_git(run, &["log"])
        && logs.all(|part| {
            part.words.iter().any(|word| word == "--oneline")
                && part.words.iter().skip(2).all(|word| is_harmless(&word))
        })
}

/// `[main 3f2a1b9] message`, as git tells of a commit.
pub fn made_commit(line: &str) -> Option<&str> {
    let inside = line.strip_prefix('[')?.split(']').next()?;
    let hash = inside.split(' ').next_back()?;
    (hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hash)
}
