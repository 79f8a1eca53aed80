//! PHP.

use super::notes::Notes;
use super::place::Place;
use actum_model::{EntryPoint, FileMode, ImportKind};
use tree_sitter::Node;

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "namespace_use_declaration" => used(node, notes),
        "require_expression"
        | "require_once_expression"
        | "include_expression"
        | "include_once_expression" => {
            required(node, notes);
        }
        "function_call_expression" => call(node, notes),
        "subscript_expression" => subscript(node, notes),
        "name" if notes.words(node) == "STDIN" => notes.stdin(node, "STDIN"),
        "string" | "encapsed_string" => notes.address(node),
        "function_definition" | "class_declaration" | "interface_declaration" | "trait_declaration" => {
            notes.defines(notes.field(node, "name"), place);
        }
        "method_declaration" if notes.field(node, "name").starts_with("test") => {
            notes.reading.tests = notes.reading.tests.saturating_add(1);
        }
        _ => {}
    }
    if place.is_top() && (node.kind().ends_with("_statement") || node.kind() == "text_interpolation") {
        notes.begins(EntryPoint::Script);
    }
}

/// `use A\B\{C, D};`
fn used(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let words = notes.words(node).trim_end_matches(';').trim();
    let words = words.strip_prefix("use").unwrap_or(words).trim();
    let words = words.trim_start_matches("function ").trim_start_matches("const ");
    let (prefix, list) =
        words.split_once('{').map_or(("", words), |(prefix, list)| (prefix, list.trim_end_matches('}')));
    for one in list.split(',').take(200) {
        let name = one.split(" as ").next().unwrap_or("").trim();
        if !name.is_empty() {
            notes.import(node, &format!("{prefix}{name}"), "use", ImportKind::Plain);
        }
    }
}

/// `require 'a.php'`, `require __DIR__ . '/a.php'`
fn required(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let string =
        crate::tree::Walk::below(node).find(|one| matches!(one.kind(), "string" | "encapsed_string"));
    if let Some(path) = string.and_then(|string| notes.string(string)) {
        notes.import(node, path.trim_start_matches('/'), "require", ImportKind::Relative);
    }
}

fn call(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let function = notes.field(node, "function");
    let first = notes.argument(node, 0).unwrap_or("");
    match function {
        "getenv" => notes.variable(node, first, false),
        "readline" => notes.stdin(node, function),
        "fopen" | "file_get_contents" | "file" if first == "php://stdin" => notes.stdin(node, function),
        "file_get_contents" | "file" | "fopen" if first.starts_with("http") => notes.network(node, function),
        "curl_init" | "fsockopen" => notes.network(node, function),
        "file_get_contents" | "file" => notes.file(node, first, FileMode::Read, function),
        "file_put_contents" => notes.file(node, first, FileMode::Write, function),
        "fopen" => {
            let mode = match notes.argument(node, 1).and_then(|mode| mode.chars().next()) {
                Some('w' | 'x' | 'c') => FileMode::Write,
                Some('a') => FileMode::Append,
                Some(_) | None => FileMode::Read,
            };
            notes.file(node, first, mode, function);
        }
        "exec" | "shell_exec" | "system" | "passthru" => notes.command_line(node, first),
        _ => {}
    }
}

fn subscript(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let (Some(object), Some(index)) = (node.named_child(0), node.named_child(1)) else { return };
    match notes.words(object) {
        "$_ENV" => notes.variable(node, notes.string(index).unwrap_or(""), false),
        "$argv" => notes.position(node, notes.words(index), false),
        _ => {}
    }
}
