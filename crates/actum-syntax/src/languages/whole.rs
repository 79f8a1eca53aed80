//! Whether a text is all there, told from its tree and its brackets.

use crate::elision;
use crate::text::beginning;
use crate::tree::{Fault, Parsed, Walk, line};
use actum_model::Completeness;
use tree_sitter::Node;

/// Says whether a text is all there.
pub(super) fn judge(parsed: &Parsed<'_>) -> Completeness {
    let elided = || left_out(parsed);
    let Some(fault) = parsed.fault() else {
        return elided().unwrap_or(Completeness::Complete);
    };
    if is_cut(parsed, fault) {
        let last = parsed.text.trim_end().matches('\n').count() + 1;
        let line = u32::try_from(last).unwrap_or(u32::MAX);
        return Completeness::Truncated { line, why: why(parsed).to_owned() };
    }
    elided().unwrap_or_else(|| {
        let words = parsed.text.get(fault.from..fault.to).unwrap_or("").lines().next().unwrap_or("").trim();
        let message = match fault.is_missing {
            true => "something is missing".to_owned(),
            false => format!("unexpected `{}`", beginning(words, 60)),
        };
        Completeness::Wrong { line: fault.line, message }
    })
}

/// Whether the text stops before it is closed: brackets are open at its end, or the grammar was content up to there.
fn is_cut(parsed: &Parsed<'_>, fault: Fault) -> bool {
    let end = parsed.text.trim_end().len();
    if opens_string(parsed, fault) || opens_comment(parsed, fault) {
        return true;
    }
    match open_brackets(parsed) {
        Some(open) if open > 0 => true,
        // A bracket that closes nothing is wrong wherever it stands.
        None => false,
        Some(_) if fault.is_missing => fault.from >= end,
        Some(_) => fault.to >= end && !has_inner_fault(parsed, fault),
    }
}

/// Whether a quotation mark is at fault that comes no more.
fn opens_string(parsed: &Parsed<'_>, fault: Fault) -> bool {
    let words = parsed.text.get(fault.from..).unwrap_or("");
    let mark = words.chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`'));
    mark.is_some_and(|mark| !words[1..].contains(mark))
}

/// Whether a comment is at fault that is not closed.
fn opens_comment(parsed: &Parsed<'_>, fault: Fault) -> bool {
    let words = parsed.text.get(fault.from..).unwrap_or("");
    words.starts_with("/*") && !words.contains("*/")
}

/// How many brackets are open at the end; none where one is closed that was not open.
fn open_brackets(parsed: &Parsed<'_>) -> Option<usize> {
    let mut open = 0usize;
    for node in parsed.nodes().filter(|node| node.child_count() == 0 && !node.is_missing()) {
        match node.kind() {
            "{" | "(" | "[" | "${" | "$(" | "((" | "[[" | "#{" => open += 1,
            "}" | ")" | "]" | "))" | "]]" => open = open.checked_sub(1)?,
            _ => {}
        }
    }
    Some(open)
}

/// Whether something within a faulty part is at fault by itself.
fn has_inner_fault(parsed: &Parsed<'_>, fault: Fault) -> bool {
    let is_fault = |node: &Node<'_>| node.is_error() || node.is_missing();
    let outer = parsed
        .nodes()
        .find(|node| is_fault(node) && node.start_byte() == fault.from && node.end_byte() == fault.to);
    let end = parsed.text.trim_end().len();
    outer.is_some_and(|outer| Walk::below(outer).skip(1).any(|node| is_fault(&node) && node.end_byte() < end))
}

fn why(parsed: &Parsed<'_>) -> &'static str {
    match open_brackets(parsed) {
        Some(1..) => "a bracket is not closed",
        Some(0) | None => "it ends in the middle of a statement",
    }
}

/// A comment that stands for code.
fn left_out(parsed: &Parsed<'_>) -> Option<Completeness> {
    let mut comments = parsed.nodes().filter(|node| node.kind().ends_with("comment"));
    let node = comments
        .find(|node| elision::stands_for_code(parsed.text, node.start_byte(), parsed.words(*node)))?;
    Some(Completeness::Elided {
        line: line(node),
        what: beginning(parsed.words(node).trim(), 120).to_owned(),
    })
}
