use super::*;
use proptest::prelude::*;

const AGENTS: [Agent; 3] = [Agent::Claude, Agent::Codex, Agent::Gemini];

fn hooks(agent: Agent) -> Hooks<'static> {
    Hooks { agent, binary: "actum" }
}

/// Settings as people have them: the hooks are in them afterwards, a second time changes nothing, and without them the
/// text is what it was.
#[test]
fn every_other_byte_stays() {
    for text in [
        "{}\n",
        "{\n}",
        "{\"model\": \"opus\"}",
        "{\n  \"model\": \"opus\",\n  \"permissions\": { \"allow\": [\"Bash(ls:*)\"] }\n}\n",
        "{\n\t\"theme\": \"dark\"\n}",
        "{\r\n  \"model\": \"opus\"\r\n}\r\n",
        "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n        ]\n    },\n    \"x\": 1\n}\n",
        "{ \"hooks\": { \"PreToolUse\": [ { \"matcher\": \"Edit\", \"hooks\": [] } ] } }",
        "// mine\n{\n  \"ui\": { \"theme\": \"x\" } // end\n}\n",
        "{\"hooks\": {\"AfterAgent\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}]}}",
    ] {
        for agent in AGENTS {
            let with = with_hooks(text, hooks(agent)).unwrap();
            assert!(is_current(&json_text::read(&with).unwrap(), hooks(agent)), "{with}");
            assert_eq!(with_hooks(&with, hooks(agent)).unwrap(), with);
            let without = without_hooks(&with, agent).unwrap();
            let bare = |text: &str| text.replace("{\n}", "{}");
            assert_eq!(bare(&without), bare(text), "{agent:?}\n{with}");
        }
    }
}

#[test]
fn what_is_written_is_what_the_agents_read() {
    let text = with_hooks("", hooks(Agent::Claude)).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["hooks"]["PreToolUse"][0]["matcher"], "Bash");
    assert_eq!(
        value["hooks"]["PreToolUse"][0]["hooks"][0],
        json!({ "type": "command", "command": "actum hook pre-tool-use --agent claude", "timeout": 10 })
    );
    assert!(value["hooks"]["Stop"][0].get("matcher").is_none(), "{text}");
    let text = with_hooks("", hooks(Agent::Gemini)).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["hooks"]["AfterAgent"][0]["hooks"][0]["timeout"], 60_000);
}

#[test]
fn a_binary_that_moved_is_called_where_it_is_now() {
    let old = with_hooks("{}", Hooks { agent: Agent::Codex, binary: "'/old place/actum'" }).unwrap();
    let new = with_hooks(&old, hooks(Agent::Codex)).unwrap();
    assert!(!new.contains("/old place") && new.matches("actum hook ").count() == 3, "{new}");
}

#[test]
fn one_agent_s_hooks_are_none_of_another_s() {
    let both = with_hooks(&with_hooks("{}", hooks(Agent::Claude)).unwrap(), hooks(Agent::Codex)).unwrap();
    let one = without_hooks(&both, Agent::Codex).unwrap();
    assert_eq!(one, with_hooks("{}", hooks(Agent::Claude)).unwrap());
}

#[test]
fn another_shape_is_refused_in_words() {
    for (text, message) in [
        ("[]", "`the whole file` is not an object there"),
        ("{\"hooks\": []}", "`hooks` is not an object there"),
        ("{\"hooks\": {\"Stop\": {}}}", "`hooks.Stop` is not a list there"),
        ("{\"a\": }", "line 1, column 7: not a JSON value"),
    ] {
        let refused = with_hooks(text, hooks(Agent::Claude)).map_err(|error| error.to_string());
        assert_eq!(refused, Err(message.to_owned()), "{text}");
    }
}

proptest! {
    /// Whatever stands in settings, putting hooks in and taking them out leaves the same values.
    #[test]
    fn values_stay(names in prop::collection::btree_map("[a-z]{1,6}", any::<Option<i32>>(), 0..5), spaced: bool) {
        let value = json!(names);
        let text = if spaced { format!("{value:#}") } else { value.to_string() };
        for agent in AGENTS {
            let with = with_hooks(&text, hooks(agent)).unwrap();
            let without: serde_json::Value = serde_json::from_str(&without_hooks(&with, agent).unwrap()).unwrap();
            prop_assert_eq!(&without, &value);
        }
    }
}
