//! Where a program begins, what it defines, and how many tests it holds.

use super::parse::Source;
use actum_model::{EntryPoint, Reading};
use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtIf};

/// More names are not listed.
const MOST: usize = 1_000;

/// Says where the program begins.
pub(super) fn judge(source: &Source, reading: &mut Reading) {
    let body = source.body();
    reading.defines = defined(body);
    reading.tests = u32::try_from(body.iter().map(tests).sum::<usize>()).unwrap_or(u32::MAX);
    let has_main =
        body.iter().any(|one| one.as_function_def_stmt().is_some_and(|one| one.name.as_str() == "main"));
    let has_definitions = body.iter().any(|one| one.is_function_def_stmt() || one.is_class_def_stmt());
    reading.entry = match () {
        () if body.iter().any(is_guard) => EntryPoint::MainGuard,
        () if body.iter().any(acts) => EntryPoint::Script,
        () if reading.tests > 0 => EntryPoint::Tests,
        () if has_main => EntryPoint::MainNotCalled,
        () if has_definitions => EntryPoint::Definitions,
        () if !body.is_empty() => EntryPoint::Script,
        () => EntryPoint::Nothing,
    };
}

/// `if __name__ == "__main__":`
fn is_guard(statement: &Stmt) -> bool {
    let Stmt::If(StmtIf { test, .. }) = statement else { return false };
    let Expr::Compare(compare) = &**test else { return false };
    let is_name = |one: &Expr| one.as_name_expr().is_some_and(|name| name.id.as_str() == "__name__");
    let is_main =
        |one: &Expr| one.as_string_literal_expr().is_some_and(|text| text.value.to_str() == "__main__");
    let sides: Vec<&Expr> = std::iter::once(&*compare.left).chain(&compare.comparators).collect();
    sides.iter().any(|side| is_name(side)) && sides.iter().any(|side| is_main(side))
}

/// Whether a statement at the top level does something that can be seen.
fn acts(statement: &Stmt) -> bool {
    match statement {
        Stmt::Expr(expression) => {
            !expression.value.is_string_literal_expr() && !expression.value.is_ellipsis_literal_expr()
        }
        Stmt::If(one) => {
            one.body.iter().any(acts)
                || one.elif_else_clauses.iter().any(|clause| clause.body.iter().any(acts))
        }
        Stmt::Try(one) => one.body.iter().chain(&one.orelse).chain(&one.finalbody).any(acts),
        Stmt::For(_) | Stmt::While(_) | Stmt::With(_) | Stmt::Match(_) | Stmt::Raise(_) | Stmt::Assert(_) => {
            true
        }
        Stmt::AugAssign(_) | Stmt::Delete(_) | Stmt::IpyEscapeCommand(_) => true,
        Stmt::FunctionDef(_)
        | Stmt::ClassDef(_)
        | Stmt::Return(_)
        | Stmt::TypeAlias(_)
        | Stmt::Assign(_)
        | Stmt::AnnAssign(_)
        | Stmt::Import(_)
        | Stmt::ImportFrom(_)
        | Stmt::Global(_)
        | Stmt::Nonlocal(_)
        | Stmt::Pass(_)
        | Stmt::Break(_)
        | Stmt::Continue(_) => false,
    }
}

fn defined(body: &[Stmt]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for statement in body {
        let found: Vec<&str> = match statement {
            Stmt::FunctionDef(function) => vec![function.name.as_str()],
            Stmt::ClassDef(class) => vec![class.name.as_str()],
            Stmt::Assign(assign) => assign.targets.iter().flat_map(targets).collect(),
            Stmt::AnnAssign(assign) => targets(&assign.target),
            _ => continue,
        };
        for name in found {
            if names.len() < MOST && names.iter().all(|known| known != name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn targets(target: &Expr) -> Vec<&str> {
    match target {
        Expr::Name(name) => vec![name.id.as_str()],
        Expr::Tuple(tuple) => {
            tuple.elts.iter().filter_map(Expr::as_name_expr).map(|name| name.id.as_str()).collect()
        }
        Expr::List(list) => {
            list.elts.iter().filter_map(Expr::as_name_expr).map(|name| name.id.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

/// How many tests of pytest or unittest a statement at the top level is.
fn tests(statement: &Stmt) -> usize {
    match statement {
        Stmt::FunctionDef(function) => usize::from(function.name.starts_with("test_")),
        Stmt::ClassDef(class) if is_tests(class) => {
            let names = class.body.iter().filter_map(Stmt::as_function_def_stmt);
            names.filter(|function| function.name.starts_with("test")).count()
        }
        _ => 0,
    }
}

fn is_tests(class: &StmtClassDef) -> bool {
    let bases = class.arguments.iter().flat_map(|arguments| arguments.args.iter());
    let last = |base: &Expr| match base {
        Expr::Attribute(attribute) => attribute.attr.as_str().ends_with("TestCase"),
        Expr::Name(name) => name.id.as_str().ends_with("TestCase"),
        _ => false,
    };
    class.name.starts_with("Test") || bases.into_iter().any(last)
}
