//! Sentences that every report has. Whatever else is not judged, these are read.

use actum_claims::extract;
use actum_model::{FileClaim, Said};

#[test]
fn ordinary_sentences_are_claims() {
    let mut wrong = Vec::new();
    for (text, kinds) in [
        ("All 12 tests pass.", &["tests"][..]),
        ("pytest: 12 passed, 1 failed", &["tests"]),
        ("`pytest -q` passes: 12 passed, 1 skipped.", &["ran", "tests"]),
        ("11 of 12 tests pass.", &["tests"]),
        ("No tests failed.", &["tests"]),
        ("`test_edge` passes now.", &["test"]),
        ("`test_total` still fails.", &["test"]),
        ("`ruff check` is clean.", &["clean"]),
        ("mypy reports no issues.", &["clean"]),
        ("The build succeeds.", &["clean"]),
        ("wrote out.csv with 10 rows", &["file", "count"]),
        ("Created `src/app.py`.", &["file"]),
        ("out.csv is 12 kB.", &["file"]),
        ("accuracy is 0.91", &["metric"]),
        ("Validation loss dropped to 0.12 after 5 epochs.", &["metric", "figure"]),
        ("p95 latency: 85 ms", &["metric"]),
        ("exit code 0", &["exit"]),
        ("`make all` returned 2.", &["exit"]),
        ("It exited with status 1.", &["exit"]),
        ("committed as abc1234", &["commit"]),
        ("installed numpy 2.1", &["installed"]),
        ("I ran `python train.py` and it completed successfully.", &["ran"]),
        ("seed 42 was used", &["seed"]),
    ] {
        let claims = extract(text);
        let found: Vec<&str> = claims.iter().map(|claim| claim.said.kind().word()).collect();
        if found != kinds {
            wrong.push(format!("{text} {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn numbers_of_something_else_are_no_sizes_and_no_exit_codes() {
    for text in [
        "`wc -l out.csv` gives 120.",
        "out.csv 4 kB -> 1 kB",
        "out.csv is 4 kB gzipped.",
        "12 unit tests pass and 5 browser tests pass.",
    ] {
        let claims = extract(text);
        let judged = ["exit", "tests"];
        let is_wrong = |word: &str| judged.contains(&word);
        assert!(!claims.iter().any(|claim| is_wrong(claim.said.kind().word())), "{text} {claims:#?}");
        assert!(
            !claims.iter().any(|claim| matches!(&claim.said, Said::File { fact: FileClaim::Size(_), .. })),
            "{text}"
        );
    }
}
