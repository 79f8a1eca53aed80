//! `actum internal …`: programs of our own that a run starts inside its sandbox. Hidden, and no promise to anybody.
//!
//! They are read by hand before the warden is forked: inside a sandbox there is nothing for it to do, and clap would
//! show them in the help.

use super::fail;
use super::run::Problem as RunProblem;
use actum_sql::{Format, Options};
use std::ffi::OsString;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The command by which SQL is run inside a sandbox.
pub(super) fn sqlite() -> Result<Vec<OsString>, RunProblem> {
    inner("sql")
}

/// The command by which a program's text is read inside a sandbox.
pub(super) fn reader() -> Result<Vec<OsString>, RunProblem> {
    inner("read")
}

/// The command by which an answer's files are written inside a sandbox.
pub(super) fn editor() -> Result<Vec<OsString>, RunProblem> {
    inner("edit")
}

/// This binary, which has to be seen inside.
fn inner(name: &str) -> Result<Vec<OsString>, RunProblem> {
    let itself = own_program().map_err(|source| RunProblem::Itself { source })?;
    Ok(vec![itself.into(), "internal".into(), name.into()])
}

/// The command by which what a program wrote is judged inside a sandbox.
pub(super) fn judge() -> Result<Vec<OsString>, RunProblem> {
    inner("judge")
}

/// Runs the inner program that the words name; none where they name none.
pub fn internal(words: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut words = words.skip(1);
    if words.next()? != "internal" {
        return None;
    }
    let name = words.next().unwrap_or_default();
    // The only one that starts sandboxes itself, and so has a warden.
    if name == super::session::SERVE {
        return None;
    }
    let rest: Vec<OsString> = words.collect();
    Some(match name.to_str() {
        Some("sql") => sql(rest),
        Some("read") => read_program(rest),
        Some("judge") => judge_contents(),
        Some("edit") => edit(rest),
        Some(_) | None => fail(&Problem::Unknown(name), None),
    })
}

/// Why an inner program was not started. Read after "failed to".
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("find an inner program `{}`", .0.display())]
    Unknown(OsString),
    #[error("read `actum internal sql {}`", .0.display())]
    Word(OsString),
    #[error("read `actum internal sql`: the script is missing")]
    NoScript,
    #[error("read the script {}", path.display())]
    Script { path: PathBuf, source: io::Error },
    #[error("read `actum internal read`: it takes --language NAME and the program on stdin")]
    Reading,
    #[error("read `actum internal edit`: it takes the order of what to write")]
    NoOrder,
    #[error("read the program from stdin")]
    Program { source: io::Error },
    #[error("write what was read out of the program")]
    Told { source: io::Error },
    #[error("judge what is on stdin")]
    Judged { source: io::Error },
}

const USAGE: &str = "actum internal sql [--database FILE] [--csv] SCRIPT, where - is stdin";

/// `actum internal sql [--database FILE] [--csv] SCRIPT`
fn sql(words: Vec<OsString>) -> ExitCode {
    let options = match options(words) {
        Ok(options) => options,
        Err(problem) => return fail(&problem, Some(USAGE)),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let code = actum_sql::run(&options, &mut out, &mut io::stderr());
    ExitCode::from(u8::try_from(code).unwrap_or(super::OWN_ERROR))
}

/// `actum internal edit ORDER`: files of an answer, written where the program will find them.
fn edit(words: Vec<OsString>) -> ExitCode {
    let [order] = words.as_slice() else { return fail(&Problem::NoOrder, None) };
    match actum_run::edit::carry_out(Path::new(order)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            let _ = fail(&problem, problem.hint());
            ExitCode::FAILURE
        }
    }
}

/// `actum internal read --language NAME`: a program on stdin, what it tells about itself on stdout as JSON. With `--many`, a
/// line of JSON for each program, and a line for what it tells.
fn read_program(words: Vec<OsString>) -> ExitCode {
    let is_many = words.first().is_some_and(|word| word == "--many");
    let each = words.iter().any(|word| word == "--each");
    match if is_many { told_of_many(each) } else { told(&words) } {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => fail(&problem, None),
    }
}

/// `actum internal judge`: an order and contents on stdin, a finding a line on stdout.
fn judge_contents() -> ExitCode {
    let mut input = Vec::new();
    let read = io::stdin().read_to_end(&mut input);
    match read.and_then(|_| actum_judge::answer(&input, &mut io::stdout().lock())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(source) => fail(&Problem::Judged { source }, None),
    }
}

fn told(words: &[OsString]) -> Result<(), Problem> {
    let [option, language] = words else { return Err(Problem::Reading) };
    let language = language.to_str().filter(|_| option == "--language").ok_or(Problem::Reading)?;
    let mut code = Vec::new();
    io::stdin().read_to_end(&mut code).map_err(|source| Problem::Program { source })?;
    let reading = actum_syntax::read(language, &code);
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer(&mut out, &reading).map_err(|source| Problem::Told { source: source.into() })?;
    out.write_all(b"\n").and_then(|()| out.flush()).map_err(|source| Problem::Told { source })
}

/// With `--each`, each is told before the next is read: whoever listens then knows at which one we ended.
fn told_of_many(each: bool) -> Result<(), Problem> {
    let read = || -> Result<(), Problem> {
        let mut out = BufWriter::with_capacity(TOLD, io::stdout().lock());
        for line in io::stdin().lock().lines() {
            let line = line.map_err(|source| Problem::Program { source })?;
            let (language, code): (String, String) =
                serde_json::from_str(&line).map_err(|_| Problem::Reading)?;
            let mut told = serde_json::to_vec(&actum_syntax::read_here(&language, code.as_bytes()))
                .map_err(|source| Problem::Told { source: source.into() })?;
            told.push(b'\n');
            let flush = |out: &mut BufWriter<_>| if each { out.flush() } else { Ok(()) };
            out.write_all(&told).and_then(|()| flush(&mut out)).map_err(|source| Problem::Told { source })?;
        }
        out.flush().map_err(|source| Problem::Told { source })
    };
    actum_syntax::deep(read).map_err(|source| Problem::Told { source })?
}

/// So much is told at once.
const TOLD: usize = 64 << 10;

fn options(words: Vec<OsString>) -> Result<Options, Problem> {
    let (mut database, mut format, mut script) = (None, Format::Table, None);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--database") => database = Some(words.next().ok_or(Problem::Word(word))?.into()),
            Some("--csv") => format = Format::Csv,
            Some("--") if script.is_none() => script = words.next(),
            Some(other) if other.starts_with("--") => return Err(Problem::Word(word)),
            Some(_) | None if script.is_none() => script = Some(word),
            Some(_) | None => return Err(Problem::Word(word)),
        }
    }
    let path = PathBuf::from(script.ok_or(Problem::NoScript)?);
    let script = read(&path).map_err(|source| Problem::Script { path, source })?;
    Ok(Options { database, script, format })
}

/// The program that this process runs, wherever its file was moved since.
pub(super) fn own_program() -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let link = rustix::fs::readlink("/proc/self/exe", Vec::new())?;
    Ok(PathBuf::from(OsString::from_vec(link.into_bytes())))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return actum_gate::read_named(path, actum_gate::Bound(actum_run::LARGEST_SOURCE.0))
            .map_err(actum_gate::GateError::into_io);
    }
    let mut script = Vec::new();
    io::stdin().read_to_end(&mut script)?;
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Result<Options, Problem> {
        options(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn other_commands_are_left_to_the_command_line() {
        for words in [&["actum"] as &[&str], &["actum", "run", "internal"], &["actum", "--help"]] {
            assert!(internal(words.iter().map(OsString::from)).is_none(), "{words:?}");
        }
    }

    #[test]
    fn options_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("--a.sql");
        std::fs::write(&script, "SELECT 1").unwrap();
        let script = script.to_str().unwrap();
        let read = asked(&["--database", "a.db", "--csv", "--", script]).unwrap();
        assert_eq!((read.database, read.format), (Some("a.db".into()), Format::Csv));
        assert_eq!(read.script, b"SELECT 1");
        assert!(matches!(asked(&["--database"]), Err(Problem::Word(_))));
        assert!(matches!(asked(&["--table", script]), Err(Problem::Word(_))));
        assert!(matches!(asked(&[script, script]), Err(Problem::Word(_))));
        assert!(matches!(asked(&["--csv"]), Err(Problem::NoScript)));
        assert!(matches!(asked(&["no/such/file.sql"]), Err(Problem::Script { .. })));
    }
}
