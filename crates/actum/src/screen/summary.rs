//! The one line that closes a run.

use actum_model::{Confinement, Ending, Layer, LayerState, Tier};
use actum_run::Report;

/// `actum: exited 0 in 42ms · tier N: user mount pid … · 3 changes applied`
pub fn summary(report: &Report) -> String {
    let Report { ending, usage, confinement, changes, applied, .. } = report;
    let mut parts = vec![format!("{} in {}", how(ending), usage.wall), tier(confinement)];
    if !changes.is_empty() {
        let withheld = changes.iter().filter(|change| change.withheld.is_some()).count();
        let count = changes.len() - withheld;
        parts.push(format!("{count} {} {}", if count == 1 { "change" } else { "changes" }, applied.word()));
        if withheld > 0 {
            parts.push(format!("{withheld} withheld"));
        }
    }
    if let Some(missing) = confinement.missing.iter().find(|missing| missing.layer != Layer::Accounting) {
        parts.push(format!("without {}: {}", missing.layer, missing.because));
    }
    format!("actum: {}", parts.join(" · "))
}

fn how(ending: &Ending) -> String {
    match ending {
        Ending::Exited { code } => format!("exited {code}"),
        Ending::Signalled { signal } => format!("ended by signal {signal}"),
        Ending::TimedOut { max, used } => format!("stopped: the limit wall={max} was met ({used} used)"),
        Ending::OutOfMemory { max, used } => format!("stopped: the limit memory={max} was met ({used} used)"),
        Ending::OverLimit { limit, max, used } => {
            format!("stopped: the limit {limit}={max} was met ({used} used)")
        }
        Ending::Cancelled => "cancelled".to_owned(),
        Ending::NotStarted { reason, .. } => format!("not started: {reason}"),
    }
}

fn tier(confinement: &Confinement) -> String {
    let word = |state: &LayerState| {
        let detailed = matches!(state.layer, Layer::Landlock | Layer::Accounting);
        if detailed {
            state.detail.replace("version ", "landlock-").replace("cgroup ", "cgroup-")
        } else {
            state.layer.name().to_owned()
        }
    };
    let words: Vec<String> = confinement.layers.iter().map(word).collect();
    let name = match confinement.tier {
        Tier::None => "no walls".to_owned(),
        Tier::L | Tier::N => format!("tier {}", confinement.tier),
    };
    format!("{name} ({}): {}", confinement.profile, words.join(" "))
}
