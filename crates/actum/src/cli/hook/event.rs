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

/// The command that an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandLine<'e> {
    /// Another tool, or an empty line: nothing is run.
    Absent,
    Line(&'e str),
    /// Something is run, in a form that is not known here.
    Unknown,
}

/// By what an agent names its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionId<'e> {
    Absent,
    Text(&'e str),
    /// There is one, in a form that is not known here.
    Unknown,
}

/// Where an agent says that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AgentFolder {
    Absent,
    Folder(PathBuf),
    /// A folder that is gone or cannot be used, or one in a form that is not known here.
    Unusable(Option<PathBuf>),
}

/// The last thing that an agent said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message {
    Absent,
    Text(String),
    /// There is one, in a form that is not known here.
    Unknown,
}

/// Tools that run a line in a shell, as agents name them.
const SHELLS: [&str; 12] = [
    "Bash",
    "run_shell_command",
    "shell",
    "local_shell",
    "exec_command",
    "unified_exec",
    "exec",
    "execute",
    "run_command",
    "shell_command",
    "terminal",
    "container.exec",
];

/// Names of a command in what other tools are called with.
const COMMANDS: [&str; 5] = ["cmd", "commands", "command_line", "shell_command", "argv"];

/// Names of a folder that the tool is told to start in.
const FOLDERS: [&str; 6] = ["dir_path", "directory", "workdir", "cwd", "working_directory", "dir"];

/// What else a tool is called with that does not choose what is started: how long it is waited for, what its user is shown,
/// and how the agent's own sandbox and questions treat it.
const HARMLESS: [&str; 15] = [
    "command",
    "description",
    "timeout",
    "timeout_ms",
    "run_in_background",
    "is_background",
    "delay_ms",
    "yield_time_ms",
    "max_output_tokens",
    "justification",
    "with_escalated_permissions",
    "sandbox_permissions",
    "prefix_rule",
    "additional_permissions",
    "dangerouslyDisableSandbox",
];

/// Longer than any event: agents cut what they tell.
const LONGEST: u64 = 64 << 20;

impl Event {
    pub(super) fn read(from: impl Read) -> Result<Self, String> {
        Self::parse(&bytes(from)?)
    }

    /// Like [`Event::read`]; what is no character is replaced. For what is only recorded or judged, never for what is run.
    pub(super) fn read_lossily(from: impl Read) -> Result<Self, String> {
        let bytes = bytes(from)?;
        Self::parse(&bytes).or_else(|_| Self::parse(without_lone_surrogates(&bytes).as_bytes()))
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        match serde_json::from_slice(bytes) {
            Ok(value @ Value::Object(_)) => Ok(Self(value)),
            Ok(_) => Err("the event on stdin is not a JSON object".to_owned()),
            Err(error) => Err(format!("the event on stdin is not JSON: {error}")),
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

    /// Where the agent is, if that can be used.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        match self.agent_folder() {
            AgentFolder::Folder(folder) => Some(folder),
            AgentFolder::Absent | AgentFolder::Unusable(_) => None,
        }
    }

    pub(super) fn agent_folder(&self) -> AgentFolder {
        match self.0.get("cwd").filter(|folder| !folder.is_null()) {
            None => AgentFolder::Absent,
            Some(folder) => match folder.as_str().map(PathBuf::from) {
                Some(folder) if folder.is_absolute() && folder.is_dir() => AgentFolder::Folder(folder),
                folder => AgentFolder::Unusable(folder),
            },
        }
    }

    /// The session of the agent, from its start to its end.
    pub(super) fn session(&self) -> SessionId<'_> {
        match self.0.get("session_id") {
            None | Some(Value::Null) => SessionId::Absent,
            Some(Value::String(id)) if id.is_empty() => SessionId::Absent,
            Some(Value::String(id)) => SessionId::Text(id),
            Some(_) => SessionId::Unknown,
        }
    }

    /// What the tool is called with.
    pub(super) fn input(&self) -> Option<&serde_json::Map<String, Value>> {
        self.0.get("tool_input").and_then(Value::as_object)
    }

    /// The line for the shell.
    pub(super) fn line(&self) -> Option<&str> {
        self.input()?.get("command").and_then(Value::as_str).filter(|line| !is_blank(line))
    }

    /// The command that is about to run.
    pub(super) fn command(&self) -> CommandLine<'_> {
        let is_shell = self.0.get("tool_name").is_none_or(|name| {
            name.as_str().is_none_or(|name| SHELLS.iter().any(|shell| shell.eq_ignore_ascii_case(name)))
        });
        let has_other = || {
            let input = self.input();
            input.is_some_and(|input| COMMANDS.iter().any(|name| input.contains_key(*name)))
        };
        match (self.input().and_then(|input| input.get("command")), is_shell) {
            (Some(Value::String(line)), _) if !is_blank(line) => CommandLine::Line(line),
            (Some(Value::String(_)), _) | (None, false) if !has_other() => CommandLine::Absent,
            (Some(_) | None, _) => CommandLine::Unknown,
        }
    }

    /// A folder that the tool is told to start in.
    pub(super) fn tool_folder(&self) -> Option<&Path> {
        self.tool_folders().find_map(|folder| folder)
    }

    /// Every folder that the tool may be told to start in; nothing for one in a form that is not known.
    pub(super) fn tool_folders(&self) -> impl Iterator<Item = Option<&Path>> {
        let input = self.input();
        let named = FOLDERS.iter().filter_map(move |name| input?.get(*name));
        let named = named.filter(|value| !value.is_null() && value.as_str() != Some(""));
        named.map(|value| value.as_str().map(Path::new))
    }

    /// A key of the tool's input that may choose how the command is started: a shell, variables, a user.
    pub(super) fn unknown_key(&self) -> Option<&str> {
        let is_known = |key: &str| HARMLESS.contains(&key) || FOLDERS.contains(&key);
        let mut keys =
            self.input()?.iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| key.as_str());
        keys.find(|key| !is_known(key))
    }

    /// The last thing that the agent said.
    pub(super) fn message(&self) -> Message {
        let named = ["last_assistant_message", "prompt_response"].iter().map(|name| self.0.get(*name));
        match named.flatten().find(|value| !value.is_null()) {
            None => Message::Absent,
            Some(Value::String(text)) => Message::Text(text.clone()),
            // Blocks of a message, as models' interfaces have them.
            Some(Value::Array(blocks)) => {
                let text = |block: &Value| {
                    block.as_str().or_else(|| block.get("text").and_then(Value::as_str)).map(str::to_owned)
                };
                let texts: Option<Vec<String>> = blocks.iter().map(text).collect();
                texts.map_or(Message::Unknown, |texts| Message::Text(texts.join("\n\n")))
            }
            Some(_) => Message::Unknown,
        }
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

/// Whether a shell runs nothing. Other white space, as Unicode has it, is the name of a command to a shell.
fn is_blank(line: &str) -> bool {
    line.chars().all(|character| matches!(character, ' ' | '\t' | '\n'))
}

fn bytes(from: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = from.take(LONGEST + 1).read_to_end(&mut bytes);
    match read.map_err(|error| format!("cannot read stdin: {error}"))? as u64 {
        0..=LONGEST => Ok(bytes),
        _ => Err("the event on stdin is too long".to_owned()),
    }
}

/// JSON in which what is no character is replaced: bytes that are no UTF-8, and halves of a pair (`\\ud83d` alone).
fn without_lone_surrogates(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut fixed, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(c) = text[at..].chars().next() {
        let length = match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                fixed.push('\u{fffd}');
                at += 6;
                continue;
            }
            // An escape is whole with the character behind it.
            Some(_) => 6,
            None if c == '\\' => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            None => c.len_utf8(),
        };
        fixed.push_str(&text[at..at + length]);
        at += length;
    }
    fixed
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

    #[test]
    fn halves_of_a_pair_are_replaced() {
        for (text, expected) in [
            (r#"{"a":"x\ud800y"}"#, "x\u{fffd}y"),
            (r#"{"a":"\udc00\ud83d"}"#, "\u{fffd}\u{fffd}"),
            (r#"{"a":"\ud800\ud83d\ude00"}"#, "\u{fffd}\u{1f600}"),
            (r#"{"a":"\\ud800 \ud800"}"#, "\\ud800 \u{fffd}"),
        ] {
            let event = Event::read_lossily(text.as_bytes()).unwrap();
            assert_eq!(event.text("a"), Some(expected), "{text}");
        }
        assert!(Event::read_lossily(&b"{\"a\":\"x\xff\"}"[..]).is_ok());
        assert!(Event::read_lossily(&b"{\"a\":"[..]).is_err());
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
        assert_eq!(
            (claude.message(), claude.was_sent_back()),
            (Message::Text("all passed".to_owned()), false)
        );
        let gemini = event(r#"{"prompt":"p","prompt_response":"all passed","stop_hook_active":true}"#);
        assert_eq!(
            (gemini.message(), gemini.was_sent_back()),
            (Message::Text("all passed".to_owned()), true)
        );
    }

    #[test]
    fn a_command_in_an_unknown_form_is_not_taken_for_none() {
        for (text, expected) in [
            (r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#, CommandLine::Line("ls")),
            (r#"{"tool_input":{"command":"ls"}}"#, CommandLine::Line("ls")),
            (r#"{"tool_name":"Bash","tool_input":{"command":" "}}"#, CommandLine::Absent),
            (r#"{"tool_name":"Bash","tool_input":{"command":"\n\t"}}"#, CommandLine::Absent),
            (r#"{"tool_name":"Bash","tool_input":{"command":"\u0085"}}"#, CommandLine::Line("\u{85}")),
            (r#"{"tool_name":"Bash","tool_input":{"command":"\u000b"}}"#, CommandLine::Line("\u{b}")),
            (r#"{"tool_name":"Bash","tool_input":{"command":"","cmd":"ls"}}"#, CommandLine::Unknown),
            (r#"{"tool_name":"Odd","tool_input":{"command":" ","argv":["ls"]}}"#, CommandLine::Unknown),
            (r#"{"tool_name":"Read","tool_input":{"file_path":"x"}}"#, CommandLine::Absent),
            (r#"{"tool_name":"shell","tool_input":{"command":["ls"]}}"#, CommandLine::Unknown),
            (r#"{"tool_name":"Odd","tool_input":{"command":{"line":"ls"}}}"#, CommandLine::Unknown),
            (r#"{"tool_name":"bash","tool_input":{"script":"ls"}}"#, CommandLine::Unknown),
            (r#"{"tool_name":"Bash","tool_input":"ls"}"#, CommandLine::Unknown),
            (r#"{"tool_name":"exec","tool_input":{"cmd":"ls"}}"#, CommandLine::Unknown),
            (r#"{"tool_name":"Other","tool_input":{"cmd":["ls"]}}"#, CommandLine::Unknown),
            ("{}", CommandLine::Unknown),
        ] {
            assert_eq!(event(text).command(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_event_is_refused_in_words() {
        for (text, why) in [
            ("", "is not JSON"),
            ("[]", "is not a JSON object"),
            ("{\"a\":", "is not JSON"),
            ("\u{0}", "is not JSON"),
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
