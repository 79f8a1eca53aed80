//! The one line that closes a run.

use actum_model::{Change, Confinement, Ending, Layer, Tier, Usage};

/// `actum: exited 0 in 42ms · tier N: user mount pid … · 3 changes applied`
pub fn summary(ending: &Ending, usage: &Usage, confinement: &Confinement, changes: &[Change], applied: &str) -> String {
    let mut parts = vec![format!("{} in {}", how(ending), usage.wall), tier(confinement)];
    if !changes.is_empty() {
        let noun = if changes.len() == 1 { "change" } else { "changes" };
        parts.push(format!("{} {noun} {applied}", changes.len()));
        let withheld = changes.iter().filter(|change| change.withheld.is_some()).count();
        if withheld > 0 {
            parts.push(format!("{withheld} withheld"));
        }
    }
    for missing in confinement.missing.iter().filter(|missing| missing.layer != Layer::Accounting) {
        parts.push(format!("no {}: {}", missing.layer, missing.because));
    }
    format!("actum: {}", parts.join(" · "))
}

fn how(ending: &Ending) -> String {
    match ending {
        Ending::Exited { code } => format!("exited {code}"),
        Ending::Signalled { signal } => format!("ended by signal {signal}"),
        Ending::TimedOut { max, used } => format!("stopped: the limit wall={max} was met ({used} used)"),
        Ending::OutOfMemory { max, used } => format!("stopped: the limit memory={max} was met ({used} used)"),
        Ending::OverLimit { limit, max, used } => format!("stopped: the limit {limit}={max} was met ({used} used)"),
        Ending::Cancelled => "cancelled".to_owned(),
        Ending::NotStarted { reason, .. } => format!("not started: {reason}"),
    }
}

fn tier(confinement: &Confinement) -> String {
    let names: Vec<String> = confinement
        .layers
        .iter()
        .map(|state| match state.layer {
            Layer::Landlock => state.detail.replace("version ", "landlock "),
            Layer::Accounting => state.detail.replace("cgroup ", "cgroup-"),
            other => other.name().to_owned(),
        })
        .collect();
    let name = match confinement.tier {
        Tier::None => "no walls".to_owned(),
        tier => format!("tier {tier}"),
    };
    format!("{name} ({}): {}", confinement.profile, names.join(" "))
}
