//! The words with which a person is asked.

use actum_model::{Operation, Risk, Seen};

/// What a person is told before deciding: one fact a line, what leaves the walls in full, the rest as a count.
pub fn question(risk: &Risk) -> Vec<String> {
    let (inside, through): (Vec<&Operation>, Vec<&Operation>) =
        risk.operations.iter().partition(|operation| operation.contained);
    let mut lines = vec![opening(risk, through.len())];
    for operation in &through {
        lines.push(format!("  line {}: {}: {}", operation.line, operation.kind, operation.what));
        lines.push(format!("    {} ({})", operation.why, operation.level));
    }
    let rest = inside.len() as u64 + risk.beyond;
    if rest > 0 && !through.is_empty() {
        lines.push(format!("  and {rest} more of the same or a lower risk"));
    } else if rest > 0 {
        lines.push(format!("  found {rest} that the sandbox contains"));
    }
    match risk.seen {
        Seen::Whole => {}
        Seen::Beginning => lines.push("  only the beginning of the code was checked".to_owned()),
        Seen::Nothing => {
            lines.push("  the code was not checked: there are no rules for its language".to_owned())
        }
    }
    lines.push("Run it?".to_owned());
    lines
}

fn opening(risk: &Risk, through: usize) -> String {
    match through {
        0 => format!("Nothing was found that changes state outside the run (risk: {}).", risk.level),
        1 => format!("One operation would change state outside the run (risk: {}):", risk.level),
        more => format!("{more} operations would change state outside the run (risk: {}):", risk.level),
    }
}
