//! How long one claim takes, from its sentence to its finding: `cargo run --release -p actum-claims --example pace`.

#![allow(clippy::print_stdout)]

use actum_claims::{Evidence, RunFacts, check};
use std::time::Instant;

const SENTENCES: &[&str] = &[
    "All 12 tests pass (12/12) ✅",
    "Accuracy is 93.1 % and the F1 score is 0.91.",
    "p95 latency dropped from 120 ms to 85 ms (29% faster).",
    "Wrote results to `out/results.csv` (1,000 rows).",
    "I ran `python main.py --config conf.yaml` and it completed without errors.",
    "| Metric | Value |\n|---|---|\n| Accuracy | 93.1% |",
    "The build succeeds, and ruff and mypy are clean.",
    "You can run the tests with `pytest -q`.",
];

fn main() {
    let run = RunFacts { run: "0199aa00".to_owned(), command: "pytest -q".to_owned(), ..RunFacts::default() };
    let evidence = Evidence { runs: vec![run; 50], ..Evidence::default() };
    let mut times = Vec::new();
    // The first round compiles the patterns.
    for round in 0..200 {
        for sentence in SENTENCES {
            let start = Instant::now();
            let findings = check(sentence, &evidence);
            if round > 0 {
                times.push(start.elapsed() / findings.findings.len().max(1) as u32);
            }
        }
    }
    times.sort();
    println!(
        "p50 {:?}, p99 {:?} a claim, over {} looks",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        times.len()
    );
}
