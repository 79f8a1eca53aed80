use super::*;
use actum_model::{Digest, Outcome};
use proptest::prelude::*;
use serde_json::json;

const ID: &str = "0123456789abcdef0123456789abcdef";

fn read(text: &str) -> Result<Document, DocumentError> {
    Document::read(text.as_bytes().to_vec())
}

fn execution(id: Option<&str>) -> TaskExecution {
    TaskExecution {
        code_executed: true,
        run_id: id.map(str::to_owned),
        outcome: Outcome::Success,
        runs: Vec::new(),
        agent: "ops".to_owned(),
        source_sha256: Digest([2; 32]),
        blocks: Vec::new(),
        external_ids: Vec::new(),
        digests: None,
        anchors: Vec::new(),
        error: None,
        notes: Vec::new(),
    }
}

fn update(task: usize, id: Option<&str>) -> Update {
    Update { task, execution: execution(id) }
}

#[test]
fn what_is_not_ours_stays_byte_for_byte() {
    let text = "\u{feff} {\"z\": 1.50, \"task_results\" : [\n  {\n    \"big\": 123456789012345678901234567890,\n    \"status\": \"completed\",\n    \"agent_responses\": {\"ops\": \"caf\\u00e9 \\/\"}\n  },\n  {\"status\":\"x\",\"more\":[1 ,2]}\n], \"a\": {} }\n";
    let document = read(text).unwrap();
    assert_eq!(document.with(&[]), text);
    let written = document.with(&[update(0, Some(ID))]);
    let expected_response =
        format!("\"caf\\u00e9 \\/\\n\\n✅ CODE EXECUTED SUCCESSFULLY\\nMLflow Run ID: {ID}\\n\"");
    assert!(written.contains(&expected_response), "{written}");
    assert!(written.contains("\"big\": 123456789012345678901234567890,\n"), "{written}");
    assert!(written.contains("\n    \"execution\": {\n      \"code_executed\": true,"), "{written}");
    assert!(written.ends_with("  {\"status\":\"x\",\"more\":[1 ,2]}\n], \"a\": {} }\n"), "{written}");
    // Said again it is the same, and another id takes the place of the first.
    let again = read(&written).unwrap();
    assert_eq!(again.with(&[update(0, Some(ID))]), written);
    let other = ID.replace('0', "9");
    let changed = again.with(&[update(0, Some(&other))]);
    assert_eq!(changed.matches("CODE EXECUTED").count(), 1, "{changed}");
    assert!(changed.contains(&other) && !changed.contains(ID), "{changed}");
}

#[test]
fn a_line_stays_a_line_and_an_earlier_execution_is_replaced() {
    let text = r#"[{"status":"completed","execution":{"old":1},"agent_responses":{"ops":"x"}},{}]"#;
    let written = read(text).unwrap().with(&[update(0, None), update(1, None)]);
    let value: Value = serde_json::from_str(&written).unwrap();
    assert!(!written.contains("old") && !written.contains('\n'), "{written}");
    assert_eq!(value[0]["execution"]["code_executed"], json!(true));
    assert_eq!(value[1]["execution"]["outcome"], json!("success"));
    assert_eq!(value[0]["agent_responses"]["ops"], json!("x"));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, expected) in [
        ("", "invalid JSON at line 1, column 0: EOF while parsing a value"),
        ("[{]", "invalid JSON at line 1, column 3"),
        ("7", "the document (line 1, column 1): found a number, expected a list of tasks"),
        ("{\"tasks\": []}", "the object (line 1, column 1): found no `task_results`"),
        ("{\"task_results\": {}}", "task_results (line 1, column 18): found an object, expected a list"),
        ("[\n  5]", "[0] (line 2, column 3): found a number, expected an object"),
        ("[{}, {\"status\": 3}]", "[1].status (line 1, column 17): found a number, expected a string"),
        ("[{\"id\": 1.5}]", "[0].id (line 1, column 9): found a number, expected a string or an integer"),
        ("[{\"agent_responses\": []}]", "[0].agent_responses"),
        ("[{\"agent_responses\": {\"ops\": 1}}]", "[0].agent_responses.ops (line 1, column 30)"),
        ("[{\"approvals\": {\"a\": 1}}]", "[0].approvals.a"),
        ("[{\"approvals\": 1}]", "[0].approvals"),
        ("[{\"id\": \"a\"}, {}, {\"id\": \"a\"}]", "tasks 1 and 3 have the same id `a`"),
        ("[{\"id\": 2}, {}]", "tasks 1 and 2 have the same id `2`"),
    ] {
        let told = read(text).unwrap_err().to_string();
        assert!(told.contains(expected), "{text}: {told}");
    }
    assert_eq!(Document::read(b"[\"\xff\"]".to_vec()).unwrap_err(), DocumentError::NotText { at: 2 });
    assert!(read(&"[".repeat(100_000)).is_err());
}

#[test]
fn ten_thousand_tasks_and_a_huge_response_are_read_and_written() {
    let task = |number: usize| {
        format!("{{\"id\": {number}, \"status\": \"completed\", \"agent_responses\": {{\"ops\": \"x\"}}}}")
    };
    let many: Vec<String> = (0..10_000).map(task).collect();
    let document = read(&format!("[{}]", many.join(",\n"))).unwrap();
    let updates: Vec<Update> = (0..10_000).map(|number| update(number, Some(ID))).collect();
    assert_eq!(document.with(&updates).matches("CODE EXECUTED").count(), 10_000);
    let huge = format!("[{{\"agent_responses\": {{\"ops\": {}}}}}]", json!("y".repeat(8 << 20)));
    assert!(read(&huge).unwrap().with(&[update(0, Some(ID))]).contains(ID));
}

proptest! {
    #[test]
    fn whatever_is_written_reads_back_with_the_rest_unchanged(
        response in "[ -~é\\n\"\\\\]{0,40}",
        pretty: bool,
        extra in "[a-z\"]{0,6}",
    ) {
        let value = json!([{"status": "completed", "x": extra, "agent_responses": {"ops": response}}]);
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let written = read(&text).unwrap().with(&[update(0, Some(ID))]);
        let mut back: Value = serde_json::from_str(&written).unwrap();
        let told = back[0]["agent_responses"]["ops"].as_str().unwrap().to_owned();
        prop_assert_eq!(told, format!("{response}{}", evidence::evidence(ID)));
        back[0].as_object_mut().unwrap().remove("execution");
        back[0]["agent_responses"]["ops"] = json!(response);
        prop_assert_eq!(back, value);
        prop_assert_eq!(read(&written).unwrap().with(&[update(0, Some(ID))]), written);
    }
}
