//! JavaScript and TypeScript.

use super::notes::Notes;
use super::place::Place;
use crate::tree::{Walk, line};
use actum_model::{EntryPoint, FileMode, ImportKind};
use tree_sitter::Node;

/// Modules that are imported to speak to other machines.
const NETWORK: [&str; 16] = [
    "http",
    "https",
    "net",
    "axios",
    "node-fetch",
    "got",
    "request",
    "superagent",
    "undici",
    "ws",
    "socket.io-client",
    "openai",
    "mongodb",
    "mongoose",
    "pg",
    "redis",
];

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "import_statement" => import(node, notes),
        "import_require_clause" | "export_statement" => source(node, notes, Vec::new()),
        "call_expression" => call(node, place, notes),
        "member_expression" => member(node, notes),
        "subscript_expression" => subscript(node, notes),
        "await_expression" if !place.is_in_function() => {
            notes.reading.top_level_await.get_or_insert(line(node));
        }
        "for_in_statement" if !place.is_in_function() && notes.words(node).starts_with("for await") => {
            notes.reading.top_level_await.get_or_insert(line(node));
        }
        "string" | "template_string" => notes.address(node),
        "function_declaration" | "class_declaration" | "generator_function_declaration" => {
            notes.defines(notes.field(node, "name"), place);
        }
        "lexical_declaration" | "variable_declaration" if place.is_top() => declaration(node, place, notes),
        _ => {}
    }
    if place.is_top() && acts(node) {
        notes.begins(EntryPoint::Script);
    }
}

fn acts(node: Node<'_>) -> bool {
    let kind = node.kind();
    matches!(
        kind,
        "for_statement"
            | "for_in_statement"
            | "while_statement"
            | "if_statement"
            | "try_statement"
            | "do_statement"
    ) || (kind == "expression_statement" && node.named_child(0).is_some_and(|child| child.kind() != "string"))
}

fn declaration(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator") {
        let name = child.child_by_field_name("name").filter(|name| name.kind() == "identifier");
        if let Some(name) = name {
            notes.defines(notes.words(name), place);
        }
    }
}

fn import(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let is_name = |one: &Node<'_>| one.kind() == "import_specifier";
    let names = Walk::below(node).filter(is_name).take(200).map(|one| notes.field(one, "name").to_owned());
    let names = names.collect();
    source(node, notes, names);
}

/// `import … from "x"`, `export … from "x"`, `import x = require("x")`
fn source(node: Node<'_>, notes: &mut Notes<'_, '_, '_>, names: Vec<String>) {
    let Some(module) = node.child_by_field_name("source").and_then(|source| notes.string(source)) else {
        return;
    };
    let is_for_types = node.child(1).is_some_and(|second| second.kind() == "type");
    let kind = if is_for_types { ImportKind::TypeOnly } else { kind_of(module, ImportKind::Plain) };
    let via = if node.kind() == "export_statement" { "export" } else { "import" };
    notes.import_names(node, (module, names), via, kind);
    speaks(node, module, notes);
}

fn kind_of(module: &str, otherwise: ImportKind) -> ImportKind {
    if module.starts_with('.') || module.starts_with('/') { ImportKind::Relative } else { otherwise }
}

fn speaks(node: Node<'_>, module: &str, notes: &mut Notes<'_, '_, '_>) {
    if NETWORK.contains(&module.trim_start_matches("node:")) {
        notes.network(node, module);
    }
}

fn call(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let function = notes.field(node, "function");
    match function {
        "require" | "import" => dynamic(node, function, place, notes),
        "fetch" => notes.network(node, "fetch"),
        "prompt" | "readline.createInterface" => notes.stdin(node, function),
        "it" | "test" if notes.argument(node, 0).is_some() => {
            notes.reading.tests = notes.reading.tests.saturating_add(1)
        }
        _ => {}
    }
    let method = function.rsplit('.').next().unwrap_or(function);
    let mode = match method {
        "readFileSync" | "readFile" | "createReadStream" | "readdirSync" => Some(FileMode::Read),
        "writeFileSync" | "writeFile" | "createWriteStream" => Some(FileMode::Write),
        "appendFileSync" | "appendFile" => Some(FileMode::Append),
        "mkdirSync" | "mkdir" => Some(FileMode::Folder),
        _ => None,
    };
    if let (Some(mode), Some(path)) = (mode, notes.argument(node, 0)) {
        match path {
            "/dev/stdin" => notes.stdin(node, function),
            path => notes.file(node, path, mode, function),
        }
    }
    match method {
        "listen" if function.contains('.') => {
            let port = node.child_by_field_name("arguments").and_then(|all| all.named_child(0));
            notes.service(node, function, port.map(|port| notes.words(port)));
        }
        "exec" | "execSync" | "spawn" | "spawnSync" | "execFile" | "execFileSync" => {
            if let Some(text) = notes.argument(node, 0).filter(|_| !function.starts_with('/')) {
                notes.command_line(node, text);
            }
        }
        _ => {}
    }
}

/// `require("x")`, `import("x")`
fn dynamic(node: Node<'_>, via: &str, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let Some(module) = notes.argument(node, 0) else { return };
    let kind = match () {
        () if place.is_in_attempt() => ImportKind::Optional,
        () if via == "import" => ImportKind::Dynamic,
        () if place.is_in_function() => ImportKind::Lazy,
        () => ImportKind::Plain,
    };
    notes.import(node, module, via, kind_of(module, kind));
    speaks(node, module, notes);
}

fn member(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    match notes.field(node, "object") {
        // A variable that is not set is `undefined`; the program goes on.
        "process.env" => notes.variable(node, notes.field(node, "property"), false),
        "process" if notes.field(node, "property") == "stdin" => notes.stdin(node, "process.stdin"),
        _ => {}
    }
}

fn subscript(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let index = notes.field(node, "index");
    match notes.field(node, "object") {
        "process.env" => notes.variable(node, index.trim_matches(['"', '\'']), false),
        // The interpreter and the program come first.
        "process.argv" => {
            let position = index.parse::<u8>().ok().and_then(|index| index.checked_sub(1));
            notes.position(node, &position.unwrap_or(0).to_string(), false);
        }
        _ => {}
    }
}
