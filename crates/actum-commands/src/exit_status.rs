//! What the exit status of a line says about one command in it.
//!
//! A command in a line supports a claim only if it must have run and the status of the line is its own. Quotes, comments, lists and
//! pipelines are read by [`CommandLine`]; in a line that is not understood every command is [`Outcome::Unknown`]. Pure.

use crate::{command, runners};
use actum_model::command_line::{CommandLine, Follows, SimpleCommand};

/// What is known about a command in a line that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It may not have run, or its status is not the line's.
    Unknown,
    /// The line failed: this command failed, or it did not run.
    NotSucceeded,
    /// It ran, and it succeeded or failed as the line did.
    Known,
}

/// One command of a line.
#[derive(Clone, Debug)]
pub struct ListedCommand {
    pub words: Vec<String>,
    pub outcome: Outcome,
}

/// Deeper `sh -c` is not followed.
const DEEPEST: usize = 4;

/// The commands of a line that ended with `exit`.
pub fn list_commands(line: &str, exit: i32) -> Vec<ListedCommand> {
    let mut found = Vec::new();
    add(line, exit, Outer { most: Outcome::Known, steered: Steered::default(), depth: DEEPEST }, &mut found);
    found
}

/// The worst of all commands in the line: whether its status can be said of the line as a whole.
pub fn judge_line(line: &str, exit: i32) -> Outcome {
    list_commands(line, exit).iter().map(|part| part.outcome).min().unwrap_or(Outcome::Unknown)
}

/// The best of those commands in the line that are meant.
pub fn judge_command(line: &str, exit: i32, is_meant: impl Fn(&[String]) -> bool) -> Outcome {
    let meant = list_commands(line, exit).into_iter().filter(|part| is_meant(&part.words));
    meant.map(|part| part.outcome).max().unwrap_or(Outcome::Unknown)
}

/// What is known of a line from the one around it.
#[derive(Clone, Copy)]
struct Outer {
    most: Outcome,
    steered: Steered,
    depth: usize,
}

fn add(line: &str, exit: i32, outer: Outer, found: &mut Vec<ListedCommand>) {
    let Some(read) = CommandLine::parse(line).filter(|_| outer.depth > 0) else {
        let parts = command::split_crudely(line).into_iter();
        found.extend(parts.map(|words| ListedCommand { words, outcome: Outcome::Unknown }));
        return;
    };
    let settings = Settings::of(&read);
    let outcomes = outcomes(&read, &settings, exit == 0);
    let mut steered = outer.steered;
    for (pipeline, outcome) in read.pipelines.iter().zip(outcomes) {
        for (at, simple) in pipeline.iter().enumerate() {
            let is_last = at + 1 == pipeline.len();
            let is_known = is_last || settings.pipefail && exit == 0;
            let outcome = if is_known { outcome.min(outer.most) } else { Outcome::Unknown };
            let command = simple.without_wrappers();
            steered.see(simple);
            steered.see(&command);
            if command.words.is_empty() {
                continue;
            }
            let words = words(&command);
            let is_open = asks_wrapper(simple, &command) || steered.steers(&words);
            let outcome = if is_open { Outcome::Unknown } else { outcome };
            match plain_shell_line(&command) {
                Some(line) => {
                    add(line, exit, Outer { most: outcome, steered, depth: outer.depth - 1 }, found)
                }
                None => found.push(ListedCommand { words, outcome }),
            }
        }
    }
}

fn words(command: &SimpleCommand) -> Vec<String> {
    command.words.iter().map(|word| word.text.clone()).collect()
}

/// What a leading `set` asks for.
#[derive(Default)]
struct Settings {
    errexit: bool,
    pipefail: bool,
}

impl Settings {
    fn of(line: &CommandLine) -> Self {
        let sets = line.pipelines.iter().flatten().filter(|command| command.program() == "set").count();
        let Some([first]) = line.pipelines.first().map(Vec::as_slice) else { return Self::default() };
        if sets != 1 || first.program() != "set" || line.follows.get(1) == Some(&Follows::IfFailed) {
            return Self::default();
        }
        let words: Vec<&str> = first.words.iter().skip(1).map(|word| word.text.as_str()).collect();
        let short = |letter: char| {
            words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
        };
        Self { errexit: short('e') || words.contains(&"errexit"), pipefail: words.contains(&"pipefail") }
    }
}

/// What is known about each pipeline.
fn outcomes(line: &CommandLine, settings: &Settings, succeeded: bool) -> Vec<Outcome> {
    let count = line.pipelines.len();
    let ends = line.pipelines.iter().position(|pipeline| pipeline.iter().any(may_end)).unwrap_or(count);
    let start_of_last = line.follows.iter().rposition(|how| *how == Follows::Always).unwrap_or(0);
    let last = &line.follows[start_of_last.min(count)..];
    let has = |how: Follows| last.iter().skip(1).any(|one| *one == how);
    let (has_and, has_or) = (has(Follows::IfSucceeded), has(Follows::IfFailed));
    let is_alone = |at: usize| {
        line.follows[at] == Follows::Always
            && line.follows.get(at + 1).is_none_or(|how| *how == Follows::Always)
    };
    let outcome = |at: usize| match (at >= start_of_last, succeeded) {
        // Nothing behind it is certain to run.
        _ if at > ends => Outcome::Unknown,
        // `set -e` ends the line at a command that fails, unless that is part of a list.
        (false, true) if settings.errexit && is_alone(at) => Outcome::Known,
        (false, _) => Outcome::Unknown,
        (true, true) if has_or => Outcome::Unknown,
        (true, true) => Outcome::Known,
        (true, false) if at + 1 == count && settings.errexit && start_of_last > 0 => Outcome::NotSucceeded,
        (true, false) if at + 1 == count && !has_and => Outcome::Known,
        (true, false) if at + 1 == count && !has_or => Outcome::NotSucceeded,
        (true, false) if !has_and => Outcome::NotSucceeded,
        (true, false) => Outcome::Unknown,
    };
    (0..count).map(outcome).collect()
}

/// Whether what stands behind a command may not run, or not as it is written.
fn may_end(command: &SimpleCommand) -> bool {
    let argument = command.words.get(1).map(|word| word.text.as_str()).unwrap_or_default();
    match command.program() {
        "exit" | "return" | "exec" | "logout" | "kill" | "pkill" | "killall" | "break" | "continue"
        | "shopt" | "hash" | "suspend" => true,
        // The script of a virtual environment; another one may do anything.
        "source" | "." => {
            const FOLDERS: [&str; 4] = [".venv", "venv", "env", ".env"];
            let folder = argument.strip_suffix("/bin/activate").unwrap_or_default();
            !FOLDERS.contains(&folder.rsplit('/').next().unwrap_or_default())
        }
        "set" => {
            const HARMLESS: [&str; 7] = ["pipefail", "errexit", "nounset", "xtrace", "-o", "-Eeuo", "-Eeuxo"];
            let is_harmless = |text: &str| {
                HARMLESS.contains(&text)
                    || text
                        .strip_prefix('-')
                        .is_some_and(|letters| letters.chars().all(|c| "euxo".contains(c)))
            };
            !command.words.iter().skip(1).all(|word| is_harmless(&word.text))
        }
        _ => false,
    }
}

/// What earlier commands of a line may have changed about later ones.
#[derive(Clone, Copy, Debug, Default)]
struct Steered {
    /// Anything: a builtin that is not known to be harmless, or a command that only the shell resolves.
    anything: bool,
    /// What a name without a folder means.
    names: bool,
    /// A variable that is not known to leave tools and runners alone.
    tools: bool,
}

impl Steered {
    fn see(&mut self, command: &SimpleCommand) {
        for (name, value) in &command.assignments {
            self.assign(name, value);
        }
        let Some(first) = command.words.first() else { return };
        let arguments = &command.words[1..];
        let is_dynamic = || arguments.iter().any(|word| word.dynamic && !word.text.contains('='));
        match first.text.as_str() {
            _ if first.dynamic => self.anything = true,
            "export" | "declare" | "typeset" | "readonly" => {
                self.anything |= is_dynamic();
                for word in arguments {
                    match word.text.strip_prefix('-') {
                        Some(letters) => self.anything |= letters != "x",
                        None => {
                            let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                            self.assign(name, value);
                        }
                    }
                }
            }
            // With `-v` it sets a variable.
            "printf" => {
                let sets = |text: &str| text.starts_with('-') && text != "--";
                self.anything |= arguments.first().is_some_and(|word| word.dynamic || sets(&word.text));
            }
            name => self.anything |= BUILTINS.contains(&name),
        }
    }

    fn assign(&mut self, name: &str, value: &str) {
        let name = name.trim_end_matches('+');
        self.names |= name == "PATH";
        self.anything |= STEERS_SHELLS.iter().any(|steers| name.starts_with(steers)) || name.contains('[');
        self.tools |= !runners::is_harmless_variable(name, value) && name != "PATH";
    }

    fn steers(self, words: &[String]) -> bool {
        let is_bare = words.first().is_some_and(|first| !first.contains('/'));
        self.anything || self.names && is_bare || self.tools && command::is_known(words)
    }
}

/// Beginnings of variables by which a shell, the loader or an interpreter starts something else than it is told to. Other variables are
/// a matter of the program that reads them: `LR=0.1 python train.py` still runs `train.py`.
const STEERS_SHELLS: [&str; 16] = [
    "BASH",
    "ENV",
    "SHELL",
    "IFS",
    "CDPATH",
    "PS4",
    "PROMPT_COMMAND",
    "GLOBIGNORE",
    "LD_",
    "DYLD_",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "NODE_OPTIONS",
    "RUBYOPT",
    "PERL5",
];

/// Builtins of a shell but for those that change nothing about later commands (`cd`, `echo`, `true`, `test`, `wait`) and those that are
/// read elsewhere (`set`, `source`, `export`, `printf`).
const BUILTINS: [&str; 35] = [
    "alias",
    "unalias",
    "bind",
    "builtin",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "coproc",
    "disown",
    "enable",
    "eval",
    "fc",
    "getopts",
    "hash",
    "history",
    "let",
    "local",
    "mapfile",
    "read",
    "readarray",
    "setopt",
    "unsetopt",
    "shift",
    "shopt",
    "trap",
    "unset",
    "autoload",
    "emulate",
    "zmodload",
    "vared",
    "print",
    "rehash",
    "disable",
    "functions",
];

/// `command -v pytest`, `env --version pytest`: a wrapper that answers a question and starts nothing.
fn asks_wrapper(whole: &SimpleCommand, inner: &SimpleCommand) -> bool {
    let outer = &whole.words[..whole.words.len().saturating_sub(inner.words.len())];
    let is_question =
        |text: &str| ["-v", "-V", "-h"].contains(&text) || text.starts_with("--v") || text.starts_with("--h");
    outer.iter().any(|word| is_question(&word.text) || word.dynamic)
}

/// The line of `sh -c LINE`, where no other option changes what becomes of it.
fn plain_shell_line(command: &SimpleCommand) -> Option<&str> {
    let line = command.shell_line()?;
    let option = command.words.get(1).map(|word| word.text.as_str())?;
    let is_plain =
        option.strip_prefix('-').is_some_and(|letters| letters.chars().all(|c| "lcuxi".contains(c)));
    let is_line = command.words.get(2).is_some_and(|word| word.text == line && !word.dynamic);
    (is_plain && is_line).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn outcome(line: &str, exit: i32) -> Outcome {
        let is_it = |word: &String| word.trim_start_matches("./") == "deploy.sh";
        judge_command(line, exit, |words| words.first().is_some_and(is_it))
    }

    #[test]
    fn commands_that_must_have_run_with_the_status_of_the_line() {
        for line in [
            "./deploy.sh --prod",
            "cd x && ./deploy.sh",
            "cd x; ./deploy.sh",
            "./deploy.sh && echo done",
            "set -e; ./deploy.sh; true",
            "set -euo pipefail\n./deploy.sh | tail -3\ntrue",
            "sh -c './deploy.sh'",
            "timeout 60 env A=b ./deploy.sh",
            "source .venv/bin/activate && ./deploy.sh",
            "export PATH=$HOME/bin:$PATH; ./deploy.sh",
            "LR=0.1 ./deploy.sh",
            "export RATE=0.1; ./deploy.sh",
            "printf 'a\n'; ./deploy.sh",
        ] {
            assert_eq!(outcome(line, 0), Outcome::Known, "{line}");
        }
        assert_eq!(outcome("false || ./deploy.sh", 3), Outcome::Known);
        assert_eq!(outcome("./deploy.sh || false", 3), Outcome::NotSucceeded);
        assert_eq!(outcome("cd x && ./deploy.sh", 3), Outcome::NotSucceeded);
        assert_eq!(outcome("set -e; make; ./deploy.sh", 3), Outcome::NotSucceeded);
        assert_eq!(outcome("./deploy.sh && make", 3), Outcome::Unknown);
    }

    #[test]
    fn commands_of_which_the_line_says_nothing() {
        for line in [
            "true || ./deploy.sh --prod",
            "true ||\n./deploy.sh --prod",
            ": 'x; ./deploy.sh --prod; y'",
            "true # ; ./deploy.sh --prod",
            "./deploy.sh --prod || true",
            "./deploy.sh; true",
            "./deploy.sh | cat",
            "exit 0; ./deploy.sh",
            "exec true; ./deploy.sh",
            "false && ./deploy.sh; true",
            "set -e; false && ./deploy.sh; true",
            "set -e; set +e; ./deploy.sh; true",
            "set -n; ./deploy.sh",
            "set -en; ./deploy.sh",
            ". ./other.sh; ./deploy.sh",
            "if false; then ./deploy.sh; fi",
            "./deploy.sh() { :; }; ./deploy.sh",
            "cat <<EOF\n./deploy.sh\nEOF",
            "sh -n -c ./deploy.sh",
            "sh -nc ./deploy.sh",
            "sh -c 'true || ./deploy.sh'",
            "true || sh -c './deploy.sh'",
            "command -v ./deploy.sh",
            "env --version ./deploy.sh",
            "mkdir -p deploy.sh; cd deploy.sh",
            "./deploy.sh &",
            "PATH=fake deploy.sh",
            "export PATH=fake; deploy.sh",
            "printf -v PATH fake; deploy.sh",
            "printf -vPATH fake; ./deploy.sh",
            "read PATH < f; deploy.sh",
            "mapfile -t PATH < f; deploy.sh",
            "unset PATH; deploy.sh",
            "declare -n x=PATH; x=fake; deploy.sh",
            "export BASH_ENV=f.sh; bash -c ./deploy.sh",
            "BASH_ENV=f.sh; export BASH_ENV; sh -c ./deploy.sh",
            "env BASH_ENV=f.sh bash -c ./deploy.sh",
            "LD_PRELOAD=x.so ./deploy.sh",
            "$X; ./deploy.sh",
            "source other/bin/activate && ./deploy.sh",
        ] {
            assert_eq!(outcome(line, 0), Outcome::Unknown, "{line}");
        }
    }

    proptest! {
        #[test]
        fn every_line_has_an_outcome(line in "[a-c =$(){}<>&|;'\"`\\\\\\n~#!-]{0,40}", exit in 0..3_i32) {
            let _ = judge_line(&line, exit);
        }
    }
}
