//! The account of a run for people: a few aligned lines on stderr, read in ten seconds.
//!
//! A run that simply went well is one line. Otherwise the first line says what happened in the words of the analysis, and
//! each line below answers one question, in the order in which people ask: how did it end, what failed, what became of
//! the files, what held it, what next. Start reading at [`account`].

mod rows;
mod verbose;

use super::look::{Detail, Look, Tone};
use super::{phrase, untrusted};
use actum_model::{Applied, Outcome, Report, RiskLevel};

/// One line below the first. A line without a label belongs to the one before it.
struct Row {
    label: &'static str,
    tone: Tone,
    text: String,
}

/// Columns of a label with its indent: wide enough for the longest, `environment`.
const LABELS: usize = 14;

/// The whole account, without a line end at its end.
pub fn account(report: &Report, look: &Look) -> String {
    let is_plain = is_plain(report) && look.detail == Detail::Brief;
    let mut lines = vec![first(report, look, is_plain)];
    if !is_plain {
        lines.extend(rows::rows(report).iter().map(|row| shown(row, look)));
    }
    if look.detail == Detail::Verbose {
        lines.extend(verbose::rows(report).iter().map(|row| shown(row, look)));
    }
    lines.join("\n")
}

/// Whether how it ended is all that there is to tell.
fn is_plain(report: &Report) -> bool {
    let Report { analysis, changes, request, .. } = report;
    let has_findings =
        !analysis.warnings.is_empty() || !analysis.errors.is_empty() || analysis.tests.is_some();
    let changes_are_in_place = match changes.state {
        Applied::Nothing | Applied::Applied | Applied::Direct => true,
        Applied::Kept | Applied::Refused | Applied::Discarded => changes.files.is_empty(),
    };
    report.outcome == Outcome::Success
        && !has_findings
        && changes_are_in_place
        && request.risk.level < RiskLevel::Medium
        && report.steps.is_empty()
        && !report.execution.blocks.iter().any(actum_model::BlockFacts::is_left_out)
        && report.recommendations.is_empty()
        && report.recovery.remedies.is_empty()
        && report.validation.holds()
        && report.validation.advice.is_empty()
}

/// `✓ actum: exited 0 in 42ms · memory 9.8 MiB · tier N (default) · run 9c1e02bd77aa`
fn first(report: &Report, look: &Look, is_plain: bool) -> String {
    let text = if is_plain {
        let mut parts = vec![rows::ended(report)];
        parts.extend(phrase::used(&report.resources));
        parts.extend(report.confinement.as_ref().map(phrase::walls));
        parts.extend(phrase::checks(&report.validation));
        parts.extend(phrase::changes(&report.changes));
        parts.push(format!("run {}", report.run.short()));
        parts.extend(phrase::unsigned(report).map(str::to_owned));
        parts.join(" · ")
    } else {
        headline(report).unwrap_or_else(|| rows::ended(report))
    };
    let sign = phrase::sign(report.outcome);
    let text = untrusted::fit(&text, look.width.saturating_sub(LEAD));
    if is_plain {
        return format!("{} actum: {text}", look.paint(Tone::of(report.outcome), sign));
    }
    look.paint(Tone::of(report.outcome), &format!("{sign} actum: {text}"))
}

/// The summary, where it says more than how the run ended.
fn headline(report: &Report) -> Option<String> {
    let summary = untrusted::line(&report.analysis.summary);
    (!summary.is_empty() && report.outcome != Outcome::Cancelled).then_some(summary)
}

/// Columns of `✓ actum: `.
const LEAD: usize = 9;

fn shown(row: &Row, look: &Look) -> String {
    let label = look.paint(Tone::Faint, &format!("  {:<width$}", row.label, width = LABELS - 2));
    let text = untrusted::fit(&row.text, look.width.saturating_sub(LABELS));
    format!("{label}{}", look.paint(row.tone, &text)).trim_end().to_owned()
}

impl Row {
    fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label, tone: Tone::Plain, text: text.into() }
    }

    fn toned(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }
}

#[cfg(test)]
mod tests;
