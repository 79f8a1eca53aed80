//! A message of one long line is read in time that grows with its length: what takes longer would be given up, and pass unjudged.

use actum_claims::{Evidence, NOT_JUDGED, check};
use std::time::{Duration, Instant};

/// Shapes that patterns could be slow at, each repeated to a length.
const SHAPES: &[&str] = &[
    "word ",
    "12 ",
    "12,",
    "1.",
    "`",
    "`a` ",
    "[",
    "](",
    "(",
    "/",
    "src/a.py ",
    ".",
    ",",
    "|",
    "| a ",
    "*",
    "\"",
    "'a' ",
    "> ",
    "and ",
    "not ",
    "0.9 accuracy ",
    "é",
    "http://a/ ",
    "<a ",
    "<pre>",
    "<!--",
    "<p>a</p>",
    "е",
];

fn text(shape: &str, length: usize) -> String {
    format!("All 12 tests pass.\n{}", shape.repeat(length / shape.len()))
}

/// Debug builds are slow, and so are busy machines; what grows with the square would take minutes even so.
const LONGEST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 15 } else { 1 });

/// A megabyte of each.
#[test]
fn a_megabyte_on_one_line_is_read_in_time() {
    for shape in SHAPES {
        let begun = Instant::now();
        let found = check(&text(shape, 1 << 20), &Evidence::default());
        let took = begun.elapsed();
        assert!(took < LONGEST, "{shape:?} took {took:?}");
        assert!(!found.findings.is_empty(), "{shape:?}");
    }
}

/// Many lines that are short enough, and one sentence of many points.
#[test]
fn many_lines_are_read_in_time() {
    for line in ["src/a.py and tests/b.py pass, ", "12 of 13 tests pass; ", "`a` is 1.5, ", "| a | 1 "] {
        for end in ["\n", "\n- "] {
            let begun = Instant::now();
            check(&format!("{}{end}", line.repeat(40)).repeat(800), &Evidence::default());
            let took = begun.elapsed();
            assert!(took < LONGEST, "{line:?} {end:?} took {took:?}");
        }
    }
}

/// What was not read never passes as judged.
#[test]
fn a_false_claim_beside_a_long_line_does_not_pass() {
    let evidence = Evidence::default();
    for (before, behind) in [(1 << 20, 0), (0, 1 << 20), (140 << 10, 140 << 10)] {
        let message =
            format!("{}\n\nAll 12 tests pass.\n\n{}", "word ".repeat(before / 5), "word ".repeat(behind / 5));
        let found = check(&message, &evidence);
        let is_told = |why: &str| found.findings.iter().any(|finding| finding.why.starts_with(why));
        assert!(is_told(NOT_JUDGED), "{before} {behind}");
        assert!(
            found.findings.iter().any(|finding| finding.claim.contains("12 tests pass")),
            "{before} {behind}"
        );
    }
    // On the long line itself, behind what is read.
    let message = format!("{} All 12 tests pass.", "word ".repeat(28 << 10));
    assert!(check(&message, &evidence).findings.iter().any(|finding| finding.why.starts_with(NOT_JUDGED)));
}
