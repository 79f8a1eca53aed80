//! A look at the prepared environment before the real start: whether what a program imports can be imported at all. So the
//! eleventh minute does not tell what the first second could have told.

use super::care::Care;
use super::failure::Failed;
use crate::request::Request;
use actum_model::{
    EffortKind, Ending, ImportKind, ModuleOrigin, Network, Profile, Span, Usage, WorkspaceMode,
};
use actum_sandbox::{Output, Sandboxes, Start, Streams, Watching};
use rustix::fd::AsFd;
use rustix::pipe::{PipeFlags, pipe_with};
use std::ffi::OsString;
use std::io;

const SMOKE: &str = include_str!("smoke.py");
/// The largest libraries take half a minute to import on a slow machine.
const PATIENCE: Span = Span::seconds(120);
/// What an interpreter says when an import fails is short.
const MOST: usize = 64 << 10;

/// Whether it is worth its time: several programs, or one that takes long.
pub(crate) fn is_worth_it(care: &Care<'_>, programs: usize) -> bool {
    let long = |kind: EffortKind| matches!(kind, EffortKind::Training | EffortKind::Loop);
    let effort = care.reading.iter().flat_map(|reading| &reading.effort);
    care.prepared.is_some() && care.part.is_python() && (programs > 1 || effort.map(|one| one.kind).any(long))
}

/// Modules that are imported before anything else happens.
fn modules(care: &Care<'_>) -> Vec<String> {
    let Some((needs, reading)) = care.needs.as_ref().zip(care.reading.as_ref()) else { return Vec::new() };
    let is_package =
        |name: &str| needs.modules.iter().any(|one| one.name == name && one.origin == ModuleOrigin::Package);
    let plain = reading.imports.iter().filter(|import| import.kind == ImportKind::Plain);
    let mut names: Vec<String> =
        plain.map(|import| import.module.clone()).filter(|name| is_package(name)).collect();
    names.dedup();
    names
}

/// Tries the imports; none where all of them work, or where that could not be found out.
pub(crate) fn failed(care: &Care<'_>, request: &Request, sandboxes: &Sandboxes) -> Option<Failed> {
    let modules = modules(care);
    let python = care
        .prepared
        .as_ref()
        .map(|prepared| prepared.interpreter.clone())
        .filter(|_| !modules.is_empty())?;
    let mut attempt = care.dressed(request).attempt;
    let words: [OsString; 3] = [python.into(), "-c".into(), SMOKE.into()];
    attempt.command = words.into_iter().chain(modules.into_iter().map(OsString::from)).collect();
    attempt.policy.network = Network::None;
    if attempt.policy.profile == Profile::Networked {
        attempt.policy.profile = Profile::Default;
    }
    attempt.policy.workspace = WorkspaceMode::ReadOnly;
    attempt.policy.cards.clear();
    attempt.limits.wall = PATIENCE;
    attempt.terminal = None;
    attempt.layer = None;
    let (ending, usage, stderr) = listen(sandboxes, &attempt).ok().flatten()?;
    let is_failure = matches!(ending, Ending::Exited { code } if code != 0);
    is_failure.then(|| Failed::of_check(care, ending, usage, stderr))
}

fn listen(
    sandboxes: &Sandboxes,
    request: &actum_sandbox::Request,
) -> io::Result<Option<(Ending, Usage, Vec<u8>)>> {
    let (stderr, inside) = pipe_with(PipeFlags::CLOEXEC)?;
    let nothing = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    let streams = Streams { stdin: nothing.as_fd(), stdout: nothing.as_fd(), stderr: inside.as_fd() };
    let mut attempt = loop {
        match sandboxes.start(request, streams) {
            Ok(Start::Started(attempt)) => break attempt,
            Ok(Start::Lowered) => {}
            Ok(Start::Withheld) | Err(_) => return Ok(None),
        }
    };
    drop(inside);
    let mut heard = Heard(Vec::new());
    let ended = attempt.supervise(Watching { stderr: Some(stderr), ..Watching::default() }, &mut heard);
    sandboxes.forget(&attempt);
    Ok(ended.ok().map(|ended| (ended.ending, ended.usage, heard.0)))
}

struct Heard(Vec<u8>);

impl Output for Heard {
    fn stdout(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = MOST.saturating_sub(self.0.len()).min(bytes.len());
        self.0.extend_from_slice(&bytes[..room]);
        Ok(())
    }
}
