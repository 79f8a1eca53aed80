//! The three examples of the contract, the table of summaries, real outputs of tools, hostile ones.

mod fixtures;
mod hostile;
mod summaries;

use super::{Asked, Text, analyse, anchors, junit};
use actum_model::{Analysis, Counted, Ending, Span, Stream};

const TEN_SECONDS: Span = Span::seconds(10);

fn text(bytes: &[u8]) -> Text {
    Text::of(bytes)
}

fn exited(asked: &Asked<'_>, code: i32, stdout: &str, stderr: &str) -> Analysis {
    analyse(asked, &Ending::Exited { code }, TEN_SECONDS, &text(stdout.as_bytes()), &text(stderr.as_bytes()))
}

#[test]
fn the_first_example_of_the_contract() {
    let stdout = "
> project@1.0.0 test
> jest --grep 'UserService'

PASS src/services/__tests__/UserService.test.ts
  UserService
    ✓ creates user with valid data (45ms)
    ✓ validates email format (12ms)
    ✓ hashes password on save (23ms)

Test Suites: 1 passed, 1 total
Tests:       3 passed, 3 total
";
    let asked = Asked { language: "bash", command: "npm test -- --grep 'UserService'", ..Asked::default() };
    let analysis = exited(&asked, 0, stdout, "");
    assert_eq!(analysis.summary, "3 tests passed in UserService");
    assert!(analysis.errors.is_empty() && analysis.warnings.is_empty());
    let tests = analysis.tests.as_ref().unwrap();
    assert_eq!((tests.runner.as_str(), tests.counted), ("jest", Counted::Tests));
    assert_eq!((tests.passed, tests.failed, tests.skipped, tests.total), (3, 0, 0, 3));
    assert_eq!(anchors(&analysis), [(Stream::Stdout, 11, 12)]);
}

#[test]
fn the_second_example_of_the_contract() {
    let asked = Asked { language: "sql", command: "psql -c \"SELECT COUNT(*)...\"", ..Asked::default() };
    let analysis = exited(&asked, 0, "user_count\n----------\n15423\n(1 row)\n", "");
    assert_eq!(analysis.summary, "query returned 1 row: user_count = 15423");
    assert_eq!(analysis, Analysis { summary: analysis.summary.clone(), ..Analysis::default() });
}

#[test]
fn the_third_example_of_the_contract() {
    let stderr = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n\
                  ModuleNotFoundError: No module named 'nonexistent_module'\n";
    let asked =
        Asked { language: "bash", command: "python -c 'import nonexistent_module'", ..Asked::default() };
    let analysis = exited(&asked, 1, "", stderr);
    assert_eq!(analysis.summary, "Import failed: module 'nonexistent_module' not found");
    assert_eq!(analysis.errors, ["ModuleNotFoundError: No module named 'nonexistent_module'"]);
    assert!(analysis.warnings.is_empty());
    let failure = &analysis.failures[0];
    assert_eq!((failure.kind.as_str(), failure.language.as_str()), ("ModuleNotFoundError", "python"));
    assert_eq!(anchors(&analysis), [(Stream::Stderr, 1, 3)]);
}

#[test]
fn the_declared_language_has_precedence() {
    // The same words are Perl's way to die and part of anybody's message.
    let stderr = "x.sh: line 2: cannot open it at x.pl line 3.\n";
    let language = |declared| {
        let asked = Asked { language: declared, ..Asked::default() };
        exited(&asked, 1, "", stderr).failures[0].language.clone()
    };
    assert_eq!(language("perl"), "perl");
    assert_eq!(language("bash"), "bash");
}

#[test]
fn what_is_printed_when_all_goes_well_is_data() {
    let log = "a.c:3:5: error: expected ';'\nTraceback (most recent call last):\n  File \"x.py\", line 1, in f\nKeyError: 1\n";
    let analysis = exited(&Asked { language: "bash", ..Asked::default() }, 0, log, "");
    assert_eq!(analysis.errors, [""; 0]);
    assert_eq!(analysis.summary, "printed 4 lines");
    assert_eq!(exited(&Asked { language: "bash", ..Asked::default() }, 1, log, "").errors.len(), 2);
}

#[test]
fn lists_are_bounded_and_the_last_failure_is_kept() {
    let stderr: String =
        (1..=200).map(|n| format!("bad.c:{n}:1: error: number {n}\nbad.c:{n}:1: warning: w {n}\n")).collect();
    let analysis = exited(&Asked::default(), 1, "", &stderr);
    assert_eq!((analysis.failures.len(), analysis.failures_left_out), (50, 150));
    assert_eq!((analysis.errors.len(), analysis.warnings.len(), analysis.warnings_left_out), (50, 50, 150));
    assert_eq!(analysis.errors[0], "error: number 1");
    assert_eq!(analysis.errors[49], "error: number 200");
    assert_eq!(analysis.summary, "did not compile: error: number 1 at bad.c line 1, and 199 more errors");
}

#[test]
fn lines_are_numbered_in_what_was_printed_not_in_what_is_kept() {
    let mut stderr = "noise that goes on\n".repeat(400_000);
    stderr.push_str("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 'k'\n");
    let analysis = exited(&Asked::default(), 1, "", &stderr);
    assert_eq!(anchors(&analysis), [(Stream::Stderr, 400_001, 400_003)]);
    assert_eq!(analysis.summary, "KeyError: 'k' at a.py line 3, in f");
}

#[test]
fn colours_and_carriage_returns_do_not_hide_anything() {
    let stderr = "10%\r50%\r\x1b[1;31mTraceback (most recent call last):\x1b[0m\r\n  File \"a.py\", line 3, in f\r\n\x1b[31mKeyError: 'k'\x1b[0m\r\n";
    let analysis = exited(&Asked::default(), 1, "", stderr);
    assert_eq!(analysis.errors, ["KeyError: 'k'"]);
}

#[test]
fn julia_is_read_from_its_manual() {
    // There is no Julia on the machines that the other fixtures come from.
    let stderr = "ERROR: LoadError: DivideError: integer division error\nStacktrace:\n [1] div(x::Int64, y::Int64)\n   \
                  @ Base ./int.jl:295\n [2] mean(values::Vector{Int64})\n   @ Main /workspace/stats.jl:3\n [3] top-level scope\n   \
                  @ /workspace/stats.jl:6\nin expression starting at /workspace/stats.jl:6\n";
    let asked = Asked { language: "julia", workspace: "/workspace", own: &[], ..Asked::default() };
    let analysis = exited(&asked, 1, "", stderr);
    assert_eq!(analysis.errors, ["DivideError: integer division error"]);
    assert_eq!(analysis.failures[0].frame.as_ref().unwrap().function.as_deref(), Some("mean"));
    assert_eq!(analysis.summary, "DivideError: integer division error at stats.jl line 3, in mean");
    assert_eq!(anchors(&analysis), [(Stream::Stderr, 1, 9)]);
}

#[test]
fn junit_skips_what_only_looks_like_a_test() {
    let report = r#"<?xml version="1.0"?><testsuites><testsuite name="s" tests="3" time="1.5">
  <!-- <testcase name="commented"/> -->
  <testcase classname="Cart" name="adds &lt;two&gt; &quot;things&quot;"><failure message="a > b"><![CDATA[<testcase name="no"/>]]></failure></testcase>
  <testcase classname="Cart" name='removes'/>
  <testcase name="later"><skipped/></testcase>
</testsuite></testsuites>"#;
    let tests = junit(report).unwrap();
    assert_eq!((tests.passed, tests.failed, tests.skipped, tests.total), (1, 1, 1, 3));
    assert_eq!(tests.failed_names, ["Cart.adds <two> \"things\""]);
    assert_eq!((tests.suites, tests.lines), (vec!["Cart".to_owned()], [1, 6]));
    assert_eq!(junit("<html><body>no tests</body></html>"), None);
}
