//! Output that was made to hurt: it costs no more than its length, nothing panics, nothing leaves that commands a terminal.

use super::{TEN_SECONDS, text};
use crate::analyse::{Asked, analyse, anchors, junit};
use actum_model::{Analysis, Ending};
use proptest::prelude::*;

const LANGUAGES: &[&str] = &[
    "",
    "python",
    "bash",
    "javascript",
    "ruby",
    "perl",
    "php",
    "lua",
    "r",
    "julia",
    "go",
    "rust",
    "c",
    "cpp",
    "java",
    "sql",
];

/// Pieces of every shape, so that random output gets deep into the readers.
const PIECES: &[&str] = &[
    "Traceback (most recent call last):\n",
    "  File \"a.py\", line 3, in f\n",
    "ValueError: no\n",
    "KeyError\n",
    "\nDuring handling of the above exception, another exception occurred:\n\n",
    "  + Exception Group Traceback (most recent call last):\n",
    "  | ",
    "    +---------------- 1 ----------------\n",
    "E   ",
    "a.py:3: ",
    "a.py:3: in f\n",
    "SyntaxError: x\n",
    "TypeError: x\n",
    "    at f (a.js:3:4)\n",
    "    at f (a.js:3:4) {\n",
    "  [cause]: Error: y\n",
    "}\n",
    "a.js:3\n",
    "   ^\n",
    "(node:3) ",
    "a.ts(1,2): error TS1: x\n",
    "x: line 3: ",
    "y: command not found\n",
    "a.rb:4:in `f': m (E)\n",
    "\tfrom a.rb:4:in `g'\n",
    " at a.pl line 3.\n",
    "PHP Fatal error:  Uncaught ",
    "E: m in a.php:3\n",
    "#0 a.php(3): f()\n",
    "  thrown in a.php on line 3\n",
    "Next ",
    "lua: a.lua:3: m\n",
    "stack traceback:\n",
    "\ta.lua:3: in f\n",
    "Error in f(x) : ",
    "Execution halted\n",
    "ERROR: LoadError: ",
    "Stacktrace:\n",
    "panic: m\n",
    "goroutine 1 [running]:\n",
    "main.f(...)\n",
    "\ta.go:3 +0x1\n",
    "a.go:3:4: m\n",
    "error[E0308]: m\n",
    " --> a.rs:3:4\n",
    "error: ",
    "warning: ",
    "thread 'main' panicked at a.rs:3:4:\n",
    "stack backtrace:\n",
    "   3: a::f\n",
    "             at ./a.rs:3:4\n",
    "a.c:3:4: error: m\n",
    "==1==ERROR: AddressSanitizer: x on address 0\n",
    "    #0 0x0 in f a.c:3\n",
    "Exception in thread \"main\" ",
    "\tat a.B.c(B.java:3)\n",
    "Caused by: ",
    "ERROR:  m\n",
    "LINE 3: x\n",
    "(1 row)\n",
    "---+---\n",
    " a | b\n",
    "1 passed in 0.1s\n",
    "=== 2 failed, 1 passed in 3s ===\n",
    "FAILED a.py::t - m\n",
    "Ran 3 tests in 0.1s\n\n",
    "OK\n",
    "FAILED (failures=1)\n",
    "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n",
    "failures:\n",
    "    a::b\n",
    "     Summary [   0.4s] 5 tests run: 3 passed, 2 failed, 1 skipped\n",
    "        FAIL [   0.3s] (3/5) a b\n",
    "Test Suites: 1 total\n",
    "Tests:       1 failed, 3 total\n",
    "  ● a › b\n",
    "PASS a.js\n",
    " Test Files  1 passed (1)\n",
    "      Tests  1 failed (1)\n",
    " FAIL  a.js > b\n",
    "  1 passing (3ms)\n",
    "  2 failing\n",
    "  1) a\n",
    "       b:\n",
    "# tests 3\n",
    "# pass 1\n",
    "# fail 2\n",
    "ℹ tests 3\n",
    "ok 1 - a\n",
    "    not ok 1 - b\n",
    "not ok 1 - c\n",
    "1..3\n",
    "--- FAIL: T (0.0s)\n",
    "    --- PASS: T/a (0.0s)\n",
    "=== RUN   T\n",
    "ok  \tp\t0.1s\n",
    "FAIL\tp\t0.1s\n",
    "4 examples, 2 failures\n",
    "rspec ./a:2 # b\n",
    "4 runs, 1 assertions, 1 failures, 1 errors, 1 skips\n",
    "Tests: 4, Assertions: 2, Failures: 1.\n",
    "<testsuite>",
    "<testcase name=\"a\">",
    "<failure",
    "/>",
    "</testcase>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "18446744073709551615",
    "99999999999999999999999",
    ":",
    "\n",
    "\r",
    "\r\n",
    "\t",
    " ",
    "\x1b[31m",
    "\x1b]0;t\x07",
    "\u{202e}",
    "ü",
    "'",
    "\"",
    "(",
    ")",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

fn read(language: &str, ending: &Ending, stdout: &[u8], stderr: &[u8]) -> Analysis {
    let own = ["/tmp/staged/a.py".to_owned()];
    let asked = Asked { language, command: "psql", workspace: "/workspace", own: &own, ..Asked::default() };
    analyse(&asked, ending, TEN_SECONDS, &text(stdout), &text(stderr))
}

fn holds(analysis: &Analysis, lines: [u64; 2]) -> Result<(), TestCaseError> {
    let json = serde_json::to_value(analysis).unwrap();
    check_texts(&json)?;
    prop_assert_eq!(&serde_json::from_value::<Analysis>(json).unwrap(), analysis);
    prop_assert!(analysis.summary.chars().count() < 1500, "a summary is a line: {}", analysis.summary);
    prop_assert!(!analysis.summary.is_empty());
    prop_assert_eq!(analysis.errors.len(), analysis.failures.len());
    prop_assert!(analysis.failures.len() <= 50 && analysis.warnings.len() <= 50);
    for (stream, first, last) in anchors(analysis) {
        let most = lines[stream as usize].max(1);
        prop_assert!(
            1 <= first && first <= last && last <= most,
            "{stream} has {most} lines: {first}-{last}"
        );
    }
    if let Some(tests) = &analysis.tests {
        let others = [tests.failed, tests.skipped, tests.expected_failures, tests.todo];
        let sum = others.into_iter().fold(tests.passed, u64::saturating_add);
        prop_assert_eq!(tests.total, sum);
    }
    Ok(())
}

/// No text anywhere in it can command a terminal, break a line or reorder one.
fn check_texts(value: &serde_json::Value) -> Result<(), TestCaseError> {
    let bad = |c: char| {
        c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c)
    };
    match value {
        serde_json::Value::String(text) => prop_assert!(!text.contains(bad), "{text:?}"),
        serde_json::Value::Array(values) => values.iter().try_for_each(check_texts)?,
        serde_json::Value::Object(fields) => fields.values().try_for_each(check_texts)?,
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
    Ok(())
}

fn lines(bytes: &[u8]) -> u64 {
    text(bytes).lines()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes(stdout: Vec<u8>, stderr: Vec<u8>, code in 0..3_i32, language in prop::sample::select(LANGUAGES)) {
        let analysis = read(language, &Ending::Exited { code }, &stdout, &stderr);
        holds(&analysis, [lines(&stdout), lines(&stderr)])?;
    }

    #[test]
    fn pieces_of_every_shape(stdout in pieces(), stderr in pieces(), code in 0..3_i32, language in prop::sample::select(LANGUAGES)) {
        let analysis = read(language, &Ending::Exited { code }, stdout.as_bytes(), stderr.as_bytes());
        holds(&analysis, [lines(stdout.as_bytes()), lines(stderr.as_bytes())])?;
    }

    #[test]
    fn reports_that_are_none(report in pieces()) {
        if let Some(tests) = junit(&report) {
            prop_assert!(tests.lines[0] <= tests.lines[1]);
        }
    }
}

/// Each shape's beginning as often as it fits, with what makes it look ahead. Were one of them read again and again,
/// this would take minutes.
#[test]
fn as_much_of_one_shape_as_is_read() {
    let repeated = |piece: &str, size: usize| piece.repeat(size / piece.len());
    let whole = PIECES.iter().map(|piece| repeated(piece, 16 << 10));
    let pairs = [
        "Traceback (most recent call last):\nKeyError\nDuring handling of the above exception, another exception occurred:\n",
        "TypeError: x\nTypeError: y\n",
        "Error [E]: x\n    at f (a.js:3:4) {\n",
        "a.rb:4:in `f': m (E)\n",
        "PHP Fatal error:  Uncaught x\n",
        "lua: x\n",
        "panic: x\n",
        "error: x\n |\n",
        "thread 'a' panicked at a.rs:1:1:\n",
        "E   x\na.py:1: in f\n",
        "a.py:1: E\n",
        "\x1b]0;x\x1b\\",
        "\x1b[",
        "    not ok 1 - a\n",
        "  1) a\n",
        "<testsuite><testcase name=\"",
        "<testsuite><![CDATA[",
        "--- FAIL: T/a (0.0s)\n",
    ];
    for output in whole.chain(pairs.iter().map(|piece| repeated(piece, 128 << 10))) {
        let bytes = output.as_bytes();
        let analysis = read("", &Ending::Exited { code: 1 }, bytes, bytes);
        holds(&analysis, [lines(bytes), lines(bytes)]).unwrap();
    }
}

#[test]
fn numbers_that_cannot_be() {
    for number in [u64::MAX.to_string(), u32::MAX.to_string(), "9".repeat(400)] {
        for output in [
            format!("== {number} passed, {number} xpassed, {number} failed, {number} errors, {number} skipped in {number}s ==\n"),
            format!("Ran {number} tests in {number}s\n\nFAILED (failures={number}, errors={number}, skipped={number})\n"),
            format!("test result: ok. {number} passed; {number} failed; {number} measured; finished in {number}s\n").repeat(9),
            format!("Tests: {number}, Assertions: 1, Errors: {number}, Failures: {number}.\n"),
            format!("# tests {number}\n# pass {number}\n# fail {number}\n# cancelled {number}\n# todo {number}\n# skipped {number}\n"),
            format!("  {number} passing ({number}ms)\n  {number} failing\n"),
            format!("({number} rows)\n").repeat(3),
            format!("  File \"a.py\", line {number}\n    x\nSyntaxError: x\n"),
        ] {
            for code in [0, 1] {
                let analysis = read("sql", &Ending::Exited { code }, output.as_bytes(), output.as_bytes());
                holds(&analysis, [lines(output.as_bytes()); 2]).unwrap();
            }
        }
    }
}
