//! Builds an environment from its lock, in a site of the workshop.
//!
//! Nothing of a package runs: wheels are unpacked by uv, byte code is made by an interpreter that does not import them. The
//! commands of an environment find their interpreter beside them, so it can be renamed to where it is kept.

use super::cache::InUse;
use super::cache::{LOCK, Manifest, boot, write};
use super::confined::{Program, Task, succeed};
use super::error::{PrepareError, Trouble};
use super::resolve::{Work, packages};
use super::wanted::{Reach, Stage};
use crate::clock;
use actum_model::{Digest, Span};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Gigabytes come through slow lines; what has arrived is kept for the next time.
const INSTALLING: Span = Span::seconds(1800);
const COMPILING: Span = Span::seconds(600);
/// Both in one sandbox: each start costs as much as making an empty environment.
const INSTALL: &str = "\"$1\" venv --quiet --clear --relocatable --no-project --python \"$2\" \"$3\" || exit
uv=$1 venv=$3; shift 3; exec \"$uv\" pip sync --python \"$venv/bin/python\" \"$@\"";
const BYTECODE: &str = include_str!("bytecode.py");
/// Where packages are, below an environment.
const VENV: &str = "venv";

/// Builds and keeps it.
pub(super) fn build(
    work: &Work<'_>,
    key: Digest,
    (lock, notes): (&str, Vec<String>),
    tell: &mut dyn FnMut(Stage),
) -> Result<(Manifest, InUse), PrepareError> {
    let made = work.site.folder.join("made");
    fs::create_dir(&made).map_err(PrepareError::io("create", &made))?;
    fs::set_permissions(&made, fs::Permissions::from_mode(0o755))
        .map_err(PrepareError::io("create", &made))?;
    write(&made.join(LOCK), lock.as_bytes())?;
    let locked = packages(lock);
    tell(Stage::Installing { packages: locked.len() });
    let interpreter = &work.wanted.interpreter;
    let installed = match interpreter.is_old() {
        true => super::old::install(work, &made)?,
        false => install(work, &made)?,
    };
    let mut variables = super::data::carry(work, &made, tell)?;
    variables.extend(installed.variables);
    tell(Stage::Compiling);
    compile(work, &made.join(installed.packages))?;
    // Left by uv for itself, and open to everybody.
    let _ = fs::remove_file(made.join(VENV).join(".lock"));
    let manifest = Manifest {
        v: 1,
        key,
        made: clock::moment(),
        tool: work.uv.name(),
        interpreter: interpreter.path().to_path_buf(),
        version: interpreter.version.to_string(),
        lock: Digest::of(lock.as_bytes()),
        packages: locked,
        notes,
        program: installed.program,
        path: vec![installed.commands],
        variables,
        boot: boot(),
    };
    work.cache.keep(&made, &manifest)
}

/// Where things are in an environment, below its folder.
pub(super) struct Installed {
    pub(super) program: PathBuf,
    pub(super) commands: PathBuf,
    pub(super) packages: PathBuf,
    pub(super) variables: Vec<(String, String)>,
}

/// Installs, from what is there already where that is enough: then nobody is asked, and there is no network at all.
fn install(work: &Work<'_>, made: &Path) -> Result<Installed, PrepareError> {
    let mut first = install_task(work, made);
    if work.kit.packages.reach == Reach::Online {
        first.arguments.insert(first.arguments.len() - 1, "--offline".into());
        first.hosts = None;
    }
    let is_missing = |error: &PrepareError| error.trouble() == Some(Trouble::Unreachable);
    match succeed(work.kit, &first) {
        Err(error) if is_missing(&error) && work.kit.packages.reach == Reach::Online => {
            succeed(work.kit, &install_task(work, made))?
        }
        other => other?,
    };
    let venv = Path::new(VENV);
    Ok(Installed {
        program: venv.join("bin/python"),
        commands: venv.join("bin"),
        packages: venv.join("lib"),
        variables: Vec::new(),
    })
}

fn install_task<'w>(work: &'w Work<'_>, made: &Path) -> Task<'w> {
    let mut arguments: Vec<OsString> = vec![
        work.uv.tool.path().into(),
        work.wanted.interpreter.path().into(),
        made.join(VENV).into(),
        "--require-hashes".into(),
        "--allow-empty-requirements".into(),
        "--no-build".into(),
    ];
    arguments.extend(work.places());
    arguments.push(made.join(LOCK).into());
    let mut task = work.task("install the packages", arguments, INSTALLING);
    task.program = Program::Shell;
    task.arguments.splice(0..0, ["-c", INSTALL, "sh"].map(OsString::from));
    task.reads.extend([work.uv.tool.path().to_path_buf(), work.uv.tool.real().to_path_buf()]);
    task
}

/// Makes byte code once for every source that this interpreter ever installed, and copies it.
fn compile(work: &Work<'_>, packages: &Path) -> Result<(), PrepareError> {
    let mut task = work.task("compile the packages", Vec::new(), COMPILING);
    let interpreter = &work.wanted.interpreter;
    // What one interpreter compiled no other one loads.
    let name = Digest::of(interpreter.build.as_bytes()).to_string();
    let store = work.cache.workshop().join("bytecode").join(name);
    super::cache::make(&store)?;
    // Neither the packages' own start-up files nor anything of the caller's is loaded.
    let alone: &[&str] = if interpreter.is_old() {
        &["-E", "-s", "-S", "-c", BYTECODE]
    } else {
        &["-I", "-S", "-c", BYTECODE]
    };
    task.program = Program::Tool(interpreter.tool().clone());
    task.arguments = alone.iter().map(OsString::from).collect();
    task.arguments.extend([packages.into(), store.clone().into_os_string()]);
    task.writes = vec![work.site.folder.clone(), store];
    task.hosts = None;
    task.variables.clear();
    // Without byte code everything is slower, and nothing is wrong.
    match succeed(work.kit, &task) {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.trouble(), Some(Trouble::Cancelled | Trouble::DiskFull)) => Err(error),
        Err(PrepareError::Tool { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
