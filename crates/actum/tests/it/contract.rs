//! The three examples of the report's first users, field by field.

use crate::run::Done;
use crate::world::World;
use serde_json::Value;

/// Every field of the contract with its type. Values are compared by each example.
fn has_every_field(done: &Done) {
    type Is = fn(&Value) -> bool;
    let types: &[(&str, Is)] = &[
        ("/result/success", Value::is_boolean),
        ("/result/exit_code", Value::is_i64),
        ("/result/stdout", Value::is_string),
        ("/result/stderr", Value::is_string),
        ("/result/duration", Value::is_string),
        ("/execution", Value::is_object),
        ("/execution/command", Value::is_string),
        ("/execution/language", Value::is_string),
        ("/execution/started_at", Value::is_string),
        ("/execution/completed_at", Value::is_string),
        ("/analysis", Value::is_object),
        ("/analysis/summary", Value::is_string),
        ("/analysis/warnings", Value::is_array),
        ("/analysis/errors", Value::is_array),
        ("/evidence_anchors", Value::is_array),
        ("/run", Value::is_string),
        ("/outcome", Value::is_string),
        ("/environment", Value::is_object),
        ("/recovery", Value::is_object),
        ("/validation", Value::is_object),
        ("/changes", Value::is_object),
        ("/resources", Value::is_object),
        ("/confinement", Value::is_object),
        ("/recommendations", Value::is_array),
    ];
    for (pointer, is_right) in types {
        assert!(is_right(done.told(pointer)), "{pointer} is {}\n{done}", done.told(pointer));
    }
}

#[test]
fn a_failing_import() {
    for world in World::each() {
        let code = "python3 -c 'import nonexistent_module'";
        let done = world.code("bash", code).go().expect(1);
        has_every_field(&done);
        assert_eq!(done.told("/result/success"), false);
        assert_eq!(done.told("/result/exit_code"), 1);
        assert_eq!(done.told("/result/stdout"), "");
        let expected = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n\
            ModuleNotFoundError: No module named 'nonexistent_module'\n";
        assert_eq!(done.told("/result/stderr"), expected, "{done}");
        assert_eq!(done.told("/execution/command"), code);
        assert_eq!(done.told("/execution/language"), "bash");
        assert_eq!(done.told("/analysis/summary"), "Import failed: module 'nonexistent_module' not found");
        assert_eq!(done.told("/analysis/warnings"), &Value::Array(Vec::new()));
        assert_eq!(
            done.told("/analysis/errors/0"),
            "ModuleNotFoundError: No module named 'nonexistent_module'"
        );
        assert_eq!(done.told("/analysis/errors").as_array().unwrap().len(), 1);
        let anchor = done.told("/evidence_anchors/3").as_str().unwrap();
        assert!(anchor.starts_with("actum:") && anchor.ends_with("#stderr:L1-L3"), "{anchor}");
    }
}
