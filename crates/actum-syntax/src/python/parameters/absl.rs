//! `absl.flags` and its kin: `flags.DEFINE_integer("epochs", 10, "help")`.

use super::super::call::Call;
use super::{Collector, LONGEST, is_true, last, literal};
use crate::text::beginning;
use actum_model::{DefaultValue, Framework, ParameterKind};
use serde_json::Value;

pub(super) fn of_call(call: &Call<'_>, collector: &mut Collector<'_, '_>) {
    let called = match call.imported() {
        "" => call.method(),
        name => last(name),
    };
    let called = if called.is_empty() { call.plain() } else { called };
    match called {
        "mark_flag_as_required" => mark_required(call.text(0), collector),
        "mark_flags_as_required" => {
            let names = call.argument(0).and_then(|list| literal::value(list, collector.bindings));
            let names = names.and_then(|names| names.as_array().cloned()).unwrap_or_default();
            for name in names {
                mark_required(name.as_str().map(str::to_owned), collector);
            }
        }
        _ => {
            if let Some(kind) = called.strip_prefix("DEFINE_") {
                define(call, kind, collector);
            }
        }
    }
}

fn define(call: &Call<'_>, kind: &str, collector: &mut Collector<'_, '_>) {
    let Some(name) = call.either(0, "name").and_then(|name| collector.bindings.text(name)) else {
        return collector.is_computed(call.call);
    };
    let is_switch = matches!(kind, "bool" | "boolean");
    let of = match kind {
        _ if is_switch => ParameterKind::Switch,
        _ if kind.starts_with("multi") => ParameterKind::Repeated,
        _ => ParameterKind::Option,
    };
    let mut parameter = collector.parameter(&name, of, Framework::Absl, call.call);
    parameter.flags = vec![format!("--{}", parameter.name)];
    if let Some(short) = call.keyword_text("short_name") {
        parameter.flags.push(format!("-{}", beginning(&short, LONGEST)));
    }
    if is_switch {
        parameter.negative_flags = vec![format!("--no{}", parameter.name)];
    }
    parameter.value_type = Some(beginning(kind, LONGEST).to_owned());
    let default = call.either(1, "default").map(|default| collector.default_of(default));
    parameter.required = call.keyword("required").is_some_and(is_true);
    parameter.default = default.filter(|_| !parameter.required);
    let is_enum = kind == "enum";
    if is_enum
        && let Some(Value::Array(list)) =
            call.either(2, "enum_values").and_then(|list| literal::value(list, collector.bindings))
    {
        parameter.choices = list;
    }
    let help =
        call.either(if is_enum { 3 } else { 2 }, "help").and_then(|help| collector.bindings.text(help));
    let help = help.map(|help| help.split_whitespace().take(60).collect::<Vec<_>>().join(" "));
    parameter.help = help.map(|help| beginning(&help, LONGEST).to_owned()).filter(|help| !help.is_empty());
    collector.push(parameter);
}

fn mark_required(name: Option<String>, collector: &mut Collector<'_, '_>) {
    let Some(name) = name else { return };
    let mut flags = collector.reading.parameters.iter_mut();
    let flag = flags.find(|one| one.framework == Framework::Absl && one.name == name);
    if let Some(flag) = flag {
        flag.required = true;
        // A default other than none is still used.
        flag.default = flag.default.take().filter(|one| *one != DefaultValue::Literal(Value::Null));
    }
}
