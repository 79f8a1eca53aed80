//! Compiles a program before it is started: confined like the program itself, without a network, and with one folder that
//! it may write. What was compiled before from the same is taken from where it is kept.

use crate::attempt::{self, Around};
use crate::budget;
use crate::capture::Capture;
use crate::clock::Stopwatch;
use crate::course::Course;
use crate::error::RunError;
use crate::journal::NoJournal;
use crate::stage::Ready;
use crate::versions::Versions;
use actum_gate::own;
use actum_languages::compile::{Cache, Gathered, Identity, Kept, Key, Made, gather, identify, key};
use actum_languages::{Compile, Installed, shown_line};
use actum_model::{Bytes, Compiled, Grant, Happened, Network, Profile, Span, WorkspaceMode};
use actum_sandbox::{Ended, Variable};
use std::io;
use std::path::{Path, PathBuf};

/// What a compiler may write where it has a cache of its own: the standard library of Go takes a few hundred megabytes.
const MOST_CACHED: Bytes = Bytes::gib(2);

/// What compiling came to.
pub(crate) enum Built {
    Ready(Artifact),
    /// The compiler did not end well.
    Failed {
        ended: Box<Ended>,
        compiled: Compiled,
    },
}

/// A compiled program, and where it is read from.
pub(crate) struct Artifact {
    pub(crate) path: PathBuf,
    pub(crate) grant: Grant,
    pub(crate) compiled: Compiled,
    /// Keeps it where it is.
    _kept: Option<Kept>,
}

/// Compiles, or finds what was compiled before.
pub(crate) fn build(
    course: &mut Course<'_, '_>,
    number: u32,
    compile: &Compile,
    ready: &Ready,
    capture: &mut Capture<'_>,
) -> Result<Built, RunError> {
    let command = course.request.redaction.text(&shown_line(&compile.command));
    let cache = Cache::new(course.house.cache, Cache::DEFAULT_SIZE);
    let key = key_of(course, compile, ready);
    if let Some(kept) = key.as_ref().and_then(|key| cache.lookup(key)) {
        return Ok(Built::Ready(from_cache(kept, Compiled { command, cached: true, took: None })));
    }
    let folder = compile.output.parent().unwrap_or(&compile.output).to_path_buf();
    make(&folder)?;
    course.watcher.happened(Happened::Compiling { step: number, command: command.clone() });
    let watch = Stopwatch::start();
    let ended = attempt(course, compile, ready, capture)?;
    let compiled = Compiled { command, cached: false, took: Some(Span(watch.elapsed())) };
    if !ended.ending.is_success() {
        return Ok(Built::Failed { ended: Box::new(ended), compiled });
    }
    // A cache that takes nothing is slower, and nothing else.
    let kept = key.and_then(|key| keep(course, compile, ready, (&cache, &key)));
    Ok(Built::Ready(match kept {
        Some(kept) => from_cache(kept, compiled),
        None => Artifact { path: compile.output.clone(), grant: Grant::Read(folder), compiled, _kept: None },
    }))
}

fn from_cache(kept: Kept, compiled: Compiled) -> Artifact {
    Artifact {
        path: kept.artifact.clone(),
        grant: Grant::Read(kept.artifact.clone()),
        compiled,
        _kept: Some(kept),
    }
}

/// None where it cannot be told which compiler it is.
fn key_of(course: &Course<'_, '_>, compile: &Compile, ready: &Ready) -> Option<Key> {
    let compiler = match identify(&compile.compiler).ok()? {
        Some(identity) => identity,
        None => {
            let versions = Versions { house: course.house, attempt: &course.request.attempt };
            let text = versions.version(&compile.compiler, &ready.program.version)?;
            Identity::Said { path: compile.compiler.clone(), text }
        }
    };
    let made = Made {
        language: &ready.program.language,
        source: &ready.code,
        compile,
        compiler: &compiler,
        workspace: &course.request.attempt.workspace,
    };
    Some(key(&made))
}

fn keep(
    course: &Course<'_, '_>,
    compile: &Compile,
    ready: &Ready,
    (cache, key): (&Cache, &Key),
) -> Option<Kept> {
    let request = &course.request.attempt;
    let file = ready.own.first()?;
    match gather(compile, (file, &request.folder), &request.workspace).ok()? {
        Gathered::All(reads) => cache.admit(key, (&compile.output, compile.makes), reads).ok(),
        Gathered::Unknown => None,
    }
}

fn attempt(
    course: &mut Course<'_, '_>,
    compile: &Compile,
    ready: &Ready,
    capture: &mut Capture<'_>,
) -> Result<Ended, RunError> {
    let request = request(course, compile, ready);
    course.attempts += 1;
    // A compiler reads nothing that was meant for its program.
    let nothing = own::null().map_err(|source| RunError::Pipe { source })?;
    let around = Around {
        stdin: rustix::fd::AsFd::as_fd(&nothing),
        output: capture,
        resized: None,
        cancel: course.cancel,
        journal: &mut NoJournal,
        watcher: course.watcher,
        servers: &[],
        beside: None,
        lasting: None,
    };
    let (ended, _) = attempt::attempt(course.house.sandboxes, &request, course.workspace, around, None)?;
    let mut ended = ended?;
    let whole = course.request.attempt.limits;
    ended.ending = course.spent.of_the_whole(ended.ending, &whole);
    budget::restore(&mut ended.confinement.limits, &whole);
    // A compiler's own cache is ours.
    if request.written.is_some_and(|most| most > whole.disk) {
        ended.written = Bytes(0);
    }
    course.spent.add(&ended);
    Ok(ended)
}

fn request(course: &Course<'_, '_>, compile: &Compile, ready: &Ready) -> actum_sandbox::Request {
    let mut request = course.request.attempt.clone();
    request.command.clone_from(&compile.command);
    // A compiler prints; the terminal is for the program.
    request.terminal = None;
    request.listeners.clear();
    request.limits.wall = course.left(course.request.attempt.limits.wall);
    course.spent.lower(&mut request);
    request.layer.clone_from(&course.layer);
    if request.policy.profile != Profile::Open {
        request.policy.profile = Profile::Default;
        request.policy.network = Network::None;
    }
    request.policy.cards.clear();
    request.policy.workspace = WorkspaceMode::ReadOnly;
    request.policy.grants.retain(|grant| matches!(grant, Grant::Read(_)));
    request.policy.grants.extend(ready.grants.iter().cloned());
    let output = compile.output.parent().unwrap_or(&compile.output);
    request.policy.grants.push(Grant::Write(output.to_path_buf()));
    let own: Vec<Grant> = own_folders(compile, course.house.cache).map(Grant::Write).collect();
    if !own.is_empty() {
        // What it keeps there is no part of the run; but it has an end.
        request.written = Some(request.limits.disk.max(MOST_CACHED));
    }
    request.policy.grants.extend(own);
    let own = compile.variables.0.iter().map(|(name, value)| Variable::Set(name.clone(), value.clone()));
    request.granted_variables = own.collect();
    request
}

/// Folders in our cache that the compiler's variables name: its own cache. Programs never see them.
fn own_folders<'c>(compile: &'c Compile, cache: &'c Path) -> impl Iterator<Item = PathBuf> + 'c {
    let named = compile.variables.0.iter().map(|(_, value)| PathBuf::from(value));
    named.filter(move |path| path.starts_with(cache) && make(path).is_ok())
}

fn make(folder: &Path) -> Result<(), RunError> {
    let made = own::make_private_folders(folder);
    made.map_err(|source: io::Error| RunError::Keep { path: folder.to_path_buf(), source })
}
