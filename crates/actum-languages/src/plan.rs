//! From a language, a staged source and what is installed to a program that can be checked, compiled and started.
//!
//! Pure: the machine is asked through [`Installed`], so a test can be any machine. Start reading at [`plan`].

use super::postgres::Connection;
use super::runtime::{Makes, Reads, Runs, Runtime, Version};
use super::template::{Filling, Hole, Template};
use super::{Language, LanguageError, Shebang, java, shown};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// What the machine has.
pub trait Installed {
    /// The file that a command's name stands for; a path stands for itself.
    fn find(&self, command: &str) -> Option<PathBuf>;
    /// What a program says when it is started with such arguments. Asked only where the answer decides.
    fn version(&self, program: &Path, arguments: &[OsString]) -> Option<String>;
}

/// A source that lies where the program will see it.
#[derive(Debug, Clone, Copy)]
pub struct Staged<'a> {
    pub file: &'a Path,
    pub code: &'a [u8],
    /// How the user gave it.
    pub typed: Typed<'a>,
    pub arguments: &'a [OsString],
    pub first_line: FirstLine<'a>,
    /// A folder that the check and the compiler may write, and the program not.
    pub output: &'a Path,
    /// A folder that compilers may keep things in, and programs not.
    pub cache: &'a Path,
    pub database: Option<Database<'a>>,
}

/// What the first line of the source has to say about its interpreter.
#[derive(Debug, Clone, Copy)]
pub enum FirstLine<'a> {
    Silent,
    /// A label or the file's name said which language it is. The options of the line still belong to the program.
    Advises(&'a Shebang),
    /// Nothing else said it, so the program is started as the kernel would start it.
    Decides(&'a Shebang),
}

/// What is shown in the place of the source.
#[derive(Debug, Clone, Copy)]
pub enum Typed<'a> {
    File(&'a Path),
    /// `-c`, standard input, or a block of an answer.
    Inline,
}

/// What SQL runs on.
#[derive(Debug, Clone, Copy)]
pub enum Database<'a> {
    /// The command that runs our own SQLite, and a file; in memory without one.
    Sqlite {
        command: &'a [OsString],
        file: Option<&'a Path>,
    },
    Postgres(&'a Connection),
}

/// Code in one language, ready to be started.
#[derive(Debug, Clone)]
pub struct Program {
    pub language: String,
    /// What runs or compiles it, for the report's environment.
    pub runtime: Option<PathBuf>,
    /// Arguments that make the runtime tell its version.
    pub version: Vec<OsString>,
    pub check: Option<CheckCommand>,
    pub compile: Option<Compile>,
    /// What starts it, where a compiler left its work in the staging folder. See [`Program::start`].
    pub command: Vec<OsString>,
    pub variables: Variables,
    /// What a person would have typed.
    pub shown: String,
    run: Template,
    filling: Filling,
    inserted: Vec<OsString>,
    located: Option<PathBuf>,
}

/// Looks at the syntax; ends with something other than 0 where it is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckCommand {
    pub command: Vec<OsString>,
    pub runs: Runs,
}

/// How the program is made before it is started.
#[derive(Debug, Clone)]
pub struct Compile {
    pub command: Vec<OsString>,
    pub compiler: PathBuf,
    /// The command with its output left open: what of it decides what comes out.
    pub flags: Vec<OsString>,
    pub variables: Variables,
    /// Where the compiler leaves it.
    pub output: PathBuf,
    pub makes: Makes,
    pub reads: Reads,
    /// Where it writes what it read, where it does.
    pub reads_file: PathBuf,
    /// The folder that other files of the program lie in or below.
    pub root: PathBuf,
}

/// Names with values. Values may be passwords, so they are not shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables(pub Vec<(OsString, OsString)>);

impl fmt::Debug for Variables {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

impl Program {
    /// Code that an interpreter which is there already is called with.
    pub fn called(language: &str, interpreter: &str, code: &[u8], file: Option<&Path>) -> Self {
        let words: Vec<OsString> = match file {
            Some(file) => vec![interpreter.into(), file.into()],
            None => vec![interpreter.into(), "-c".into(), shown::code(code).into()],
        };
        Self { language: language.to_owned(), ..Self::command(words) }
    }

    /// A command as it was given.
    pub fn command(words: Vec<OsString>) -> Self {
        Self {
            language: "command".to_owned(),
            runtime: None,
            version: Vec::new(),
            check: None,
            compile: None,
            shown: shown::line(&words),
            command: words,
            variables: Variables::default(),
            run: Template::default(),
            filling: Filling::new(),
            inserted: Vec::new(),
            located: None,
        }
    }

    /// What starts the program where its compiled form lies elsewhere, as in the cache.
    pub fn start(&self, artifact: &Path) -> Vec<OsString> {
        let mut filling = self.filling.clone();
        filling.insert(Hole::Output, vec![artifact.into()]);
        filled(&self.run, &filling, self.located.as_deref(), &self.inserted)
    }
}

/// The program that a source becomes here, by the first runtime that is installed.
pub fn plan(
    language: &Language,
    staged: &Staged<'_>,
    installed: &dyn Installed,
) -> Result<Program, LanguageError> {
    let filling = filling(language, staged);
    if let FirstLine::Decides(shebang) = staged.first_line {
        return as_the_kernel(language, shebang, staged, (filling, installed));
    }
    let usable: Vec<&Runtime> = language.runtimes.iter().filter(|one| is_meant(one, &filling)).collect();
    let mut too_old = None;
    for runtime in &usable {
        match locate(language, runtime, installed) {
            Ok(located) => return Ok(program(language, runtime, staged, (located, filling), installed)),
            Err(reason) => too_old = too_old.or(reason),
        }
    }
    Err(too_old.unwrap_or_else(|| missing(language, &usable)))
}

/// The interpreter of the first line with its own arguments, and what the table knows about it besides.
fn as_the_kernel(
    language: &Language,
    shebang: &Shebang,
    staged: &Staged<'_>,
    (filling, installed): (Filling, &dyn Installed),
) -> Result<Program, LanguageError> {
    let runner = installed.find(&shebang.interpreter).ok_or_else(|| LanguageError::NoInterpreter {
        interpreter: shebang.interpreter.clone(),
        language: language.name.clone(),
        install: language.install.clone(),
    })?;
    let named = language.runtimes.iter().find(|one| one.run.command() == Some(shebang.name()));
    let known = named.or(language.runtimes.first()).cloned().unwrap_or_default();
    let words = [shebang.name()].into_iter().chain(shebang.arguments.iter().map(String::as_str));
    let run = Template::list(words.chain(["{file}", "{args}"]));
    let runtime = Runtime { shown: run.clone(), run, shown_inline: Template::default(), ..known };
    let located = Located { runner: Some(runner), compiler: None };
    Ok(program(language, &runtime, staged, (located, filling), installed))
}

fn missing(language: &Language, usable: &[&Runtime]) -> LanguageError {
    let mut wanted: Vec<String> = Vec::new();
    for command in usable.iter().flat_map(|runtime| runtime.commands()) {
        if !wanted.iter().any(|other| other == command) {
            wanted.push(command.to_owned());
        }
    }
    if wanted.is_empty() {
        return LanguageError::NoDatabase;
    }
    LanguageError::NotInstalled { title: language.title.clone(), wanted, install: language.install.clone() }
}

/// Where the commands of a runtime are.
struct Located {
    runner: Option<PathBuf>,
    compiler: Option<PathBuf>,
}

/// Finds a runtime's commands. `Err(Some(…))` says that it is there and too old.
fn locate(
    language: &Language,
    runtime: &Runtime,
    installed: &dyn Installed,
) -> Result<Located, Option<LanguageError>> {
    let find = |command: &str| installed.find(command).ok_or(None);
    let runner = runtime.run.command().map(find).transpose()?;
    let compiler = runtime.compiling.as_ref().and_then(|compiling| compiling.command.command());
    let compiler = compiler.map(find).transpose()?;
    if let Some(first) = compiler.as_deref().or(runner.as_deref()) {
        check_version(language, runtime, first, installed)?;
    }
    Ok(Located { runner, compiler })
}

fn check_version(
    language: &Language,
    runtime: &Runtime,
    program: &Path,
    installed: &dyn Installed,
) -> Result<(), Option<LanguageError>> {
    if runtime.at_least.is_none() && runtime.below.is_none() {
        return Ok(());
    }
    let said = installed.version(program, &runtime.version.fill(&Filling::new()));
    let found = said.as_deref().and_then(Version::find).ok_or(None)?;
    if let Some(needed) = oldest(language, runtime).filter(|needed| found < *needed) {
        return Err(Some(LanguageError::TooOld {
            title: language.title.clone(),
            command: program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            found,
            needed,
            install: language.install.clone(),
        }));
    }
    // Another entry of the table has the arguments for this version.
    let is_older = runtime.at_least.is_some_and(|needed| found < needed);
    let is_newer = runtime.below.is_some_and(|below| found >= below);
    if is_older || is_newer { Err(None) } else { Ok(()) }
}

/// The oldest version of this runtime's command that some entry of the table can use.
fn oldest(language: &Language, runtime: &Runtime) -> Option<Version> {
    let same = language.runtimes.iter().filter(|other| other.run.command() == runtime.run.command());
    same.map(|other| other.at_least).min().flatten()
}

/// A runtime is meant where everything that it needs was given: a connection, a SQLite command.
fn is_meant(runtime: &Runtime, filling: &Filling) -> bool {
    [Hole::Postgres, Hole::Sqlite].iter().all(|hole| !runtime.run.uses(*hole) || filling.contains_key(hole))
}

fn filling(language: &Language, staged: &Staged<'_>) -> Filling {
    let folder = staged.file.parent().unwrap_or(Path::new("."));
    let mut filling: Filling = [
        (Hole::File, vec![staged.file.into()]),
        (Hole::Folder, vec![folder.into()]),
        (Hole::Args, staged.arguments.to_vec()),
        (Hole::Reads, vec![staged.output.join("reads.d").into()]),
        (Hole::Cache, vec![staged.cache.into()]),
    ]
    .into();
    if language.runtimes.iter().any(|runtime| runtime.run.uses(Hole::Class)) {
        filling.insert(Hole::Class, vec![java::main_class(staged.code, staged.file).into()]);
        filling.insert(Hole::Root, vec![java::root(staged.code, folder).into()]);
    }
    match staged.database {
        Some(Database::Postgres(_)) => drop(filling.insert(Hole::Postgres, Vec::new())),
        Some(Database::Sqlite { command, file }) => {
            let file = file.map(|file| [OsString::from("--database"), file.into()]);
            filling.insert(Hole::Sqlite, command.iter().cloned().chain(file.into_iter().flatten()).collect());
        }
        None => {}
    }
    filling
}

fn program(
    language: &Language,
    runtime: &Runtime,
    staged: &Staged<'_>,
    (located, mut filling): (Located, Filling),
    installed: &dyn Installed,
) -> Program {
    let makes = runtime.compiling.as_ref().map_or(Makes::Program, |compiling| compiling.makes);
    let output = staged.output.join(if makes == Makes::Folder { "classes" } else { "program" });
    let compile = compile(runtime, &located, staged, (&filling, &output));
    filling.insert(Hole::Output, vec![output.into()]);
    let inserted = if compile.is_none() { advised(runtime, staged.first_line) } else { Vec::new() };
    let variables = runtime.variables.iter().map(|pair| variable(pair, &filling));
    let connection = match staged.database {
        Some(Database::Postgres(connection)) => connection.variables().to_vec(),
        Some(Database::Sqlite { .. }) | None => Vec::new(),
    };
    Program {
        language: language.name.clone(),
        runtime: located.compiler.clone().or_else(|| located.runner.clone()),
        version: runtime.version.fill(&Filling::new()),
        check: check(runtime, &filling, installed),
        command: filled(&runtime.run, &filling, located.runner.as_deref(), &inserted),
        variables: Variables(variables.chain(connection).collect()),
        shown: shown_line(language, runtime, staged, &inserted),
        compile,
        run: runtime.run.clone(),
        filling,
        inserted,
        located: located.runner,
    }
}

/// The options of the first line, where they are meant for this runtime: `#!/bin/bash -e` is another program than
/// without `-e`.
fn advised(runtime: &Runtime, first_line: FirstLine<'_>) -> Vec<OsString> {
    let FirstLine::Advises(shebang) = first_line else { return Vec::new() };
    let command = runtime.run.command().unwrap_or_default();
    let is_same = shebang.name().starts_with(command) || command.starts_with(shebang.name());
    let only_options = shebang.arguments.iter().all(|argument| argument.starts_with('-'));
    if !is_same || !only_options {
        return Vec::new();
    }
    shebang.arguments.iter().map(OsString::from).collect()
}

fn compile(
    runtime: &Runtime,
    located: &Located,
    staged: &Staged<'_>,
    (filling, output): (&Filling, &Path),
) -> Option<Compile> {
    let compiling = runtime.compiling.as_ref()?;
    let compiler = located.compiler.clone()?;
    // Where the output and the list of files lie does not decide what is made.
    let mut open = filling.clone();
    open.remove(&Hole::Reads);
    let flags = filled(&compiling.command, &open, Some(&compiler), &[]);
    let mut filling = filling.clone();
    filling.insert(Hole::Output, vec![output.into()]);
    Some(Compile {
        command: filled(&compiling.command, &filling, Some(&compiler), &[]),
        flags,
        variables: Variables(compiling.variables.iter().map(|pair| variable(pair, &filling)).collect()),
        output: output.to_path_buf(),
        makes: compiling.makes,
        reads: compiling.reads.clone(),
        reads_file: staged.output.join("reads.d"),
        root: filling
            .get(&Hole::Root)
            .or(filling.get(&Hole::Folder))
            .and_then(|root| root.first())
            .into_iter()
            .collect(),
        compiler,
    })
}

fn check(runtime: &Runtime, filling: &Filling, installed: &dyn Installed) -> Option<CheckCommand> {
    runtime.checks.iter().find_map(|check| {
        let located = installed.find(check.command.command()?)?;
        Some(CheckCommand { command: filled(&check.command, filling, Some(&located), &[]), runs: check.runs })
    })
}

/// The words of a template, its command replaced by where it was found, what is inserted right behind it.
fn filled(
    template: &Template,
    filling: &Filling,
    located: Option<&Path>,
    inserted: &[OsString],
) -> Vec<OsString> {
    let mut words = template.fill(filling);
    if let (Some(first), Some(located)) = (words.first_mut(), located) {
        *first = located.into();
        words.splice(1..1, inserted.iter().cloned());
    }
    words
}

fn variable((name, value): &(String, Template), filling: &Filling) -> (OsString, OsString) {
    (name.into(), value.fill(filling).into_iter().next().unwrap_or_default())
}

fn shown_line(language: &Language, runtime: &Runtime, staged: &Staged<'_>, inserted: &[OsString]) -> String {
    let template = match staged.typed {
        Typed::Inline if !runtime.shown_inline.is_empty() => &runtime.shown_inline,
        Typed::File(_) | Typed::Inline if runtime.shown.is_empty() => &runtime.run,
        Typed::File(_) | Typed::Inline => &runtime.shown,
    };
    let code = shown::code(staged.code);
    let file: OsString = match staged.typed {
        Typed::File(path) => path.into(),
        Typed::Inline => language.staged_name(staged.code).into(),
    };
    let database = match staged.database {
        Some(Database::Sqlite { file: Some(file), .. }) => file.as_os_str(),
        Some(Database::Sqlite { file: None, .. } | Database::Postgres(_)) | None => OsStr::new(":memory:"),
    };
    let filling: Filling = [
        (Hole::File, vec![file]),
        (Hole::Args, Vec::new()),
        (Hole::Code, vec![code.clone().into()]),
        (Hole::Database, vec![database.into()]),
        (Hole::Output, vec!["./main".into()]),
    ]
    .into();
    // In a shell the code is the line, and quotes around it would make it one word.
    let bare = *template == Template::words("{code}");
    let mut line = if bare {
        code
    } else {
        let mut words = template.fill(&filling);
        if runtime.compiling.is_none() {
            words.splice(1..1, inserted.iter().cloned());
        }
        shown::line(&words)
    };
    let takes_arguments = bare || template.uses(Hole::Args);
    for argument in staged.arguments.iter().filter(|_| takes_arguments) {
        line.push(' ');
        line.push_str(&shown::quoted(argument));
    }
    line
}
