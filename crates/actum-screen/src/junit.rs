//! The run as JUnit XML, so that a CI system shows it among its tests.
//!
//! Only what is known becomes a case: the command (or each step of it), each check, and each test that is known by name,
//! which are the failed ones. Counts of a suite are the counts of its cases; what a test runner counted stands in the
//! suite's properties. An invented case for each passed test would be a claim that nobody can check.

use super::{phrase, untrusted};
use actum_model::{Analysis, Check, ExitCode, Outcome, Printed, Report, Tests};
use std::fmt::Write as _;

/// Of each stream. CI systems keep every report of every run.
const OUTPUT: usize = 64 * 1024;

/// A test case.
struct Case {
    class: String,
    name: String,
    seconds: Option<f64>,
    end: End,
    output: Vec<(&'static str, String)>,
}

enum End {
    Passed,
    Failed {
        kind: String,
        message: String,
        text: String,
    },
    /// We or the world failed, or it was stopped.
    Error {
        kind: String,
        message: String,
        text: String,
    },
    Skipped(String),
}

/// One document.
pub fn junit(report: &Report) -> String {
    let own: Vec<Case> = programs(report).into_iter().chain(checks(report)).collect();
    let tests = report.analysis.tests.as_ref();
    let named: Vec<Case> = tests.map(|tests| failed_tests(tests, &report.analysis)).unwrap_or_default();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&Case> = own.iter().chain(&named).collect();
    let time = report.resources.wall.0.as_secs_f64();
    let _ = writeln!(out, "<testsuites name=\"actum\" {} time=\"{time:.3}\">", counts(&all));
    suite("actum", &own, report, None, &mut out);
    if let Some(tests) = tests {
        suite(&tests.runner, &named, report, Some(tests), &mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

fn programs(report: &Report) -> Vec<Case> {
    if report.steps.is_empty() {
        let printed = Some(&report.result);
        // Where only checks did not hold, these are the cases that failed.
        let outcome =
            if report.exit_code == ExitCode::CHECK_FAILED { Outcome::Success } else { report.outcome };
        let end = end(outcome, printed, &report.analysis);
        return vec![case(&report.execution.language, &report.execution.command, printed, end)];
    }
    let nothing = Analysis::default();
    let step = |step: &actum_model::Step| {
        let analysis = step.analysis.as_ref().unwrap_or(&nothing);
        let end = end(step.outcome, step.result.as_ref(), analysis);
        let name = format!("step {}: {}", step.number, step.command);
        case(&step.language, &name, step.result.as_ref(), end)
    };
    report.steps.iter().map(step).collect()
}

fn case(language: &str, name: &str, printed: Option<&Printed>, end: End) -> Case {
    let output = printed.map_or_else(Vec::new, |printed| {
        vec![("system-out", printed.stdout.clone()), ("system-err", printed.stderr.clone())]
    });
    let seconds = printed.and_then(|printed| seconds(&printed.duration));
    Case { class: format!("actum.{language}"), name: name.to_owned(), seconds, end, output }
}

/// `2.3s` as a number.
fn seconds(duration: &str) -> Option<f64> {
    duration.parse::<actum_model::Span>().ok().map(|span| span.0.as_secs_f64())
}

fn end(outcome: Outcome, printed: Option<&Printed>, analysis: &Analysis) -> End {
    let ended = printed.map_or_else(|| "not run".to_owned(), |printed| phrase::ending(&printed.ending));
    let message = if analysis.summary.is_empty() { ended.clone() } else { analysis.summary.clone() };
    let kind = analysis.failures.first().map_or_else(|| outcome.to_string(), |failure| failure.kind.clone());
    let text = [&[ended], analysis.errors.as_slice()].concat().join("\n");
    match outcome {
        Outcome::Success => End::Passed,
        Outcome::Failure => End::Failed { kind, message, text },
        Outcome::Error | Outcome::Timeout | Outcome::Cancelled | Outcome::Lost => {
            End::Error { kind, message, text }
        }
        Outcome::Skipped => End::Skipped(message),
    }
}

/// Each check, and each case as one: its checks tell why it failed.
fn checks(report: &Report) -> impl Iterator<Item = Case> {
    let check = |check: &Check| Case {
        class: "actum.check".to_owned(),
        name: check.name.clone(),
        seconds: None,
        end: end_of(std::slice::from_ref(check)),
        output: Vec::new(),
    };
    let case = |case: &actum_model::Case| Case {
        class: "actum.case".to_owned(),
        name: case.name.clone(),
        seconds: Some(case.duration.0.as_secs_f64()),
        end: end_of(&case.checks),
        output: Vec::new(),
    };
    report.validation.checks.iter().map(check).chain(report.validation.cases.iter().map(case))
}

fn end_of(checks: &[Check]) -> End {
    let broken: Vec<&Check> = checks.iter().filter(|check| !check.held).collect();
    let Some(first) = broken.first() else { return End::Passed };
    let lines: Vec<String> =
        broken.iter().map(|check| format!("{}: {}", check.name, check.words())).collect();
    let (message, text) = (first.words(), lines.join("\n"));
    match first.undecided {
        Some(_) => End::Error { kind: "check".to_owned(), message, text },
        None => End::Failed { kind: "check".to_owned(), message, text },
    }
}

fn failed_tests(tests: &Tests, analysis: &Analysis) -> Vec<Case> {
    let text = analysis.errors.join("\n");
    let failed = |name: &String| {
        // The errors are known for the run, not for each test: one that names the test is taken for its own.
        let own = analysis.errors.iter().find(|error| error.contains(name.as_str()));
        let message = own.cloned().unwrap_or_else(|| analysis.summary.clone());
        let end = End::Failed { kind: "failure".to_owned(), message, text: own.unwrap_or(&text).clone() };
        Case { class: tests.runner.clone(), name: name.clone(), seconds: None, end, output: Vec::new() }
    };
    tests.failed_names.iter().map(failed).collect()
}

fn suite(name: &str, cases: &[Case], report: &Report, counted: Option<&Tests>, out: &mut String) {
    let all: Vec<&Case> = cases.iter().collect();
    let (time, began) = (report.resources.wall.0.as_secs_f64(), report.execution.started_at.to_string());
    // Without the fraction: the XML schemas of some CI systems have none.
    let began = began.split('.').next().unwrap_or_default();
    let _ = writeln!(
        out,
        "  <testsuite name={} {} time=\"{time:.3}\" timestamp=\"{began}\">",
        attribute(name),
        counts(&all)
    );
    properties(report, counted, out);
    for case in cases {
        write_case(case, out);
    }
    out.push_str("  </testsuite>\n");
}

fn properties(report: &Report, counted: Option<&Tests>, out: &mut String) {
    let mut pairs = vec![("run", report.run.to_string()), ("outcome", report.outcome.to_string())];
    if let Some(tests) = counted {
        pairs.push(("passed", tests.passed.to_string()));
        pairs.push(("failed", tests.failed.to_string()));
        pairs.push(("skipped", tests.skipped.to_string()));
    }
    out.push_str("    <properties>\n");
    for (name, value) in pairs {
        let _ = writeln!(out, "      <property name=\"{name}\" value={}/>", attribute(&value));
    }
    out.push_str("    </properties>\n");
}

fn counts(cases: &[&Case]) -> String {
    let count = |is: fn(&End) -> bool| cases.iter().filter(|case| is(&case.end)).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.len(),
        count(|end| matches!(end, End::Failed { .. })),
        count(|end| matches!(end, End::Error { .. })),
        count(|end| matches!(end, End::Skipped(_))),
    )
}

fn write_case(case: &Case, out: &mut String) {
    let time = case.seconds.map_or_else(String::new, |seconds| format!(" time=\"{seconds:.3}\""));
    let (class, name) = (attribute(&case.class), attribute(&case.name));
    let _ = writeln!(out, "    <testcase classname={class} name={name}{time}>");
    match &case.end {
        End::Passed => {}
        End::Failed { kind, message, text } => write_end("failure", [kind, message, text], out),
        End::Error { kind, message, text } => write_end("error", [kind, message, text], out),
        End::Skipped(message) => {
            let _ = writeln!(out, "      <skipped message={}/>", attribute(message));
        }
    }
    for (element, printed) in case.output.iter().filter(|(_, printed)| !printed.is_empty()) {
        let _ = writeln!(out, "      <{element}>{}</{element}>", escaped(&untrusted::block(printed, OUTPUT)));
    }
    out.push_str("    </testcase>\n");
}

fn write_end(element: &str, [kind, message, text]: [&str; 3], out: &mut String) {
    let (kind, message, text) =
        (attribute(kind), attribute(message), escaped(&untrusted::block(text, OUTPUT)));
    let _ = writeln!(out, "      <{element} type={kind} message={message}>{text}</{element}>");
}

/// In its quotes, on one line.
fn attribute(text: &str) -> String {
    format!("\"{}\"", escaped(&untrusted::line(text)))
}

/// Neutral text has no control characters but line ends and tabs; two further characters are none in XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use proptest::prelude::*;

    #[test]
    fn every_sample_is_well_formed_and_its_counts_are_those_of_its_cases() {
        for (name, report) in samples::all() {
            let text = junit(&report);
            let document =
                roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            for suite in document.descendants().filter(|node| node.has_tag_name("testsuite")) {
                let cases = suite.children().filter(|node| node.has_tag_name("testcase"));
                assert_eq!(suite.attribute("tests"), Some(cases.count().to_string().as_str()), "{name}");
            }
        }
    }

    #[test]
    fn every_sample_as_it_is_shown() {
        insta::assert_snapshot!("junit", samples::shown(|report| samples::short(&junit(report))));
    }

    #[test]
    fn output_is_bounded() {
        let mut report = samples::small();
        report.result.stdout = "x".repeat(1 << 20);
        report.result.stderr = "\u{1b}[31m".repeat(1 << 16);
        assert!(junit(&report).len() < 150 * 1024);
    }

    proptest! {
        #[test]
        fn any_text_is_well_formed_and_reads_back_neutral(text in "[\\PC\\p{Cc}\\p{Cf}\u{fffe}\u{ffff}<>&\"']{0,80}") {
            let mut report = samples::small();
            report.result.stdout = text.clone();
            report.execution.command = text.clone();
            report.outcome = Outcome::Failure;
            report.analysis.errors = vec![text.clone()];
            let written = junit(&report);
            let document = roxmltree::Document::parse(&written).unwrap();
            let case = document.descendants().find(|node| node.has_tag_name("testcase")).unwrap();
            let expected = untrusted::line(&text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
            prop_assert_eq!(case.attribute("name"), Some(expected.as_str()));
        }
    }
}
