//! C and C++.

use super::notes::Notes;
use super::place::Place;
use actum_model::{EntryPoint, FileMode, ImportKind};
use tree_sitter::Node;

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "preproc_include" => include(node, notes),
        "call_expression" => call(node, notes),
        "identifier" if matches!(notes.words(node), "cin" | "stdin") => notes.stdin(node, notes.words(node)),
        "subscript_expression" if notes.field(node, "argument") == "argv" => {
            let index = notes.words(node).trim_start_matches("argv").trim_matches(['[', ']', ' ']);
            notes.position(node, index, false);
        }
        "string_literal" => notes.address(node),
        "function_definition" => function(node, place, notes),
        "class_specifier" | "struct_specifier" => notes.defines(notes.field(node, "name"), place),
        _ => {}
    }
}

fn include(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let path = notes.field(node, "path");
    match path.starts_with('<') {
        true => notes.import(node, path, "include", ImportKind::Plain),
        false => notes.import(node, path.trim_matches('"'), "include", ImportKind::Relative),
    }
    if matches!(path, "<sys/socket.h>" | "<netinet/in.h>" | "<curl/curl.h>" | "<netdb.h>") {
        notes.network(node, path);
    }
}

fn function(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let head = notes.field(node, "declarator");
    let name = head.split('(').next().unwrap_or("").trim_start_matches(['*', '&', ' ']).trim();
    notes.defines(name, place);
    if name == "main" {
        notes.begins(EntryPoint::MainGuard);
    }
}

fn call(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let function = notes.field(node, "function");
    let first = notes.argument(node, 0).unwrap_or("");
    match function.trim_start_matches("std::") {
        "scanf" | "getchar" | "gets" | "getline" => notes.stdin(node, function),
        "getenv" => notes.variable(node, first, false),
        "fopen" => {
            let mode = match notes.argument(node, 1).and_then(|mode| mode.chars().next()) {
                Some('w') => FileMode::Write,
                Some('a') => FileMode::Append,
                Some(_) | None => FileMode::Read,
            };
            notes.file(node, first, mode, function);
        }
        "system" | "popen" => notes.command_line(node, first),
        "listen" => notes.service(node, function, None),
        _ => {}
    }
}
