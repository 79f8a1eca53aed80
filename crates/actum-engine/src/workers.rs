//! Helper processes: what this program does when it is started with a hidden word.
//!
//! | word | where | what |
//! |---|---|---|
//! | `sql`, `read`, `judge`, `edit` | inside a sandbox | SQL on a database file, the text of a program, contents to check, files of an answer |
//! | `session-serve` | outside | holds a session: an interpreter that stays between calls |
//! | `warden`, `signer` | outside | the processes that start sandboxes and sign, for a process that cannot fork because it has threads |
//! | `__place` | outside | places changes of a run, and outlives the process that started it |

use crate::program::{self, WORD};
use crate::{placing, settling};
use actum_model::with_causes;
use actum_sandbox::Warden;
use actum_sql::{Format, Options};
use actum_store::{Keyring, signer};
use rustix::fd::AsFd;
use std::ffi::OsString;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) const SQL: &str = "sql";
pub(crate) const READ: &str = "read";
pub(crate) const JUDGE: &str = "judge";
pub(crate) const EDIT: &str = "edit";
/// The session's name follows, for those who look at the list of processes.
const SESSION: &str = "session-serve";
pub(crate) const WARDEN: &str = "warden";
pub(crate) const SIGNER: &str = "signer";

/// Does a helper's work, if this process was started as one. The first call of a `main` whose program embeds the engine: what
/// comes before it is done once more by every helper.
pub fn run_helper() -> Option<ExitCode> {
    program::set_answers();
    placing::run_if_called(std::env::args_os()).or_else(|| run(std::env::args_os()))
}

/// Runs the helper that the words name; none where they name none.
fn run(words: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut words = words.skip(1);
    if words.next()? != WORD {
        return None;
    }
    let name = words.next().unwrap_or_default();
    let rest: Vec<OsString> = words.collect();
    Some(match name.to_str() {
        Some(SQL) => sql(rest),
        Some(READ) => read_program(rest),
        Some(JUDGE) => judge_contents(),
        Some(EDIT) => edit(rest),
        Some(SESSION) => hold_session(),
        Some(WARDEN) => serve_warden(),
        Some(SIGNER) => serve_signer(),
        Some(_) | None => fail(&Problem::Unknown(name), None),
    })
}

/// `actum internal session-serve`: holds a session; what it is like comes on stdin.
fn hold_session() -> ExitCode {
    // First of all, while this process is small and has one thread.
    let warden = match Warden::fork() {
        Ok(warden) => warden,
        Err(error) => return fail(&error, error.hint().as_deref()),
    };
    let streams = io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .and_then(|stdin| Ok((stdin, io::stdout().as_fd().try_clone_to_owned()?)));
    let ways = |keys: &Path| (Some(settling::placer(keys)), Keyring::at(keys).seal_key());
    let served = match streams {
        Ok((order, ready)) => actum_run::session::serve(warden, order, ready, &ways),
        Err(error) => return fail(&error, None),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error, error.hint().as_deref()),
    }
}

/// `actum internal warden`: starts sandboxes for the process at the other end of stdin.
fn serve_warden() -> ExitCode {
    match Warden::serve_stdin() {
        Ok(never) => match never {},
        Err(error) => fail(&error, error.hint().as_deref()),
    }
}

/// `actum internal signer`: signs for the process at the other end of stdin, which says where the key is.
fn serve_signer() -> ExitCode {
    match actum_sandbox::serve_aside(signer::serve_when_told) {
        Ok(()) => ExitCode::SUCCESS,
        Err(source) => fail(&Problem::Signer { source }, None),
    }
}

/// Says what went wrong. Whoever started us shows it, or nobody reads it.
fn fail(error: &dyn std::error::Error, hint: Option<&str>) -> ExitCode {
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "actum: {}", with_causes(error));
    if let Some(hint) = hint {
        let _ = writeln!(stderr, "hint: {hint}");
    }
    actum_model::ExitCode::OWN_ERROR.into()
}

/// Why an inner program was not started.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("unknown internal command `{}`", .0.display())]
    Unknown(OsString),
    #[error("unknown argument in `actum internal sql {}`", .0.display())]
    Word(OsString),
    #[error("`actum internal sql` needs a script")]
    NoScript,
    #[error("cannot read the script {}", path.display())]
    Script { path: PathBuf, source: io::Error },
    #[error("`actum internal read` needs --language NAME and the program on stdin")]
    Reading,
    #[error("`actum internal edit` needs a request file")]
    NoOrder,
    #[error("cannot read the program from stdin")]
    Program { source: io::Error },
    #[error("cannot write the result of parsing")]
    Told { source: io::Error },
    #[error("cannot check the input on stdin")]
    Judged { source: io::Error },
    #[error("cannot sign for another process")]
    Signer { source: io::Error },
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
    ExitCode::from(u8::try_from(code).unwrap_or(actum_model::ExitCode::OWN_ERROR.get()))
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
            assert!(run(words.iter().map(OsString::from)).is_none(), "{words:?}");
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
