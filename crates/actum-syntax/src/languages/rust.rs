//! Rust.

use super::notes::Notes;
use super::place::Place;
use crate::tree::Walk;
use actum_model::{EntryPoint, FileMode, ImportKind};
use tree_sitter::Node;

/// Paths that lead to no other crate.
const OWN: [&str; 4] = ["crate", "self", "super", "Self"];

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "use_declaration" => used(node, place, notes),
        "extern_crate_declaration" => {
            notes.import(node, notes.field(node, "name"), "extern", ImportKind::Plain)
        }
        "mod_item" => module(node, notes),
        "scoped_identifier" | "scoped_type_identifier" => path(node, place, notes),
        "function_item" => function(node, place, notes),
        "struct_item" | "enum_item" | "trait_item" | "const_item" | "static_item" => {
            notes.defines(notes.field(node, "name"), place);
        }
        "attribute_item" if is_test(notes.words(node)) => {
            notes.reading.tests = notes.reading.tests.saturating_add(1)
        }
        "call_expression" => call(node, notes),
        "string_literal" => notes.address(node),
        _ => {}
    }
}

fn is_test(words: &str) -> bool {
    let inner = words.trim_start_matches("#[").trim_end_matches(']');
    inner == "test" || inner.ends_with("::test")
}

/// `use a::b`: only what comes first says where it is from; the rest are names.
fn used(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    // `use {a::b, c::d}` has several that come first.
    let firsts: Vec<Node<'_>> = match argument.kind() {
        "use_list" => (0..argument.named_child_count())
            .filter_map(|at| argument.named_child(u32::try_from(at).ok()?))
            .collect(),
        _ => vec![argument],
    };
    for first in firsts.into_iter().take(100) {
        let words = notes.words(first);
        let name = words
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .find(|part| !part.is_empty());
        // What a list takes is bound here, and is no crate when it begins a path below.
        let bound = Walk::below(first).filter(|one| one.kind() == "identifier").take(200);
        let bound: Vec<String> = bound.map(|one| notes.words(one).to_owned()).collect();
        if let Some(name) = name.filter(|name| !OWN.contains(name) && !notes.own.contains(*name)) {
            let kind = if place.is_in_function() { ImportKind::Lazy } else { ImportKind::Plain };
            notes.import(node, name, "use", kind);
        }
        notes.own.extend(bound);
    }
}

fn module(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let name = notes.field(node, "name");
    notes.own.insert(name.to_owned());
    if node.child_by_field_name("body").is_none() {
        notes.import(node, name, "mod", ImportKind::Relative);
    }
}

/// `rand::random()` without a `use`.
fn path(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let Some(first) = node.child_by_field_name("path").filter(|path| path.kind() == "identifier") else {
        return;
    };
    let name = notes.words(first);
    let is_crate = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && !OWN.contains(&name)
        && !notes.own.contains(name);
    if is_crate && !is_primitive(name) {
        notes.import(
            node,
            name,
            "path",
            if place.is_in_function() { ImportKind::Lazy } else { ImportKind::Plain },
        );
    }
    if notes.words(node) == "env::args" || notes.words(node) == "std::env::args" {
        notes.position(node, "1", false);
    }
}

/// `u32::MAX` is a path, and `u32` no crate.
fn is_primitive(name: &str) -> bool {
    const NAMES: [&str; 17] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
        "bool", "char", "str",
    ];
    NAMES.contains(&name)
}

fn function(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let name = notes.field(node, "name");
    notes.defines(name, place);
    if name == "main" && place.is_top() {
        notes.begins(EntryPoint::MainGuard);
    }
}

fn call(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let function = notes.field(node, "function");
    let first = notes.argument(node, 0).unwrap_or("");
    let last = |count: usize| function.rsplit("::").take(count).collect::<Vec<_>>();
    match *last(2) {
        ["stdin", ..] => notes.stdin(node, "stdin()"),
        ["var" | "var_os", "env"] => notes.variable(node, first, false),
        ["open" | "read_to_string", "File" | "fs"] | ["read", "fs"] => {
            notes.file(node, first, FileMode::Read, function)
        }
        ["create", "File"] | ["write", "fs"] => notes.file(node, first, FileMode::Write, function),
        ["create_dir" | "create_dir_all", "fs"] => notes.file(node, first, FileMode::Folder, function),
        ["new", "Command"] => notes.command_line(node, first),
        ["bind" | "connect", "TcpListener" | "TcpStream"] => notes.network(node, function),
        _ => {}
    }
}
