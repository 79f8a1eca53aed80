//! Programs whose author left something out and says so.

use super::parse::Source;
use crate::elision::stands_for_code;
use crate::text::beginning;
use actum_model::Completeness;
use ruff_python_ast::Stmt;
use ruff_python_ast::visitor::{Visitor, walk_body};
use ruff_text_size::Ranged;

/// The first place where something is left out.
pub(super) fn find(source: &Source) -> Option<Completeness> {
    let comment = source.comments().find(|(at, comment)| stands_for_code(&source.text, *at, comment));
    let comment = comment.map(|(at, comment)| (at, comment.trim()));
    let dots = lone_dots(source).map(|at| (at, "..."));
    let (at, what) = [comment, dots].into_iter().flatten().min()?;
    Some(Completeness::Elided { line: source.lines.line_of(at), what: beginning(what, 120).to_owned() })
}

/// Whether a comment below everything else stands for what is not there.
pub(super) fn ends_with_stand_in(source: &Source) -> bool {
    let (_, end) = source.last_token();
    source.comments().any(|(at, comment)| at >= end && stands_for_code(&source.text, at, comment))
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
