//! What the names of a program stand for: imported modules, literal values, things made by calls.
//!
//! A name is looked at as one thing in the whole program. Where it is bound more than once it may be another thing at
//! another place, so literal values count only for names that are bound once.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_parameters, walk_stmt};
use ruff_python_ast::{
    Expr, ExprContext, ExprNumberLiteral, Identifier, Number, Operator, Parameters, Stmt, StmtImportFrom,
};
use std::collections::{HashMap, HashSet};

/// How far names are followed from one literal value to the next.
const FURTHEST: u8 = 8;

/// What the names of a program stand for.
#[derive(Debug, Default)]
pub(super) struct Bindings<'a> {
    /// Names to the dotted names that they were imported as.
    imported: HashMap<&'a str, String>,
    /// Names to the expressions that they are bound to, where that is one only.
    values: HashMap<&'a str, &'a Expr>,
    /// Names that are imported from two places: one for newer releases, one for older ones.
    ambiguous: HashSet<&'a str>,
    /// How often each name is bound, by whatever.
    bound: HashMap<&'a str, u32>,
    /// The first module whose names are all taken: `from x import *`.
    pub(super) takes_everything: Option<String>,
}

impl<'a> Bindings<'a> {
    pub(super) fn of(body: &'a [Stmt]) -> Self {
        let mut bindings = Bindings::default();
        bindings.visit_body(body);
        bindings
    }

    /// Whether the program itself binds a name, in any way.
    pub(super) fn has(&self, name: &str) -> bool {
        self.bound.contains_key(name)
    }

    /// The dotted name of what an expression names, if it belongs to an imported module.
    pub(super) fn imported(&self, expression: &Expr) -> Option<String> {
        let mut parts = Vec::new();
        let mut rest = expression;
        while let Expr::Attribute(attribute) = rest {
            parts.push(attribute.attr.as_str());
            rest = &attribute.value;
        }
        let root = self.imported.get(rest.as_name_expr()?.id.as_str())?;
        let mut name = root.clone();
        for part in parts.iter().rev() {
            name.push('.');
            name.push_str(part);
        }
        Some(name)
    }

    /// Whether the name that an expression begins with may be one of two things.
    pub(super) fn is_ambiguous(&self, expression: &Expr) -> bool {
        root(expression).is_some_and(|name| self.ambiguous.contains(name))
    }

    /// The dotted name of what made the thing that a name stands for: `argparse.ArgumentParser` for `parser`.
    pub(super) fn maker(&self, expression: &Expr) -> Option<String> {
        if let Expr::Call(call) = expression {
            return self.imported(&call.func);
        }
        let value = self.values.get(expression.as_name_expr()?.id.as_str())?;
        self.imported(&value.as_call_expr()?.func)
    }

    /// The text of an expression that is literal, or joined from literal ones.
    pub(super) fn text(&self, expression: &Expr) -> Option<String> {
        self.text_within(expression, FURTHEST)
    }

    fn text_within(&self, expression: &Expr, left: u8) -> Option<String> {
        let left = left.checked_sub(1)?;
        if let Expr::StringLiteral(literal) = expression {
            return Some(literal.value.to_str().to_owned());
        }
        if let Expr::Name(name) = expression {
            return self.text_within(self.once(name.id.as_str())?, left);
        }
        if let Expr::BinOp(both) = expression {
            let (one, other) = (self.text_within(&both.left, left)?, self.text_within(&both.right, left)?);
            return match both.op {
                Operator::Add => Some(one + &other),
                Operator::Div => Some(join(one, &other)),
                _ => None,
            };
        }
        let call = expression.as_call_expr()?;
        let name = self.imported(&call.func)?;
        let joins =
            ["os.path.join", "pathlib.Path", "pathlib.PurePath", "os.path.expanduser", "os.path.abspath"];
        if !joins.contains(&name.as_str()) {
            return None;
        }
        let parts = call.arguments.args.iter().map(|part| self.text_within(part, left));
        parts.collect::<Option<Vec<_>>>()?.into_iter().reduce(|one, other| join(one, &other))
    }

    /// The size of an expression that is a literal whole number, or computed from such.
    pub(super) fn number(&self, expression: &Expr) -> Option<u64> {
        self.number_within(expression, FURTHEST)
    }

    fn number_within(&self, expression: &Expr, left: u8) -> Option<u64> {
        let left = left.checked_sub(1)?;
        if let Expr::NumberLiteral(literal) = expression {
            return whole(literal);
        }
        if let Expr::Name(name) = expression {
            return self.number_within(self.once(name.id.as_str())?, left);
        }
        if let Expr::BinOp(both) = expression {
            let (one, other) =
                (self.number_within(&both.left, left)?, self.number_within(&both.right, left)?);
            return match both.op {
                Operator::Add => one.checked_add(other),
                Operator::Sub => one.checked_sub(other),
                Operator::Mult => one.checked_mul(other),
                Operator::Pow => one.checked_pow(u32::try_from(other).ok()?),
                Operator::LShift => one.checked_mul(1u64.checked_shl(u32::try_from(other).ok()?)?),
                Operator::FloorDiv => one.checked_div(other),
                _ => None,
            };
        }
        let call = expression.as_call_expr()?;
        let is_int = call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "int");
        is_int.then(|| self.number_within(call.arguments.args.first()?, left)).flatten()
    }

    /// What a name is bound to, where it is bound once.
    pub(super) fn once(&self, name: &str) -> Option<&'a Expr> {
        (self.bound.get(name) == Some(&1)).then(|| self.values.get(name).copied()).flatten()
    }

    fn bind(&mut self, name: &'a str) {
        *self.bound.entry(name).or_default() += 1;
    }

    fn import(&mut self, name: &'a str, stands_for: String) {
        self.bind(name);
        // Of two imports for the same name, as in `try` and `except ImportError`, the first is the one that is wanted.
        let wanted = self.imported.entry(name).or_insert_with(|| stands_for.clone());
        if *wanted != stands_for {
            self.ambiguous.insert(name);
        }
    }

    fn import_from(&mut self, import: &'a StmtImportFrom) {
        let dots = ".".repeat(usize::try_from(import.level).unwrap_or(1).min(20));
        let module = format!("{dots}{}", import.module.as_ref().map_or("", Identifier::as_str));
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                self.takes_everything.get_or_insert(module.clone());
                continue;
            }
            let separator = if module.is_empty() || module.ends_with('.') { "" } else { "." };
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            self.import(name.as_str(), format!("{module}{separator}{}", alias.name));
        }
    }
}

/// The name that a dotted expression begins with.
pub(super) fn root(expression: &Expr) -> Option<&str> {
    let mut rest = expression;
    while let Expr::Attribute(attribute) = rest {
        rest = &attribute.value;
    }
    rest.as_name_expr().map(|name| name.id.as_str())
}

fn join(one: String, other: &str) -> String {
    if other.starts_with('/') {
        return other.to_owned();
    }
    format!("{}/{other}", one.trim_end_matches('/'))
}

fn whole(literal: &ExprNumberLiteral) -> Option<u64> {
    match &literal.value {
        Number::Int(number) => number.as_u64(),
        // Only what a whole number can hold exactly: `1e6`.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be whole and in range"
        )]
        Number::Float(number) => {
            (number.fract() == 0.0 && (0.0..9e15).contains(number)).then_some(*number as u64)
        }
        Number::Complex { .. } => None,
    }
}

impl<'a> Visitor<'a> for Bindings<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Import(import) = statement {
            for alias in &import.names {
                let module = alias.name.as_str();
                let top = module.split('.').next().unwrap_or(module);
                match &alias.asname {
                    Some(name) => self.import(name.as_str(), module.to_owned()),
                    None => self.import(top, top.to_owned()),
                }
            }
        } else if let Stmt::ImportFrom(import) = statement {
            self.import_from(import);
        } else if let Stmt::FunctionDef(function) = statement {
            self.bind(function.name.as_str());
        } else if let Stmt::ClassDef(class) = statement {
            self.bind(class.name.as_str());
        } else if let Stmt::Assign(assign) = statement {
            for name in assign.targets.iter().filter_map(Expr::as_name_expr) {
                self.values.entry(name.id.as_str()).or_insert(&assign.value);
            }
        } else if let Stmt::AnnAssign(assign) = statement
            && let (Some(name), Some(value)) = (assign.target.as_name_expr(), &assign.value)
        {
            self.values.entry(name.id.as_str()).or_insert(value);
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression
            && name.ctx == ExprContext::Store
        {
            self.bind(name.id.as_str());
        }
        walk_expr(self, expression);
    }

    fn visit_parameters(&mut self, parameters: &'a Parameters) {
        for parameter in parameters {
            self.bind(parameter.name().as_str());
            if let Some(default) = parameter.default() {
                self.values.entry(parameter.name().as_str()).or_insert(default);
            }
        }
        walk_parameters(self, parameters);
    }

    fn visit_except_handler(&mut self, handler: &'a ruff_python_ast::ExceptHandler) {
        let ruff_python_ast::ExceptHandler::ExceptHandler(one) = handler;
        if let Some(name) = &one.name {
            self.bind(name.as_str());
        }
        ruff_python_ast::visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a ruff_python_ast::Pattern) {
        use ruff_python_ast::Pattern;
        let name = match pattern {
            Pattern::MatchAs(one) => one.name.as_ref(),
            Pattern::MatchStar(one) => one.name.as_ref(),
            Pattern::MatchMapping(one) => one.rest.as_ref(),
            Pattern::MatchValue(_)
            | Pattern::MatchSingleton(_)
            | Pattern::MatchSequence(_)
            | Pattern::MatchClass(_)
            | Pattern::MatchOr(_) => None,
        };
        if let Some(name) = name {
            self.bind(name.as_str());
        }
        ruff_python_ast::visitor::walk_pattern(self, pattern);
    }

    fn visit_type_param(&mut self, parameter: &'a ruff_python_ast::TypeParam) {
        self.bind(parameter.name().as_str());
        ruff_python_ast::visitor::walk_type_param(self, parameter);
    }
}
