//! What an agent tells on stdin: one JSON object, of which each agent has its own form.

use crate::cli::agent::Agent;
use actum_model::Span;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One event, as it was told.
#[derive(Debug, Clone)]
pub(super) struct Event(Value);

/// What came of a command, as the agent tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Absent where the agent does not tell.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) took: Option<Span>,
}

/// Longer than any event: agents cut what they tell.
const LONGEST: u64 = 64 << 20;

impl Event {
    pub(super) fn read(from: impl Read) -> Result<Self, String> {
        let mut bytes = Vec::new();
        from.take(LONGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("stdin could not be read: {error}"))?;
        if bytes.len() as u64 > LONGEST {
            return Err("the event on stdin is longer than any that an agent sends".to_owned());
        }
        match serde_json::from_slice(&bytes) {
            Ok(value @ Value::Object(_)) => Ok(Self(value)),
            Ok(_) => Err("the event on stdin is no JSON object".to_owned()),
            Err(error) => Err(format!("the event on stdin is no JSON: {error}")),
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// Whose form it has. Codex tells which turn it is in; Gemini has names of its own for what happens.
    pub(super) fn sender(&self) -> Agent {
        let name = self.text("hook_event_name").unwrap_or_default();
        match name {
            "BeforeTool" | "AfterTool" | "AfterAgent" => Agent::Gemini,
            _ if self.0.get("turn_id").is_some() => Agent::Codex,
            _ => Agent::Claude,
        }
    }

    /// Where the agent is.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        self.text("cwd").map(PathBuf::from).filter(|folder| folder.is_absolute() && folder.is_dir())
    }

    /// What the tool is called with.
    pub(super) fn input(&self) -> Option<&serde_json::Map<String, Value>> {
        self.0.get("tool_input").and_then(Value::as_object)
    }

    /// The line for the shell.
    pub(super) fn line(&self) -> Option<&str> {
        self.input()?.get("command").and_then(Value::as_str).filter(|line| !line.trim().is_empty())
    }

    /// A folder that the tool is told to start in.
    pub(super) fn tool_folder(&self) -> Option<&Path> {
        let input = self.input()?;
        let named = ["dir_path", "directory", "workdir"].iter().find_map(|name| input.get(*name));
        named.and_then(Value::as_str).filter(|text| !text.is_empty()).map(Path::new)
    }

    /// The last thing that the agent said.
    pub(super) fn message(&self) -> Option<&str> {
        self.text("last_assistant_message").or_else(|| self.text("prompt_response"))
    }

    /// Whether the agent goes on because a hook sent it back.
    pub(super) fn was_sent_back(&self) -> bool {
        self.0.get("stop_hook_active").and_then(Value::as_bool).unwrap_or_default()
    }

    /// What came of the command.
    pub(super) fn outcome(&self, agent: Agent) -> Outcome {
        let took = self.0.get("duration_ms").and_then(Value::as_u64);
        let took = took.map(|milliseconds| Span(Duration::from_millis(milliseconds)));
        let outcome = match (agent, self.0.get("tool_response"), self.text("error")) {
            (Agent::Claude, None, Some(error)) => claude_failure(error),
            (Agent::Claude, Some(response), _) => claude(response),
            (Agent::Codex, Some(Value::String(text)), _) => {
                Outcome { stdout: text.clone(), ..Outcome::default() }
            }
            (Agent::Gemini, Some(response), _) => gemini(response),
            (Agent::Claude | Agent::Codex | Agent::Gemini, _, _) => Outcome::default(),
        };
        Outcome { took, ..outcome }
    }
}

/// A command that ended well, unless the agent says more about how it ended.
fn claude(response: &Value) -> Outcome {
    let text = |name: &str| response.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let is = |name: &str| {
        response.get(name).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
    };
    // Other words for a code that is no failure, a command that goes on, one that was stopped.
    let is_open = ["returnCodeInterpretation", "backgroundTaskId", "interrupted"].iter().any(|name| is(name));
    Outcome { code: (!is_open).then_some(0), stdout: text("stdout"), stderr: text("stderr"), took: None }
}

/// `Exit code 3`, then what was printed.
fn claude_failure(error: &str) -> Outcome {
    let (first, rest) = error.split_once('\n').unwrap_or((error, ""));
    match first.strip_prefix("Exit code ").and_then(|code| code.trim().parse().ok()) {
        Some(code) => Outcome { code: Some(code), stdout: rest.to_owned(), ..Outcome::default() },
        None => Outcome { stderr: error.to_owned(), ..Outcome::default() },
    }
}

/// A text of several fields, written for a model: `Output:` first, `Exit Code:` where it was not 0.
fn gemini(response: &Value) -> Outcome {
    let text = match response.get("llmContent") {
        Some(Value::String(text)) => text.as_str(),
        Some(_) | None => return Outcome::default(),
    };
    let text = text.trim().trim_start_matches("<untrusted_context>").trim_end_matches("</untrusted_context>");
    let Some((_, fields)) = text.split_once("Output: ") else { return Outcome::default() };
    let code = fields.lines().rev().find_map(|line| line.strip_prefix("Exit Code: ")?.trim().parse().ok());
    let is_further = |line: &&str| {
        ["Exit Code: ", "Error: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "]
            .iter()
            .any(|field| line.starts_with(field))
    };
    let ends_badly = fields.lines().any(|line| line.starts_with("Signal: ") || line.starts_with("Error: "));
    let printed: Vec<&str> = fields.lines().take_while(|line| !is_further(line)).collect();
    let stdout = Some(printed.join("\n")).filter(|text| text != "(empty)").unwrap_or_default();
    Outcome { code: code.or((!ends_badly).then_some(0)), stdout, ..Outcome::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(text: &str) -> Event {
        Event::read(text.as_bytes()).unwrap()
    }

    /// As Claude Code 2.1.325, Codex 0.166 and Gemini CLI 0.61 sent them, shortened.
    #[test]
    fn an_event_tells_whose_it_is() {
        for (text, agent) in [
            (r#"{"hook_event_name":"Stop","stop_hook_active":false}"#, Agent::Claude),
            (r#"{"hook_event_name":"Stop","turn_id":"1","stop_hook_active":false}"#, Agent::Codex),
            (r#"{"hook_event_name":"AfterAgent","prompt_response":"x"}"#, Agent::Gemini),
            ("{}", Agent::Claude),
        ] {
            assert_eq!(event(text).sender(), agent, "{text}");
        }
    }

    #[test]
    fn each_agent_tells_in_its_own_form() {
        let claude = event(
            r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"seq 2","description":"d"},"tool_response":{"stdout":"1\n2","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false},"duration_ms":33}"#,
        );
        let outcome = claude.outcome(Agent::Claude);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), "1\n2"));
        assert_eq!(outcome.took, Some(Span(Duration::from_millis(33))));
        let failed = event(
            r#"{"hook_event_name":"PostToolUseFailure","tool_input":{"command":"x"},"error":"Exit code 3\nhello\n/p","is_interrupt":false}"#,
        );
        let outcome = failed.outcome(Agent::Claude);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(3), "hello\n/p"));
        let codex = event(r#"{"tool_name":"Bash","tool_input":{"command":"x"},"tool_response":"hello\n"}"#);
        let outcome = codex.outcome(Agent::Codex);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (None, "hello\n"));
        let gemini = event(
            r#"{"hook_event_name":"AfterTool","tool_input":{"command":"x"},"tool_response":{"llmContent":"<untrusted_context>\nOutput: hello\n/p\nExit Code: 3\nProcess Group PGID: 7374\n</untrusted_context>","returnDisplay":"hello\n/p"}}"#,
        );
        let outcome = gemini.outcome(Agent::Gemini);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(3), "hello\n/p"));
    }

    #[test]
    fn what_stops_tells_its_last_message() {
        let claude = event(r#"{"stop_hook_active":false,"last_assistant_message":"all passed"}"#);
        assert_eq!((claude.message(), claude.was_sent_back()), (Some("all passed"), false));
        let gemini = event(r#"{"prompt":"p","prompt_response":"all passed","stop_hook_active":true}"#);
        assert_eq!((gemini.message(), gemini.was_sent_back()), (Some("all passed"), true));
    }

    #[test]
    fn what_is_no_event_is_refused_in_words() {
        for (text, why) in [
            ("", "is no JSON"),
            ("[]", "is no JSON object"),
            ("{\"a\":", "is no JSON"),
            ("\u{0}", "is no JSON"),
        ] {
            assert!(Event::read(text.as_bytes()).unwrap_err().contains(why), "{text:?}");
        }
    }

    proptest! {
        /// Whatever an agent sends, it is read or refused.
        #[test]
        fn nothing_here_panics(response in ".{0,60}", error in ".{0,60}") {
            let text = serde_json::json!({
                "tool_input": { "command": response }, "error": error,
                "tool_response": { "llmContent": format!("Output: {error}"), "stdout": 3 },
            });
            let event = Event::read(text.to_string().as_bytes()).unwrap();
            for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
                event.outcome(agent);
            }
        }
    }
}
