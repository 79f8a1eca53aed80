//! R.

use super::notes::Notes;
use super::place::Place;
use crate::tree::line;
use actum_model::{EntryPoint, FileMode, ImportKind, Install};
use tree_sitter::Node;

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "call" => call(node, place, notes),
        "namespace_operator" => {
            let package = notes.field(node, "lhs");
            notes.import(
                node,
                package,
                "::",
                if place.is_in_function() { ImportKind::Lazy } else { ImportKind::Plain },
            );
        }
        "string" => notes.address(node),
        "binary_operator" if place.is_top() => {
            let is_function =
                node.child_by_field_name("rhs").is_some_and(|right| right.kind() == "function_definition");
            if matches!(notes.field(node, "operator"), "<-" | "=") {
                notes.defines(notes.field(node, "lhs"), place);
            }
            if !is_function {
                notes.begins(EntryPoint::Script);
            }
        }
        _ => {}
    }
    if place.is_top() && node.is_named() && !matches!(node.kind(), "binary_operator" | "comment") {
        notes.begins(EntryPoint::Script);
    }
}

fn call(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let function = notes.field(node, "function");
    let first = argument(node, 0, notes);
    match function.rsplit("::").next().unwrap_or(function) {
        // Its result says whether it is there.
        "require" | "requireNamespace" | "loadNamespace" => {
            import(node, first, ImportKind::Optional, place, notes)
        }
        "library" => import(node, first, ImportKind::Plain, place, notes),
        "p_load" => {
            for position in 0..50 {
                import(node, argument(node, position, notes), ImportKind::Plain, place, notes);
            }
        }
        "source" => notes.import(node, first, "source", ImportKind::Relative),
        "install.packages" => installs(node, notes),
        "readline" => notes.stdin(node, "readline"),
        "file" | "readLines" | "scan" if first == "stdin" => notes.stdin(node, function),
        "read.csv" | "read_csv" | "read.table" | "readRDS" | "read_excel" | "fread" | "load"
        | "readLines" | "fromJSON" => {
            notes.file(node, text(node, 0, notes), FileMode::Read, function);
        }
        "write.csv" | "write_csv" | "saveRDS" | "write.table" | "fwrite" => {
            notes.file(node, text(node, 1, notes), FileMode::Write, function);
        }
        "ggsave" | "pdf" | "png" | "sink" | "jpeg" | "svg" => {
            notes.file(node, text(node, 0, notes), FileMode::Write, function)
        }
        "Sys.getenv" => notes.variable(node, text(node, 0, notes), false),
        "system" | "system2" => notes.command_line(node, text(node, 0, notes)),
        "download.file" | "url" | "GET" | "POST" => notes.network(node, function),
        "test_that" => notes.reading.tests = notes.reading.tests.saturating_add(1),
        _ => {}
    }
}

fn import(node: Node<'_>, package: &str, kind: ImportKind, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let kind = if kind == ImportKind::Plain && place.is_in_function() { ImportKind::Lazy } else { kind };
    let is_name = package.starts_with(char::is_alphabetic)
        && package.chars().all(|letter| letter.is_alphanumeric() || letter == '.');
    if is_name {
        notes.import(node, package, "library", kind);
    }
}

/// The value of an argument without a name. Commas are nodes of their own in this grammar.
fn value<'n>(node: Node<'n>, position: usize) -> Option<Node<'n>> {
    let all = node.child_by_field_name("arguments")?;
    let mut cursor = all.walk();
    let mut arguments = all.named_children(&mut cursor).filter(|child| child.kind() == "argument");
    let argument = arguments.nth(position)?;
    if argument.child_by_field_name("name").is_some() { None } else { argument.child_by_field_name("value") }
}

/// An argument as a name: `library(x)` and `library("x")` are the same.
fn argument<'t>(node: Node<'_>, position: usize, notes: &Notes<'_, 't, '_>) -> &'t str {
    value(node, position).map_or("", |value| notes.words(value).trim_matches(['"', '\'']))
}

fn text<'t>(node: Node<'_>, position: usize, notes: &Notes<'_, 't, '_>) -> &'t str {
    value(node, position).and_then(|value| notes.string(value)).unwrap_or("")
}

/// `install.packages(c("a", "b"))`
fn installs(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let first = node.child_by_field_name("arguments").and_then(|all| all.named_child(0));
    let Some(first) = first else { return };
    for one in crate::tree::Walk::below(first).filter(|one| one.kind() == "string").take(100) {
        let Some(package) = notes.string(one) else { continue };
        let install = Install {
            package: package.to_owned(),
            tool: "cran".to_owned(),
            via: "command".to_owned(),
            line: line(node),
        };
        if !notes.reading.installs.contains(&install) && notes.reading.installs.len() < 500 {
            notes.reading.installs.push(install);
        }
    }
}
