//! Imports, in all the forms that they have.

use super::bindings::Bindings;
use super::call::Call;
use super::parse::Source;
use crate::command_line;
use crate::text::beginning;
use actum_model::{Import, ImportKind, Reading};
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{
    ExceptHandler, ExceptHandlerExceptHandler, Expr, Identifier, Stmt, StmtImport, StmtImportFrom,
};

/// More are not listed: a program that imports a thousand modules was made by another one.
const MOST: usize = 1_000;

/// `import a.b as c`
pub(super) fn plain(import: &StmtImport, kind: ImportKind, line: u32, reading: &mut Reading) {
    for alias in &import.names {
        push(
            reading,
            Import {
                module: short(alias.name.as_str()),
                names: Vec::new(),
                line,
                kind,
                via: "import".to_owned(),
            },
        );
    }
}

/// `from a import b`
pub(super) fn from(import: &StmtImportFrom, kind: ImportKind, line: u32, reading: &mut Reading) {
    let module = import.module.as_ref().map_or("", Identifier::as_str);
    let dots = ".".repeat(usize::try_from(import.level).unwrap_or(1).min(20));
    let kind = match (import.level, kind) {
        (0, kind) => kind,
        (1.., ImportKind::TypeOnly) => ImportKind::TypeOnly,
        (1.., _) => ImportKind::Relative,
    };
    let names = import.names.iter().take(MOST).map(|alias| short(alias.name.as_str())).collect();
    push(reading, Import { module: dots + &short(module), names, line, kind, via: "from".to_owned() });
}

/// `importlib.import_module("a")`, `__import__("a")`
pub(super) fn of_call(call: &Call<'_>, reading: &mut Reading) {
    let via = match (call.imported(), call.plain()) {
        ("importlib.import_module" | "importlib.util.find_spec" | "pytest.importorskip", _) => "importlib",
        (_, "__import__") => "__import__",
        _ => return,
    };
    let Some(module) = call.text(0).filter(|module| is_dotted(module)) else { return };
    // Asking whether it is there is a question, not a need.
    let asks = call.imported().ends_with("find_spec") || call.imported().ends_with("importorskip");
    let kind = match (module.starts_with('.'), asks) {
        (true, _) => ImportKind::Relative,
        (false, true) => ImportKind::Optional,
        (false, false) => ImportKind::Dynamic,
    };
    push(reading, Import { module, names: Vec::new(), line: call.line, kind, via: via.to_owned() });
}

/// `# pip install a`
pub(super) fn in_comments(source: &Source, reading: &mut Reading) {
    for (at, comment) in source.comments() {
        let words = comment.trim_start_matches(['#', ' ', '!', '$', '`', '>']);
        if let Some(at_install) = words.find("install") {
            // Only a comment that is a command: prose about installing names no packages that can be told apart.
            let begin = words[..at_install].rfind(['`', ':']).map_or(0, |mark| mark + 1);
            let command = words[begin..].split('`').next().unwrap_or("").trim();
            let line = source.lines.line_of(at);
            command_line::note_installs(command, "comment", line, &mut reading.installs);
        }
    }
}

/// `TYPE_CHECKING`, `typing.TYPE_CHECKING`
pub(super) fn is_type_checking(test: &Expr, bindings: &Bindings<'_>) -> bool {
    let imported = bindings.imported(test);
    matches!(imported.as_deref(), Some("typing.TYPE_CHECKING" | "typing_extensions.TYPE_CHECKING"))
        || test.as_name_expr().is_some_and(|name| name.id.as_str() == "TYPE_CHECKING")
}

/// `sys.version_info[0] < 3`, `sys.platform == "win32"`: what stands below it is for some machines only.
pub(super) fn asks_for_version(test: &Expr, bindings: &Bindings<'_>) -> bool {
    const NAMES: [&str; 7] = [
        "sys.version_info",
        "sys.version",
        "sys.platform",
        "six.PY2",
        "six.PY3",
        "os.name",
        "platform.system",
    ];
    let mut asks = Asks { bindings, found: false };
    asks.visit_expr(test);
    return asks.found;

    struct Asks<'b> {
        bindings: &'b Bindings<'b>,
        found: bool,
    }

    impl<'a> Visitor<'a> for Asks<'_> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            let name = self.bindings.imported(expression);
            self.found |= name.is_some_and(|name| NAMES.contains(&name.as_str()));
            walk_expr(self, expression);
        }
    }
}

/// Whether a handler catches that a module is not there, and goes on. One that says so and ends needs it all the same.
pub(super) fn catches_missing(handler: &ExceptHandler) -> bool {
    let ExceptHandler::ExceptHandler(handler) = handler;
    if handler.body.last().is_some_and(ends) {
        return false;
    }
    catches(handler, &["ImportError", "ModuleNotFoundError", "Exception", "BaseException"])
        || handler.type_.is_none()
}

/// Whether a handler catches that something lacks a name. Those that catch everything mean something else.
pub(super) fn catches_missing_attribute(handler: &ExceptHandler) -> bool {
    let ExceptHandler::ExceptHandler(handler) = handler;
    catches(handler, &["AttributeError"])
}

fn catches(handler: &ExceptHandlerExceptHandler, names: &[&str]) -> bool {
    let is_one = |kind: &Expr| kind.as_name_expr().is_some_and(|name| names.contains(&name.id.as_str()));
    match handler.type_.as_deref() {
        Some(Expr::Tuple(kinds)) => kinds.elts.iter().any(is_one),
        Some(kind) => is_one(kind),
        None => false,
    }
}

/// `raise`, `sys.exit(1)`, `exit()`
fn ends(statement: &Stmt) -> bool {
    let call = statement.as_expr_stmt().and_then(|expression| expression.value.as_call_expr());
    let name = call.and_then(|call| match &*call.func {
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    });
    statement.is_raise_stmt() || matches!(name, Some("exit" | "quit" | "_exit" | "abort"))
}

fn push(reading: &mut Reading, import: Import) {
    let is_new = !import.module.is_empty() && !reading.imports.contains(&import);
    if is_new && reading.imports.len() < MOST {
        reading.imports.push(import);
    }
}

fn short(name: &str) -> String {
    beginning(name, 200).to_owned()
}

fn is_dotted(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    !name.is_empty() && name.len() <= 200 && name.chars().all(is_letter) && name.contains(char::is_alphabetic)
}
