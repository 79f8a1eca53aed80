//! Go.

use super::notes::Notes;
use super::place::Place;
use actum_model::{EntryPoint, FileMode, ImportKind};
use tree_sitter::Node;

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "import_spec" => {
            let module = notes.field(node, "path").trim_matches(['"', '`']);
            let kind = if module.starts_with('.') { ImportKind::Relative } else { ImportKind::Plain };
            notes.import(node, module, "import", kind);
            if matches!(module, "net" | "net/http" | "net/rpc" | "net/smtp")
                || module.starts_with("google.golang.org/grpc")
            {
                notes.network(node, module);
            }
        }
        "call_expression" => call(node, notes),
        "selector_expression" if notes.words(node) == "os.Stdin" => notes.stdin(node, "os.Stdin"),
        "index_expression" if notes.field(node, "operand") == "os.Args" => {
            notes.position(node, notes.field(node, "index"), true);
        }
        "interpreted_string_literal" => notes.address(node),
        "function_declaration" => function(node, place, notes),
        "type_spec" => notes.defines(notes.field(node, "name"), place),
        _ => {}
    }
}

fn function(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let name = notes.field(node, "name");
    notes.defines(name, place);
    if name == "main" && place.is_top() {
        notes.begins(EntryPoint::MainGuard);
    }
    if name.starts_with("Test") && notes.field(node, "parameters").contains("testing.T") {
        notes.reading.tests = notes.reading.tests.saturating_add(1);
    }
}

fn call(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let function = notes.field(node, "function");
    let first = notes.argument(node, 0).unwrap_or("");
    match function {
        "os.Getenv" | "os.LookupEnv" => notes.variable(node, first, false),
        "fmt.Scan" | "fmt.Scanln" | "fmt.Scanf" => notes.stdin(node, function),
        "os.Open" | "os.ReadFile" | "ioutil.ReadFile" => notes.file(node, first, FileMode::Read, function),
        "os.Create" | "os.WriteFile" | "ioutil.WriteFile" => {
            notes.file(node, first, FileMode::Write, function)
        }
        "os.Mkdir" | "os.MkdirAll" => notes.file(node, first, FileMode::Folder, function),
        "http.ListenAndServe" | "net.Listen" => {
            let address =
                if function == "net.Listen" { notes.argument(node, 1) } else { notes.argument(node, 0) };
            notes.service(node, function, address);
        }
        "exec.Command" => notes.command_line(node, first),
        _ => {}
    }
}
