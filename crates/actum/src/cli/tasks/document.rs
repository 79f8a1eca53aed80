//! A list of task results as a text: read for what is asked of it, and written back with nothing else changed.
//!
//! Everything that is not ours stays byte for byte as it was: unknown fields, their order, numbers of any size, blanks. Wrong
//! types are told with their place. Pure: a text comes in, a text goes out.

use super::evidence;
use super::spans::{self, Member};
use actum_model::{ApprovalWord, Approvals, LineIndex, TaskExecution, TaskName, TaskResult};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A list of task results.
#[derive(Debug)]
pub(super) struct Document {
    text: String,
    pub(super) tasks: Vec<Task>,
}

/// One of its tasks.
#[derive(Debug)]
pub(super) struct Task {
    /// Its own name, or its place counted from 1.
    pub(super) id: String,
    pub(super) result: TaskResult,
    object: Range<usize>,
    execution: Option<Range<usize>>,
    responses: HashMap<String, Range<usize>>,
}

/// Why a text is no list of task results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum DocumentError {
    #[error("invalid UTF-8 at byte {at}")]
    NotText { at: usize },
    #[error("invalid JSON at line {line}, column {column}: {why}")]
    NotJson { line: usize, column: usize, why: String },
    #[error("invalid value of {place} (line {line}, column {column}): found {found}, expected {expected}")]
    Wrong { place: String, line: u32, column: u32, found: &'static str, expected: &'static str },
    #[error("tasks {first} and {second} have the same id `{id}`")]
    SameId { id: String, first: usize, second: usize },
}

/// What is to be written back for one task.
pub(super) struct Update {
    /// Its place in the list, counted from 0.
    pub(super) task: usize,
    pub(super) execution: TaskExecution,
}

impl Document {
    pub(super) fn read(bytes: Vec<u8>) -> Result<Self, DocumentError> {
        let text = String::from_utf8(bytes)
            .map_err(|error| DocumentError::NotText { at: error.utf8_error().valid_up_to() })?;
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let whole: Value = serde_json::from_str(&text[mark..]).map_err(|error| not_json(&error))?;
        let start = spans::blank(&text, mark);
        let (list, place, values) = match &whole {
            Value::Array(values) => (start, String::new(), values),
            Value::Object(_) => {
                let place = "task_results".to_owned();
                let found = spans::members(&text, start).into_iter().rfind(|member| member.key == place);
                let at = found.map_or(start, |member| member.value.start);
                match whole.get("task_results") {
                    Some(Value::Array(values)) => (at, place, values),
                    Some(other) => return Err(wrong(&text, place, at, kind(other), LIST)),
                    None => {
                        return Err(wrong(
                            &text,
                            "the object".to_owned(),
                            start,
                            "no `task_results`",
                            OBJECT,
                        ));
                    }
                }
            }
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                return Err(wrong(&text, "the document".to_owned(), start, kind(other), EITHER));
            }
        };
        let places = spans::elements(&text, list);
        let mut tasks = Vec::with_capacity(values.len());
        for (number, (value, range)) in values.iter().zip(places).enumerate() {
            let reader = Reader { text: &text, place: format!("{place}[{number}]") };
            tasks.push(reader.task(value, range, number)?);
        }
        check_ids(&tasks)?;
        Ok(Self { text, tasks })
    }

    /// The text with what came of some tasks. Said twice it is the same.
    pub(super) fn with(&self, updates: &[Update]) -> String {
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for update in updates {
            let task = &self.tasks[update.task];
            edits.push(self.execution(task, &update.execution));
            if let Some(id) = &update.execution.run_id {
                edits.extend(self.response(task, &update.execution.agent, id));
            }
        }
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let mut written = String::with_capacity(self.text.len());
        let mut at = 0;
        for (range, new) in edits {
            written.push_str(&self.text[at..range.start]);
            written.push_str(&new);
            at = range.end;
        }
        written.push_str(&self.text[at..]);
        written
    }

    /// In the place of what was run before, or behind the last member, written as its neighbours are.
    fn execution(&self, task: &Task, execution: &TaskExecution) -> (Range<usize>, String) {
        let inside = &self.text[task.object.start + 1..];
        let blanks = &inside[..inside.len() - inside.trim_start_matches([' ', '\t', '\r', '\n']).len()];
        let told = match blanks.rsplit_once('\n') {
            Some((_, indent)) => {
                let pretty = serde_json::to_string_pretty(execution).unwrap_or_default();
                pretty.replace('\n', &format!("\n{indent}"))
            }
            None => serde_json::to_string(execution).unwrap_or_default(),
        };
        if let Some(range) = &task.execution {
            return (range.clone(), told);
        }
        let last = spans::members(&self.text, task.object.start).into_iter().next_back();
        let (at, comma) = last.map_or((task.object.start + 1, ""), |member| (member.value.end, ","));
        let blanks = if blanks.contains('\n') || comma.is_empty() { blanks } else { " " };
        (at..at, format!("{comma}{blanks}\"execution\": {told}"))
    }

    /// Appended inside the quotes, so that what the agent wrote stays as it was escaped. Lines about another run go.
    fn response(&self, task: &Task, agent: &str, id: &str) -> Option<(Range<usize>, String)> {
        let range = task.responses.get(agent)?;
        let response = task.result.agent_responses.get(agent)?.as_deref()?;
        let (own, evidence) = (evidence::without(response), evidence::evidence(id));
        if response == format!("{own}{evidence}") {
            return None;
        }
        if own.len() == response.len() {
            let escaped = serde_json::to_string(&evidence).ok()?;
            let end = range.end.checked_sub(1)?;
            return Some((end..end, escaped.trim_matches('"').to_owned()));
        }
        Some((range.clone(), serde_json::to_string(&format!("{own}{evidence}")).ok()?))
    }
}

const LIST: &str = "a list";
const OBJECT: &str = "an object with `task_results`, a list of tasks";
const EITHER: &str = "a list of tasks, or an object with `task_results`";

fn check_ids(tasks: &[Task]) -> Result<(), DocumentError> {
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(tasks.len());
    for (task, place) in tasks.iter().zip(1..) {
        if let Some(first) = seen.insert(&task.id, place) {
            return Err(DocumentError::SameId { id: task.id.clone(), first, second: place });
        }
    }
    Ok(())
}

fn not_json(error: &serde_json::Error) -> DocumentError {
    // The place is told apart; their words end with it.
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or_default().to_owned();
    DocumentError::NotJson { line: error.line(), column: error.column(), why }
}

fn wrong(text: &str, place: String, at: usize, found: &'static str, expected: &'static str) -> DocumentError {
    let (line, column) = LineIndex::new(text).position(at.min(text.len()));
    DocumentError::Wrong { place, line, column, found, expected }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Reads one task, and knows where.
struct Reader<'t> {
    text: &'t str,
    place: String,
}

impl Reader<'_> {
    fn task(&self, value: &Value, object: Range<usize>, number: usize) -> Result<Task, DocumentError> {
        let members = match value {
            Value::Object(_) => spans::members(self.text, object.start),
            other
            @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                return Err(wrong(self.text, self.place.clone(), object.start, kind(other), "an object"));
            }
        };
        let at = |key: &str| members.iter().rfind(|member| member.key == key);
        let field = |key: &str| value.get(key).zip(at(key)).filter(|(value, _)| !value.is_null());
        let responses =
            field("agent_responses").map(|(value, member)| self.responses(value, member)).transpose()?;
        let (agent_responses, responses) = responses.unwrap_or_default();
        let id = field("id").map(|(value, member)| self.id(value, member)).transpose()?;
        let result = TaskResult {
            action: field("action")
                .map(|(value, member)| self.words("action", value, member))
                .transpose()?
                .unwrap_or_default(),
            status: field("status")
                .map(|(value, member)| self.words("status", value, member))
                .transpose()?
                .unwrap_or_default(),
            approvals: field("approvals").map(|(value, member)| self.approvals(value, member)).transpose()?,
            // What is not as we write it is somebody else's, and is written anew.
            execution: value.get("execution").and_then(|value| serde_json::from_value(value.clone()).ok()),
            agent_responses,
            id,
        };
        let id = result.id.as_ref().map_or_else(|| (number + 1).to_string(), ToString::to_string);
        Ok(Task {
            id,
            result,
            object,
            execution: at("execution").map(|member| member.value.clone()),
            responses,
        })
    }

    fn wrong(&self, field: &str, at: usize, value: &Value, expected: &'static str) -> DocumentError {
        wrong(self.text, format!("{}.{field}", self.place), at, kind(value), expected)
    }

    fn words(&self, field: &str, value: &Value, member: &Member) -> Result<String, DocumentError> {
        let text = value.as_str().map(str::to_owned);
        text.ok_or_else(|| self.wrong(field, member.value.start, value, "a string"))
    }

    fn id(&self, value: &Value, member: &Member) -> Result<TaskName, DocumentError> {
        match value {
            Value::String(text) => Ok(TaskName::Text(text.clone())),
            Value::Number(number) if number.is_i64() => {
                Ok(TaskName::Number(number.as_i64().unwrap_or_default()))
            }
            other
            @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Err(self.wrong("id", member.value.start, other, "a string or an integer"))
            }
        }
    }

    fn approvals(&self, value: &Value, member: &Member) -> Result<Approvals, DocumentError> {
        const EXPECTED: &str = "an object of agents with true, false or a word, or a list of their names";
        let at = member.value.start;
        match value {
            Value::Object(words) => {
                let word = |(agent, value): (&String, &Value)| match value {
                    Value::Bool(flag) => Ok((agent.clone(), ApprovalWord::Flag(*flag))),
                    Value::String(word) => Ok((agent.clone(), ApprovalWord::Word(word.clone()))),
                    // Nobody said anything, which is no approval.
                    Value::Null => Ok((agent.clone(), ApprovalWord::Flag(false))),
                    other @ (Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                        Err(self.wrong(&format!("approvals.{agent}"), at, other, "true, false or a word"))
                    }
                };
                Ok(Approvals::Words(words.iter().map(word).collect::<Result<_, _>>()?))
            }
            Value::Array(names) => {
                let name = |value: &Value| value.as_str().map(str::to_owned);
                let names: Option<Vec<String>> = names.iter().map(name).collect();
                names.map(Approvals::Names).ok_or_else(|| self.wrong("approvals", at, value, EXPECTED))
            }
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                Err(self.wrong("approvals", at, other, EXPECTED))
            }
        }
    }

    #[expect(clippy::type_complexity, reason = "the responses, and where each of them stands")]
    fn responses(
        &self,
        value: &Value,
        member: &Member,
    ) -> Result<(BTreeMap<String, Option<String>>, HashMap<String, Range<usize>>), DocumentError> {
        let Value::Object(responses) = value else {
            return Err(self.wrong(
                "agent_responses",
                member.value.start,
                value,
                "an object of agents with strings",
            ));
        };
        let ranges: HashMap<String, Range<usize>> = spans::members(self.text, member.value.start)
            .into_iter()
            .map(|member| (member.key, member.value))
            .collect();
        let response = |(agent, value): (&String, &Value)| match value {
            Value::String(text) => Ok((agent.clone(), Some(text.clone()))),
            Value::Null => Ok((agent.clone(), None)),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                let at = ranges.get(agent).map_or(member.value.start, |range| range.start);
                Err(self.wrong(&format!("agent_responses.{agent}"), at, other, "a string"))
            }
        };
        Ok((responses.iter().map(response).collect::<Result<_, _>>()?, ranges))
    }
}

#[cfg(test)]
mod tests;
