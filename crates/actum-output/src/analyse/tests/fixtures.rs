//! What the tools really printed, and what is read out of it.
//!
//! The fixtures are outputs of the real programs, with neutral paths. `expected.txt` shows what was read, as a reader of
//! the report would see it. A change of it is a change of what users see.

use super::{TEN_SECONDS, text};
use crate::analyse::{Asked, analyse};
use actum_model::{Analysis, Ending, Failure, Tests};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// Name, declared language, exit code.
const CASES: &[(&str, &str, i32)] = &[
    ("bash-notfound", "bash", 2),
    ("bash-python", "bash", 1),
    ("bash-required", "bash", 1),
    ("bash-syntax", "bash", 2),
    ("bash-syntax2", "bash", 2),
    ("bash-unbound", "bash", 1),
    ("c-asan", "c", 1),
    ("c-assert", "c", 134),
    ("c-ubsan", "c", 136),
    ("cargo-build", "bash", 101),
    ("cargo-test", "bash", 101),
    ("cargo-test-good", "bash", 0),
    ("cargo-test-quiet", "bash", 101),
    ("cpp-throw", "cpp", 134),
    ("dash-notfound", "bash", 2),
    ("dash-syntax", "bash", 2),
    ("doctest-good", "python", 0),
    ("doctest-mixed", "python", 1),
    ("doctest-quiet", "python", 1),
    ("gcc-errors", "c", 1),
    ("gcc-header", "c", 1),
    ("gcc-link", "c", 1),
    ("go-compile", "go", 2),
    ("go-logfatal", "go", 1),
    ("go-panic", "go", 1),
    ("gotest-build", "bash", 2),
    ("gotest-good-verbose", "bash", 0),
    ("gotest-panic", "bash", 1),
    ("gotest-plain", "bash", 1),
    ("gotest-verbose", "bash", 1),
    ("gpp-errors", "cpp", 1),
    ("java-caused", "java", 1),
    ("java-lambda", "java", 1),
    ("java-noclass", "java", 1),
    ("java-source-errors", "java", 1),
    ("javac-errors", "java", 1),
    ("jest-all", "bash", 1),
    ("jest-good", "bash", 0),
    ("jest-mixed", "bash", 1),
    ("lua-mod", "lua", 1),
    ("lua-nil", "lua", 1),
    ("lua-obj", "lua", 1),
    ("lua-syn", "lua", 1),
    ("make-error", "bash", 2),
    ("minitest-mixed", "ruby", 1),
    ("minitest-verbose", "ruby", 1),
    ("mocha-good", "bash", 0),
    ("mocha-mixed", "bash", 2),
    ("nextest", "bash", 100),
    ("nextest-good", "bash", 0),
    ("node-boom", "javascript", 1),
    ("node-cause", "javascript", 1),
    ("node-json", "javascript", 1),
    ("node-module", "javascript", 1),
    ("node-module-esm", "javascript", 1),
    ("node-reject", "javascript", 1),
    ("node-rejecttext", "javascript", 1),
    ("node-syntax", "javascript", 1),
    ("tsx-syntax", "typescript", 1),
    ("node-test-good", "javascript", 0),
    ("node-test-spec", "javascript", 1),
    ("node-test-tap", "javascript", 1),
    ("node-throwtext", "javascript", 1),
    ("node-warning", "javascript", 0),
    ("perl-carp", "perl", 255),
    ("perl-die", "perl", 255),
    ("perl-mod", "perl", 2),
    ("perl-strict", "perl", 255),
    ("perl-syn", "perl", 255),
    ("perl-warn", "perl", 0),
    ("php-exc", "php", 255),
    ("php-fatal", "php", 255),
    ("php-syn", "php", 255),
    ("php-warn", "php", 0),
    ("phpunit-good", "bash", 0),
    ("phpunit-mixed", "bash", 2),
    ("phpunit-testdox", "bash", 2),
    ("psql-count", "sql", 0),
    ("psql-detail", "sql", 1),
    ("psql-dml", "sql", 0),
    ("psql-file", "sql", 3),
    ("psql-none", "sql", 0),
    ("psql-notice", "sql", 0),
    ("psql-rows", "sql", 0),
    ("psql-syntax", "sql", 1),
    ("psql-two", "sql", 0),
    ("psql-wide", "sql", 0),
    ("pytest-collect", "bash", 2),
    ("pytest-colour", "bash", 1),
    ("pytest-good", "bash", 0),
    ("pytest-good-quiet", "bash", 0),
    ("pytest-junit", "bash", 0),
    ("pytest-mixed", "bash", 1),
    ("pytest-none", "bash", 5),
    ("pytest-none-quiet", "bash", 5),
    ("pytest-quiet", "bash", 1),
    ("pytest-verbose", "bash", 1),
    ("python-chain", "python", 1),
    ("python-group", "python", 1),
    ("python-inline", "python", 1),
    ("python-library", "python", 1),
    ("python-multiline", "python", 1),
    ("python-syntax", "python", 1),
    ("python-thread", "python", 0),
    ("python-warnings", "python", 0),
    ("python-zero", "python", 1),
    ("r-lib", "r", 1),
    ("r-long", "r", 1),
    ("r-stop", "r", 1),
    ("r-syn", "r", 1),
    ("r-top", "r", 1),
    ("r-warn", "r", 0),
    ("rspec-doc", "bash", 0),
    ("rspec-good", "bash", 0),
    ("rspec-mixed", "bash", 1),
    ("ruby-boom", "ruby", 1),
    ("ruby-cause", "ruby", 1),
    ("ruby-lib", "ruby", 1),
    ("ruby-nil", "ruby", 1),
    ("ruby-req", "ruby", 1),
    ("ruby-syn", "ruby", 1),
    ("ruby-warning", "ruby", 0),
    ("rust-backtrace", "rust", 101),
    ("rust-unwrap", "rust", 101),
    ("rustc-error", "rust", 1),
    ("rustc-warning", "rust", 0),
    ("tsc-errors", "typescript", 1),
    ("tsc-pretty", "typescript", 1),
    ("unittest-good", "python", 0),
    ("unittest-good-verbose", "python", 0),
    ("unittest-mixed", "python", 1),
    ("unittest-verbose", "python", 1),
    ("vitest-good", "bash", 0),
    ("vitest-mixed", "bash", 1),
    ("vitest-verbose", "bash", 0),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/analyse/fixtures")
}

#[test]
fn everything_is_read_as_expected() {
    let mut actual = String::new();
    for (name, language, code) in CASES {
        let read = |stream: &str| fs::read(folder().join(format!("{name}.{stream}"))).unwrap_or_default();
        let asked = Asked { language, workspace: "/workspace", ..Asked::default() };
        let ending = Ending::Exited { code: *code };
        let analysis = analyse(&asked, &ending, TEN_SECONDS, &text(&read("stdout")), &text(&read("stderr")));
        show(name, &analysis, &mut actual);
    }
    let expected = fs::read_to_string(folder().join("expected.txt")).unwrap();
    let difference = expected.lines().zip(actual.lines()).find(|(expected, actual)| expected != actual);
    assert_eq!(difference, None, "the first line that differs (expected, actual); all of it:\n{actual}");
    assert_eq!(expected.lines().count(), actual.lines().count(), "all of it:\n{actual}");
}

#[test]
fn no_fixture_is_forgotten() {
    let files =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let there: BTreeSet<String> =
        files.filter_map(|file| Some(file.rsplit_once(".std")?.0.to_owned())).collect();
    let named: BTreeSet<String> = CASES.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(there, named);
}

fn show(name: &str, analysis: &Analysis, out: &mut String) {
    writeln!(out, "== {name}\n   {}", analysis.summary).unwrap();
    for (failure, error) in analysis.failures.iter().zip(&analysis.errors) {
        writeln!(out, "   error    {error}").unwrap();
        writeln!(out, "            {}", place(failure)).unwrap();
        for cause in &failure.causes {
            writeln!(out, "            because {cause}").unwrap();
        }
    }
    for warning in &analysis.warnings {
        writeln!(out, "   warning  {warning}").unwrap();
    }
    if let Some(tests) = &analysis.tests {
        writeln!(out, "   tests    {}", counts(tests)).unwrap();
        for name in &tests.failed_names {
            writeln!(out, "            failed {name}").unwrap();
        }
    }
}

fn place(failure: &Failure) -> String {
    let mut place = failure.file.clone().unwrap_or_else(|| "no file".to_owned());
    for number in [failure.line, failure.column].into_iter().flatten() {
        write!(place, ":{number}").unwrap();
    }
    if let Some(function) = failure.frame.as_ref().and_then(|frame| frame.function.as_ref()) {
        write!(place, " in {function}").unwrap();
    }
    let [first, last] = failure.lines;
    format!("{place}, {}, {}:L{first}-L{last}", failure.language, failure.stream)
}

fn counts(tests: &Tests) -> String {
    let Tests { runner, counted, passed, failed, skipped, total, .. } = tests;
    let duration = tests.duration.map(|span| format!(" in {:?}", span.0)).unwrap_or_default();
    let [first, last] = tests.lines;
    let suites = tests.suites.join(", ");
    let others = [(tests.expected_failures, "expected failures"), (tests.todo, "todo")];
    let others: String = others
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!(", {count} {word}"))
        .collect();
    format!(
        "{runner}, {counted:?}: {passed} passed, {failed} failed, {skipped} skipped{others} of {total}{duration} [{suites}], {}:L{first}-L{last}",
        tests.stream
    )
}
