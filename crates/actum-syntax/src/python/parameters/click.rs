//! click and typer: decorated functions.

use super::super::bindings::Bindings;
use super::super::call::Call;
use super::{Collector, LONGEST, help, is_true, last, literal};
use crate::text::beginning;
use actum_model::{DeclaredParameter, DefaultValue, Framework, ParameterKind};
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, ParameterWithDefault, Stmt, StmtFunctionDef};
use serde_json::Value;
use std::collections::HashSet;

/// Commands of typer applications. One command alone is not named on the command line.
#[derive(Debug, Default)]
pub(super) struct Typer {
    commands: HashSet<String>,
    has_callback: bool,
}

impl Typer {
    pub(super) fn finish(&self, parameters: &mut [DeclaredParameter]) {
        if self.commands.len() > 1 || self.has_callback {
            return;
        }
        for one in parameters.iter_mut().filter(|one| one.framework == Framework::Typer) {
            one.command = None;
        }
    }
}

pub(super) fn of_function<'a>(function: &'a StmtFunctionDef, collector: &mut Collector<'a, '_>) {
    let calls: Vec<Call<'a>> = function
        .decorator_list
        .iter()
        .filter_map(|decorator| decorator.expression.as_call_expr())
        .map(|call| Call::of(call, collector.source.line(call), collector.bindings))
        .collect();
    let command = calls.iter().find_map(|call| subcommand(call, function));
    for call in &calls {
        match call.imported() {
            "click.option" | "rich_click.option" => option(call, command.as_deref(), collector),
            "click.argument" | "rich_click.argument" => position(call, command.as_deref(), collector),
            _ if is_typer(call) && matches!(call.method(), "command" | "callback") => {
                of_typer(function, call, collector);
            }
            _ => {}
        }
    }
    // A decorator without parentheses, and `typer.run(main)`.
    if collector.typer_runs(function) {
        for one in parameters(function) {
            typer_parameter(one, None, collector);
        }
    }
}

/// Names of the functions that `typer.run` is called with, which stands behind them.
pub(super) fn run_by_typer<'a>(body: &'a [Stmt], bindings: &Bindings<'a>) -> HashSet<&'a str> {
    let mut found = Runs { bindings, names: HashSet::new() };
    found.visit_body(body);
    found.names
}

struct Runs<'a, 'b> {
    bindings: &'b Bindings<'a>,
    names: HashSet<&'a str>,
}

impl<'a> Visitor<'a> for Runs<'a, '_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression
            && self.bindings.imported(&call.func).as_deref() == Some("typer.run")
            && let Some(name) = call.arguments.args.first().and_then(Expr::as_name_expr)
        {
            self.names.insert(name.id.as_str());
        }
        walk_expr(self, expression);
    }
}

fn is_typer(call: &Call<'_>) -> bool {
    call.maker() == "typer.Typer"
}

/// The name of a command in a group: `@cli.command("train")`.
fn subcommand(call: &Call<'_>, function: &StmtFunctionDef) -> Option<String> {
    if call.method() != "command" || is_typer(call) {
        return None;
    }
    Some(command_name(call, function))
}

fn command_name(call: &Call<'_>, function: &StmtFunctionDef) -> String {
    let given = call.either(0, "name").and_then(|name| call.bindings.text(name));
    let name = given.unwrap_or_else(|| function.name.as_str().replace('_', "-"));
    beginning(&name, LONGEST).to_owned()
}

/// `@click.option("--rate", "-r", "learning_rate", default=0.1, help="…")`
fn option(call: &Call<'_>, command: Option<&str>, collector: &mut Collector<'_, '_>) {
    let names: Vec<String> =
        call.call.arguments.args.iter().filter_map(|name| collector.bindings.text(name)).take(8).collect();
    let (flags, own): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| name.starts_with('-'));
    let mut positive = Vec::new();
    let mut negative = Vec::new();
    for flag in flags {
        let (on, off) = flag.split_once('/').unwrap_or((flag, ""));
        positive.push(beginning(on.trim(), LONGEST).to_owned());
        if off.trim().starts_with('-') {
            negative.push(beginning(off.trim(), LONGEST).to_owned());
        }
    }
    let longest = positive.iter().find(|flag| flag.starts_with("--")).or_else(|| positive.first());
    let by_flag = longest.map(|flag| flag.trim_start_matches('-').replace('-', "_").to_lowercase());
    let Some(name) = own.first().map(|name| (*name).clone()).or(by_flag) else {
        return collector.is_computed(call.call);
    };
    let has = |name: &str| call.keyword(name).is_some_and(is_true);
    let default = call.keyword("default");
    let is_boolean = default.is_some_and(Expr::is_boolean_literal_expr);
    let is_typed = call.keyword("type").is_some();
    let is_switch = has("is_flag")
        || !negative.is_empty()
        || call.keyword("flag_value").is_some()
        || is_boolean && !is_typed;
    let kind = match () {
        () if has("count") => ParameterKind::Count,
        () if has("multiple") => ParameterKind::Repeated,
        () if is_switch => ParameterKind::Switch,
        () => ParameterKind::Option,
    };
    let mut parameter = collector.parameter(&name, kind, Framework::Click, call.call);
    (parameter.flags, parameter.negative_flags) = (positive, negative);
    parameter.command = command.map(str::to_owned);
    parameter.count =
        call.keyword("nargs").and_then(|one| collector.bindings.number(one)).map(|one| one.to_string());
    parameter.required = has("required");
    let implied = if is_switch { Value::Bool(false) } else { Value::Null };
    let default = default.map_or(DefaultValue::Literal(implied), |default| collector.default_of(default));
    parameter.default = Some(default).filter(|_| !parameter.required);
    typed(call, &mut parameter, collector);
    parameter.help = help(call);
    collector.push(parameter);
}

/// `@click.argument("source", nargs=-1)`
fn position(call: &Call<'_>, command: Option<&str>, collector: &mut Collector<'_, '_>) {
    let Some(name) = call.text(0) else { return collector.is_computed(call.call) };
    let name = name.to_lowercase().replace('-', "_");
    let mut parameter = collector.parameter(&name, ParameterKind::Position, Framework::Click, call.call);
    parameter.command = command.map(str::to_owned);
    let count = call.keyword("nargs").map(|one| literal::value(one, collector.bindings));
    parameter.count = match count {
        Some(Some(Value::Number(number))) if number.as_i64() == Some(-1) => Some("*".to_owned()),
        Some(Some(other)) => Some(other.to_string()),
        Some(None) | None => None,
    };
    let default = call.keyword("default").map(|default| collector.default_of(default));
    let may_lack = parameter.count.as_deref() == Some("*") || default.is_some();
    parameter.required = call.keyword("required").map_or(!may_lack, is_true);
    parameter.default = default;
    typed(call, &mut parameter, collector);
    collector.push(parameter);
}

/// `type=int`, `type=click.Choice(["a", "b"])`
fn typed(call: &Call<'_>, parameter: &mut DeclaredParameter, collector: &Collector<'_, '_>) {
    let Some(given) = call.keyword("type") else { return };
    parameter.value_type = Some(collector.shown(given));
    let Some(made) = given.as_call_expr() else { return };
    if last(&collector.shown(&*made.func)) == "Choice"
        && let Some(Value::Array(list)) =
            made.arguments.args.first().and_then(|list| literal::value(list, collector.bindings))
    {
        parameter.choices = list;
    }
}

fn of_typer<'a>(function: &'a StmtFunctionDef, call: &Call<'a>, collector: &mut Collector<'a, '_>) {
    let command = (call.method() == "command").then(|| command_name(call, function));
    match &command {
        Some(command) => {
            collector.typer.commands.insert(command.clone());
        }
        None => collector.typer.has_callback = true,
    }
    for one in parameters(function) {
        typer_parameter(one, command.as_deref(), collector);
    }
}

fn parameters(function: &StmtFunctionDef) -> impl Iterator<Item = &ParameterWithDefault> {
    let parameters = &function.parameters;
    parameters.posonlyargs.iter().chain(&parameters.args).chain(&parameters.kwonlyargs)
}

/// `rate: float = 0.1`, `rate: float = typer.Option(0.1, "--rate")`, `rate: Annotated[float, typer.Option()] = 0.1`
fn typer_parameter<'a>(
    one: &'a ParameterWithDefault,
    command: Option<&str>,
    collector: &mut Collector<'a, '_>,
) {
    let (annotation, within) = annotated(one.parameter.annotation.as_deref(), collector);
    let shown = annotation.map(|one| collector.shown(one));
    if shown.as_deref().is_some_and(|shown| last(shown) == "Context") {
        return;
    }
    let default = one.default();
    let made = default.and_then(Expr::as_call_expr).or(within);
    let made = made.map(|call| Call::of(call, collector.source.line(call), collector.bindings));
    let made = made.filter(|call| matches!(call.imported(), "typer.Option" | "typer.Argument"));
    let by_call = made.as_ref().and_then(|call| {
        let is_default = default.is_some_and(Expr::is_call_expr);
        if is_default { call.either(0, "default") } else { call.keyword("default") }
    });
    let default = if default.is_some_and(Expr::is_call_expr) && made.is_some() { by_call } else { default };
    let default = default.filter(|one| !one.is_ellipsis_literal_expr());
    let is_boolean = shown.as_deref() == Some("bool");
    let is_option = match made.as_ref().map(Call::imported) {
        Some("typer.Option") => true,
        Some(_) => false,
        None => default.is_some() || is_boolean,
    };
    let is_list = shown.as_deref().is_some_and(|shown| shown.to_lowercase().contains("list["));
    let kind = match (is_option, is_boolean, is_list) {
        (false, _, _) => ParameterKind::Position,
        (true, true, _) => ParameterKind::Switch,
        (true, false, true) => ParameterKind::Repeated,
        (true, false, false) => ParameterKind::Option,
    };
    let name = one.parameter.name.as_str();
    let mut parameter = collector.parameter(name, kind, Framework::Typer, &one.parameter);
    if is_option {
        set_typer_flags(&mut parameter, made.as_ref());
    }
    parameter.command = command.map(str::to_owned);
    parameter.default = default.map(|default| collector.default_of(default));
    parameter.required = parameter.default.is_none();
    parameter.value_type = shown;
    parameter.help = made.as_ref().and_then(help);
    parameter.choices = annotation.map(|one| super::fields::choices(one, collector)).unwrap_or_default();
    collector.push(parameter);
}

fn set_typer_flags(parameter: &mut DeclaredParameter, made: Option<&Call<'_>>) {
    let given: Vec<String> = made
        .iter()
        .flat_map(|call| call.call.arguments.args.iter().filter_map(|one| call.bindings.text(one)))
        .filter(|text| text.starts_with('-'))
        .take(8)
        .collect();
    let hyphens = parameter.name.replace('_', "-");
    if given.is_empty() {
        parameter.flags = vec![format!("--{hyphens}")];
        if parameter.kind == ParameterKind::Switch {
            parameter.negative_flags = vec![format!("--no-{hyphens}")];
        }
        return;
    }
    for flag in given {
        let (on, off) = flag.split_once('/').unwrap_or((&flag, ""));
        parameter.flags.push(beginning(on, LONGEST).to_owned());
        if !off.is_empty() {
            parameter.negative_flags.push(beginning(off, LONGEST).to_owned());
        }
    }
}

/// `Annotated[int, typer.Option()]` in its parts.
fn annotated<'a>(
    annotation: Option<&'a Expr>,
    collector: &Collector<'_, '_>,
) -> (Option<&'a Expr>, Option<&'a ruff_python_ast::ExprCall>) {
    let Some(subscript) = annotation.and_then(Expr::as_subscript_expr) else { return (annotation, None) };
    if last(&collector.shown(&*subscript.value)) != "Annotated" {
        return (annotation, None);
    }
    let Some(tuple) = subscript.slice.as_tuple_expr() else { return (annotation, None) };
    (tuple.elts.first(), tuple.elts.iter().find_map(Expr::as_call_expr))
}
