//! What `actum doctor` shows.

use actum_model::Tier;
use actum_sandbox::Abilities;
use std::path::PathBuf;

/// The machine's abilities as aligned lines, then what is missing with its remedy.
pub fn abilities(abilities: &Abilities, runtimes: &[PathBuf]) -> String {
    let mut lines = vec![row("tier", tier(abilities.tier))];
    for layer in &abilities.layers {
        lines.push(row(layer.layer.name(), &layer.detail));
    }
    for (index, runtime) in runtimes.iter().enumerate() {
        lines.push(row(if index == 0 { "runtimes" } else { "" }, &runtime.display().to_string()));
    }
    if abilities.missing.is_empty() {
        lines.push("nothing is missing".to_owned());
    }
    for missing in &abilities.missing {
        lines.push(format!("missing: {}: {}", missing.layer, missing.because));
        lines.push(format!("   hint: {}", missing.remedy));
    }
    lines.join("\n")
}

fn row(name: &str, value: &str) -> String {
    format!("{name:<12}{value}")
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::N => "N: all sandbox layers, with namespaces",
        Tier::L => "L: Landlock and seccomp, without namespaces",
        Tier::None => "none: programs cannot be sandboxed here; only --policy open works",
    }
}
