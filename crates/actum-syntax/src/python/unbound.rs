//! Names that a program uses and has from nowhere.

use super::bindings::Bindings;
use super::builtins;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, ExprContext, Stmt};
use std::collections::HashSet;

/// More are not listed: then it is not a program.
const MOST: usize = 100;

/// The names that are used, and bound nowhere in the program nor by the language.
pub(super) fn names<'a>(body: &'a [Stmt], bindings: &Bindings<'a>) -> Vec<String> {
    let mut used = Used { bindings, known: HashSet::new(), names: Vec::new() };
    used.visit_body(body);
    used.names
}

struct Used<'a, 'b> {
    bindings: &'b Bindings<'a>,
    known: HashSet<&'a str>,
    names: Vec<String>,
}

impl<'a> Visitor<'a> for Used<'a, '_> {
    /// Annotations are not names that must be there: they may be strings, or never evaluated.
    fn visit_annotation(&mut self, _: &'a Expr) {}

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression
            && name.ctx == ExprContext::Load
            && !name.id.is_empty()
            && self.known.insert(name.id.as_str())
            && self.names.len() < MOST
            && !self.bindings.has(name.id.as_str())
            && !builtins::has(name.id.as_str())
        {
            self.names.push(name.id.as_str().to_owned());
        }
        walk_expr(self, expression);
    }
}
