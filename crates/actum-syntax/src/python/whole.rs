//! Whether a program is all there.
//!
//! A text that was cut stops in the middle of something, so the parser's first complaint lies at its end. A text that is
//! wrong is complained about earlier. One that was cut between two statements looks complete; only whoever cut it knows.

use super::legacy::{self, Older};
use super::parse::{Problem, Source};
use super::{elision, version};
use crate::text::beginning;
use actum_model::Completeness;

/// Says whether a program is all there.
pub(super) fn judge(source: &Source) -> Completeness {
    let Some(first) = source.problems.first() else {
        return match version::comma_of_python_2(source) {
            Some(line) => Completeness::Legacy { line, what: legacy::EXCEPT.to_owned() },
            None => elision::find(source).unwrap_or(Completeness::Complete),
        };
    };
    let older = legacy::read(&source.text);
    if let Older::Whole { line, what } = older {
        return Completeness::Legacy { line, what: what.to_owned() };
    }
    let reason = reason_at_the_end(source, first).filter(|_| !elision::ends_with_stand_in(source));
    if let Some(problem) = reason {
        return truncated(source, problem);
    }
    if let Some(elided) = elision::find(source) {
        return elided;
    }
    if let Older::Cut { line } = older {
        return Completeness::Truncated { line, why: "it ends in the middle of a statement".to_owned() };
    }
    let message = beginning(&first.message, 200).to_owned();
    Completeness::Wrong { line: source.lines.line_of(first.from), message }
}

/// The complaint at the end of the text, where it is the first one. On the last line another may come before it: a word
/// that was cut is often another word, and so at a wrong place.
fn reason_at_the_end<'a>(source: &'a Source, first: &'a Problem) -> Option<&'a Problem> {
    let (last_begin, last_end) = source.last_token();
    let is_at_the_end = |problem: &&Problem| {
        problem.from >= last_begin || (problem.to >= last_end && is_open_string(problem))
    };
    if is_at_the_end(&first) {
        return Some(first);
    }
    let is_on_last_line = source.lines.line_of(first.from) == source.lines.line_of(last_begin);
    source.problems.iter().find(is_at_the_end).filter(|_| is_on_last_line)
}

fn is_open_string(problem: &Problem) -> bool {
    problem.message.contains("unterminated") || problem.message.contains("missing closing quote")
}

fn truncated(source: &Source, problem: &Problem) -> Completeness {
    let line = source.lines.line_of(source.text.trim_end().len().saturating_sub(1));
    let why = match problem.message.as_str() {
        message if is_open_string(problem) || message.contains("string") => "a string is not closed",
        message if message.contains("indented block") => "a block has no body",
        message if message.contains("except") => "a `try` has no `except`",
        message if message.contains("EOF") || message.contains("end of file") => "a bracket is not closed",
        _ => "it ends in the middle of a statement",
    };
    Completeness::Truncated { line, why: why.to_owned() }
}
