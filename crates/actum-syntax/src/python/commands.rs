//! Programs that a program starts.

use super::call::Call;
use crate::command_line;
use actum_model::Reading;
use ruff_python_ast::Expr;

pub(super) fn of_call(call: &Call<'_>, reading: &mut Reading) {
    if !starts(call.imported()) {
        return;
    }
    let words = call.argument(0).or_else(|| call.keyword("args"));
    let line = match words {
        Some(Expr::List(list)) => words_of(&list.elts, call),
        Some(Expr::Tuple(tuple)) => words_of(&tuple.elts, call),
        Some(text) => call.bindings.text(text).unwrap_or_default(),
        None => return,
    };
    command_line::note_commands(&line, call.line, &mut reading.commands);
    command_line::note_installs(&line, "command", call.line, &mut reading.installs);
}

fn starts(name: &str) -> bool {
    let (module, function) = name.rsplit_once('.').unwrap_or(("", name));
    match module {
        "subprocess" => matches!(
            function,
            "run" | "call" | "check_call" | "check_output" | "Popen" | "getoutput" | "getstatusoutput"
        ),
        "os" => {
            matches!(function, "system" | "popen")
                || function.starts_with("exec")
                || function.starts_with("spawn")
        }
        "asyncio" => matches!(function, "create_subprocess_exec" | "create_subprocess_shell"),
        _ => false,
    }
}

/// The words up to the first that is computed. Our own interpreter is no program that must be found.
fn words_of(words: &[Expr], call: &Call<'_>) -> String {
    let texts = words.iter().map_while(|word| match call.bindings.imported(word).as_deref() {
        Some("sys.executable") => Some("python".to_owned()),
        Some(_) | None => call.bindings.text(word),
    });
    texts.map(|word| command_line::quoted(&word)).collect::<Vec<_>>().join(" ")
}
