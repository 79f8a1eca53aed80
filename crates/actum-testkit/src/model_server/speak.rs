//! A turn in the words of each interface.

use super::Turn;
use super::http::{Asked, EVENTS, JSON};
use serde_json::{Value, json};

/// One answer.
pub(super) struct Spoken {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

impl Spoken {
    fn json(value: &Value) -> Self {
        Self { status: 200, kind: JSON, body: value.to_string() }
    }

    /// Server-sent events, each with its own type as its name.
    fn events(events: &[Value]) -> Self {
        let event = |event: &Value| match event.get("type").and_then(Value::as_str) {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        };
        Self { status: 200, kind: EVENTS, body: events.iter().map(event).collect() }
    }
}

/// Answers in the interface that the path belongs to. A request without tools is a question beside the conversation (a title, a
/// choice of a model), and takes no turn.
pub(super) fn speak<'t>(asked: &Asked, next: impl FnOnce() -> (usize, &'t Turn)) -> Spoken {
    let path = asked.path.split('?').next().unwrap_or_default();
    let has_tools = asked.body.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty());
    let aside = Turn::text("{}");
    if asked.method != "POST" {
        return Spoken { status: 404, kind: JSON, body: "{}".to_owned() };
    }
    if path.ends_with("/count_tokens") || path.ends_with(":countTokens") {
        return Spoken::json(&json!({ "input_tokens": 1, "totalTokens": 1 }));
    }
    let (number, turn) = if has_tools { next() } else { (0, &aside) };
    if path.ends_with("/messages") {
        return messages(&asked.body, number, turn);
    }
    if path.ends_with("/responses") {
        return responses(&asked.body, number, turn);
    }
    if path.ends_with(":streamGenerateContent") {
        return Spoken::events(&[contents(turn)]);
    }
    if path.ends_with(":generateContent") {
        return Spoken::json(&contents(turn));
    }
    Spoken { status: 404, kind: JSON, body: "{}".to_owned() }
}

/// Anthropic's.
fn messages(body: &Value, number: usize, turn: &Turn) -> Spoken {
    let (block, piece, reason) = match turn {
        Turn::Text(text) => {
            (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text }), "end_turn")
        }
        Turn::Shell(line) => (
            json!({ "type": "tool_use", "id": format!("toolu_{number}"), "name": "Bash", "input": {} }),
            json!({
                "type": "input_json_delta",
                "partial_json": json!({ "command": line, "description": "as told" }).to_string(),
            }),
            "tool_use",
        ),
    };
    let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
    let message = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant",
        "model": body.get("model").cloned().unwrap_or_default(),
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    if body.get("stream").and_then(Value::as_bool) != Some(true) {
        let mut whole = message;
        whole["content"] = json!([whole_block(turn, number)]);
        whole["stop_reason"] = reason.into();
        return Spoken::json(&whole);
    }
    Spoken::events(&[
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": piece }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({
            "type": "message_delta",
            "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": { "output_tokens": 1 },
        }),
        json!({ "type": "message_stop" }),
    ])
}

fn whole_block(turn: &Turn, number: usize) -> Value {
    match turn {
        Turn::Text(text) => json!({ "type": "text", "text": text }),
        Turn::Shell(line) => json!({
            "type": "tool_use", "id": format!("toolu_{number}"), "name": "Bash", "input": { "command": line },
        }),
    }
}

/// OpenAI's. Which tool runs commands differs between models; the request says which there are.
fn responses(body: &Value, number: usize, turn: &Turn) -> Spoken {
    let tools = body.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
    let has = |name: &str| tools.iter().any(|tool| tool.get("name").and_then(Value::as_str) == Some(name));
    let item = match turn {
        Turn::Text(text) => json!({
            "type": "message", "role": "assistant", "id": format!("msg_{number}"),
            "content": [{ "type": "output_text", "text": text }],
        }),
        Turn::Shell(line) => {
            let (name, arguments) = if has("exec_command") {
                ("exec_command", json!({ "cmd": line }))
            } else if has("shell_command") {
                ("shell_command", json!({ "command": line }))
            } else {
                ("shell", json!({ "command": ["bash", "-lc", line] }))
            };
            json!({
                "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
                "name": name, "arguments": arguments.to_string(),
            })
        }
    };
    let id = format!("resp_{number}");
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null,
        "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2,
    });
    Spoken::events(&[
        json!({ "type": "response.created", "response": { "id": id } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": id, "usage": usage } }),
    ])
}

/// Gemini's.
fn contents(turn: &Turn) -> Value {
    let part = match turn {
        Turn::Text(text) => json!({ "text": text }),
        Turn::Shell(line) => json!({
            "functionCall": { "name": "run_shell_command", "args": { "command": line, "description": "as told" } },
        }),
    };
    json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
    })
}
