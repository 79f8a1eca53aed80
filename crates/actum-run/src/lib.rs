//! Take one request to its report.
//!
//! So far the middle of the story: an attempt in its sandbox, with the granted hosts served beside it, and the
//! workspace's changes listed and, when it ended well, applied. [`run`] tells it in order.

mod attempt;
mod egress;
mod error;
mod report;
mod workspace;

pub use attempt::{Live, Passing};
pub use egress::gate_variables;
pub use error::RunError;
pub use report::{Applied, Hosts, Report};

use actum_model::WorkspaceMode;
use actum_sandbox::{Request, Sandboxes};

/// Carries one request to its end.
pub fn run(sandboxes: &Sandboxes, request: &Request, live: Live<'_>) -> Result<Report, RunError> {
    let workspace = workspace::Workspace::open(&request.workspace)?;
    let (ended, traces) = attempt::attempt(sandboxes, request, &workspace, live)?;
    let (changes, truncated) = workspace.changes(&traces)?;
    let applied = match request.policy.workspace {
        WorkspaceMode::ReadOnly if changes.is_empty() => Applied::Nothing,
        WorkspaceMode::ReadOnly => Applied::Discarded,
        WorkspaceMode::Overlay | WorkspaceMode::InPlace => {
            workspace.settle(&traces, &changes, truncated, ended.ending.is_success())?
        }
    };
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
