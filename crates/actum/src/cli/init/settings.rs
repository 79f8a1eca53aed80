//! The hooks in an agent's settings: put in, found again and taken out, with every other byte as it was.

use super::json_text::{self, Broken, Kind, Value};
use crate::cli::agent::{Agent, Moment};
use serde_json::json;
use std::ops::Range;

/// What an agent is to call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hooks<'a> {
    pub(super) agent: Agent,
    /// By which name the binary is started, as a shell takes it.
    pub(super) binary: &'a str,
}

/// Why settings cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unusable {
    #[error(transparent)]
    Broken(#[from] Broken),
    #[error("`{what}` is not {wanted} there")]
    Shape { what: String, wanted: &'static str },
}

/// The text with the hooks in it; the same text where they are in it already.
pub(super) fn with_hooks(text: &str, hooks: Hooks<'_>) -> Result<String, Unusable> {
    if is_current(&json_text::read(non_empty(text))?, hooks) {
        return Ok(text.to_owned());
    }
    // Those of another place, or of another version, go first.
    let mut text = without_hooks(non_empty(text), hooks.agent)?;
    for moment in hooks.agent.moments() {
        text = with_moment(&text, hooks, moment)?;
    }
    Ok(text)
}

/// There is one for each moment; versions and places add a few. The whole text is read again for each of them.
const MOST_HOOKS: usize = 100;

/// The text without any hook of ours, and without what would be empty then.
pub(super) fn without_hooks(text: &str, agent: Agent) -> Result<String, Unusable> {
    let mut text = non_empty(text).to_owned();
    for _ in 0..MOST_HOOKS {
        let Some(range) = ours(&json_text::read(&text)?, agent) else { return Ok(text) };
        text = cut(&text, range)?;
    }
    Err(shape("hooks", "without hundreds of actum hooks"))
}

/// A file that is empty, or not there, is as good as an object without members.
fn non_empty(text: &str) -> &str {
    if text.trim().is_empty() { "{}\n" } else { text }
}

fn command(hooks: Hooks<'_>, moment: &Moment) -> String {
    format!("{} hook {} --agent {}", hooks.binary, moment.word, hooks.agent.name())
}

/// Whether each moment calls exactly this binary, once.
fn is_current(root: &Value, hooks: Hooks<'_>) -> bool {
    hooks.agent.moments().iter().all(|moment| {
        let groups = groups(root, moment.event);
        let ours: Vec<&str> =
            groups.iter().flat_map(commands).filter(|text| is_ours(text, hooks.agent)).collect();
        ours == [command(hooks, moment)]
    })
}

fn groups<'v>(root: &'v Value, event: &str) -> &'v [Value] {
    let events = root.member("hooks").map(|member| &member.value);
    events.and_then(|events| events.member(event)).map_or(&[], |member| member.value.elements())
}

fn commands(group: &Value) -> impl Iterator<Item = &str> {
    let hooks = group.member("hooks").map_or(&[][..], |member| member.value.elements());
    hooks.iter().filter_map(|hook| hook.member("command")?.value.text())
}

/// Whatever it is called and wherever it lies: our own words stand behind it.
fn is_ours(command: &str, agent: Agent) -> bool {
    agent
        .moments()
        .iter()
        .any(|moment| command.ends_with(&format!(" hook {} --agent {}", moment.word, agent.name())))
}

/// The first thing of ours, as much of it as would be empty without.
fn ours(root: &Value, agent: Agent) -> Option<Range<usize>> {
    let all = root.member("hooks")?;
    let Kind::Object(events) = &all.value.kind else { return None };
    for event in events {
        for group in event.value.elements() {
            let hooks = group.member("hooks").map_or(&[][..], |member| member.value.elements());
            let text = |hook: &&Value| {
                hook.member("command")
                    .and_then(|member| member.value.text())
                    .is_some_and(|text| is_ours(text, agent))
            };
            let Some(hook) = hooks.iter().find(text) else { continue };
            // From the inside out, as long as nothing else stands beside it.
            return Some(match (hooks.len(), event.value.elements().len(), events.len()) {
                (2.., _, _) => hook.span.clone(),
                (_, 2.., _) => group.span.clone(),
                (_, _, 2..) => event.start..event.value.span.end,
                _ => all.start..all.value.span.end,
            });
        }
    }
    None
}

/// Takes an entry of a list out, with the comma that parted it from the next or the one before.
fn cut(text: &str, entry: Range<usize>) -> Result<String, Unusable> {
    let (before, behind) = (&text[..entry.start], &text[entry.end..]);
    let next = behind.trim_start();
    let cut = if let Some(rest) = next.strip_prefix(',') {
        // What follows takes its place.
        format!("{before}{}", rest.trim_start())
    } else {
        let before = before.trim_end();
        let alone = before.strip_suffix(',').is_none();
        let before = before.strip_suffix(',').unwrap_or(before);
        // The last of several leaves the bracket where it was; the only one leaves nothing between them.
        if alone { format!("{before}{next}") } else { format!("{before}{behind}") }
    };
    json_text::read(&cut)?;
    Ok(cut)
}

fn with_moment(text: &str, hooks: Hooks<'_>, moment: &Moment) -> Result<String, Unusable> {
    let mut hook = json!({ "type": "command", "command": command(hooks, moment) });
    hook["timeout"] = hooks.agent.timeout(moment.patience).into();
    let mut group = json!({});
    if let Some(matcher) = moment.matcher {
        group["matcher"] = matcher.into();
    }
    group["hooks"] = json!([hook]);
    let root = json_text::read(text)?;
    let Kind::Object(_) = root.kind else { return Err(shape("the whole file", "an object")) };
    let Some(all) = root.member("hooks") else {
        return Ok(with_entry(text, &root, Some("hooks"), &json!({ moment.event: [group] })));
    };
    let Kind::Object(_) = all.value.kind else { return Err(shape("hooks", "an object")) };
    let Some(event) = all.value.member(moment.event) else {
        return Ok(with_entry(text, &all.value, Some(moment.event), &json!([group])));
    };
    match &event.value.kind {
        Kind::Array(_) => Ok(with_entry(text, &event.value, None, &group)),
        Kind::Object(_) | Kind::Text(_) | Kind::Other => {
            Err(shape(&format!("hooks.{}", moment.event), "a list"))
        }
    }
}

fn shape(what: &str, wanted: &'static str) -> Unusable {
    Unusable::Shape { what: what.to_owned(), wanted }
}

/// One more entry at the end of an object or a list, written like its neighbours.
fn with_entry(text: &str, list: &Value, key: Option<&str>, value: &serde_json::Value) -> String {
    let last = match &list.kind {
        Kind::Object(members) => members.last().map(|member| member.value.span.end),
        Kind::Array(elements) => elements.last().map(|element| element.span.end),
        Kind::Text(_) | Kind::Other => None,
    };
    let inside = &text[list.span.start..list.span.end];
    let name = key.map(|key| format!("{}: ", json!(key))).unwrap_or_default();
    let close = list.span.end - 1;
    match last {
        // On one line there, on one line here.
        Some(last) if !inside.contains('\n') => format!("{}, {name}{value}{}", &text[..last], &text[last..]),
        Some(last) => {
            let indent = indent_of(text, first_of(list));
            let pretty = pretty(value, &indent, &unit(text));
            format!("{},\n{indent}{name}{pretty}{}", &text[..last], &text[last..])
        }
        None => {
            let outer = indent_of(text, list.span.start);
            let indent = format!("{outer}{}", unit(text));
            let pretty = pretty(value, &indent, &unit(text));
            let open = list.span.start + 1;
            format!("{}\n{indent}{name}{pretty}\n{outer}{}", &text[..open], &text[close..])
        }
    }
}

fn first_of(list: &Value) -> usize {
    match &list.kind {
        Kind::Object(members) => members.first().map(|member| member.start),
        Kind::Array(elements) => elements.first().map(|element| element.span.start),
        Kind::Text(_) | Kind::Other => None,
    }
    .unwrap_or(list.span.start)
}

/// What stands before a place on its line, if that is only space.
fn indent_of(text: &str, at: usize) -> String {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|character| matches!(character, ' ' | '\t')).collect()
}

/// One step of indentation: that of the first line which has one.
fn unit(text: &str) -> String {
    let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    let unit: String =
        indented.unwrap_or("  ").chars().take_while(|character| matches!(character, ' ' | '\t')).collect();
    if unit.is_empty() { "  ".to_owned() } else { unit }
}

fn pretty(value: &serde_json::Value, indent: &str, unit: &str) -> String {
    let text = format!("{value:#}");
    let mut lines = text.lines().map(|line| {
        let inner = line.trim_start_matches(' ');
        format!("{}{inner}", unit.repeat((line.len() - inner.len()) / 2))
    });
    let first = lines.next().unwrap_or_default();
    lines.fold(first, |all, line| format!("{all}\n{indent}{line}"))
}

#[cfg(test)]
mod tests;
