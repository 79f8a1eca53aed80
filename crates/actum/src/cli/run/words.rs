//! From the words of `actum run` to a request.

use super::Run;
use super::call::{Call, Presentation};
use super::problem::Problem;
use actum_engine::{RequestBuilder, SessionChoice, SourceChoice};
use actum_model::Tier;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "verbatim")]
pub(super) enum Ceiling {
    N,
    L,
    #[value(name = "none")]
    None,
}

impl From<Ceiling> for Tier {
    fn from(ceiling: Ceiling) -> Tier {
        match ceiling {
            Ceiling::N => Tier::N,
            Ceiling::L => Tier::L,
            Ceiling::None => Tier::None,
        }
    }
}

/// Whether `--` stood before the words, so that they are a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Words {
    Source,
    Command,
}

impl Words {
    /// Everything after the first word belongs to it, so the words are the end of the whole line: what stands before them
    /// there tells. A flag's value is never `--`.
    pub(in crate::cli) fn read(line: &[OsString], words: &[OsString]) -> Self {
        let before = line.len().checked_sub(words.len() + 1).and_then(|at| line.get(at));
        if before.is_some_and(|word| word == "--") { Self::Command } else { Self::Source }
    }
}

impl Run {
    /// The request that the words make, and how its result is shown. `line` is the whole command line.
    pub(super) fn into_call(self, words: Words, line: Vec<OsString>) -> Result<Call, Problem> {
        let terminal = self.options.terminal();
        let (source, arguments) = source(self.code.as_ref(), self.shell, words, &self.words)?;
        let presentation = Presentation { line, options: self.reporting.clone(), terminal };
        let (dry_run, ceiling) = (self.dry_run, self.tier.map_or(Tier::N, Tier::from));
        let asked = RequestBuilder { source, arguments, ..self.asked() };
        Ok(Call { asked: presentation.kept_with(asked)?, presentation, dry_run, ceiling, approved: None })
    }

    /// Everything that is asked for but the source.
    fn asked(self) -> RequestBuilder {
        let session = self.session.map(|name| SessionChoice { name, idle: self.idle });
        RequestBuilder {
            language: self.language,
            database: self.database,
            check: self.check,
            session,
            labels: self.label,
            keep_going: self.keep_going,
            together: self.together.then_some(self.global),
            task: self.task,
            expect: self.expecting.typed(),
            expectations: self.expecting.expectations,
            cases: self.expecting.cases,
            no_expectations: self.expecting.no_expectations,
            ..self.options.asked()
        }
    }
}

/// Options of `actum run` that another command passes on to its runs.
pub(in crate::cli) fn parse_options(fixed: &[&str], options: &[OsString]) -> Result<RequestBuilder, Problem> {
    let line = ["actum", "run"].iter().chain(fixed).map(OsString::from).chain(options.iter().cloned());
    let failed = |source| Problem::Options { source };
    let run = super::super::parse_run(line.collect()).map_err(failed)?;
    match run.words.first() {
        Some(word) => Err(Problem::NotAnOption { word: word.to_string_lossy().into_owned() }),
        None => Ok(run.asked()),
    }
}

/// What is to be run, and the words that are the program's own.
pub(in crate::cli) fn source(
    code: Option<&OsString>,
    is_shell: bool,
    words: Words,
    all: &[OsString],
) -> Result<(SourceChoice, Vec<OsString>), Problem> {
    if let Some(code) = code {
        return Ok((SourceChoice::Code(code.as_bytes().to_vec()), all.to_vec()));
    }
    // The engine says that nothing is there to run, after the rest of the request was looked at.
    let Some((first, rest)) = all.split_first() else { return Ok((SourceChoice::Nothing, Vec::new())) };
    let is_option = words == Words::Source && first.as_bytes().starts_with(b"-") && first != "-";
    if is_option {
        return Err(Problem::Option { word: first.to_string_lossy().into_owned() });
    }
    if is_shell {
        return Ok((SourceChoice::Shell(all.join(OsStr::new(" "))), Vec::new()));
    }
    match words {
        Words::Command => Ok((SourceChoice::Command(all.to_vec()), Vec::new())),
        Words::Source if first == "-" => Ok((SourceChoice::Stdin(stdin_code()?), rest.to_vec())),
        Words::Source => match Path::new(first).metadata() {
            Ok(_) => Ok((SourceChoice::File(PathBuf::from(first)), rest.to_vec())),
            Err(source) => Err(no_such_file(all, source)),
        },
    }
}

/// Somebody who types `actum run make` means the command.
fn no_such_file(words: &[OsString], source: std::io::Error) -> Problem {
    let word = words.first().map(|word| word.as_bytes()).unwrap_or_default();
    let name = Path::new(OsStr::from_bytes(word));
    let path = std::path::absolute(name).unwrap_or_else(|_| name.to_path_buf());
    if word.contains(&b'/') || word.contains(&b'.') {
        let hint = "name a code file or - for stdin, or put a command after `--`";
        return Problem::Path { path, hint, source };
    }
    let line: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Problem::NotASource { path, line: line.join(" "), source }
}

/// Code on our own stdin, which is read to its end before anything is decided.
fn stdin_code() -> Result<Vec<u8>, Problem> {
    let mut code = Vec::new();
    let most = actum_run::LARGEST_SOURCE.0;
    let read = std::io::stdin().lock().take(most + 1).read_to_end(&mut code);
    read.map_err(|source| Problem::Path { path: "-".into(), hint: "pipe the code to stdin", source })?;
    if code.len() as u64 > most {
        return Err(Problem::LongStdin);
    }
    Ok(code)
}
