//! What a command line runs, whose output it is, and what its exit status proves.
//!
//! | question | where |
//! |---|---|
//! | before a run: whose words will its output be, so that only a test runner's count as a test result | [`of_line`], [`of_words`], [`of_code`] |
//! | what the exit status of a line says about one command in it | [`exit_status`] |
//! | whether a command is the one that was named, and what kind of work it is | [`command`] |
//! | under which commands exit status 0 means that a tool found nothing | [`checks`] |
//! | which tests a run was given | [`test_selection`] |
//! | whether what a command printed is git's of this repository | [`git`] |
//! | which programs are known, and what they do | [`programs`] |
//!
//! A line counts where everything in it is understood: commands that print nothing of their own (`cd`, `export`, a virtual
//! environment's `activate`), known runners, and behind a runner at most `tail`, `head`, `cat`, `tee`. A function, an `echo`, a file
//! that is shown, a changed `PATH`, a module in the folder that shadows the runner: any of them, and nothing in the output is a
//! test result. More than one runner, or an output that is cut, denies a claim at most. A package script or a recipe of `make` is
//! followed where its text is itself such a line. What cannot be decided does not count. Why: docs/design/claims.md.

mod activate;
pub mod checks;
pub mod command;
pub mod exit_status;
mod files;
mod follow;
pub mod git;
mod inherited;
mod modules;
pub mod programs;
mod pytest_config;
mod recorded;
mod runners;
pub mod test_selection;
#[cfg(test)]
mod tests;
mod trusted;

pub use files::{Files, Place, Start, Workspace};
pub use recorded::RecordedCommand;

use actum_model::command_line::{self, CommandLine, Follows, SimpleCommand};
use actum_output::{Origin, Runners};
use follow::Follow;
use runners::{By, Prepared, Started};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Who will print what a line for a shell prints, with what the files around it are before it runs.
pub fn of_line(line: &str, files: &dyn Files) -> Origin {
    let found = CommandLine::parse(line).and_then(|read| Reader::new(files).line(&read));
    let unknown = CommandLine::parse(line).map(|read| unknown_programs(&read, files)).unwrap_or_default();
    Origin { shows_text: command_line::shows_text(line), unknown, ..of_found(found) }
}

/// Who will print what a command of these words prints.
pub fn of_words(words: &[String], files: &dyn Files) -> Origin {
    // `sh -c LINE` is that line.
    if let [shell, flags, line] = words
        && ["sh", "bash", "dash", "zsh"].contains(&shell.rsplit('/').next().unwrap_or_default())
        && ["-c", "-lc", "-ec", "-euc"].contains(&flags.as_str())
        && files.place(shell, &files.start(), &[]) == Place::System
    {
        return of_line(line, files);
    }
    let read = CommandLine::of_words(words);
    let shows_text = read.pipelines.iter().flatten().any(runners::prints_what_it_is_given);
    let unknown = unknown_programs(&read, files);
    Origin { shows_text, unknown, ..of_found(Reader::new(files).line(&read)) }
}

/// Of a program's own text: the runners that it calls.
pub fn of_code(language: &str, code: &[u8], files: &dyn Files) -> Origin {
    let code = String::from_utf8_lossy(code);
    match language {
        "bash" | "sh" | "zsh" => of_line(&code, files),
        language => Origin {
            runners: Runners::These(runners::called_by(language, &code)),
            only_denies: true,
            ..Origin::default()
        },
    }
}

fn of_found(found: Option<Found>) -> Origin {
    let Found { names, only_denies, starts, .. } = found.unwrap_or_default();
    Origin { runners: Runners::These(names), only_denies, has_several: starts > 1, ..Origin::nobody() }
}

/// Programs of a line whose place is nobody's but the caller's, or all of them where a variable may change what a command is.
fn unknown_programs(line: &CommandLine, files: &dyn Files) -> Vec<String> {
    let reader = Reader::new(files);
    let commands = line.pipelines.iter().flatten().map(SimpleCommand::without_wrappers);
    let words = commands.filter_map(|command| command.words.first().map(|word| word.text.clone()));
    let is_unknown = |word: &String| reader.only_denies || reader.place(word) == Place::Unknown;
    let mut unknown: Vec<String> =
        words.filter(is_unknown).map(|word| word.rsplit('/').next().unwrap_or_default().to_owned()).collect();
    unknown.dedup();
    unknown
}

/// The runners of a line.
#[derive(Debug, Default)]
struct Found {
    names: Vec<&'static str>,
    only_denies: bool,
    /// How many runners are started, silenced ones too.
    starts: usize,
    /// One of them reports in parts, so that the end of its output may leave out a failure.
    is_in_parts: bool,
}

impl Found {
    fn add(&mut self, other: Self) {
        self.names.extend(other.names);
        self.starts += other.starts;
        self.is_in_parts |= other.is_in_parts;
        // Of several runners one summary says nothing about the others.
        self.only_denies |= other.only_denies || self.starts > 1;
    }
}

/// Reads a line command by command.
struct Reader<'f> {
    files: &'f dyn Files,
    /// Where commands run; nothing where that is not known.
    folder: Option<PathBuf>,
    /// The same as the shell names it, by the links that led there.
    typed: PathBuf,
    /// Folders of programs before those of `PATH`, of environments that were activated.
    first: Vec<PathBuf>,
    /// Folders of modules, by `PYTHONPATH`.
    modules: Vec<PathBuf>,
    /// Scripts within scripts.
    depth: u32,
    /// The line has no other command whose output could be mistaken for a runner's.
    is_alone: bool,
    /// A variable that the run is given may change what a command is.
    only_denies: bool,
    /// Which folders hold a module that takes the place of a runner's. A folder may be large, and a script name it in each line.
    shadowed: Rc<RefCell<HashMap<PathBuf, bool>>>,
}

/// A script that calls a script that calls a script.
const DEEPEST: u32 = 3;

impl<'f> Reader<'f> {
    /// With the variables that the run is given.
    fn new(files: &'f dyn Files) -> Self {
        let mut reader = Self {
            files,
            folder: Some(files.start()),
            typed: files.typed_start(),
            first: Vec::new(),
            modules: Vec::new(),
            depth: 0,
            is_alone: false,
            only_denies: false,
            shadowed: Rc::default(),
        };
        let mut given = files.variables().iter();
        reader.only_denies = !given.all(|(name, value)| reader.set(name, value).is_some());
        reader
    }

    /// The runners of a line; nothing where something else may print.
    fn line(&mut self, line: &CommandLine) -> Option<Found> {
        let mut found = Found::default();
        let mut beside: Vec<Prepared> = Vec::new();
        // Whether everything since the last `;` succeeds for certain, and whether a setting was behind something that may fail.
        let (mut is_certain, mut is_doubtful) = (true, false);
        // A file that the line writes may be what a later runner loads.
        let mut has_written = false;
        let mut silenced = Vec::new();
        self.is_alone = line.pipelines.len() == 1 && self.depth == 0;
        for (at, (pipeline, follows)) in line.pipelines.iter().zip(&line.follows).enumerate() {
            let is_last = at + 1 == line.pipelines.len();
            match follows {
                Follows::IfSucceeded => {}
                Follows::Always | Follows::IfFailed if is_doubtful => return None,
                Follows::Always => is_certain = true,
                Follows::IfFailed => is_certain = false,
            }
            let (first, filters) = pipeline.split_first()?;
            if !filters.iter().all(|filter| self.is_filter(filter)) || !self.are_wrappers_usual(first) {
                return None;
            }
            let command = first.without_wrappers();
            let part = self.command(&command)?;
            if has_written && matches!(part, Part::Runner(_)) {
                return None;
            }
            has_written |= pipeline.iter().any(|command| command.writes_file || command.program() == "tee");
            match part {
                // In a pipeline it changes a shell of its own, and behind `||` it is uncertain whether it runs.
                Part::Setting if !filters.is_empty() || *follows == Follows::IfFailed => return None,
                Part::Setting => is_doubtful |= !is_certain,
                Part::Silent => is_certain = false,
                Part::Prepared(prepared) => {
                    beside.push(prepared);
                    is_certain = false;
                }
                Part::Runner(mut inner) => {
                    is_certain = false;
                    inner.only_denies |=
                        hides_failures(&command, filters, &inner, is_last && self.depth == 0);
                    // Silenced: what it printed is not in the output.
                    if command.stdout_elsewhere {
                        silenced.append(&mut inner.names);
                    }
                    found.add(inner);
                }
            }
        }
        found.only_denies |= self.only_denies;
        if found.starts > 1 {
            // It denies at most, and a summary may still be there: `pytest >&2`.
            found.names.append(&mut silenced);
        }
        let fits = |prepared: &Prepared| match prepared {
            Prepared::Quietly => true,
            Prepared::Beside(names) => found.names.iter().all(|name| names.contains(name)),
        };
        beside.iter().all(fits).then_some(found)
    }

    fn command(&mut self, command: &SimpleCommand) -> Option<Part> {
        for (name, value) in &command.assignments {
            self.set(name, value)?;
        }
        if command.words.is_empty() {
            return Some(Part::Setting);
        }
        if let Some(part) = self.shell_command(command)? {
            return Some(part);
        }
        match runners::started_by(command) {
            Some(started) => self.runner(command, &started).map(Part::Runner),
            None => self.other(command),
        }
    }

    fn place(&self, program: &str) -> Place {
        let folder = self.folder.clone().unwrap_or_else(|| self.files.start());
        self.files.place(program, &folder, &self.first)
    }

    fn is_filter(&self, command: &SimpleCommand) -> bool {
        command_line::is_plain_filter(command)
            && command.words.first().is_some_and(|word| self.place(&word.text) == Place::System)
    }

    /// Wrappers that are programs are those of the system.
    fn are_wrappers_usual(&self, command: &SimpleCommand) -> bool {
        let inner = command.without_wrappers().words.len();
        let wrappers = &command.words[..command.words.len() - inner];
        let of_shell = ["time", "command", "exec"];
        let names = ["env", "timeout", "nice", "stdbuf", "nohup"];
        wrappers.iter().all(|word| {
            let name = word.text.rsplit('/').next().unwrap_or_default();
            of_shell.contains(&name) || !names.contains(&name) || self.place(&word.text) == Place::System
        })
    }

    /// A runner whose program is the one that its name says, for tests in the workspace.
    fn runner(&self, command: &SimpleCommand, started: &Started<'_>) -> Option<Found> {
        let folder = self.folder.as_deref()?;
        let word = &command.words.first()?.text;
        let is_found = |place: Place| match place {
            Place::System | Place::Environment => true,
            Place::Missing => self.is_alone,
            Place::Unknown => false,
        };
        let is_started = match started.by {
            By::Shell | By::Python => is_found(self.place(word)),
            By::Project => {
                let place = self.files.place(started.program, folder, &[folder.join(".venv/bin")]);
                self.place(word) == Place::System
                    && place != Place::Unknown
                    && follow::has_no_own_script(self.files, folder, started.program)
            }
            By::Node => {
                let place = self.files.place(started.program, folder, &self.node_programs(folder));
                self.place(word) == Place::System
                    && matches!(place, Place::System | Place::Environment)
                    && follow::has_plain_settings(self.files, folder)
                    && follow::has_no_own_bin(self.files, folder, started.program)
            }
        };
        let is_plain = match started.names {
            ["nextest" | "cargo test", ..] => follow::has_plain_cargo(self.files, folder),
            ["go test"] => started.operands.iter().all(|operand| operand.starts_with('.')),
            ["pytest" | "unittest" | "doctest"] => self.is_not_shadowed(folder, started),
            _ => true,
        };
        (is_started && is_plain).then(|| Found {
            names: started.names.to_vec(),
            starts: 1,
            is_in_parts: !runners::ends_with_a_summary(started.names),
            only_denies: !started.is_plain
                || started.names == ["pytest"] && !pytest_config::chooses_nothing(self.files, folder)
                || !started.operands.iter().all(|one| self.is_test(folder, started, one)),
        })
    }

    /// No file in the folder or beside the tests takes the place of a module of the runner.
    fn is_not_shadowed(&self, folder: &Path, started: &Started<'_>) -> bool {
        let mut folders = vec![folder.to_path_buf()];
        folders.extend(self.modules.iter().cloned());
        folders.extend(["tests", "test"].map(|name| folder.join(name)));
        for operand in &started.operands {
            let path = folder.join(operand.split("::").next().unwrap_or(operand));
            folders.extend(path.parent().map(Path::to_path_buf));
            folders.push(path);
        }
        !folders.iter().any(|one| self.is_shadowed(one, one == folder))
    }

    /// Whether a folder holds such a module. What is no folder holds none.
    fn is_shadowed(&self, path: &Path, is_folder: bool) -> bool {
        if let Some(known) = self.shadowed.borrow().get(path) {
            return *known;
        }
        let is_folder = is_folder || self.files.names(path).is_some();
        let is_shadowed = is_folder && !modules::is_not_shadowed(self.files, path);
        self.shadowed.borrow_mut().insert(path.to_path_buf(), is_shadowed);
        is_shadowed
    }

    /// Whether an operand names tests of the workspace.
    fn is_test(&self, folder: &Path, started: &Started<'_>, operand: &str) -> bool {
        let bare = operand.split("::").next().unwrap_or(operand);
        let path = folder.join(bare);
        if self.files.exists(&path) {
            let real = self.files.inside(&path);
            // Runners go by the text, and the file system by its links.
            return real.is_some() && real == self.files.inside(&files::plain(&path));
        }
        if started.names != ["unittest"] {
            return runners::is_path_inside(bare);
        }
        let module = bare.split('.').next().unwrap_or(bare);
        let folders = self.modules.iter().map(PathBuf::as_path).chain([folder]);
        let mut files = folders.flat_map(|folder| [folder.join(format!("{module}.py")), folder.join(module)]);
        runners::is_path_inside(bare)
            && files.any(|path| self.files.exists(&path) && self.files.inside(&path).is_some())
    }

    fn node_programs(&self, folder: &Path) -> Vec<PathBuf> {
        let inside = folder.ancestors().take_while(|folder| self.files.inside(folder).is_some());
        inside.map(|folder| folder.join("node_modules/.bin")).collect()
    }

    /// An installer, or a script whose text is at hand: its runners are those of its text.
    fn other(&mut self, command: &SimpleCommand) -> Option<Part> {
        let folder = self.folder.clone()?;
        let word = command.words.first()?;
        let place = self.place(&word.text);
        if self.depth >= DEEPEST || !matches!(place, Place::System | Place::Environment) {
            return None;
        }
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let is_static = command.words.iter().all(|word| !word.dynamic) && !word.text.contains('/');
        if let Some(prepared) = runners::prepares(&words, self.files, &folder).filter(|_| is_static) {
            return Some(Part::Prepared(prepared));
        }
        let found = match follow::script(command, self.files, &folder)? {
            Follow::Code { language, text } => {
                let names = runners::called_by(language, &text);
                Found { names, only_denies: true, starts: 1, is_in_parts: true }
            }
            Follow::Lines { lines, adds_programs, passes_over_failures } => {
                let mut found = Found { only_denies: passes_over_failures, ..Found::default() };
                let mut first = self.first.clone();
                if adds_programs {
                    first.splice(0..0, self.node_programs(&folder));
                }
                for line in lines {
                    let mut inner = Reader {
                        files: self.files,
                        folder: Some(folder.clone()),
                        typed: self.typed.clone(),
                        first: first.clone(),
                        modules: self.modules.clone(),
                        depth: self.depth + 1,
                        is_alone: false,
                        only_denies: self.only_denies,
                        shadowed: Rc::clone(&self.shadowed),
                    };
                    found.add(inner.line(&CommandLine::parse(&line)?)?);
                }
                found
            }
        };
        // A script that runs nothing printed something else.
        (!found.names.is_empty()).then_some(Part::Runner(found))
    }

    /// Commands of the shell itself, by their whole text. The outer option is empty where one is not understood.
    fn shell_command(&mut self, command: &SimpleCommand) -> Option<Option<Part>> {
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let is_static = command.words.iter().all(|word| !word.dynamic);
        let part = match words.as_slice() {
            ["cd", target] if is_static && !target.starts_with(['-', '~']) => {
                self.enter(target)?;
                Part::Setting
            }
            ["cd" | "export" | "source" | "." | "set", ..] if !is_static => return None,
            ["set", "-e" | "-u" | "-eu" | "-ue" | "+e"]
            | ["set", "-o" | "-eo" | "-euo" | "-ueo", "pipefail"] => Part::Setting,
            [":" | "true" | "false" | "wait" | "exit"] | ["exit", "0" | "1" | "$?"] => Part::Silent,
            ["sleep", time]
                if time.bytes().all(|byte| byte.is_ascii_digit()) && self.place("sleep") == Place::System =>
            {
                Part::Silent
            }
            ["pwd"] => {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "/_.-".contains(c);
                let folder = self.folder.as_ref()?.to_str()?;
                folder.chars().all(is_plain).then_some(Part::Silent)?
            }
            ["export", settings @ ..] if !settings.is_empty() => {
                for setting in settings {
                    let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
                    if setting.contains('=') || name != "PYTHONPATH" {
                        self.set(name, value)?;
                    }
                }
                Part::Setting
            }
            ["source" | ".", file] => {
                let path = self.folder.as_ref()?.join(file);
                let is_known =
                    file.ends_with("bin/activate") && file.contains('/') && self.files.is_environment(&path);
                is_known.then_some(())?;
                self.first.insert(0, path.parent()?.to_path_buf());
                Part::Setting
            }
            ["cd" | "export" | "source" | "." | "set", ..] => return None,
            _ if command_line::is_harmless_echo(command) && !command.words[0].text.contains('/') => {
                Part::Silent
            }
            _ => return Some(None),
        };
        // With an assignment before it, a command of the shell is nothing ordinary.
        command.assignments.is_empty().then_some(Some(part))
    }

    /// Goes to a folder as shells do: by the text, in which `link/..` is nothing. Where the file system leads elsewhere, it depends
    /// on the shell and its settings.
    fn enter(&mut self, target: &str) -> Option<()> {
        let path = self.typed.join(target);
        let typed = files::plain(&path);
        let folder = self.files.enter(&typed)?;
        self.only_denies |= self.files.enter(&path)? != folder;
        (self.typed, self.folder) = (typed, Some(folder));
        Some(())
    }

    /// Takes a variable, where it leaves the meaning of a command as it is.
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        if name != "PYTHONPATH" {
            return runners::is_harmless_variable(name, value).then_some(());
        }
        let folder = self.folder.clone()?;
        for part in value.split(':').filter(|part| !part.is_empty()) {
            let is_plain = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte));
            let path = folder.join(part);
            // One that is not there yet is made by nothing in the line.
            if !is_plain || !runners::is_path_inside(part) {
                return None;
            }
            self.modules.push(self.files.inside(&path).unwrap_or(path));
        }
        Some(())
    }
}

/// Whether a failure may be missing in what is seen of a runner's output. The last line of the output is enough where the runner
/// ends with a summary of everything; all lines are needed where it reports in parts, and then its errors or its exit status too.
fn hides_failures(command: &SimpleCommand, filters: &[SimpleCommand], found: &Found, is_last: bool) -> bool {
    let has = |program: &str| filters.iter().any(|filter| filter.program() == program);
    let has_own_status = is_last && filters.is_empty();
    has("head") || found.is_in_parts && (has("tail") || command.stderr_elsewhere && !has_own_status)
}

/// What a command does to the output.
enum Part {
    /// Nothing, but it changes what follows, and does not fail.
    Setting,
    Silent,
    Prepared(Prepared),
    Runner(Found),
}
