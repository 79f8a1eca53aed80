//! What a program takes from its command line.

use super::bindings::Bindings;
use super::call::Call;
use super::files;
use crate::text::beginning;
use actum_model::{Argument, FileMode, FileUse, Reading};
use ruff_python_ast::{Expr, ExprSubscript};

/// More are not listed.
const MOST: usize = 200;

/// `parser.add_argument("--x", …)`, `@click.option("--x", …)`
pub(super) fn of_call(call: &Call<'_>, reading: &mut Reading) {
    let is_position = match (call.method(), call.imported()) {
        ("add_argument" | "add_option", _) => false,
        (_, "click.option" | "typer.Option") => false,
        (_, "click.argument") => true,
        _ => return,
    };
    let Some(name) = name(call) else { return };
    let is_option = name.starts_with('-');
    let default = call.keyword("default").and_then(|value| shown(value, call.bindings));
    let is_optional = default.is_some() || may_be_absent(call);
    let says_required = call.keyword("required").is_some_and(is_true);
    let required = says_required || (!is_option && !is_optional) || (is_position && !is_optional);
    if let Some(path) = default.as_deref().filter(|default| files::looks_like_path(default)) {
        let by = format!("argument {name}");
        files::push(FileUse { path: path.to_owned(), mode: FileMode::Unknown, by, line: call.line }, reading);
    }
    let help = call.keyword_text("help").map(|help| beginning(&help, 200).to_owned());
    push(Argument { scales: scales(&name), name, required, default, help, line: call.line }, reading);
}

/// `sys.argv[1]`
pub(super) fn of_subscript(
    subscript: &ExprSubscript,
    line: u32,
    bindings: &Bindings<'_>,
    reading: &mut Reading,
) {
    if bindings.imported(&subscript.value).as_deref() != Some("sys.argv") {
        return;
    }
    let position = match &*subscript.slice {
        // `sys.argv[1:]` takes what there is.
        Expr::Slice(_) => return,
        index => bindings.number(index).filter(|index| (1..100).contains(index)),
    };
    if let Some(position) = position {
        let name = position.to_string();
        push(Argument { name, required: true, default: None, help: None, scales: false, line }, reading);
    }
}

/// The program looks how many arguments there are, so it does not stop where they are not.
pub(super) fn positions_are_optional(reading: &mut Reading) {
    for argument in &mut reading.arguments {
        argument.required &= argument.name.parse::<u8>().is_err();
    }
}

/// The longest of the names that an argument has.
fn name(call: &Call<'_>) -> Option<String> {
    let names = call.call.arguments.args.iter().filter_map(|name| call.bindings.text(name));
    let name = names.max_by_key(String::len).or_else(|| call.keyword_text("dest"))?;
    (!name.is_empty() && !name.contains(char::is_whitespace)).then(|| beginning(&name, 100).to_owned())
}

fn may_be_absent(call: &Call<'_>) -> bool {
    let count = call.keyword("nargs").and_then(|count| call.bindings.text(count));
    let action = call.keyword_text("action");
    matches!(count.as_deref(), Some("?" | "*"))
        || matches!(action.as_deref(), Some("version" | "help"))
        || call.keyword("required").is_some_and(|value| !is_true(value))
}

fn is_true(value: &Expr) -> bool {
    value.as_boolean_literal_expr().is_some_and(|literal| literal.value)
}

/// A literal value as it would be typed.
fn shown(value: &Expr, bindings: &Bindings<'_>) -> Option<String> {
    if let Some(literal) = value.as_boolean_literal_expr() {
        return Some(if literal.value { "True" } else { "False" }.to_owned());
    }
    if let Expr::NumberLiteral(literal) = value
        && let ruff_python_ast::Number::Float(number) = literal.value
    {
        return Some(number.to_string());
    }
    let text = bindings.text(value).or_else(|| bindings.number(value).map(|number| number.to_string()));
    text.map(|text| beginning(&text, 200).to_owned())
}

/// Whether less of it needs less memory or time.
fn scales(name: &str) -> bool {
    const PARTS: [&str; 12] = [
        "batch",
        "epoch",
        "worker",
        "n_jobs",
        "num_samples",
        "n_samples",
        "steps",
        "iterations",
        "max_length",
        "num_threads",
        "image_size",
        "limit",
    ];
    let name = name.trim_start_matches('-').replace('-', "_").to_lowercase();
    PARTS.iter().any(|part| name.contains(part))
}

fn push(argument: Argument, reading: &mut Reading) {
    let is_new = reading.arguments.iter().all(|known| known.name != argument.name);
    if is_new && reading.arguments.len() < MOST {
        reading.arguments.push(argument);
    }
}
