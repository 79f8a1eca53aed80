//! Ruby.

use super::notes::Notes;
use super::place::Place;
use actum_model::{EntryPoint, FileMode, ImportKind};
use tree_sitter::Node;

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "call" => call(node, place, notes),
        "identifier" if notes.words(node) == "gets" => notes.stdin(node, "gets"),
        "constant" if matches!(notes.words(node), "STDIN" | "ARGF") => notes.stdin(node, notes.words(node)),
        "global_variable" if notes.words(node) == "$stdin" => notes.stdin(node, "$stdin"),
        "element_reference" => element(node, notes),
        "string" => notes.address(node),
        "subshell" => notes.command_line(node, notes.words(node).trim_matches('`')),
        "method" => {
            let name = notes.field(node, "name");
            if name.starts_with("test_") {
                notes.reading.tests = notes.reading.tests.saturating_add(1);
            }
            notes.defines(name, place);
        }
        "class" | "module" if node.is_named() => notes.defines(notes.field(node, "name"), place),
        _ => {}
    }
    if place.is_top()
        && node.is_named()
        && !matches!(node.kind(), "method" | "class" | "module" | "comment" | "assignment")
    {
        let is_require = node.kind() == "call" && notes.field(node, "method").starts_with("require");
        if !is_require {
            notes.begins(EntryPoint::Script);
        }
    }
}

fn call(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let (receiver, method) = (notes.field(node, "receiver"), notes.field(node, "method"));
    let first = notes.argument(node, 0);
    match (receiver, method, first) {
        ("", "require" | "gem", Some(module)) => {
            let kind = match () {
                () if module.starts_with('.') || module.starts_with('/') => ImportKind::Relative,
                () if place.is_in_attempt() => ImportKind::Optional,
                () if place.is_in_function() => ImportKind::Lazy,
                () => ImportKind::Plain,
            };
            notes.import(node, module, method, kind);
            if matches!(
                module,
                "net/http" | "open-uri" | "socket" | "faraday" | "httparty" | "rest-client" | "pg" | "redis"
            ) {
                notes.network(node, module);
            }
        }
        ("", "require_relative" | "load", Some(module)) => {
            notes.import(node, module, method, ImportKind::Relative)
        }
        ("", "it" | "specify", Some(_)) => notes.reading.tests = notes.reading.tests.saturating_add(1),
        ("", "system" | "exec" | "spawn", Some(text)) => notes.command_line(node, text),
        ("ENV", "fetch", Some(name)) => {
            let has_default =
                node.child_by_field_name("arguments").is_some_and(|all| all.named_child_count() > 1);
            notes.variable(node, name, !has_default && node.child_by_field_name("block").is_none());
        }
        ("File" | "IO" | "CSV" | "YAML", _, Some(path)) => {
            let by = format!("{receiver}.{method}");
            let mode = match method {
                "open" | "new" => opened(notes.argument(node, 1)),
                "write" | "binwrite" => FileMode::Write,
                "read" | "readlines" | "foreach" | "binread" | "load_file" | "table" => FileMode::Read,
                _ => return,
            };
            notes.file(node, path, mode, &by);
        }
        _ => {}
    }
}

fn opened(mode: Option<&str>) -> FileMode {
    match mode.and_then(|mode| mode.chars().next()) {
        Some('w') => FileMode::Write,
        Some('a') => FileMode::Append,
        Some(_) | None => FileMode::Read,
    }
}

fn element(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let Some(index) = node.named_child(1) else { return };
    match notes.field(node, "object") {
        "ENV" => notes.variable(node, notes.string(index).unwrap_or(""), false),
        "ARGV" => {
            let position = notes.words(index).parse::<u8>().ok().and_then(|index| index.checked_add(1));
            notes.position(node, &position.unwrap_or(0).to_string(), false);
        }
        _ => {}
    }
}
