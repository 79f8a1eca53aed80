//! The one line for every kind of ending and output: the table is the specification.

use crate::analyse::{Asked, Text, analyse};
use actum_model::{Amount, Bytes, Ending, Limit, Span};
use std::time::Duration;

const FAST: Span = Span(Duration::from_millis(210));

struct Case {
    language: &'static str,
    ending: Ending,
    stdout: &'static str,
    stderr: &'static str,
    summary: &'static str,
}

fn exit(code: i32) -> Ending {
    Ending::Exited { code }
}

fn check(cases: &[Case]) {
    for case in cases {
        let asked = Asked { language: case.language, workspace: "/workspace", ..Asked::default() };
        let (stdout, stderr) = (Text::of(case.stdout.as_bytes()), Text::of(case.stderr.as_bytes()));
        let analysis = analyse(&asked, &case.ending, FAST, &stdout, &stderr);
        assert_eq!(analysis.summary, case.summary, "{:?} {:?}", case.ending, case.stderr);
    }
}

#[test]
fn runs_that_went_well() {
    let case = |stdout, stderr, summary| Case { language: "bash", ending: exit(0), stdout, stderr, summary };
    check(&[
        case("", "", "ran in 0.2s and printed nothing"),
        case("hello\n", "", "printed 1 line: hello"),
        case("hello", "", "printed 1 line: hello"),
        case("a\nb\nc\n", "", "printed 3 lines"),
        case("\n\n", "", "printed 2 lines"),
        case("", "done\n", "printed 1 line to stderr: done"),
        case("a\0b", "", "printed 3 bytes that are not text"),
        case("10%\r100%\r\n", "", "printed 1 line: 100%"),
        case("\x1b[2J\x1b[31mred\x1b[0m \u{202e}x\n", "", "printed 1 line: red \\u{202e}x"),
        case("", "a.c:3:1: warning: unused\n", "ran in 0.2s with 1 warning: unused (a.c line 3)"),
        case("ok\n", "KeyError: 1\n", "printed 1 line: ok"),
        case("== 3 passed, 2 skipped in 1.2s ==\n", "", "3 tests passed, 2 skipped"),
        case("== 2 skipped in 1.2s ==\n", "", "all 2 tests skipped"),
        case("(1 row)\n", "", "printed 1 line: (1 row)"),
    ]);
    let lines: &'static str = Box::leak("x\n".repeat(3120).into_boxed_str());
    check(&[case(lines, "", "printed 3,120 lines")]);
}

#[test]
fn queries() {
    let case = |stdout, summary| Case { language: "sql", ending: exit(0), stdout, stderr: "", summary };
    check(&[
        case(
            " user_count \n------------\n      15423\n(1 row)\n\n",
            "query returned 1 row: user_count = 15423",
        ),
        case(" a |  b  \n---+-----\n 1 | x|y\n(1 row)\n\n", "query returned 1 row: a = 1, b = x|y"),
        case(" ü | b \n---+---\n 1 | 2\n(1 row)\n", "query returned 1 row: ü = 1, b = 2"),
        case(" a \n---\n 1\n 2\n(120 rows)\n", "query returned 120 rows"),
        case(" a \n---\n(0 rows)\n", "query returned 0 rows"),
        case(
            " a | b | c | d | e\n---+---+---+---+---\n 1 | 2 | 3 | 4 | 5\n(1 row)\n",
            "query returned 1 row",
        ),
        case("(1 row)\n(2 rows)\n", "2 queries returned 3 rows"),
        case("UPDATE 3\n", "3 rows updated"),
        case("INSERT 0 1\n", "1 row inserted"),
        case("CREATE TABLE\n", "printed 1 line: CREATE TABLE"),
    ]);
    let failed = |stderr, summary| Case { language: "sql", ending: exit(1), stdout: "", stderr, summary };
    check(&[
        failed(
            "error: near \"SELEC\": syntax error\n  line 3\n",
            "error: near \"SELEC\": syntax error at line 3",
        ),
        failed("error: no such table: users\n", "error: no such table: users"),
        failed(
            "Parse error near line 2: near \"x\": syntax error\n",
            "Parse error: near \"x\": syntax error at line 2",
        ),
        failed(
            "ERROR:  syntax error at or near \"SELEC\"\nLINE 1: SELEC 1\n        ^\n",
            "ERROR: syntax error at or near \"SELEC\" at line 1",
        ),
    ]);
}

#[test]
fn runs_that_failed() {
    let case = |stdout, stderr, summary| Case { language: "bash", ending: exit(3), stdout, stderr, summary };
    check(&[
        case("", "", "exited 3 after 0.2s and printed nothing"),
        case("", "cannot read it\n", "exited 3 after 0.2s: cannot read it"),
        case("last words\n", "", "exited 3 after 0.2s: last words"),
        case("", "x.sh: line 2: foo: command not found\n", "command 'foo' not found at x.sh line 2"),
        case("", "bash: line 1: foo: command not found\n", "command 'foo' not found at line 1"),
        case("", "fatal: not a git repository\n", "fatal: not a git repository"),
        case("", "make: *** [Makefile:3: a.o] Error 1\n", "make: [Makefile:3: a.o] Error 1"),
        case(
            "",
            "npm error code ENOENT\nnpm error path /workspace/package.json\nnpm error enoent Could not read package.json\nnpm error A complete log is there\n",
            "npm error: enoent Could not read package.json",
        ),
        case("", "tar: error: is not an archive\n", "tar: is not an archive"),
        case("", "a.c:3:1: error: no\n", "did not compile: error: no at a.c line 3"),
        case(
            "",
            "Traceback (most recent call last):\n  File \"/workspace/stats.py\", line 12, in mean\nZeroDivisionError: division by zero\n",
            "ZeroDivisionError: division by zero at stats.py line 12, in mean",
        ),
        case(
            "FAILED a.py::test_add - x\nFAILED a.py::test_sub - y\n=== 2 failed, 12 passed in 0.1s ===\n",
            "",
            "2 of 14 tests failed: test_add, test_sub",
        ),
        case("=== no tests ran in 0.00s ===\n", "", "no tests ran"),
        // The tests are well, and yet it failed: coverage, a hook, a leak.
        case("=== 2 passed in 0.1s ===\n", "coverage is 3%\n", "exited 3 after 0.2s: coverage is 3%"),
    ]);
    let killed = Case {
        language: "bash",
        ending: exit(139),
        stdout: "",
        stderr: "",
        summary: "exited 139 (segmentation fault) after 0.2s and printed nothing",
    };
    check(&[killed]);
}

#[test]
fn other_endings() {
    let case = |ending, stdout, stderr, summary| Case { language: "c", ending, stdout, stderr, summary };
    let seconds = |n| Amount::Seconds(Span::seconds(n));
    let memory = |n: u64| Amount::Bytes(Bytes(n << 20));
    let over = |limit, max| Ending::OverLimit { limit, max, used: max };
    check(&[
        case(Ending::Signalled { signal: 11 }, "", "", "killed by signal 11 (segmentation fault)"),
        case(
            Ending::Signalled { signal: 6 },
            "",
            "a: a.c:2: half: Assertion `n % 2 == 0' failed.\n",
            "killed by signal 6 (aborted): Assertion failed: n % 2 == 0 at a.c line 2, in half",
        ),
        case(
            Ending::TimedOut { max: seconds(10), used: seconds(10) },
            "step 3\n",
            "",
            "timed out after 10s; last output: step 3",
        ),
        case(
            Ending::TimedOut { max: seconds(10), used: seconds(10) },
            "",
            "",
            "timed out after 10s without output",
        ),
        case(
            Ending::OutOfMemory { max: memory(64), used: memory(65) },
            "x\n",
            "",
            "out of memory: limit 64MiB",
        ),
        case(over(Limit::Output, memory(1)), "x\n", "", "exceeded the limit on output: 1MiB"),
        case(over(Limit::Processes, Amount::Count(64)), "", "", "exceeded the limit on processes: 64"),
        case(Ending::Cancelled, "", "", "cancelled after 0.2s without output"),
        case(
            Ending::NotStarted { code: 127, reason: "no such command: \x1bfoo".to_owned() },
            "",
            "",
            "did not start: no such command: \\u{1b}foo",
        ),
    ]);
}

#[test]
fn lengths_of_time_are_as_exact_as_a_person_wants() {
    let shown = |millis| super::super::summary::seconds(Span(Duration::from_millis(millis)));
    let cases = [
        (3, "3ms"),
        (49, "49ms"),
        (50, "0.1s"),
        (210, "0.2s"),
        (9_940, "9.9s"),
        (9_950, "10s"),
        (59_900, "60s"),
        (200_000, "3m 20s"),
    ];
    for (millis, text) in cases {
        assert_eq!(shown(millis), text);
    }
}
