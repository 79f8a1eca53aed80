//! The run as Markdown, for a pull request or the step summary of a CI system.
//!
//! Whoever reads it trusts the page that it stands on, so nothing that a program chose may act there: it stands in code
//! spans and fenced blocks only, where no mention, link, image or HTML is read. A fence is longer than any run of
//! backticks in it.

use super::{phrase, untrusted};
use actum_model::{Report, Step};
use std::fmt::Write as _;

/// Of each stream. A comment on a pull request may hold 65,536 characters, and everything should fit.
const OUTPUT: usize = 12 * 1024;
const ERRORS: usize = 8 * 1024;
/// Paths that are named; the rest is counted.
const PATHS: usize = 50;
/// Characters of a text that stands in a line.
const INLINE: usize = 200;

/// A section, ending with a line end.
pub fn markdown(report: &Report) -> String {
    let sign = phrase::sign(report.outcome);
    let mut out = format!("### {sign} Actum: {}\n\n", report.outcome);
    if !report.analysis.summary.is_empty() {
        let _ = writeln!(out, "{}\n", code(&report.analysis.summary));
    }
    table(report, &mut out);
    steps(&report.steps, &mut out);
    failed_tests(report, &mut out);
    if !report.analysis.errors.is_empty() {
        let _ = writeln!(out, "\n**Errors**\n\n{}", fenced(&report.analysis.errors.join("\n"), ERRORS));
    }
    checks(report, &mut out);
    changes(report, &mut out);
    for recommendation in &report.recommendations {
        let _ = writeln!(out, "\nNext: {}", code(recommendation));
    }
    details("stdout", &report.result.stdout, &mut out);
    details("stderr", &report.result.stderr, &mut out);
    out
}

fn table(report: &Report, out: &mut String) {
    let usage = &report.resources;
    let rows = [
        ("command", Some(cell(&report.execution.command))),
        ("ended", Some(cell(&phrase::how(report)))),
        ("exit code", Some(report.exit_code.to_string())),
        ("duration", Some(phrase::duration(usage.wall))),
        ("tests", report.analysis.tests.as_ref().map(|tests| cell(&phrase::tests(tests)))),
        ("checks", phrase::checks(&report.validation)),
        ("changes", phrase::changes(&report.changes)),
        ("memory", usage.memory_peak.map(|peak| peak.approximate())),
        ("sandbox", report.confinement.as_ref().map(phrase::walls)),
        ("run", Some(cell(&report.run.to_string()))),
    ];
    out.push_str("| | |\n|---|---|\n");
    for (name, value) in rows {
        if let Some(value) = value {
            let _ = writeln!(out, "| {name} | {value} |");
        }
    }
}

fn steps(steps: &[Step], out: &mut String) {
    if steps.is_empty() {
        return;
    }
    out.push_str("\n| step | | command | ended |\n|---|---|---|---|\n");
    for step in steps {
        let ended =
            step.result.as_ref().map_or("not run".to_owned(), |result| cell(&phrase::ending(&result.ending)));
        let sign = phrase::sign(step.outcome);
        let _ = writeln!(out, "| {} | {sign} | {} | {ended} |", step.number, cell(&step.command));
    }
}

fn failed_tests(report: &Report, out: &mut String) {
    let Some(tests) = &report.analysis.tests else { return };
    if tests.failed_names.is_empty() {
        return;
    }
    out.push_str("\n**Failed tests**\n\n");
    for name in tests.failed_names.iter().take(PATHS) {
        let _ = writeln!(out, "- {}", code(name));
    }
    let more = tests.failed_names.len().saturating_sub(PATHS) as u64 + tests.failed_names_left_out;
    if more > 0 {
        let _ = writeln!(out, "- and {more} more");
    }
}

fn checks(report: &Report, out: &mut String) {
    let validation = &report.validation;
    let broken = validation.checks.iter().filter(|check| !check.held);
    let broken = broken.map(|check| format!("{}: {}", check.name, check.words()));
    let cases = validation.cases.iter().filter(|case| !case.held).map(phrase::case);
    let all: Vec<String> = broken.chain(cases).collect();
    if !all.is_empty() {
        out.push_str("\n**Failed checks**\n\n");
    }
    for text in all.iter().take(PATHS) {
        let _ = writeln!(out, "- {}", code(text));
    }
    if all.len() > PATHS {
        let _ = writeln!(out, "- and {} more", all.len() - PATHS);
    }
    for advice in validation.advice.iter().take(PATHS) {
        let _ = writeln!(out, "\nAdvice: {}", code(&phrase::advice(advice)));
    }
}

fn changes(report: &Report, out: &mut String) {
    let files = &report.changes.files;
    let Some(told) = phrase::changes(&report.changes) else { return };
    let _ = writeln!(out, "\n<details><summary>{told}</summary>\n");
    for change in files.iter().take(PATHS) {
        let _ = writeln!(out, "- {}", code(&phrase::change(change)));
    }
    if files.len() > PATHS {
        let _ = writeln!(out, "- and {} more", files.len() - PATHS);
    }
    for conflict in report.changes.conflicts.iter().take(PATHS) {
        let _ = writeln!(out, "- conflict: {}", code(&phrase::conflict(conflict)));
    }
    out.push_str("\n</details>\n");
}

fn details(name: &str, text: &str, out: &mut String) {
    if !text.trim().is_empty() {
        let _ = writeln!(out, "\n<details><summary>{name}</summary>\n\n{}\n</details>", fenced(text, OUTPUT));
    }
}

/// A code span. Its delimiter is longer than any run of backticks inside.
pub(super) fn code(text: &str) -> String {
    let text = untrusted::fit(&untrusted::line(text), INLINE);
    let text = text.trim();
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let delimiter = "`".repeat(longest_run(text) + 1);
    // The blanks are taken off again by whoever reads it, and keep a backtick at the edge apart.
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{delimiter}{blank}{text}{blank}{delimiter}")
}

/// A code span in a table, where a bar ends the cell even inside code. Readers do not agree about a bar after two
/// backslashes, so a bar after one is shown by another sign.
fn cell(text: &str) -> String {
    code(&text.replace("\\|", "\\∣")).replace('|', "\\|")
}

fn fenced(text: &str, most: usize) -> String {
    let text = untrusted::block(text, most);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}

pub(super) fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use proptest::prelude::*;

    #[test]
    fn every_sample_as_it_is_shown() {
        for (name, report) in samples::all() {
            let length = markdown(&report).len();
            assert!(length < 60_000, "{name}: {length}");
        }
        insta::assert_snapshot!("markdown", samples::shown(|report| samples::short(&markdown(report))));
    }

    /// What is left when code spans and fenced blocks are taken away, as a reader of Markdown would take them.
    fn outside_of_code(text: &str) -> String {
        let mut outside = String::new();
        let mut fence: Option<usize> = None;
        for line in text.lines() {
            let run = line.len() - line.trim_start_matches('`').len();
            match fence {
                Some(length) if run >= length && line.trim_matches('`').is_empty() => fence = None,
                Some(_) => {}
                None if run >= 3 && !line[run..].contains('`') => fence = Some(run),
                None => outside.push_str(&without_spans(line)),
            }
        }
        assert_eq!(fence, None, "a fence is not closed");
        outside
    }

    fn without_spans(line: &str) -> String {
        let mut outside = String::new();
        let mut rest = line;
        while let Some(at) = rest.find('`') {
            outside.push_str(&rest[..at]);
            let run: String = rest[at..].chars().take_while(|c| *c == '`').collect();
            let inside = &rest[at + run.len()..];
            // A span ends at a run of just this length.
            let mut from = 0;
            let end = loop {
                let Some(found) = inside[from..].find('`').map(|found| found + from) else {
                    panic!("a span is not closed: {line}")
                };
                let length = inside[found..].len() - inside[found..].trim_start_matches('`').len();
                if length == run.len() {
                    break found + length;
                }
                from = found + length;
            };
            rest = &inside[end..];
        }
        outside + rest + "\n"
    }

    fn with(text: &str) -> Report {
        let mut report = samples::tests_failed();
        report.execution.command = text.to_owned();
        report.analysis.summary = text.to_owned();
        report.analysis.errors = vec![text.to_owned(), text.to_owned()];
        report.result.stdout = text.to_owned();
        report.result.stderr = text.to_owned();
        report.recommendations = vec![text.to_owned()];
        if let Some(tests) = &mut report.analysis.tests {
            tests.failed_names = vec![text.to_owned()];
            tests.runner = text.to_owned();
        }
        report
    }

    #[test]
    fn nothing_untrusted_stands_outside_of_code() {
        for text in [
            "</details><img src=x onerror=alert(1)> CHOSEN",
            "```\n# CHOSEN\n````\n@everyone CHOSEN [a](https://CHOSEN)",
            "`` ` CHOSEN ``` |CHOSEN| \\| CHOSEN `",
            "\u{1b}]8;;CHOSEN\u{7}\u{202e}CHOSEN\r\nCHOSEN",
            "\n```\nCHOSEN",
            "~~~\nCHOSEN\n- CHOSEN",
        ] {
            let outside = outside_of_code(&markdown(&with(text)));
            assert!(!outside.contains("CHOSEN"), "{text:?}:\n{outside}");
            assert!(!outside.contains('@') && !outside.contains("<img"), "{outside}");
        }
    }

    #[test]
    fn a_bar_never_ends_a_cell() {
        for (text, shown) in [("a | b", "`a \\| b`"), ("a \\| b", "`a \\∣ b`"), ("\\\\||", "`\\\\∣\\|`")]
        {
            assert_eq!(cell(text), shown);
        }
    }

    proptest! {
        #[test]
        fn whatever_is_chosen_stays_in_code(text in "([`|\\\\\n \t#~<>]|CHOSEN|\\PC){0,40}") {
            let outside = outside_of_code(&markdown(&with(&text)));
            prop_assert!(!outside.contains("CHOSEN"), "{}", outside);
            prop_assert_eq!(outside.matches("<details>").count(), outside.matches("</details>").count());
        }
    }
}
