//! Functions whose parameters are options: `fire.Fire(main)`, `tyro.cli(main)`.

use super::super::call::Call;
use super::Collector;
use super::fields::{self, Style};
use actum_model::{Framework, ParameterKind};
use ruff_python_ast::{Expr, StmtFunctionDef};

const FIRE: Style = Style {
    framework: Framework::Fire,
    hyphens: false,
    both: true,
    nested: false,
    boolean: ParameterKind::Switch,
    negative: Some("--no"),
};

/// More commands of one program are not looked at.
const MOST_COMMANDS: usize = 50;

pub(super) fn of_call<'a>(call: &Call<'a>, collector: &mut Collector<'a, '_>) {
    if call.imported() != "fire.Fire" {
        return;
    }
    match call.either(0, "component") {
        Some(Expr::Name(name)) => {
            if let Some(function) = collector.functions.get(name.id.as_str()).copied() {
                of(function, FIRE, None, collector);
            } else if collector.classes.contains_key(name.id.as_str()) {
                let note = "the commands of a class given to Fire are not listed".to_owned();
                collector.reading.notes.push(note);
            }
        }
        Some(Expr::Dict(dict)) => {
            for item in dict.items.iter().take(MOST_COMMANDS) {
                let command = item.key.as_ref().and_then(|key| collector.bindings.text(key));
                let function =
                    item.value.as_name_expr().and_then(|name| collector.functions.get(name.id.as_str()));
                if let (Some(command), Some(function)) = (command, function.copied()) {
                    of(function, FIRE, Some(&command), collector);
                }
            }
        }
        // Every function at the top level is a command.
        None => {
            let mut functions: Vec<_> = collector.functions.values().copied().collect();
            functions.sort_by_key(|function| function.range.start());
            for function in functions.into_iter().take(MOST_COMMANDS) {
                of(function, FIRE, Some(function.name.as_str()), collector);
            }
        }
        Some(_) => {}
    }
}

/// The parameters of a function.
pub(super) fn of<'a>(
    function: &'a StmtFunctionDef,
    style: Style,
    command: Option<&str>,
    collector: &mut Collector<'a, '_>,
) {
    let parameters = &function.parameters;
    for one in parameters.posonlyargs.iter().chain(&parameters.args).chain(&parameters.kwonlyargs) {
        let name = one.parameter.name.as_str();
        if name == "self" || name.starts_with('_') {
            continue;
        }
        let annotation = one.parameter.annotation.as_deref().map(|one| collector.shown(one));
        // Fire goes by the value: a default that is a boolean makes a switch.
        let is_boolean = one.default().is_some_and(Expr::is_boolean_literal_expr);
        let by_type = if is_boolean { "bool" } else { annotation.as_deref().unwrap_or_default() };
        let kind = fields::kind(by_type, style);
        let mut parameter = collector.parameter(name, kind, style.framework, &one.parameter);
        fields::set_flags(&mut parameter, by_type, style);
        let choices = one.parameter.annotation.as_deref().map(|one| fields::choices(one, collector));
        parameter.choices = choices.unwrap_or_default();
        parameter.default = one.default().map(|default| collector.default_of(default));
        parameter.required = parameter.default.is_none();
        parameter.value_type = annotation;
        parameter.command = command.map(str::to_owned);
        collector.push(parameter);
    }
}
