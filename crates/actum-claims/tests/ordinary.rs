//! Sentences that every report has. Whatever else is not judged, these are read.

use actum_claims::extract;

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
