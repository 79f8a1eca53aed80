//! Child processes: run live, run watched (passed on while we keep some lines), or run for their output.

use std::io::{BufRead as _, BufReader, Read};
use std::path::PathBuf;
use std::process::{self, Stdio};
use std::thread;

use crate::error::Error;
use crate::say;

/// A program, its arguments, and the variables added to ours.
#[derive(Debug, Clone)]
pub struct Command {
    program: String,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
}

/// What a watched child left: whether it ended with zero, and the lines that were asked for.
#[derive(Debug)]
pub struct Watched {
    pub succeeded: bool,
    pub kept: Vec<String>,
}

/// What a silent child left behind.
#[derive(Debug)]
pub struct Told {
    pub succeeded: bool,
    pub stderr: String,
}

impl Command {
    pub fn new(program: &str, arguments: &[&str]) -> Command {
        let arguments = arguments.iter().map(ToString::to_string).collect();
        Command { program: program.to_owned(), arguments, variables: Vec::new() }
    }

    /// The cargo that started us, so that a toolchain chosen with `cargo +name` is kept.
    pub fn cargo(arguments: &[&str]) -> Command {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        Command::new(&cargo, arguments)
    }

    pub fn with(mut self, name: &str, value: &str) -> Command {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// As one would type it.
    pub fn shown(&self) -> String {
        let program = self.program.rsplit('/').next().unwrap_or(&self.program);
        [program].into_iter().chain(self.arguments.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }

    /// Runs on our own stdout and stderr; true when it ended with zero.
    pub fn live(&self) -> Result<bool, Error> {
        say::line(&format!("$ {}", self.shown()));
        Ok(self.prepared().status().map_err(|source| self.not_started(source))?.success())
    }

    /// Passes both streams on as they come, and returns the lines that `keep` wants, without colours.
    pub fn watched(&self, keep: fn(&str) -> bool) -> Result<Watched, Error> {
        say::line(&format!("$ {}", self.shown()));
        let mut prepared = self.prepared();
        if say::is_watched() {
            // The child sees a pipe, and would think that nobody looks.
            prepared.env("CARGO_TERM_COLOR", "always");
        }
        let mut child = prepared
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| self.not_started(source))?;
        let stdout = child.stdout.take().expect("stdout was piped just above");
        let stderr = child.stderr.take().expect("stderr was piped just above");
        let from_stderr = thread::spawn(move || pass_on_and_keep(stderr, keep));
        let mut kept = pass_on_and_keep(stdout, keep);
        kept.extend(from_stderr.join().expect("passing lines on does not panic"));
        let status = child.wait().map_err(|source| self.not_started(source))?;
        Ok(Watched { succeeded: status.success(), kept })
    }

    /// Runs in silence and returns stdout; an end other than zero is an error that quotes stderr.
    pub fn output(&self) -> Result<String, Error> {
        let output = self.prepared().output().map_err(|source| self.not_started(source))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(Error::Ended { command: self.shown(), said })
    }

    /// Runs in silence and returns what it said on stderr, however it ended.
    pub fn told(&self) -> Result<Told, Error> {
        let output = self.prepared().output().map_err(|source| self.not_started(source))?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(Told { succeeded: output.status.success(), stderr })
    }

    fn prepared(&self) -> process::Command {
        let mut prepared = process::Command::new(&self.program);
        prepared.args(&self.arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        prepared.stdin(Stdio::null());
        prepared
    }

    fn not_started(&self, source: std::io::Error) -> Error {
        Error::Start { command: self.shown(), source }
    }
}

/// Whether PATH has such a program.
pub fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder: PathBuf| folder.join(program)).any(|file| file.is_file())
}

fn pass_on_and_keep(stream: impl Read, keep: fn(&str) -> bool) -> Vec<String> {
    let mut reader = BufReader::new(stream);
    let mut kept = Vec::new();
    let mut bytes = Vec::new();
    while matches!(reader.read_until(b'\n', &mut bytes), Ok(count) if count > 0) {
        say::pass_on(&bytes);
        let line = without_colour(&String::from_utf8_lossy(&bytes));
        if keep(&line) {
            kept.push(line);
        }
        bytes.clear();
    }
    kept
}

/// Removes `ESC [ … letter`, the only sequences that cargo and nextest write.
fn without_colour(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.trim_end().chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go() {
        assert_eq!(without_colour("\u{1b}[32;1m  Summary\u{1b}[0m [1s]\n"), "  Summary [1s]");
    }

    #[test]
    fn watched_keeps_what_is_asked_from_both_streams() {
        let command = Command::new("sh", &["-c", "echo keep one; echo drop; echo keep two >&2; exit 3"]);
        let watched = command.watched(|line| line.starts_with("keep")).unwrap();
        assert!(!watched.succeeded);
        assert_eq!(watched.kept, ["keep one", "keep two"]);
    }

    #[test]
    fn output_quotes_what_the_child_said() {
        let error = Command::new("sh", &["-c", "echo no luck >&2; exit 1"]).output().unwrap_err();
        assert!(error.to_string().ends_with("no luck"), "{error}");
    }

    #[test]
    fn a_missing_program_is_an_error_with_a_hint() {
        let error = Command::new("actum-no-such-program", &[]).output().unwrap_err();
        assert!(error.hint().is_some());
        assert!(!is_on_path("actum-no-such-program"));
        assert!(is_on_path("sh"));
    }
}
