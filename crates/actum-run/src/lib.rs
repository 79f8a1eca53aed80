//! Take one request to its report.
//!
//! So far the middle of the story: an attempt in its sandbox, with the granted hosts served beside it, and the
//! workspace's changes listed and, when it ended well, applied. [`run`] tells it in order.

mod attempt;
mod egress;
mod error;
mod report;
pub mod session;
mod workspace;

pub use attempt::{Live, Passing};
pub use egress::gate_variables;
pub use error::RunError;
pub use report::{Applied, Hosts, Report};

use actum_model::WorkspaceMode;
use actum_sandbox::{Request, Sandboxes};
use workspace::Keep;

/// Carries one request to its end.
pub fn run(sandboxes: &Sandboxes, request: &Request, live: Live<'_>) -> Result<Report, RunError> {
    let workspace = workspace::Workspace::open(&request.workspace)?;
    let (ended, traces) = attempt::attempt(sandboxes, request, &workspace, live)?;
    workspace.reopen(&traces);
    let listed = workspace.changes(&traces);
    // Listed first, because what is put back is no longer seen; put back whatever else went wrong.
    workspace.put_back(&traces)?;
    let ended = ended?;
    let (changes, truncated) = listed?;
    let applies = request.policy.workspace != WorkspaceMode::ReadOnly && ended.ending.is_success();
    let keep = if applies { Keep::UpTo(request.limits.disk) } else { Keep::Nothing };
    let applied = workspace.settle(&traces, &changes, truncated, keep)?;
    Ok(Report {
        exit_code: ended.ending.exit_code(),
        ending: ended.ending,
        usage: ended.usage,
        confinement: ended.confinement,
        changes,
        changes_cut: truncated,
        applied,
        hosts: traces.hosts,
    })
}
