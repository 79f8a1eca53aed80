//! Transcripts of agents: JSON lines of Claude Code and Codex, and the messages of the OpenAI and Anthropic interfaces.
//!
//! What counts is what the agent said and did: its texts are answers in Markdown, its calls of tools are code by themselves, and
//! what a tool gave back is what that code is said to print. What the user said is not run, nor is what the model thought.

use crate::answer::{Answer, Named, Piece, Saying};
use crate::error::AnswersError;
use crate::json::{self, Node, Value};
use crate::{markdown, naming};
use actum_model::{AnswerForm, BlockKind};
use std::collections::{HashMap, HashSet};

/// Reads a transcript.
pub(crate) fn read(text: &str) -> Result<Answer, AnswersError> {
    let mut reading = Reading::default();
    reading.answer.form = AnswerForm::Transcript;
    match json::read(text, 1) {
        Ok(value) => reading.document(&value),
        Err(whole) => reading.json_lines(text, whole)?,
    }
    Ok(reading.finish())
}

#[derive(Default)]
struct Reading {
    answer: Answer,
    /// Which message is being read, counted from 1.
    part: u32,
    /// For each call of a tool the piece that it became.
    calls: HashMap<String, usize>,
    /// Texts that were read already.
    said: HashSet<String>,
    /// Whether anything looked like a message.
    is_transcript: bool,
}

impl Reading {
    fn json_lines(&mut self, text: &str, whole: json::Broken) -> Result<(), AnswersError> {
        let lines: Vec<(u64, &str)> =
            (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).collect();
        let broken =
            |broken: json::Broken| AnswersError::Transcript { line: broken.line, problem: broken.problem };
        let is_last = |number: u64| lines.last().is_some_and(|(last, _)| *last == number);
        for (number, line) in &lines {
            let stops = || json::Broken { line: *number, problem: "the line is cut off".to_owned() };
            let value = json::read(line, *number)
                .and_then(|value| if value.is_cut && !is_last(*number) { Err(stops()) } else { Ok(value) });
            // One object over several lines is no JSON lines: then the first complaint is the one to tell.
            let is_first = *number == lines[0].0;
            let value = value.map_err(|error| broken(if is_first { whole.clone() } else { error }))?;
            self.document(&value);
        }
        Ok(())
    }

    /// One JSON value: a message, a list of them, or what an interface gave back.
    fn document(&mut self, value: &Value) {
        if value.is_cut {
            self.answer.notes.push(format!("the transcript is cut off in line {}", value.lines[1]));
        }
        if !value.list().is_empty() {
            value.list().iter().for_each(|one| self.message(one));
            return;
        }
        for list in ["messages", "items", "output", "choices"] {
            if let Some(found) = value.get(list).filter(|found| !found.list().is_empty()) {
                found.list().iter().for_each(|one| self.message(one));
                self.stopped(value);
                return;
            }
        }
        self.message(value);
    }

    /// One message, in any of the shapes. Claude Code and Codex put it into an envelope.
    fn message(&mut self, value: &Value) {
        let envelope = ["message", "payload", "item"]
            .iter()
            .find_map(|name| value.get(name).filter(|inner| inner.is_object()));
        if let Some(inner) = envelope {
            match value.text_of("type") {
                Some("user" | "system") => self.results(inner),
                Some(_) | None => self.message(inner),
            }
            return self.stopped(value);
        }
        self.part += 1;
        match (value.text_of("role"), value.text_of("type")) {
            (Some("user" | "system" | "developer" | "tool"), _) => self.results(value),
            (_, Some("function_call_output" | "custom_tool_call_output" | "local_shell_call_output")) => {
                self.result(value)
            }
            (_, Some("command_execution")) => self.command_execution(value),
            (_, Some("agent_message")) => self.said(value.get("text").or_else(|| value.get("message"))),
            (_, Some("result")) => self.said(value.get("result")),
            (_, Some("tool_result")) => self.result(value),
            (_, Some("reasoning")) => {}
            _ => self.assistant(value),
        }
        self.stopped(value);
    }

    fn assistant(&mut self, value: &Value) {
        self.content(value.get("content"));
        for call in value.get("tool_calls").map(Value::list).unwrap_or_default() {
            self.is_transcript = true;
            self.call(call);
        }
        let is_call = value.get("name").is_some()
            || value.get("tool_name").is_some()
            || value.get("function").is_some()
            || value.get("action").is_some();
        if is_call {
            self.call(value);
        }
    }

    fn content(&mut self, content: Option<&Value>) {
        match content.map(|content| &content.node) {
            Some(Node::Text(_)) => self.said(content),
            Some(Node::List(parts)) => parts.iter().for_each(|part| match part.text_of("type") {
                Some("text" | "output_text") => self.said(part.get("text")),
                Some("tool_use" | "server_tool_use") => self.call(part),
                Some("tool_result") => self.result(part),
                Some(_) | None => {}
            }),
            Some(Node::Object(_) | Node::Word(_)) | None => {}
        }
    }

    /// What the agent said is an answer of its own.
    fn said(&mut self, text: Option<&Value>) {
        let Some((value, text)) = text.and_then(|value| Some((value, value.text()?))) else { return };
        self.is_transcript = true;
        // Some write what was said twice: as a message, and as an event about it.
        if !self.said.insert(text.to_owned()) {
            return;
        }
        let answer = markdown::read(text);
        for note in answer.notes {
            if !self.answer.notes.contains(&note) {
                self.answer.notes.push(note);
            }
        }
        for mut piece in answer.pieces {
            piece.part = self.part;
            piece.lines = value.lines;
            piece.first_code_line = value.lines[0];
            if value.is_cut && piece.is_open {
                piece.cut = Some("the transcript is cut off in this block".to_owned());
            }
            self.answer.pieces.push(piece);
        }
    }

    /// What was given to a tool.
    fn call(&mut self, call: &Value) {
        self.is_transcript = true;
        let function = call.get("function").unwrap_or(call);
        let name = function
            .text_of("name")
            .or_else(|| call.text_of("tool_name"))
            .or_else(|| call.text_of("type"))
            .unwrap_or_default()
            .to_ascii_lowercase();
        let given =
            ["arguments", "input", "parameters", "action"].iter().find_map(|field| function.get(field));
        let Some(given) = given else { return };
        // Some interfaces put JSON into a string.
        let inner =
            given.text().and_then(|text| json::read(text, given.lines[0]).ok()).filter(Value::is_object);
        let is_cut = given.is_cut || inner.as_ref().is_some_and(|inner| inner.is_cut);
        let mut piece = match inner.as_ref().filter(|_| given.text().is_some()).unwrap_or(given) {
            fields if fields.is_object() => tool(&name, fields),
            plain => plain.text().and_then(|text| free(&name, text)),
        }
        .unwrap_or_default();
        if piece.code.is_empty() {
            return;
        }
        piece.kind = BlockKind::ToolCall;
        piece.part = self.part;
        piece.lines = call.lines;
        piece.first_code_line = call.lines[0];
        piece.cut = is_cut.then(|| "the call's JSON is cut off".to_owned());
        for id in ["id", "call_id", "tool_id"].iter().filter_map(|field| call.text_of(field)) {
            self.calls.insert(id.to_owned(), self.answer.pieces.len());
        }
        self.answer.pieces.push(piece);
    }

    fn results(&mut self, message: &Value) {
        self.is_transcript = true;
        self.result(message);
        let parts = message.get("content").map(Value::list).unwrap_or_default();
        parts
            .iter()
            .filter(|part| part.text_of("type") == Some("tool_result"))
            .for_each(|part| self.result(part));
    }

    /// What a tool gave back is what its call is said to print.
    fn result(&mut self, value: &Value) {
        let id = ["tool_use_id", "tool_call_id", "call_id", "tool_id"]
            .iter()
            .find_map(|field| value.text_of(field));
        let Some(piece) = id.and_then(|id| self.calls.get(id)).and_then(|at| self.answer.pieces.get_mut(*at))
        else {
            return;
        };
        let given = value.get("output").or_else(|| value.get("content"));
        let printed = given.map(printed).unwrap_or_default();
        // Of a file that was written the tool says only that it was.
        if piece.named.is_none() && !printed.trim().is_empty() {
            piece.printed = Some(printed);
        }
    }

    /// What `codex exec --json` tells about a command: both sides at once.
    fn command_execution(&mut self, value: &Value) {
        self.is_transcript = true;
        let Some(command) = value.text_of("command") else { return };
        let is_done = value.text_of("status").is_none_or(|status| status != "in_progress");
        if is_done {
            self.answer.pieces.push(Piece {
                kind: BlockKind::ToolCall,
                label: Some("bash".to_owned()),
                code: line(command),
                lines: value.lines,
                first_code_line: value.lines[0],
                part: self.part,
                printed: value
                    .text_of("aggregated_output")
                    .map(str::to_owned)
                    .filter(|text| !text.is_empty()),
                cut: value.is_cut.then(|| "the transcript is cut off in this command".to_owned()),
                ..Piece::default()
            });
        }
    }

    /// A model that stopped at its limit did not say all that it wanted.
    fn stopped(&mut self, value: &Value) {
        let reasons = ["stop_reason", "finish_reason", "status"];
        let reason = reasons.iter().find_map(|field| value.text_of(field));
        let is_limit = matches!(reason, Some("max_tokens" | "length" | "incomplete" | "MAX_TOKENS"));
        let Some(last) = self.answer.pieces.last_mut().filter(|piece| is_limit && piece.part == self.part)
        else {
            return;
        };
        last.cut = Some("the model reached its token limit".to_owned());
    }

    fn finish(mut self) -> Answer {
        if !self.is_transcript {
            self.answer.notes.push("it is JSON without a message of an agent".to_owned());
        }
        self.answer
    }
}

/// What a tool's result says, as text.
fn printed(value: &Value) -> String {
    match &value.node {
        Node::Text(text) => match json::read(text, 1) {
            Ok(inner) if inner.is_object() => inner.text_of("output").unwrap_or(text).to_owned(),
            Ok(_) | Err(_) => text.clone(),
        },
        Node::List(parts) => parts.iter().filter_map(|part| part.text_of("text")).collect(),
        Node::Object(_) => {
            value.text_of("output").or_else(|| value.text_of("text")).unwrap_or_default().to_owned()
        }
        Node::Word(_) => String::new(),
    }
}

/// Code from the fields that a tool was given.
fn tool(name: &str, fields: &Value) -> Option<Piece> {
    let path =
        ["file_path", "path", "filename", "notebook_path"].iter().find_map(|field| fields.text_of(field));
    if let Some(path) = path {
        if let (Some(old), Some(new)) = (fields.text_of("old_string"), fields.text_of("new_string")) {
            return Some(edit(path, old, new));
        }
        let content =
            ["content", "contents", "text", "file_text"].iter().find_map(|field| fields.text_of(field));
        if let Some(content) = content {
            return Some(written(path, content));
        }
    }
    if let Some(patch) = fields.text_of("patch").or_else(|| fields.text_of("diff")) {
        return Some(patched(patch));
    }
    if let Some(command) = fields.get("command").or_else(|| fields.get("cmd")) {
        return Some(commanded(command)).filter(|piece| !piece.code.is_empty());
    }
    let (field, code) = ["code", "script", "source", "input", "query", "sql"]
        .iter()
        .find_map(|field| Some((*field, fields.text_of(field)?)))?;
    let label = fields.text_of("language").or_else(|| fields.text_of("lang")).map(str::to_ascii_lowercase);
    let label = label.or_else(|| language_of(name, field))?;
    Some(Piece { label: Some(label), code: line(code), ..Piece::default() })
}

/// Code that a tool was given as it is.
fn free(name: &str, text: &str) -> Option<Piece> {
    if name.contains("patch") {
        return Some(patched(text));
    }
    Some(Piece { label: Some(language_of(name, "code")?), code: line(text), ..Piece::default() })
}

/// The language that the name of a tool tells.
fn language_of(tool: &str, field: &str) -> Option<String> {
    let known = [
        ("python", "python"),
        ("ipython", "python"),
        ("jupyter", "python"),
        ("code_interpreter", "python"),
        ("execute_code", "python"),
        ("run_code", "python"),
        ("code_execution", "python"),
        ("javascript", "javascript"),
        ("node", "javascript"),
        ("bash", "bash"),
        ("shell", "bash"),
        ("terminal", "bash"),
        ("sql", "sql"),
        ("query", "sql"),
        ("ruby", "ruby"),
    ];
    let by_tool = known.iter().find(|(part, _)| tool.contains(part));
    let language = by_tool.or_else(|| known.iter().find(|(part, _)| field == *part))?.1;
    Some(language.to_owned())
}

/// A command as one string, or as the words that it was started with: `["bash", "-lc", "ls"]`.
fn commanded(command: &Value) -> Piece {
    let words: Vec<&str> = command.list().iter().filter_map(Value::text).collect();
    let text = match words.as_slice() {
        [] => command.text().unwrap_or_default().to_owned(),
        [shell, flag, line] if shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c') => {
            (*line).to_owned()
        }
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    };
    if let Some(at) = text.find("*** Begin Patch") {
        let end = text.find("*** End Patch").map_or(text.len(), |end| end + "*** End Patch".len());
        return patched(text.get(at..end).unwrap_or_default());
    }
    Piece { label: Some("bash".to_owned()), code: line(&text), ..Piece::default() }
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn written(path: &str, content: &str) -> Piece {
    let label = naming::extension(path).map(str::to_ascii_lowercase);
    Piece {
        label,
        named: Some(Named { path: inside(path), saying: Saying::Title }),
        code: content.to_owned(),
        ..Piece::default()
    }
}

/// A replacement, as a patch.
fn edit(path: &str, old: &str, new: &str) -> Piece {
    let lines = |mark: char, text: &str| -> String {
        text.lines().flat_map(|line| [String::from(mark), line.to_owned(), "\n".to_owned()]).collect()
    };
    let code = format!(
        "*** Begin Patch\n*** Update File: {}\n@@\n{}{}*** End Patch\n",
        inside(path),
        lines('-', old),
        lines('+', new)
    );
    patched(&code)
}

fn patched(code: &str) -> Piece {
    Piece { label: Some("diff".to_owned()), code: line(code), is_patch: true, ..Piece::default() }
}

/// Agents name files by their place on their machine; which part of that is the workspace is not known, so such a path stays as it is.
fn inside(path: &str) -> String {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

fn line(code: &str) -> String {
    if code.ends_with('\n') { code.to_owned() } else { format!("{code}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Label, code, path and what it printed.
    fn found(text: &str) -> Vec<(String, String, String, String)> {
        let told = |piece: Piece| {
            let path = piece.named.map(|named| named.path).unwrap_or_default();
            (piece.label.unwrap_or_default(), piece.code, path, piece.printed.unwrap_or_default())
        };
        read(text).unwrap().pieces.into_iter().map(told).collect()
    }

    fn row(label: &str, code: &str, path: &str, printed: &str) -> (String, String, String, String) {
        (label.to_owned(), code.to_owned(), path.to_owned(), printed.to_owned())
    }

    #[test]
    fn claude_code() {
        let text = r#"{"type":"user","message":{"role":"user","content":"```python\nprint(0)\n```"}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"```python\nno\n```"},{"type":"text","text":"Do:\n\n```python\nprint(1)\n```"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}},{"type":"tool_use","id":"t2","name":"Write","input":{"file_path":"a.py","content":"x = 1\n"}},{"type":"tool_use","id":"t3","name":"Edit","input":{"file_path":"a.py","old_string":"x = 1","new_string":"x = 2"}}]}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.py\n"},{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"written"}]}]}}
"#;
        let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n";
        let expected = [
            row("python", "print(1)\n", "", ""),
            row("bash", "ls\n", "", "a.py\n"),
            row("py", "x = 1\n", "a.py", ""),
            row("diff", patch, "", ""),
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn codex() {
        let text = r#"{"type":"session_meta","payload":{"id":"x"}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"```js\n1\n```"}]}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"pwd\"]}","call_id":"c1"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"/x\\n\",\"metadata\":{}}"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: b.py\n+y\n*** End Patch","call_id":"c2"}}
{"type":"item.completed","item":{"type":"command_execution","command":"echo hi","aggregated_output":"hi\n","status":"completed"}}
{"type":"item.completed","item":{"type":"agent_message","text":"done\n\n```sh\ntrue\n```"}}
"#;
        let expected = [
            row("js", "1\n", "", ""),
            row("bash", "pwd\n", "", "/x\n"),
            row("diff", "*** Begin Patch\n*** Add File: b.py\n+y\n*** End Patch\n", "", ""),
            row("bash", "echo hi\n", "", "hi\n"),
            row("sh", "true\n", "", ""),
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn messages_of_interfaces() {
        for text in [
            r#"{"choices":[{"message":{"role":"assistant","content":"```py\n1\n```"}}]}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"```py\n1\n```"}]}"#,
            r#"[{"role":"user","content":"x"},{"role":"assistant","content":"```py\n1\n```"}]"#,
            r#"{"messages":[{"role":"assistant","content":"```py\n1\n```"}]}"#,
            r#"{"output":[{"type":"message","content":[{"type":"output_text","text":"```py\n1\n```"}]}]}"#,
        ] {
            assert_eq!(found(text), [row("py", "1\n", "", "")], "{text}");
        }
    }

    #[test]
    fn calls_of_tools() {
        for text in [
            r#"{"name":"python","arguments":{"code":"print(1)\nprint(\"\\n\")"}}"#,
            r#"{"name":"python","arguments":"{\"code\":\"print(1)\\nprint(\\\"\\\\n\\\")\"}"}"#,
            r#"{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"run_python","arguments":"{\"code\":\"print(1)\\nprint(\\\"\\\\n\\\")\"}"}}]}"#,
            r#"{"type":"function_call","name":"execute","arguments":"{\"language\":\"Python\",\"code\":\"print(1)\\nprint(\\\"\\\\n\\\")\"}"}"#,
        ] {
            assert_eq!(found(text), [row("python", "print(1)\nprint(\"\\n\")\n", "", "")], "{text}");
        }
    }

    #[test]
    fn what_was_cut_says_so() {
        let cut = read(r#"{"name":"python","arguments":{"code":"print(1)\nprint("#).unwrap();
        assert_eq!(cut.pieces[0].code, "print(1)\nprint(\n");
        assert!(cut.pieces[0].cut.is_some() && cut.notes.len() == 1);
        let limit = read(r#"{"role":"assistant","stop_reason":"max_tokens","content":[{"type":"text","text":"```py\n1"}]}"#).unwrap();
        assert!(limit.pieces[0].cut.as_deref().unwrap().contains("limit"));
        assert!(matches!(read("{\"a\": 1}\n{\"b\": }\n"), Err(AnswersError::Transcript { line: 2, .. })));
        assert!(matches!(read("{\n\"a\": nope}\n"), Err(AnswersError::Transcript { line: 2, .. })));
        assert_eq!(read("{\"a\": 1}").unwrap().notes.len(), 1);
    }
}
