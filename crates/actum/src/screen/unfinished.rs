//! A run that has no record: it goes on, or was lost. What is known about it, for people.

use super::listing::{State, ago};
use super::look::{Look, Tone};
use super::untrusted;
use actum_model::{Bytes, Moment, RunId};
use serde::Serialize;

/// What is known about a run without a record.
#[derive(Debug, Clone, Serialize)]
pub struct Unfinished {
    pub run: RunId,
    /// `running` or `lost`.
    #[serde(rename = "outcome", serialize_with = "word")]
    pub state: State,
    pub started_at: Moment,
    pub command: String,
    pub language: String,
    pub folder: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// How many began.
    pub attempts: usize,
    /// What lies of its output so far.
    pub printed: Bytes,
}

/// Aligned lines, the first of which says how far it is.
pub fn unfinished(known: &Unfinished, now: Moment, look: &Look) -> String {
    let short = known.run.short();
    let told = match known.state {
        State::Running => "is still running",
        State::Ended(_) => "was lost: it started, but its end was not recorded",
    };
    let first = format!("{} actum: run {short} {told}", known.state.sign());
    let rows = [
        ("command", untrusted::line(&known.command)),
        ("language", untrusted::line(&known.language)),
        ("folder", untrusted::line(&known.folder)),
        ("started", format!("{}, {}", known.started_at, ago(known.started_at, now))),
        ("attempts", known.attempts.to_string()),
        ("output", format!("{} · actum logs {short}", known.printed.approximate())),
        ("run id", known.run.to_string()),
    ];
    let row = |(label, text): &(&str, String)| {
        let label = look.paint(Tone::Faint, &format!("  {label:<12}"));
        format!("{label}{}", untrusted::fit(text, look.width.saturating_sub(14)))
    };
    let lines = [look.paint(known.state.tone(), &first)].into_iter().chain(rows.iter().map(row));
    lines.collect::<Vec<_>>().join("\n")
}

fn word<S: serde::Serializer>(state: &State, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(state.word())
}
