//! Programs whose author left something out and says so.

use super::parse::Source;
use crate::text::beginning;
use actum_model::Completeness;
use ruff_python_ast::Stmt;
use ruff_python_ast::visitor::{Visitor, walk_body};
use ruff_text_size::Ranged;

/// The first place where something is left out.
pub(super) fn find(source: &Source) -> Option<Completeness> {
    let comment = source.comments().find(|(at, comment)| is_alone(source, *at) && says_left_out(comment));
    let comment = comment.map(|(at, comment)| (at, comment.trim()));
    let dots = lone_dots(source).map(|at| (at, "..."));
    let (at, what) = [comment, dots].into_iter().flatten().min()?;
    Some(Completeness::Elided { line: source.lines.at(at), what: beginning(what, 120).to_owned() })
}

/// Whether a comment has a line for itself. Behind code it speaks of that code.
fn is_alone(source: &Source, at: usize) -> bool {
    let begin = source.lines.begin(source.lines.at(at));
    source.text[begin..at].trim().is_empty()
}

/// Words that stand for code which is not there.
const STAND_IN: [&str; 18] = [
    "rest of the code",
    "rest of your code",
    "rest of code",
    "rest of the function",
    "rest of the class",
    "rest of the implementation",
    "rest of the script",
    "rest of the program",
    "rest of the file",
    "rest unchanged",
    "rest remains",
    "remaining code",
    "your code here",
    "your code goes here",
    "your logic here",
    "implementation goes here",
    "code omitted",
    "omitted for brevity",
];

/// Words that stand for it when dots are beside them.
const WITH_DOTS: [&str; 9] =
    ["existing", "previous", "same", "other", "unchanged", "remaining", "as before", "more", "rest"];

fn says_left_out(comment: &str) -> bool {
    let words = comment.trim_start_matches('#').trim().to_lowercase();
    if STAND_IN.iter().any(|phrase| words.contains(phrase)) {
        return true;
    }
    let begins = words.starts_with("...") || words.starts_with('…') || words.starts_with("[...");
    let bare = words.trim_matches(['.', '…', ' ', '[', ']', '(', ')']);
    if begins && bare.is_empty() {
        return true;
    }
    let ends = words.ends_with("...") || words.ends_with('…');
    let speaks = bare
        .split(|letter: char| !letter.is_alphanumeric() && letter != ' ')
        .any(|part| WITH_DOTS.iter().any(|phrase| format!(" {part} ").contains(&format!(" {phrase} "))));
    (begins && (ends || speaks)) || (ends && speaks && bare.contains("code"))
}

/// `...` as a statement among others. Alone in a body, or below a description, it is a body.
fn lone_dots(source: &Source) -> Option<usize> {
    let mut found = Dots(None);
    found.look(source.body(), 0);
    found.visit_body(source.body());
    found.0
}

struct Dots(Option<usize>);

impl Dots {
    /// `needed`: so many other statements make the dots stand for more.
    fn look(&mut self, body: &[Stmt], needed: usize) {
        let is_dots = |statement: &&Stmt| {
            statement.as_expr_stmt().is_some_and(|expression| expression.value.is_ellipsis_literal_expr())
        };
        let is_text = |statement: &Stmt| {
            statement.as_expr_stmt().is_some_and(|expression| expression.value.is_string_literal_expr())
        };
        let others = body.iter().filter(|statement| !is_dots(statement) && !is_text(statement)).count();
        if others >= needed
            && let Some(dots) = body.iter().find(is_dots)
        {
            let at = dots.start().to_usize();
            self.0 = Some(self.0.map_or(at, |before| before.min(at)));
        }
    }
}

impl<'a> Visitor<'a> for Dots {
    fn visit_body(&mut self, body: &'a [Stmt]) {
        self.look(body, 1);
        walk_body(self, body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_stand_for_code() {
        for comment in [
            "# ... rest of the code",
            "# ...",
            "# … existing code …",
            "# ... (previous code) ...",
            "# Rest of your code here",
            "# Your code here",
            "# [... other methods unchanged ...]",
            "# existing code...",
            "# (code omitted for brevity)",
        ] {
            assert!(says_left_out(comment), "{comment}");
        }
        for comment in [
            "# read the file",
            "# Loading...",
            "# TODO: other formats",
            "# the rest of the list is sorted",
            "# wait a second...",
            "# ... and then we add one",
            "#!/usr/bin/env python",
            "#",
        ] {
            assert!(!says_left_out(comment), "{comment}");
        }
    }
}
