//! Reads the output of an attempt: what went wrong and where, how the tests went, and one line for a person.
//!
//! Pure: bytes in, words out; see docs/design/analysis.md. The shapes of errors are in `language/`, those of test runners in
//! `runner/`, one file each; the sentence is made in `summary`. Start reading at [`analyse`].
//!
//! What a program printed is untrusted. Nothing here takes longer than the length of what is read, nothing panics, and
//! every text that leaves is neutral and bounded.

mod asked;
mod collect;
mod explain;
mod language;
mod lines;
mod metrics;
mod query;
mod runner;
mod shown;
mod sight;
mod summary;
mod text;

#[cfg(test)]
mod tests;

pub use asked::Asked;
pub use metrics::{LineMetric, OutputLines, is_step, json_numbers, json_with_text_numbers, name_words};
pub use metrics::{Metrics, metrics, of_file as metrics_of_file};
pub use runner::junit;
pub use text::Text;

pub(crate) use lines::Lines;
pub use shown::{MESSAGE, NAME, shown};

use actum_model::{Analysis, Ending, Span, Stream, Tests};
use collect::LastResort;
use sight::RunEnded;

/// Reads both streams of an attempt that ended like this after `wall`.
pub fn analyse(asked: &Asked<'_>, ending: &Ending, wall: Span, stdout: &Text, stderr: &Text) -> Analysis {
    let run = if ending.is_success() { RunEnded::Well } else { RunEnded::Badly };
    let of_stdout = Lines::read(Stream::Stdout, stdout);
    let of_stderr = Lines::read(Stream::Stderr, stderr);
    let lines = [&of_stdout, &of_stderr];
    let texts = [stdout, stderr];
    let tests = runner::count(texts, lines, &asked.origin);
    let numbers = if asked.origin.is_of_a_program() { metrics::read(lines) } else { Metrics::default() };
    let last_resort = if tests.is_some() { LastResort::Needless } else { LastResort::Allowed };
    let found = collect::collect(asked, run, lines, last_resort);
    let known = summary::Known { asked, ending, wall, texts, lines, found: &found, tests: tests.as_ref() };
    let summary = summary::summary(&known);
    let failures: Vec<_> = found.failures.items.into_iter().map(|picked| picked.failure).collect();
    Analysis {
        summary,
        errors: failures.iter().map(|failure| failure.one_line()).collect(),
        failures,
        failures_left_out: found.failures.left_out,
        warnings: found.warnings.items,
        warnings_left_out: found.warnings.left_out,
        tests,
        unknown_programs: asked.origin.unknown.clone(),
        metrics: numbers.listed,
        metrics_left_out: numbers.left_out,
    }
}

/// Reads counts and metrics again, from what was printed before anything was taken out. A project can have any text redacted, so what it has
/// taken out must not change what is counted. Words stay those of what is kept: only numbers come from here.
pub fn recount(analysis: &mut Analysis, asked: &Asked<'_>, stdout: &Text, stderr: &Text) {
    let of_stdout = Lines::read(Stream::Stdout, stdout);
    let of_stderr = Lines::read(Stream::Stderr, stderr);
    let lines = [&of_stdout, &of_stderr];
    if asked.origin.is_of_a_program() {
        let numbers = metrics::read(lines);
        (analysis.metrics, analysis.metrics_left_out) = (numbers.listed, numbers.left_out);
    }
    let Some(tests) = runner::count([stdout, stderr], lines, &asked.origin) else { return };
    let numbers =
        |tests: &Tests| [tests.passed, tests.failed, tests.skipped, tests.expected_failures, tests.total];
    let kept = analysis.tests.take();
    if kept.as_ref().is_none_or(|kept| numbers(kept) != numbers(&tests)) {
        analysis.summary = summary::counted_only(&tests);
    }
    let (failed_names, suites) = kept.map(|kept| (kept.failed_names, kept.suites)).unwrap_or_default();
    let failed_names_left_out = tests.failed.saturating_sub(failed_names.len() as u64);
    analysis.tests = Some(Tests { failed_names, failed_names_left_out, suites, ..tests });
}

/// Where in the output the evidence stands: first and last line of every failure and of the counts of tests.
pub fn anchors(analysis: &Analysis) -> Vec<(Stream, u64, u64)> {
    let failures = analysis.failures.iter().map(|failure| (failure.stream, failure.lines));
    let tests = analysis.tests.iter().map(|tests| (tests.stream, tests.lines));
    tests.chain(failures).map(|(stream, [first, last])| (stream, first, last)).collect()
}
