//! What `actum doctor` shows.

use super::untrusted;
use actum_engine::Card;
use actum_model::Tier;
use actum_sandbox::Abilities;
use std::path::PathBuf;

/// The machine's abilities as aligned lines, then what is missing with its remedy.
pub fn abilities(abilities: &Abilities, runtimes: &[PathBuf], cards: &[Card]) -> String {
    let mut lines = vec![row("tier", tier(abilities.tier))];
    for layer in &abilities.layers {
        lines.push(row(layer.layer.name(), &layer.detail));
    }
    for (index, runtime) in runtimes.iter().enumerate() {
        lines.push(row(if index == 0 { "runtimes" } else { "" }, &runtime.display().to_string()));
    }
    for (index, card) in cards.iter().enumerate() {
        let held = match card.held_by.len() {
            0 => String::new(),
            1 => "; used by 1 process".to_owned(),
            count => format!("; used by {count} processes"),
        };
        let text = format!(
            "{} {} ({} of {} free, driver {}{held})",
            card.index, card.name, card.memory_free, card.memory, card.driver
        );
        lines.push(row(if index == 0 { "gpus" } else { "" }, &untrusted::line(&text)));
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
