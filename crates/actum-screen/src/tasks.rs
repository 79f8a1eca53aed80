//! What came of a list of tasks: a line for each while it goes on, a few at the end, and a report of everything in Markdown.
//!
//! The report leaves nothing out: every response and all output stand in fences that are longer than any run of backticks in
//! them. What others chose is made harmless to look at, and is never markup.

use super::look::{Look, Tone};
use super::markdown::{code, longest_run};
use super::{phrase, untrusted};
use actum_model::{
    BlockExecution, ExternalId, Outcome, TaskExecution, TaskOutcome, TaskResult, TasksSummary,
};
use std::fmt::Write as _;

/// Everything about one task.
pub struct TaskSection<'a> {
    pub told: TaskOutcome,
    pub result: &'a TaskResult,
    pub stdout: String,
    pub stderr: String,
}

/// Columns of an action in a line.
const ACTION: usize = 60;

/// `✓ task 3 of 12: Run the baseline · 3 blocks · MLflow run 0123… · run 9c1e02bd77aa`
pub fn tasks_progress((number, total): (usize, usize), task: &TaskOutcome, look: &Look) -> String {
    let action = untrusted::fit(&untrusted::line(&task.action), ACTION);
    let mut parts = vec![format!("task {number} of {total}: {action}")];
    match (&task.execution, &task.skipped) {
        (Some(execution), _) => parts.extend(executed(execution)),
        (None, Some(why)) => parts.push(format!("skipped: {}", untrusted::line(why))),
        (None, None) => parts.push("would run".to_owned()),
    }
    let outcome = task.outcome;
    let sign = if task.execution.is_none() && task.skipped.is_none() { "▸" } else { phrase::sign(outcome) };
    format!(
        "{} {}",
        look.paint(Tone::of(outcome), sign),
        untrusted::fit(&parts.join(" · "), look.width.saturating_sub(2))
    )
}

fn executed(execution: &TaskExecution) -> Vec<String> {
    let mut parts = Vec::new();
    match execution.blocks.len() {
        0 => {}
        1 => parts.push("1 block".to_owned()),
        count => parts.push(format!("{count} blocks")),
    }
    parts.extend(execution.error.as_deref().map(untrusted::line));
    parts.extend(execution.run_id.as_ref().map(|id| format!("MLflow run {id}")));
    parts.extend(execution.external_ids.iter().filter(|one| !one.credited).map(not_credited));
    parts.extend(execution.runs.iter().map(|run| format!("run {}", run.short())));
    parts
}

fn not_credited(one: &ExternalId) -> String {
    format!("`{}` is not credited: {}", untrusted::fit(&untrusted::line(&one.id), 40), one.why)
}

/// The closing lines.
pub fn tasks_summary(summary: &TasksSummary, look: &Look) -> String {
    let TasksSummary { processed, executed, succeeded, failed, skipped, blocks, .. } = summary;
    let outcome = match summary {
        TasksSummary { interrupted: true, .. } => Outcome::Cancelled,
        TasksSummary { failed: 1.., .. } => Outcome::Failure,
        TasksSummary { .. } => Outcome::Success,
    };
    let head = format!("{} actum: {processed} tasks processed", phrase::sign(outcome));
    let mut lines = vec![look.paint(Tone::of(outcome), &head)];
    let mut row = |label: &str, text: String| {
        lines.push(format!("{}{text}", look.paint(Tone::Faint, &format!("  {label:<12}"))));
    };
    row("executed", format!("{executed} · {succeeded} succeeded · {failed} failed"));
    row(
        "blocks",
        format!("{} executed · {} succeeded · {} failed", blocks.executed, blocks.succeeded, blocks.failed),
    );
    row("skipped", skipped.to_string());
    for (why, count) in reasons(summary) {
        row("", format!("{count} × {}", untrusted::line(&why)));
    }
    if summary.not_credited > 0 {
        row(
            "not credited",
            format!(" {} ids that are in no tracking store of their run", summary.not_credited),
        );
    }
    if let Some(written) = &summary.written {
        row("written", untrusted::line(written));
    }
    lines.join("\n")
}

/// Why tasks were skipped, each reason once, in the order in which they came.
fn reasons(summary: &TasksSummary) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for why in summary.tasks.iter().filter_map(|task| task.skipped.as_ref()) {
        match found.iter_mut().find(|(other, _)| other == why) {
            Some((_, count)) => *count += 1,
            None => found.push((why.clone(), 1)),
        }
    }
    found
}

/// The whole report, ending with a line end.
pub fn tasks_report(summary: &TasksSummary, sections: &[TaskSection<'_>]) -> String {
    let TasksSummary { processed, executed, succeeded, failed, skipped, blocks, not_credited, .. } = summary;
    let mut out = String::from("# Task progress\n\n| | |\n|---|---|\n");
    for (name, count) in [
        ("processed", processed),
        ("executed", executed),
        ("succeeded", succeeded),
        ("failed", failed),
        ("skipped", skipped),
        ("blocks executed", &blocks.executed),
        ("blocks succeeded", &blocks.succeeded),
        ("blocks failed", &blocks.failed),
        ("ids not credited", not_credited),
    ] {
        let _ = writeln!(out, "| {name} | {count} |");
    }
    if summary.interrupted {
        out.push_str("\nStopped before the end of the list.\n");
    }
    for section in sections {
        task_section(section, &mut out);
    }
    out
}

fn task_section(section: &TaskSection<'_>, out: &mut String) {
    let TaskSection { told, result, stdout, stderr } = section;
    let _ = writeln!(
        out,
        "\n## {} Task {}\n\n{}\n",
        phrase::sign(told.outcome),
        code(&told.id),
        code(&told.action)
    );
    let _ = writeln!(out, "- status: {}", code(&result.status));
    match (&told.execution, &told.skipped) {
        (Some(execution), _) => execution_lines(execution, out),
        (None, Some(why)) => drop(writeln!(out, "- skipped: {}", code(why))),
        (None, None) => {}
    }
    for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
        if !text.is_empty() {
            let _ = writeln!(out, "\n### {name}\n\n{}", whole(text));
        }
    }
    for (agent, response) in &result.agent_responses {
        let _ = writeln!(
            out,
            "\n### Response of {}\n\n{}",
            code(agent),
            whole(response.as_deref().unwrap_or_default())
        );
    }
}

fn execution_lines(execution: &TaskExecution, out: &mut String) {
    let _ = writeln!(out, "- outcome: {}", execution.outcome);
    for run in &execution.runs {
        let _ = writeln!(out, "- run: {}", code(&run.to_string()));
    }
    if let Some(error) = &execution.error {
        let _ = writeln!(out, "- error: {}", code(error));
    }
    for one in &execution.external_ids {
        let word = if one.credited { "credited" } else { "not credited" };
        let _ = writeln!(out, "- {} {}: {word}, {}", one.system, code(&one.id), one.why);
    }
    for note in &execution.notes {
        let _ = writeln!(out, "- note: {}", code(note));
    }
    execution.blocks.iter().for_each(|block| block_line(block, out));
}

fn block_line(block: &BlockExecution, out: &mut String) {
    let lines = block.lines.map(|[first, last]| format!(", lines {first} to {last}")).unwrap_or_default();
    let error = block.error.as_deref().map(|error| format!(": {}", code(error))).unwrap_or_default();
    let (sign, language) = (phrase::sign(block.outcome), code(&block.language));
    let _ = writeln!(out, "- {sign} block {} ({language}{lines}){error}", block.block);
    for anchor in &block.anchors {
        let _ = writeln!(out, "  - {}", code(anchor));
    }
}

/// All of a text, in a fence that nothing in it closes.
fn whole(text: &str) -> String {
    let text = untrusted::block(text, usize::MAX);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Detail;

    fn outcome(outcome: Outcome, skipped: Option<&str>) -> TaskOutcome {
        TaskOutcome {
            id: "7".to_owned(),
            action: "Run `it`\u{1b}[2J".to_owned(),
            outcome,
            skipped: skipped.map(str::to_owned),
            execution: None,
        }
    }

    #[test]
    fn a_line_for_each_task_obeys_nothing() {
        let look = Look::plain(Detail::Brief);
        let line = tasks_progress((1, 2), &outcome(Outcome::Skipped, Some("it has no status")), &look);
        assert_eq!(line, "- task 1 of 2: Run `it`\\u{1b}[2J · skipped: it has no status");
        assert!(tasks_progress((1, 2), &outcome(Outcome::Skipped, None), &look).ends_with("would run"));
    }

    #[test]
    fn the_report_leaves_nothing_out_and_closes_every_fence() {
        let response = format!("# Plan\n\n`````python\nx\n`````\n{}", "long\n".repeat(10_000));
        let result = TaskResult {
            agent_responses: [("ops".to_owned(), Some(response.clone()))].into(),
            ..TaskResult::default()
        };
        let told = outcome(Outcome::Skipped, Some("why"));
        let summary =
            TasksSummary { processed: 1, skipped: 1, tasks: vec![told.clone()], ..TasksSummary::default() };
        let section = TaskSection { told, result: &result, stdout: "out".to_owned(), stderr: String::new() };
        let report = tasks_report(&summary, &[section]);
        assert!(report.contains(response.trim_end()), "something is missing");
        assert_eq!(report.matches("``````\n").count(), 1, "one closing fence of six");
        assert!(report.contains("``````text\n# Plan"));
    }

    #[test]
    fn the_summary_counts_reasons() {
        let tasks = vec![
            outcome(Outcome::Skipped, Some("a")),
            outcome(Outcome::Skipped, Some("b")),
            outcome(Outcome::Skipped, Some("a")),
        ];
        let summary = TasksSummary { processed: 3, skipped: 3, tasks, ..TasksSummary::default() };
        let text = tasks_summary(&summary, &Look::plain(Detail::Brief));
        assert!(
            text.contains("3 tasks processed") && text.contains("2 × a") && text.contains("1 × b"),
            "{text}"
        );
    }
}
