//! Java.

use super::notes::Notes;
use super::place::Place;
use actum_model::{EntryPoint, FileMode, ImportKind};
use tree_sitter::Node;

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "import_declaration" => import(node, notes),
        "field_access" if notes.words(node) == "System.in" => notes.stdin(node, "System.in"),
        "method_invocation" => call(node, notes),
        "object_creation_expression" => created(node, notes),
        "array_access" if notes.field(node, "array") == "args" => {
            let position =
                notes.field(node, "index").parse::<u8>().ok().and_then(|index| index.checked_add(1));
            notes.position(node, &position.unwrap_or(0).to_string(), false);
        }
        "string_literal" => notes.address(node),
        "method_declaration" => method(node, notes),
        "class_declaration" | "interface_declaration" | "enum_declaration" | "record_declaration" => {
            notes.defines(notes.field(node, "name"), place);
        }
        _ => {}
    }
}

fn import(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let words = notes.words(node).trim_end_matches(';').trim();
    let words = words.trim_start_matches("import").trim();
    let module = words.strip_prefix("static ").unwrap_or(words).trim();
    let (module, names) = match module.strip_suffix(".*") {
        Some(package) => (package, vec!["*".to_owned()]),
        None => (module, Vec::new()),
    };
    notes.import_names(node, (module, names), "import", ImportKind::Plain);
    if module.starts_with("java.net")
        || module.starts_with("javax.net")
        || module.starts_with("okhttp")
        || module.starts_with("java.sql")
    {
        notes.network(node, module);
    }
}

fn method(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let words = notes.words(node);
    let head = words.split('{').next().unwrap_or(words);
    if notes.field(node, "name") == "main" && head.contains("static") {
        notes.begins(EntryPoint::MainGuard);
    }
    if head.contains("@Test") {
        notes.reading.tests = notes.reading.tests.saturating_add(1);
    }
}

fn call(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let (object, name) = (notes.field(node, "object"), notes.field(node, "name"));
    let first = notes.argument(node, 0).unwrap_or("");
    match (object, name) {
        ("System", "getenv") => notes.variable(node, first, false),
        ("Path", "of") | ("Paths", "get") => {
            notes.file(node, first, FileMode::Unknown, &format!("{object}.{name}"))
        }
        (_, "exec") if object.contains("getRuntime") => notes.command_line(node, first),
        _ => {}
    }
}

fn created(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let kind = notes.field(node, "type");
    let mode = match kind {
        "FileReader" | "FileInputStream" => FileMode::Read,
        "FileWriter" | "FileOutputStream" | "PrintWriter" => FileMode::Write,
        "File" => FileMode::Unknown,
        "ServerSocket" => {
            let port = node.child_by_field_name("arguments").and_then(|all| all.named_child(0));
            return notes.service(node, kind, port.map(|port| notes.words(port)));
        }
        _ => return,
    };
    notes.file(node, notes.argument(node, 0).unwrap_or(""), mode, kind);
}
