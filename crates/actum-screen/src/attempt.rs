//! One row of the attack matrix.

use actum_attacks::{Row, Verdict};
use actum_model::path_text;

/// `blocked   fs-read-ssh-key   112 ms  ENOENT`
pub fn attempt(row: &Row) -> String {
    let (word, detail) = match &row.verdict {
        Verdict::Held { detail } => ("blocked", detail),
        Verdict::Achieved { evidence } => ("ESCAPED", evidence),
        Verdict::Skipped { why } => ("skipped", why),
        Verdict::NotStarted { said, .. } => ("NOT RUN", said),
    };
    // What an attempt printed is untrusted like any program's output.
    let detail = path_text(detail.trim().as_bytes());
    format!("{word:<9}{:<28}{:>6} ms  {detail}", row.id, row.milliseconds)
}
