//! Reports, events, blocks and findings held against their schemas, as they stand in docs/reference.
//!
//! Those files are what programs of others rely on. `cargo xtask check` finds them when they are not what the types say.

use jsonschema::Validator;
use serde_json::Value;
use std::sync::LazyLock;

static REPORT: LazyLock<Validator> =
    LazyLock::new(|| read(include_str!("../../../docs/reference/report.schema.json")));
static EVENT: LazyLock<Validator> =
    LazyLock::new(|| read(include_str!("../../../docs/reference/event.schema.json")));
static BLOCKS: LazyLock<Validator> =
    LazyLock::new(|| read(include_str!("../../../docs/reference/blocks.schema.json")));
static FINDINGS: LazyLock<Validator> =
    LazyLock::new(|| read(include_str!("../../../docs/reference/findings.schema.json")));

/// # Panics
///
/// When the report is not as its schema says; the message names every place.
pub fn assert_valid_report(report: &Value) {
    assert_valid("report", &REPORT, report);
}

/// # Panics
///
/// When the event is not as its schema says.
pub fn assert_valid_event(event: &Value) {
    assert_valid("event", &EVENT, event);
}

/// # Panics
///
/// When what was found in an answer is not as its schema says.
pub fn assert_valid_blocks(blocks: &Value) {
    assert_valid("list of blocks", &BLOCKS, blocks);
}

/// # Panics
///
/// When what the ledger says about claims is not as its schema says.
pub fn assert_valid_findings(told: &Value) {
    assert_valid("list of findings", &FINDINGS, told);
}

fn assert_valid(what: &str, validator: &Validator, value: &Value) {
    let findings = findings(validator, value);
    assert!(findings.is_empty(), "the {what} is not as its schema says:\n{}\n{value:#}", findings.join("\n"));
}

fn findings(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn read(text: &str) -> Validator {
    let schema: Value = serde_json::from_str(text).expect("generated files are JSON");
    jsonschema::options().should_validate_formats(true).build(&schema).expect("generated files are schemas")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The one that the reference shows.
    fn example() -> Value {
        serde_json::from_str(include_str!("../../xtask/src/generate/example.json")).unwrap()
    }

    #[test]
    fn the_example_of_the_reference_is_valid() {
        assert_valid_report(&example());
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_found() {
        for (place, value) in [
            ("/run", None),
            ("/outcome", Some(json!("excellent"))),
            ("/exit_code", Some(json!(256))),
            ("/result/stdout", None),
            ("/result/success", Some(json!("yes"))),
            ("/result/ending", Some(json!({"how": "exploded"}))),
            ("/result/ending/code", None),
            ("/execution/started_at", Some(json!("yesterday"))),
            ("/analysis/errors", Some(json!("one"))),
            ("/analysis/failures/0/lines", Some(json!(["1", "2"]))),
            ("/evidence_anchors", Some(Value::Null)),
            ("/environment/runtime/version", Some(Value::Null)),
            ("/resources/wall", Some(json!("42ms"))),
            ("/changes/state", None),
        ] {
            let mut report = example();
            change(&mut report, place, value.clone());
            assert!(!findings(&REPORT, &report).is_empty(), "{place} as {value:?} was let through");
        }
    }

    #[test]
    fn what_readers_do_not_know_is_let_through() {
        let mut report = example();
        report["later"] = json!(1);
        assert_valid_report(&report);
    }

    #[test]
    fn findings_and_blocks_can_fail_too() {
        let finding = json!({"claim": "x", "kind": "exit", "status": "invalid record", "why": "y", "level": "E2", "anchor": "actum:x#exit"});
        let told = json!({"findings": [finding], "status": "invalid record"});
        assert_valid_findings(&told);
        for (place, value) in [
            ("/status", Some(json!("true"))),
            ("/findings/0/kind", Some(json!("magic"))),
            ("/findings/0/why", None),
            ("/findings/0/level", Some(json!("E9"))),
            ("/findings/0/anchor", Some(Value::Null)),
        ] {
            let mut told = told.clone();
            change(&mut told, place, value.clone());
            assert!(!findings(&FINDINGS, &told).is_empty(), "{place} as {value:?} was let through");
        }
        assert!(!findings(&BLOCKS, &json!({"blocks": [{"index": "one"}], "form": "markdown"})).is_empty());
    }

    #[test]
    fn events_can_fail_too() {
        let event = json!({
            "v": 1, "seq": 0, "ts": "2026-11-15T10:30:00.000000Z", "run": "01993456-789a-7102-8304-9c1e02bd77aa",
            "type": "run.ended", "data": {"outcome": "success", "exit_code": 0, "summary": "well"},
        });
        assert_valid_event(&event);
        for (place, value) in [
            ("/seq", None),
            ("/type", Some(json!("run.began"))),
            ("/data/exit_code", Some(json!("0"))),
            ("/data", None),
        ] {
            let mut event = event.clone();
            change(&mut event, place, value);
            assert!(!findings(&EVENT, &event).is_empty(), "{place}");
        }
    }

    /// Puts a value in a place that is there, or takes it away.
    fn change(report: &mut Value, place: &str, value: Option<Value>) {
        let (above, name) = place.rsplit_once('/').unwrap();
        let above = report.pointer_mut(above).unwrap().as_object_mut().unwrap();
        assert!(above.contains_key(name), "{place} is not there");
        match value {
            Some(value) => above.insert(name.to_owned(), value),
            None => above.remove(name),
        };
    }
}
