//! A look at the prepared environment before the real start: whether what a program imports can be imported at all. So the
//! eleventh minute does not tell what the first second could have told.

use super::care::Care;
use super::failure::Failed;
use crate::listen::{Heard, listen};
use crate::request::Request;
use actum_gate::own;
use actum_model::{EffortKind, Ending, ImportKind, ModuleOrigin, Network, Profile, Span, WorkspaceMode};
use actum_sandbox::Sandboxes;
use rustix::fd::AsFd;
use std::ffi::OsString;

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
    let nothing = own::null().ok()?;
    let Heard { ending, usage, stderr, .. } = listen(sandboxes, &attempt, nothing.as_fd(), MOST).ok()?;
    let is_failure = matches!(ending, Ending::Exited { code } if code != 0);
    is_failure.then(|| Failed::of_check(care, ending, usage, stderr))
}
