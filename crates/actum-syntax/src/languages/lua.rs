//! Lua.

use super::notes::Notes;
use super::place::Place;
use actum_model::{EntryPoint, FileMode, ImportKind};
use tree_sitter::Node;

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "function_call" => call(node, place, notes),
        "dot_index_expression" if notes.words(node) == "io.stdin" => notes.stdin(node, "io.stdin"),
        "bracket_index_expression" if notes.field(node, "table") == "arg" => {
            notes.position(node, notes.field(node, "field"), false);
        }
        "string" => notes.address(node),
        "function_declaration" => notes.defines(notes.field(node, "name"), place),
        _ => {}
    }
    let acts = ["function_call", "for_statement", "while_statement", "if_statement", "repeat_statement"];
    if place.is_top() && acts.contains(&node.kind()) {
        notes.begins(EntryPoint::Script);
    }
}

fn call(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let function = notes.field(node, "name");
    let first = notes.argument(node, 0).unwrap_or("");
    match function {
        "require" => {
            let kind = if place.is_in_function() { ImportKind::Lazy } else { ImportKind::Plain };
            notes.import(node, first, "require", kind);
            if first.starts_with("socket") {
                notes.network(node, first);
            }
        }
        "pcall" => protected(node, notes),
        "dofile" | "loadfile" => notes.import(node, first, function, ImportKind::Relative),
        "io.read" => notes.stdin(node, function),
        "io.lines" if first.is_empty() => notes.stdin(node, function),
        "io.lines" => notes.file(node, first, FileMode::Read, function),
        "io.open" => {
            let mode = match notes.argument(node, 1).and_then(|mode| mode.chars().next()) {
                Some('w') => FileMode::Write,
                Some('a') => FileMode::Append,
                Some(_) | None => FileMode::Read,
            };
            notes.file(node, first, mode, function);
        }
        "os.getenv" => notes.variable(node, first, false),
        "os.execute" | "io.popen" => notes.command_line(node, first),
        _ => {}
    }
}

/// `pcall(require, "x")`
fn protected(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let first = node.child_by_field_name("arguments").and_then(|all| all.named_child(0));
    if first.is_some_and(|first| notes.words(first) == "require")
        && let Some(module) = notes.argument(node, 1)
    {
        notes.import(node, module, "require", ImportKind::Optional);
    }
}
