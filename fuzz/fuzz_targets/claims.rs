//! A message of an agent, from its bytes to what is found about every claim in it.

#![no_main]

use actum_claims::{Evidence, RunFacts, check};
use actum_model::{ClaimStatus, Counted, Stream, Tests};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// One run whose tests passed, so that judging has something to hold a claim against.
static EVIDENCE: LazyLock<Evidence> = LazyLock::new(|| {
    let tests = Tests {
        runner: "pytest".to_owned(),
        counted: Counted::Tests,
        passed: 12,
        failed: 0,
        skipped: 0,
        expected_failures: 0,
        todo: 0,
        total: 12,
        duration: None,
        failed_names: Vec::new(),
        failed_names_left_out: 0,
        suites: Vec::new(),
        stream: Stream::Stdout,
        lines: [3, 3],
    };
    let run = RunFacts {
        run: "0199aaaa-bbbb-7ccc-8ddd-eeeeffff0001".to_owned(),
        command: "pytest -q".to_owned(),
        started: true,
        wall: 1.5,
        tests: Some(tests),
        ..RunFacts::default()
    };
    Evidence { runs: vec![run], ..Evidence::default() }
});

fuzz_target!(|bytes: &[u8]| {
    let message = String::from_utf8_lossy(bytes);
    let found = check(&message, &EVIDENCE);
    for finding in &found.findings {
        assert!(!finding.why.is_empty());
        // Nothing is believed without naming what it rests on.
        assert!(finding.status != ClaimStatus::Verified || finding.anchor.is_some());
    }
    // The same words, the same findings.
    assert_eq!(found, check(&message, &EVIDENCE));
});
