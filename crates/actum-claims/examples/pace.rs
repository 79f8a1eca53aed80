//! How long one claim takes, from its sentence to its finding: `cargo run --release -p actum-claims --example pace`.

#![allow(clippy::print_stdout)]

use actum_claims::{Evidence, PrintedLine, RunFacts, check};
use std::time::Instant;

const SENTENCES: &[&str] = &[
    "All 12 tests pass (12/12) ✅",
    "Accuracy is 93.1 % and the F1 score is 0.91.",
    "The final val loss is 0.0062, and train loss 0.006 at step 499.",
    "p95 latency dropped from 120 ms to 85 ms (29% faster).",
    "Wrote results to `out/results.csv` (1,000 rows).",
    "I ran `python main.py --config conf.yaml` and it completed without errors.",
    "| Metric | Value |\n|---|---|\n| Accuracy | 93.1% |",
    "The build succeeds, and ruff and mypy are clean.",
    "You can run the tests with `pytest -q`.",
];

/// A run that printed what a training prints, five hundred lines of it.
fn run(number: u64) -> RunFacts {
    let line = |step: u64| PrintedLine {
        stream: "stdout".to_owned(),
        number: step + 1,
        text: format!(
            "step {step}: train loss {:.4}, val loss {:.4}, 32 batches in {step} ms",
            3.0 / (step + 1) as f64,
            3.1 / (step + 1) as f64
        ),
    };
    RunFacts {
        run: format!("0199aa00-{number}"),
        command: format!("python train_{}.py", number % 5),
        printed: (0..500).map(line).collect(),
        ..RunFacts::default()
    }
}

fn main() {
    let evidence = Evidence { runs: (0..50).map(run).collect(), ..Evidence::default() };
    let mut times = Vec::new();
    // The first round compiles the patterns.
    for round in 0..10 {
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
