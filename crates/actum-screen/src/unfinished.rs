//! A run that has no record: it goes on, or was lost. What is known about it, for people.

use super::listing::{ago, sign, tone};
use super::look::{Look, Tone};
use super::untrusted;
use actum_evidence::{RunProgress, UnfinishedChanges, UnfinishedRun};
use actum_model::Moment;

/// Aligned lines, the first of which says how far it is.
pub fn unfinished(known: &UnfinishedRun, now: Moment, look: &Look) -> String {
    let short = known.run.short();
    let told = match known.state {
        RunProgress::Running => "is still running",
        RunProgress::Ended(_) => "was lost: it started, but its end was not recorded",
    };
    let first = format!("{} actum: run {short} {told}", sign(known.state));
    let changes = match known.changes {
        UnfinishedChanges::UnknownYet => "unknown yet".to_owned(),
        UnfinishedChanges::Saved => format!("saved · actum changes {short} · actum apply {short}"),
        UnfinishedChanges::NotSaved => "none were saved".to_owned(),
    };
    let rows = [
        ("command", untrusted::line(known.command.as_str())),
        ("language", untrusted::line(known.language.as_str())),
        ("folder", untrusted::line(known.folder.as_str())),
        ("started", format!("{}, {}", known.started_at, ago(known.started_at, now))),
        ("attempts", known.attempts.to_string()),
        ("output", format!("{} · actum logs {short}", known.printed.approximate())),
        ("changes", changes),
        ("run id", known.run.to_string()),
    ];
    let row = |(label, text): &(&str, String)| {
        let label = look.paint(Tone::Faint, &format!("  {label:<12}"));
        format!("{label}{}", untrusted::fit(text, look.width.saturating_sub(14)))
    };
    let lines = [look.paint(tone(known.state), &first)].into_iter().chain(rows.iter().map(row));
    lines.collect::<Vec<_>>().join("\n")
}
