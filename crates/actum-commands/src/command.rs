//! Commands: whether a run's command is the one that a claim names, and what kind of work it is.

use crate::RecordedCommand;
use crate::checks;
use crate::exit_status::{self, Outcome};
use crate::programs::{PROGRAMS, Programs, WordList};
use actum_model::Cleanliness;
use actum_model::command_line::CommandLine;

/// The words of a command, without quotes.
pub fn words(command: &str) -> Vec<String> {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ';' | '(' | ')');
    command
        .split(is_edge)
        .filter(|word| !word.is_empty())
        .map(|word| word.trim_start_matches("./").to_owned())
        .collect()
}

/// Whether words begin as a command does: `npx playwright test` and `cargo miri test` are some, `the tests` are none.
pub fn is_started(what: &str) -> bool {
    const WITH_COMMANDS: [&str; 9] =
        ["cargo", "go", "git", "docker", "pip", "mvn", "gradle", "dotnet", "terraform"];
    let words = words(what);
    let starts =
        |first: &String| PROGRAMS.starters.contains(first) || WITH_COMMANDS.contains(&first.as_str());
    words.len() > 1 && words.first().is_some_and(starts)
}

/// What may be commands of their own in a line, without a look at quotes and comments: more than there are. Never a reason to
/// believe that one of them ran; for that see [`crate::outcome`].
pub fn split_crudely(command: &str) -> Vec<Vec<String>> {
    let cut = command.replace("&&", "\n").replace("||", "\n").replace([';', '|'], "\n");
    cut.lines().map(words).filter(|words| !words.is_empty()).collect()
}

/// How closely a run's command is the one that was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The same program with more words that name things: perhaps only a part of the work.
    Narrower,
    /// The same program with more switches.
    Switches,
    Exactly,
}

/// Holds a run's command against the words of a claim.
pub fn compare(run: &str, named: &str) -> Option<Match> {
    if run.trim() == named.trim() {
        return Some(Match::Exactly);
    }
    if defines_a_name(run) {
        return None;
    }
    let given: Vec<Vec<String>> =
        exit_status::list_commands(run, 0).into_iter().map(|part| part.words).collect();
    let wanted = wanted(named);
    if wanted.is_empty() {
        return (words(run) == words(named)).then_some(Match::Exactly);
    }
    let of_part = |wanted: &Vec<String>| given.iter().filter_map(|part| same_words(part, wanted)).max();
    let by_words = wanted.iter().map(of_part).min().flatten();
    by_words.or_else(|| wanted.iter().all(|one| is_started_with(run, one)).then_some(Match::Exactly))
}

/// What a run says about the command that a claim names.
pub fn judge_named(run: &RecordedCommand<'_>, named: &str) -> Outcome {
    if run.line.trim() == named.trim() {
        return Outcome::Known;
    }
    if defines_a_name(run.line) {
        return Outcome::Unknown;
    }
    let is_meant = |wanted: &Vec<String>| {
        exit_status::judge_command(run.line, run.exit, |part| {
            same_words(part, wanted).is_some() || is_started_with(run.line, wanted)
        })
    };
    wanted(named).iter().map(is_meant).min().unwrap_or_else(|| exit_status::judge_line(run.line, run.exit))
}

/// The commands that a claim names, without who starts them and the folder that they are started in.
fn wanted(named: &str) -> Vec<Vec<String>> {
    let parts: Vec<Vec<String>> = match CommandLine::parse(named) {
        Some(_) => exit_status::list_commands(named, 0).into_iter().map(|part| part.words).collect(),
        None => vec![words(named)],
    };
    let several = parts.len() > 1;
    let is_folder = |part: &Vec<String>| several && part.first().is_some_and(|word| word == "cd");
    let bare = parts.iter().filter(|part| !is_folder(part)).map(|part| bare(part));
    bare.filter(|part| !part.is_empty()).collect()
}

/// `cargo run -- 5w` is the program that it builds, whatever that is called: its arguments say which run is meant.
fn is_started_with(run: &str, wanted: &[String]) -> bool {
    let is_cargo = wanted.first().is_some_and(|first| first == "cargo");
    let has_words = wanted.len() > 1 && !is_cargo;
    has_words && run.starts_with("cargo run") && arguments(run).is_some_and(|given| given == wanted[1..])
}

/// What a program of one's own was given; nothing where a tool ran.
pub fn arguments(command: &str) -> Option<Vec<String>> {
    const INTERPRETERS: [&str; 7] = ["python", "python3", "node", "bash", "sh", "ruby", "perl"];
    let words = words(command);
    let (first, rest) = words.split_first()?;
    if first == "cargo" && rest.first().is_some_and(|word| word == "run") {
        let cut = rest.iter().position(|word| word == "--");
        return Some(cut.map_or(Vec::new(), |cut| rest[cut + 1..].to_vec()));
    }
    if INTERPRETERS.contains(&first.as_str()) {
        return rest
            .split_first()
            .filter(|(script, _)| !script.starts_with('-'))
            .map(|(_, rest)| rest.to_vec());
    }
    first.contains('/').then(|| rest.to_vec())
}

fn same_words(run: &[String], wanted: &[String]) -> Option<Match> {
    let (first, others) = wanted.split_first()?;
    // A tool that is named is the installed one, and no file of that name.
    let is_name = !first.contains('/') && is_tool(first);
    if is_name && tool_at(run).is_none_or(|at| file_name(&run[at]) != first) {
        return None;
    }
    let run = bare(run);
    // The program has to be the program, not one of its arguments.
    if file_name(run.first()?) != file_name(first) {
        return None;
    }
    let mut rest: Vec<&String> = run[1..].iter().collect();
    for word in others {
        let at = rest.iter().position(|one| *one == word || same_path(one, word))?;
        rest.remove(at);
    }
    let mut is_value = false;
    let mut narrower = false;
    for word in rest {
        let is_switch = word.starts_with('-');
        let is_whole =
            matches!(word.trim_end_matches('/'), "." | "tests" | "test" | "src" | "./..." | "..." | "spec");
        let selects =
            PROGRAMS.test_selectors.iter().any(|one| word == one || word.starts_with(&format!("{one}=")));
        narrower |= selects || (!is_switch && !is_whole && !is_value && !word.contains('='));
        is_value = is_switch && !word.contains('=') && word.starts_with("--");
    }
    Some(match (narrower, run.len() == wanted.len()) {
        (true, _) => Match::Narrower,
        (false, true) => Match::Exactly,
        (false, false) => Match::Switches,
    })
}

/// What a command is called by: its program, and a module that it starts.
pub fn program_words(command: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in split_crudely(command) {
        let bare = bare(&part);
        let program = bare.first().map(|word| file_name(word).to_owned());
        let starter = part.first().filter(|word| *word == "node" || *word == "npm").cloned();
        found.extend(
            program.into_iter().chain(starter).filter(|word| word.len() > 1 && !word.starts_with('-')),
        );
    }
    found
}

/// Without who starts it.
fn bare(words: &[String]) -> Vec<String> {
    let starts =
        |word: &&String| PROGRAMS.starters.contains(word) || word.contains('=') && !word.starts_with('-');
    let skipped = words.iter().take_while(starts).count();
    if skipped == words.len() {
        // `npm test`, `node`: nothing is left but starters.
        return words.to_vec();
    }
    words[skipped..].to_vec()
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn same_path(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim_start_matches("./"), other.trim_start_matches("./"));
    one.trim_end_matches('/') == other.trim_end_matches('/')
        || (one.ends_with(other) && one[..one.len() - other.len()].ends_with('/'))
}

/// Whether a command runs tests. A word that is only printed or looked for is no runner, and neither is a function of its name.
pub fn runs_tests(command: &str) -> bool {
    const OTHERS: &[&str] = &[
        "echo", "printf", "cat", "head", "tail", "grep", "rg", "less", "sed", "awk", "ls", "which", "type",
        "whereis", "man", "pip", "pip3", "apt", "apt-get", "brew", "conda", "touch", "mkdir", "rm", "cp",
        "mv", "true", "false", ":", "git", "find", "test", "export", "alias", "function",
    ];
    if defines_a_name(command) {
        return false;
    }
    // `npm test` is no `test`.
    let is_shells =
        |part: &[String], word: &str| word != "test" || part.first().is_some_and(|one| one == word);
    let is_other = |part: &Vec<String>| {
        let is_one = |word: &String| OTHERS.contains(&file_name(word)) && is_shells(part, word);
        bare(part).first().is_some_and(is_one)
    };
    let installs = |part: &Vec<String>| {
        ["install", "add", "sync"].iter().any(|word| part.iter().take(4).any(|one| one == word))
    };
    split_crudely(command).iter().filter(|part| !is_other(part) && !installs(part)).any(|part| {
        let words: Vec<&str> = part.iter().map(|word| file_name(word)).collect();
        test_runner_at(&words).is_some()
    })
}

/// Where the name of a test runner stands, and how many words it has.
pub fn test_runner_at(words: &[&str]) -> Option<(usize, usize)> {
    let runners = &PROGRAMS.test_runners;
    let one = words.iter().position(|word| runners.contains(word)).map(|at| (at, 1));
    let two = runners.find_pair(words).map(|at| (at, 2));
    one.into_iter().chain(two).min()
}

/// Whether a line gives a name another meaning, so that words in it need not be the programs that are called so.
pub fn defines_a_name(command: &str) -> bool {
    let text = command.trim_start();
    command.contains("()") && command.contains('{')
        || ["function ", "alias "].iter().any(|word| {
            text.starts_with(word)
                || [";", "&&", "\n"].iter().any(|before| {
                    command.split(before).skip(1).any(|part| part.trim_start().starts_with(word))
                })
        })
}

/// Whether counts in what a command printed can be a runner's: a known runner, or something that is called after tests. What
/// only prints a text has run none.
pub fn may_run_tests(command: &str) -> bool {
    const HINTS: &[&str] = &[
        "test", "spec", "check", "make", "npm", "yarn", "pnpm", "cargo", "gradle", "mvn", "tox", "nox",
        "just", "ci", "rake", "bazel", "verify",
    ];
    let lower = command.to_lowercase();
    !only_prints(command) && (runs_tests(command) || HINTS.iter().any(|hint| lower.contains(hint)))
}

/// Whether a command shows a text that somebody else may have written.
pub fn only_prints(command: &str) -> bool {
    const PRINTS: &[&str] = &["echo", "printf", "cat", "head", "tail", "grep", "less", "git", "sed"];
    let prints =
        |part: &Vec<String>| bare(part).first().is_some_and(|word| PRINTS.contains(&file_name(word)));
    split_crudely(command).iter().all(prints)
}

/// Whether a word is the name of a tool that checks.
pub fn is_tool(word: &str) -> bool {
    let word = file_name(word);
    is_tool_name(word) && !PROGRAMS.recipes.contains(word)
}

/// What kind of cleanliness a command checks, and by which tool.
pub fn checks(command: &str) -> Vec<(Cleanliness, String)> {
    exit_status::list_commands(command, 0).iter().flat_map(|part| checks_of(&part.words)).collect()
}

/// What a run's status says about the checks in it that are meant.
pub fn judge_check(run: &RecordedCommand<'_>, is_meant: impl Fn(&(Cleanliness, String)) -> bool) -> Outcome {
    exit_status::judge_command(run.line, run.exit, |words| checks_of(words).iter().any(&is_meant))
}

/// Whether a run's status 0 says that the checks in it found nothing.
pub fn proves_check(run: &RecordedCommand<'_>, is_meant: impl Fn(&(Cleanliness, String)) -> bool) -> bool {
    let is_proof = |words: &[String]| {
        let kinds = checks_of(words).into_iter().filter(&is_meant);
        kinds.into_iter().any(|(kind, _)| checks::proves_clean(run, words, kind))
    };
    exit_status::judge_command(run.line, run.exit, is_proof) == Outcome::Known
        && checks::find_fault(run).is_none()
}

/// Whether a tool is known to have found something, by its status or by what it printed.
pub fn shows_fault(run: &RecordedCommand<'_>) -> bool {
    run.exit != 0 || checks::find_fault(run).is_some()
}

/// What a run's status says about the tests that it runs.
pub fn judge_tests(run: &RecordedCommand<'_>) -> Outcome {
    exit_status::judge_command(run.line, run.exit, |words| runs_tests(&words.join(" ")))
}

/// Whether a command is a tool or a test runner that is known by its name.
pub fn is_known(part: &[String]) -> bool {
    !checks_of(part).is_empty() || runs_tests(&part.join(" "))
}

/// Whether a word is a program that was installed: a bare name, or below a folder where programs are installed. A file of the same name
/// elsewhere may be anybody's.
fn is_installed(word: &str) -> bool {
    const FOLDERS: [&str; 6] =
        ["/usr/bin", "/bin", "/usr/local/bin", ".venv/bin", "venv/bin", "node_modules/.bin"];
    let Some((folder, name)) = word.rsplit_once('/') else { return true };
    let is_within = |known: &str| {
        folder == known
            || !known.starts_with('/')
                && folder.strip_suffix(known).is_some_and(|before| before.ends_with('/'))
    };
    FOLDERS.iter().any(|known| is_within(known)) || ["./gradlew", "./mvnw"].contains(&word) || name.is_empty()
}

/// Where the tool of a command stands: its program, or what a program that starts others was told to start.
fn tool_at(part: &[String]) -> Option<usize> {
    const SCRIPTS: &[&str] = &["node", "bash", "sh", "zsh", "dash", "ruby", "perl", "php", "Rscript"];
    let first = part.first().filter(|first| is_installed(first))?;
    let name = file_name(first);
    let is_tool_word = |word: &str| is_installed(word) && is_tool_name(file_name(word));
    let find = |from: usize, is_it: &dyn Fn(usize) -> bool| {
        (from..part.len().min(6)).find(|at| is_tool_word(&part[*at]) && is_it(*at))
    };
    if is_tool_name(name) {
        return Some(0);
    }
    // An interpreter runs the file of that name; Python has modules.
    let is_module = |at: usize| part[at - 1] == "-m";
    let is_path = |at: usize| part[at].contains('/');
    if name.starts_with("python") {
        return find(1, &is_module);
    }
    if SCRIPTS.contains(&name) {
        return find(1, &is_path);
    }
    if !PROGRAMS.carriers.contains(name) {
        return None;
    }
    find(1, &|at: usize| !part[1..at].iter().any(|word| SCRIPTS.contains(&file_name(word))))
}

fn is_tool_name(word: &str) -> bool {
    let word = word.split(['@', ':']).next_back().unwrap_or_default();
    let Programs { linters, type_checkers, formatters, examiners, .. } = &*PROGRAMS;
    [linters, type_checkers, formatters, examiners].iter().any(|list| list.contains(word))
}

fn checks_of(part: &[String]) -> Vec<(Cleanliness, String)> {
    let asks = |word: &String| ["--version", "--help", "-V", "-h"].contains(&word.as_str());
    // Who asks a tool for its version checks nothing.
    if part.iter().any(asks) {
        return Vec::new();
    }
    if !part.first().is_some_and(|first| is_installed(first)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let bare = bare(part);
    let name = |word: &String| file_name(word).split(['@', ':']).next_back().unwrap_or_default().to_owned();
    let names: Vec<String> = part.iter().map(name).collect();
    let first: Vec<&str> = bare.iter().take(3).map(|word| file_name(word)).collect();
    let tool = tool_at(part);
    // `cargo +nightly clippy`, `npm run lint`: what stands behind the tool are its own words.
    let one_of = |list: &WordList| tool.map(|at| names[at].clone()).filter(|word| list.contains(word));
    let is_format = names.iter().any(|word| word == "format") && names.iter().any(|word| word == "ruff");
    if is_format && tool.is_some() {
        found.push((Cleanliness::Format, "format".to_owned()));
    } else if let Some(tool) = one_of(&PROGRAMS.linters).or_else(|| one_of(&PROGRAMS.examiners)) {
        found.push((Cleanliness::Lint, tool));
    } else if let Some(tool) = one_of(&PROGRAMS.type_checkers) {
        found.push((Cleanliness::Types, tool));
    } else if let Some(tool) = one_of(&PROGRAMS.formatters) {
        found.push((Cleanliness::Format, tool));
    }
    if let Some(tool) = builds(&names, &first) {
        found.push((Cleanliness::Build, tool));
    }
    found
}

fn builds(names: &[String], first: &[&str]) -> Option<String> {
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    // Of several the first of the list is the one that a person would tell.
    let is_there = |pair: &&str| words.windows(2).any(|two| two.join(" ") == **pair);
    if let Some(pair) = PROGRAMS.builders.iter().find(is_there) {
        return Some(pair.to_owned());
    }
    let tool = *first.first()?;
    // Types alone are no build.
    if names.iter().any(|word| word.eq_ignore_ascii_case("--noemit")) {
        return None;
    }
    let is_made =
        tool == "make" && first.get(1).is_none_or(|target| !PROGRAMS.other_targets.contains(target));
    (PROGRAMS.compilers.contains(tool) || is_made).then(|| tool.to_owned())
}

/// Whether a word is the name of a file of source.
pub fn is_source(word: &str) -> bool {
    let ending = word.rsplit_once('.').map_or("", |(_, ending)| ending);
    !word.starts_with('-') && PROGRAMS.source_endings.contains(ending)
}

/// The files of source that a command was given.
pub fn source_files(command: &str) -> Vec<String> {
    words(command).into_iter().filter(|word| is_source(word)).collect()
}

/// Signs that a failure may be hidden. Signals, never convictions.
pub fn find_mask(command: &str) -> Option<&'static str> {
    const MASKS: &[&str] =
        &["|| true", "|| :", "--no-verify", "--passWithNoTests", "|| exit 0", "; true", "|| echo"];
    MASKS.iter().find(|mask| command.contains(**mask)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_command() {
        for (run, named, expected) in [
            ("pytest -q", "pytest", Some(Match::Switches)),
            ("python -m pytest", "pytest", Some(Match::Exactly)),
            ("python3 -m pytest tests/ -q", "pytest -q", Some(Match::Switches)),
            ("pytest tests/test_a.py", "pytest", Some(Match::Narrower)),
            ("pytest", "pytest tests/test_a.py", None),
            ("python train.py --lr 0.1", "python train.py", Some(Match::Switches)),
            ("python3 train.py", "train.py", Some(Match::Exactly)),
            ("python eval.py", "python train.py", None),
            ("cd app && npm test", "npm test", Some(Match::Exactly)),
            ("cargo build", "cargo test", None),
            ("cargo test --workspace", "cargo test", Some(Match::Switches)),
            ("echo pytest", "pytest", None),
            ("sh -c 'pytest -q || true'", "pytest -q", Some(Match::Exactly)),
        ] {
            assert_eq!(compare(run, named), expected, "{run} / {named}");
        }
    }

    #[test]
    fn kinds_of_work() {
        assert!(
            runs_tests("python -m unittest -v")
                && runs_tests("cd x && cargo test")
                && !runs_tests("cargo build")
        );
        for command in [
            "echo pytest",
            "echo running the tests with pytest",
            "pip install pytest",
            "which pytest",
            "pytest() { echo 12 passed; }; pytest",
            "alias pytest=echo; pytest",
            "grep pytest setup.cfg",
        ] {
            assert!(!runs_tests(command), "{command}");
        }
        assert!(runs_tests("pip install -e . && pytest") && runs_tests("timeout 60 pytest -q"));
        assert_eq!(checks("ruff check .")[0].0, Cleanliness::Lint);
        assert_eq!(checks("npx tsc --noEmit")[0].0, Cleanliness::Types);
        assert_eq!(checks("cargo clippy --all")[0].0, Cleanliness::Lint);
        assert_eq!(checks("npm run build")[0].0, Cleanliness::Build);
        assert_eq!(checks("cargo build --release")[0].1, "cargo build");
        assert!(checks("pytest -q").is_empty());
    }
}
