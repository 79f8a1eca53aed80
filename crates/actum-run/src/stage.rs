//! Puts a program where its runtime will see it, and works out how it is started.
use crate::edit;
use crate::error::RunError;
use crate::extract::Part;
use crate::redact::Redaction;
use crate::request::{House, Purpose, Request};
use crate::source::Code;
use crate::versions::Versions;
use actum_egress::Server;
use actum_gate::own;
use actum_languages::recognise::Chosen;
use actum_languages::{self as language, Connection, Database, Program, Staged, Typed};
use actum_model::{Digest, Grant};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// One thing to run, ready to be started.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) program: Program,
    pub(crate) code: Vec<u8>,
    /// What this program needs to see beside what every program of the run sees.
    pub(crate) grants: Vec<Grant>,
    /// Files that are the user's own, wherever they lie.
    pub(crate) own: Vec<PathBuf>,
    pub(crate) lines: Option<[u64; 2]>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// The server that it is led to.
    pub(crate) server: Option<Server>,
}

/// Where code that has no file of its own finds its neighbours: as if it lay where the program starts.
const NEIGHBOURS: &[(&str, &str, &str)] = &[
    ("python", "PYTHONPATH", ""),
    ("ruby", "RUBYLIB", ""),
    ("perl", "PERL5LIB", ""),
    ("lua", "LUA_PATH", "/?.lua;;"),
];

/// Puts one part of a source in place. Parts are counted from 1.
pub(crate) fn stage(
    part: &Part<'_>,
    number: u32,
    request: &Request,
    house: &House<'_>,
) -> Result<Ready, RunError> {
    let ready = match part {
        Part::Command(words) => command(words.iter().chain(&request.arguments).cloned().collect()),
        Part::Together(together) => from_code(number, &together.code, &together.chosen, request, house)?,
        Part::Edits(edits) => edit::stage(edits, number, house)?,
        Part::Program { code, chosen } => match &code.file {
            Some(file) => from_file(file.clone(), code, chosen, request, house)?,
            None => from_code(number, code, chosen, request, house)?,
        },
    };
    let mut ready = match request.purpose {
        Purpose::Run => ready,
        Purpose::Check => checked(ready, &house.folder.join("build").join(number.to_string()))?,
    };
    ready.program.shown = request.redaction.text(&ready.program.shown);
    Ok(ready)
}

/// Puts a copy in place of a source whose name or layout is in the way. The source itself stays where it is, as it is.
pub(crate) fn stage_copy(
    part: &Part<'_>,
    (name, bytes): (&str, &[u8]),
    number: u32,
    request: &Request,
    house: &House<'_>,
) -> Result<Ready, RunError> {
    let Part::Program { code, chosen } = part else { return stage(part, number, request, house) };
    let folder = house.folder.join(format!("program-{number}-copy"));
    let copy = Code { bytes: bytes.to_vec(), ..code.clone() };
    write(&folder, name, &copy)?;
    let file = folder.join(name);
    let shown = code.file.as_deref().map(|file| file.strip_prefix(&request.attempt.folder).unwrap_or(file));
    let typed = shown.map_or(Typed::Inline, Typed::File);
    let mut ready = plan(Place { file: &file, typed, number }, &copy, chosen, request, house)?;
    ready.own.extend(code.file.clone());
    // What lies beside the source is found as if the copy lay there.
    let beside = code.file.as_deref().and_then(Path::parent).unwrap_or(&request.attempt.folder);
    ready.variables.extend(neighbours(&ready.program.language, beside));
    ready.grants.push(Grant::Read(folder));
    ready.program.shown = request.redaction.text(&ready.program.shown);
    Ok(ready)
}

/// Takes secrets out of the code that was staged in a run's folder, when it has run: from then on it is only kept. Where that
/// fails it goes.
pub(crate) fn redact(folder: &Path, redaction: &Redaction) {
    let of = |folder: &Path| {
        let names = own::names(folder).unwrap_or_default();
        names.into_iter().map(|name| folder.join(name)).collect::<Vec<_>>()
    };
    let is_staged =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"program"));
    for file in of(folder).into_iter().filter(is_staged).flat_map(|staged| of(&staged)) {
        let Some(code) = own::read(&file).ok().and_then(|code| redaction.replaced(&code)) else { continue };
        // Made anew: what was there may be read-only.
        let _ = own::remove_file(&file).and_then(|()| own::write(&file, &code));
    }
}

/// The program that looks at the syntax, in the place of the one that it is about.
fn checked(mut ready: Ready, output: &Path) -> Result<Ready, RunError> {
    let Some(check) = ready.program.check.take() else {
        return Err(RunError::NoCheck { language: ready.program.language });
    };
    own::make_folders(output).map_err(|source| RunError::Keep { path: output.to_path_buf(), source })?;
    ready.grants.push(Grant::Write(output.to_path_buf()));
    ready.program.shown = language::shown_line(&check.command);
    ready.program.command = check.command;
    ready.program.compile = None;
    ready.server = None;
    Ok(ready)
}

fn command(words: Vec<OsString>) -> Ready {
    bare(Program::command(words))
}

/// A program that needs nothing beside what every program of the run has.
pub(crate) fn bare(program: Program) -> Ready {
    let (code, grants, own, variables) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    Ready { program, code, grants, own, lines: None, variables, server: None }
}

/// A file in the workspace is seen there already; any other is shown by itself, not with the folder around it.
fn from_file(
    file: PathBuf,
    code: &Code,
    chosen: &Chosen<'_>,
    request: &Request,
    house: &House<'_>,
) -> Result<Ready, RunError> {
    let typed = Typed::File(file.strip_prefix(&request.attempt.folder).unwrap_or(&file));
    let mut ready = plan(Place { file: &file, typed, number: 1 }, code, chosen, request, house)?;
    if !file.starts_with(&request.attempt.workspace) {
        ready.grants.push(Grant::Read(file));
    }
    Ok(ready)
}

/// Code without a file of its own is written into the run's folder, where it can be read again later.
fn from_code(
    number: u32,
    code: &Code,
    chosen: &Chosen<'_>,
    request: &Request,
    house: &House<'_>,
) -> Result<Ready, RunError> {
    let name = chosen.language.staged_name(&code.bytes);
    let kept =
        house.folder.join(if number == 1 { "program".to_owned() } else { format!("program-{number}") });
    write(&kept, &name, code)?;
    // Compilers write the source's path into what they make: one that changes with each run would be compiled each time.
    let folder = match chosen.language.runtimes.iter().any(|runtime| runtime.compiling.is_some()) {
        true => house.cache.join("inline").join(&Digest::of(&code.bytes).to_string()[..32]),
        false => kept,
    };
    write(&folder, &name, code)?;
    let file = folder.join(name);
    let mut ready = plan(Place { file: &file, typed: Typed::Inline, number }, code, chosen, request, house)?;
    shell_line(&mut ready.program, code, &request.arguments);
    ready.variables.extend(neighbours(&ready.program.language, &request.attempt.folder));
    ready.grants.push(Grant::Read(folder));
    Ok(ready)
}

/// Writes code into a folder of its own; again, where that has been done before.
fn write(folder: &Path, name: &str, code: &Code) -> Result<(), RunError> {
    let path = folder.join(name);
    if own::read(&path).is_ok_and(|there| there == code.bytes) {
        return Ok(());
    }
    let written = own::make_folders(folder).and_then(|()| own::write(&path, &code.bytes));
    written.map_err(|source| RunError::Keep { path, source })
}

/// Where a program's source lies, and how it got there.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a Path,
    typed: Typed<'a>,
    number: u32,
}

fn plan(
    place: Place<'_>,
    code: &Code,
    chosen: &Chosen<'_>,
    request: &Request,
    house: &House<'_>,
) -> Result<Ready, RunError> {
    let connection = connection(&chosen.language.name, request)?;
    let database = match &connection {
        Some(connection) => Database::Postgres(connection),
        None => Database::Sqlite { command: house.sqlite, file: request.database.as_deref() },
    };
    let build = house.folder.join("build").join(place.number.to_string());
    let staged = Staged {
        file: place.file,
        code: &code.bytes,
        typed: place.typed,
        arguments: &request.arguments,
        first_line: chosen.first_line(),
        output: &build,
        cache: &own_cache(house.cache, &request.attempt.workspace),
        database: Some(database),
    };
    let program = language::plan(&chosen.language, &staged, &Versions { house, attempt: &request.attempt })?;
    let mut ready = Ready {
        code: code.bytes.clone(),
        grants: Vec::new(),
        own: vec![place.file.to_path_buf()],
        lines: code.lines,
        variables: program.variables.0.clone(),
        server: None,
        program,
    };
    if let Some(connection) = &connection {
        lead(&mut ready, connection);
    } else if chosen.language.name == "sql" {
        // Our own SQLite runs inside, so it has to be seen there.
        ready.grants.extend(house.sqlite.first().map(|program| Grant::Read(program.into())));
    }
    Ok(ready)
}

/// What compilers keep for themselves, for each workspace apart: one that was led astray leads only itself astray.
fn own_cache(cache: &Path, workspace: &Path) -> PathBuf {
    cache.join("tools").join(Digest::of(workspace.as_os_str().as_bytes()).short())
}

/// Leads the client to the first server that the address names. Others would be found by nobody.
fn lead(ready: &mut Ready, connection: &Connection) {
    match connection.servers().first() {
        Some(language::Server::Host { host, port }) => {
            // The name stays for certificates; where to connect is the sandbox's own loopback, which leads there.
            let variables =
                [("PGHOST", host.clone()), ("PGHOSTADDR", LOOPBACK.to_owned()), ("PGPORT", port.to_string())];
            ready.variables.retain(|(name, _)| variables.iter().all(|(other, _)| name != other));
            ready.variables.extend(variables.map(|(name, value)| (name.into(), value.into())));
            ready.server = Some(Server { host: host.clone(), port: *port });
        }
        Some(language::Server::Socket { path }) => {
            ready.grants.extend(path.parent().map(|folder| Grant::Read(folder.to_path_buf())));
        }
        None => {}
    }
}

const LOOPBACK: &str = "127.0.0.1";

/// A line for the shell is handed to it as a line, as long as the kernel takes it: its messages then name no file that
/// nobody wrote.
fn shell_line(program: &mut Program, code: &Code, arguments: &[OsString]) {
    const LONGEST: usize = 100 << 10;
    if matches!(program.language.as_str(), "bash" | "sh") && code.bytes.len() < LONGEST {
        let shell = program.command.first().cloned().unwrap_or_else(|| OsString::from(&program.language));
        let name = OsString::from(&program.language);
        let words = [shell, "-c".into(), OsStr::from_bytes(&code.bytes).to_owned(), name];
        program.command = words.into_iter().chain(arguments.iter().cloned()).collect();
    }
}

fn neighbours(language: &str, folder: &Path) -> Option<(OsString, OsString)> {
    let (_, variable, behind) = NEIGHBOURS.iter().find(|(name, _, _)| *name == language)?;
    let mut value = folder.as_os_str().to_owned();
    value.push(behind);
    Some((variable.into(), value))
}

/// The PostgreSQL that `DATABASE_URL` names, where no file was given.
fn connection(language: &str, request: &Request) -> Result<Option<Connection>, RunError> {
    if language != "sql" || request.database.is_some() {
        return Ok(None);
    }
    let url = request.variable("DATABASE_URL").map(|url| url.to_string_lossy().into_owned());
    let meant = url.filter(|url| Connection::is_meant(url));
    Ok(meant.map(|url| Connection::read(&url)).transpose()?)
}
