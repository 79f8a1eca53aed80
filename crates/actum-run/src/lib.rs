//! Take one request to its report.
//!
//! So far the middle of the story: an attempt in its sandbox, with the granted hosts served beside it, and the
//! workspace's changes listed, kept and, when it ended well, applied. [`run`] tells it in order; [`settle`] is what can
//! be done with the changes later.

mod attempt;
mod clock;
mod egress;
mod error;
mod report;
pub mod settle;
mod workspace;

pub use attempt::{Live, Passing};
pub use egress::gate_variables;
pub use error::RunError;
pub use report::{Applied, Hosts, Report};

use actum_sandbox::{Request, Sandboxes};
use settle::Keeping;
use workspace::Fate;

/// Carries one request to its end. What it changed is kept as `keeping` says.
pub fn run(
    sandboxes: &Sandboxes,
    request: &Request,
    keeping: &Keeping,
    live: Live<'_>,
) -> Result<Report, RunError> {
    let workspace = workspace::Workspace::open(&request.workspace)?;
    let (ended, traces) = attempt::attempt(sandboxes, request, &workspace, live)?;
    workspace.reopen(&traces);
    let listed = workspace.changes(&traces, keeping);
    // Listed first, because what is put back is no longer seen; put back whatever else went wrong.
    workspace.put_back(&traces)?;
    let ended = ended?;
    let listed = listed?;
    let fate = Fate::of(request.policy.workspace, &ended.ending, request.limits.disk);
    let settlement = workspace.settle(&traces, &listed, fate, keeping)?;
    let is_refused = settlement.applied == Applied::Refused;
    Ok(Report {
        exit_code: if is_refused { OWN_ERROR } else { ended.ending.exit_code() },
        ending: ended.ending,
        usage: ended.usage,
        confinement: ended.confinement,
        changes: listed.changes,
        changes_cut: listed.truncated,
        applied: settlement.applied,
        conflicts: settlement.conflicts,
        hosts: traces.hosts,
    })
}

/// The exit code when we or the world failed, not the program.
const OWN_ERROR: u8 = 125;
