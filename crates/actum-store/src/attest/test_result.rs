//! What a test runner counted, as the predicate that in-toto has for it.

use super::Attested;
use super::statement::{about, descriptor};
use actum_model::{Outcome, Record, Tests};
use serde_json::{Value, json};

pub const PREDICATE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// The payload of the envelope; nothing where no test runner was recognised.
pub fn of(attested: &Attested) -> Option<Vec<u8>> {
    let tests = attested.record.tests.as_ref()?;
    let mut predicate = json!({
        "result": result(tests, attested.record.outcome),
        "configuration": configuration(attested),
    });
    // Runners print the names of tests that failed; those of tests that passed nobody knows for sure.
    if !tests.failed_names.is_empty() {
        predicate["failedTests"] = json!(tests.failed_names);
    }
    Some(about(attested, PREDICATE, &predicate))
}

/// Nothing that failed passes, a masked failure no more than an open one. A run of no tests is no pass either, and no more are
/// counts that no runner printed.
fn result(tests: &Tests, outcome: Outcome) -> &'static str {
    match (tests.failed, tests.passed) {
        (0, _) if outcome == Outcome::Success && !tests.is_of_a_runner() => "WARNED",
        (0, 0) if outcome == Outcome::Success => "WARNED",
        (0, _) if outcome == Outcome::Success => "PASSED",
        _ => "FAILED",
    }
}

/// What decided over the result, as far as it has a digest: the record, which holds policy, limits and command; the
/// source; the lock of its environment.
fn configuration(attested: &Attested) -> Vec<Value> {
    let Record { source, lock, .. } = &attested.record;
    let mut listed = vec![descriptor("record.json", attested.sha256())];
    let source_digest = source.sha256.as_ref().and_then(|text| text.parse().ok());
    listed.extend(source_digest.map(|digest| descriptor(source.path.as_deref().unwrap_or("source"), digest)));
    listed.extend(lock.map(|digest| descriptor("lock", digest)));
    listed
}
