//! Compiles a program before it is started: confined like the program itself, without a network, and with one folder that
//! it may write.

use crate::attempt::{self, Around};
use crate::capture::Capture;
use crate::clock::Stopwatch;
use crate::course::Course;
use crate::error::RunError;
use crate::language::Compile;
use crate::request::House;
use crate::stage::Ready;
use actum_model::{Compiled, Grant, Happened, Network, Profile, Span, WorkspaceMode};
use actum_sandbox::{Ended, Variable};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// What compiling came to.
pub(crate) enum Built {
    Ready {
        artifact: PathBuf,
        compiled: Compiled,
    },
    /// The compiler did not end well.
    Failed {
        ended: Box<Ended>,
        compiled: Compiled,
    },
}

/// Compiles, or finds what was compiled before.
pub(crate) fn build(
    course: &mut Course<'_, '_>,
    number: u32,
    compile: &Compile,
    ready: &Ready,
    capture: &mut Capture<'_>,
) -> Result<Built, RunError> {
    let command = crate::language::shown_line(&compile.command);
    let folder = compile.output.parent().unwrap_or(&compile.output).to_path_buf();
    make(&folder)?;
    course.watcher.happened(Happened::Compiling { step: number, command: command.clone() });
    let watch = Stopwatch::start();
    let request = request(course, compile, ready, &folder);
    course.attempts += 1;
    let around = Around { stdin: course.stdin, output: capture, cancel: course.cancel, servers: &[] };
    let (ended, _) = attempt::attempt(course.house.sandboxes, &request, course.workspace, around, None)?;
    let ended = ended?;
    let compiled = Compiled { command, cached: false, took: Some(Span(watch.elapsed())) };
    if !ended.ending.is_success() {
        return Ok(Built::Failed { ended: Box::new(ended), compiled });
    }
    Ok(Built::Ready { artifact: compile.output.clone(), compiled })
}

/// What the compiled program is read from.
pub(crate) fn grants(ready: &Ready, house: &House<'_>) -> Vec<Grant> {
    match &ready.program.compile {
        Some(_) => vec![Grant::Read(house.folder.join("build"))],
        None => Vec::new(),
    }
}

fn request(
    course: &Course<'_, '_>,
    compile: &Compile,
    ready: &Ready,
    folder: &Path,
) -> actum_sandbox::Request {
    let mut request = course.request.attempt.clone();
    request.command.clone_from(&compile.command);
    request.limits.wall = course.left();
    request.layer.clone_from(&course.layer);
    if request.policy.profile != Profile::Open {
        request.policy.profile = Profile::Default;
        request.policy.network = Network::None;
    }
    request.policy.cards.clear();
    request.policy.workspace = WorkspaceMode::ReadOnly;
    request.policy.grants.retain(|grant| matches!(grant, Grant::Read(_)));
    request.policy.grants.extend(ready.grants.iter().cloned());
    request.policy.grants.push(Grant::Write(folder.to_path_buf()));
    let own = compile.variables.0.iter().map(|(name, value)| Variable::Set(name.clone(), value.clone()));
    request.granted_variables = own.collect();
    request
}

fn make(folder: &Path) -> Result<(), RunError> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|source: io::Error| RunError::Keep { path: folder.to_path_buf(), source })
}
