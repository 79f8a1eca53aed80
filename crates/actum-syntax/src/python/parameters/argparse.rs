//! `argparse`, `optparse` and what follows them: calls of `add_argument` on parsers, their groups and subcommands.

use super::super::call::Call;
use super::{Collector, LONGEST, help, is_true, last, literal};
use crate::text::beginning;
use actum_model::{DeclaredParameter, DefaultValue, Framework, ParameterKind};
use ruff_python_ast::{Expr, ExprCall};
use serde_json::Value;
use std::collections::HashMap;

/// Which names stand for parsers of a subcommand, by now.
#[derive(Debug, Default)]
pub(super) struct Parsers {
    /// Names of parsers and groups to their subcommand.
    parsers: HashMap<String, String>,
    /// Names of what `add_subparsers` gave, to the subcommand that it is of.
    families: HashMap<String, String>,
    /// What `set_defaults` said: subcommand, name, value, and how many parameters were listed by then.
    defaults: Vec<LaterDefault>,
    /// Names of parameters that have a default of their own.
    has_own_default: Vec<usize>,
}

#[derive(Debug)]
struct LaterDefault {
    command: Option<String>,
    name: String,
    value: DefaultValue,
    listed: usize,
}

/// More calls are not looked at.
const MOST_LATER: usize = 200;

impl Parsers {
    fn command_of(&self, expression: &Expr, collector: &Collector<'_, '_>) -> Option<String> {
        if let Some(name) = dotted(expression) {
            return self.parsers.get(&name).cloned();
        }
        let call = expression.as_call_expr()?;
        let attribute = call.func.as_attribute_expr()?;
        match attribute.attr.as_str() {
            "add_parser" => self.subcommand(&attribute.value, call, collector),
            "add_argument_group" | "add_mutually_exclusive_group" | "add_option_group" => {
                self.command_of(&attribute.value, collector)
            }
            _ => None,
        }
    }

    fn subcommand(&self, family: &Expr, call: &ExprCall, collector: &Collector<'_, '_>) -> Option<String> {
        let name = call.arguments.args.first().or_else(|| keyword(call, "name"))?;
        let name = collector.bindings.text(name)?;
        let outer =
            dotted(family).and_then(|family| self.families.get(&family)).filter(|one| !one.is_empty());
        let command = outer.map_or_else(|| name.clone(), |outer| format!("{outer} {name}"));
        Some(beginning(&command, LONGEST).to_owned())
    }

    /// Puts in what `set_defaults` said.
    pub(super) fn finish(&self, parameters: &mut [DeclaredParameter]) {
        if self.defaults.is_empty() {
            return;
        }
        let mut places: HashMap<(Option<String>, String), usize> = HashMap::new();
        for (at, one) in parameters.iter().enumerate().filter(|(_, one)| one.framework == Framework::Argparse)
        {
            places.insert((one.command.clone(), one.name.clone()), at);
        }
        for later in &self.defaults {
            let Some(at) = places.get(&(later.command.clone(), later.name.clone())) else { continue };
            // Said before the argument was added, it is used only where that has none of its own.
            if *at < later.listed || self.has_own_default.binary_search(at).is_err() {
                parameters[*at].default = Some(later.value.clone());
                parameters[*at].required = false;
            }
        }
    }
}

/// `train = subparsers.add_parser("train")`, `group = train.add_argument_group()`
pub(super) fn of_assignment(target: &Expr, value: &Expr, collector: &mut Collector<'_, '_>) {
    let (Some(name), Some(call)) = (dotted(target), value.as_call_expr()) else { return };
    let Some(attribute) = call.func.as_attribute_expr() else {
        if is_parser(&call.func) {
            collector.parsers.parsers.remove(&name);
        }
        return;
    };
    match attribute.attr.as_str() {
        "add_subparsers" => {
            let of = collector.parsers.command_of(&attribute.value, collector).unwrap_or_default();
            collector.parsers.families.insert(name, of);
        }
        "add_parser" | "add_argument_group" | "add_mutually_exclusive_group" | "add_option_group" => {
            match collector.parsers.command_of(value, collector) {
                Some(command) => collector.parsers.parsers.insert(name, command),
                None => collector.parsers.parsers.remove(&name),
            };
        }
        _ if is_parser(&call.func) => {
            collector.parsers.parsers.remove(&name);
        }
        _ => {}
    }
}

pub(super) fn of_call(call: &Call<'_>, collector: &mut Collector<'_, '_>) {
    match call.method() {
        "add_argument" | "add_option" if is_meant(call, collector) => add(call, collector),
        "set_defaults" => set_defaults(call, collector),
        _ => {}
    }
}

/// Browsers have an `add_argument` as well.
fn is_meant(call: &Call<'_>, collector: &Collector<'_, '_>) -> bool {
    const MODULES: [&str; 9] = [
        "argparse",
        "configargparse",
        "optparse",
        "simple_parsing",
        "jsonargparse",
        "transformers",
        "tap",
        "pytorch_lightning",
        "lightning",
    ];
    let on = call.on().and_then(dotted).unwrap_or_default().to_lowercase();
    if on.contains("parser") || on.contains("group") || call.maker().ends_with("ArgumentParser") {
        return true;
    }
    let is_imported = collector.reading.imports.iter().any(|import| {
        let root = import.module.split('.').next().unwrap_or_default();
        MODULES.contains(&root)
    });
    is_imported && !call.maker().starts_with("selenium") && !on.contains("options")
}

fn add(call: &Call<'_>, collector: &mut Collector<'_, '_>) {
    let names: Vec<Option<String>> =
        call.call.arguments.args.iter().map(|name| collector.bindings.text(name)).collect();
    if names.iter().any(Option::is_none) || call.call.arguments.args.iter().any(Expr::is_starred_expr) {
        return collector.is_computed(call.call);
    }
    let names: Vec<String> = names.into_iter().flatten().take(8).collect();
    let is_option = names.iter().any(|name| name.starts_with('-'));
    let longest = names.iter().find(|name| name.starts_with("--")).or_else(|| names.first());
    let by_flag = longest.map(|name| name.trim_start_matches('-').replace('-', "_"));
    let by_position = names.first().filter(|_| !is_option).cloned();
    let Some(name) = call.keyword_text("dest").or(by_position).or(by_flag) else { return };
    let Some(kind) = kind(call, is_option, collector) else { return };
    let mut parameter = collector.parameter(&name, kind, Framework::Argparse, call.call);
    if is_option {
        parameter.flags = names.iter().map(|name| beginning(name, LONGEST).to_owned()).collect();
    }
    if is_boolean_optional(call, collector) {
        let long = parameter.flags.iter().filter_map(|flag| flag.strip_prefix("--"));
        parameter.negative_flags = long.map(|flag| format!("--no-{flag}")).collect();
    }
    parameter.command = call.on().and_then(|on| collector.parsers.command_of(on, collector));
    parameter.help = help(call);
    parameter.value_type = call.keyword("type").map(|one| collector.shown(one));
    parameter.count = count(call, collector);
    parameter.choices = choices(call, collector);
    let own = call.keyword("default").map(|default| collector.default_of(default));
    let is_optional = is_option || matches!(parameter.count.as_deref(), Some("?" | "*"));
    parameter.required = match call.keyword("required") {
        Some(required) => is_true(required),
        None => !is_optional && own.is_none(),
    };
    let has_own = own.is_some();
    parameter.default = own.or_else(|| implied(call, &parameter)).filter(|_| !parameter.required);
    let before = collector.reading.parameters.len();
    collector.push(parameter);
    if has_own && collector.reading.parameters.len() > before {
        collector.parsers.has_own_default.push(before);
    }
}

/// Nothing for what prints and ends the program.
fn kind(call: &Call<'_>, is_option: bool, collector: &Collector<'_, '_>) -> Option<ParameterKind> {
    let action = call.keyword_text("action");
    Some(match action.as_deref() {
        Some("version" | "help") => return None,
        Some("store_true" | "store_false" | "store_const") => ParameterKind::Switch,
        Some("count") => ParameterKind::Count,
        Some("append" | "extend" | "append_const") => ParameterKind::Repeated,
        Some(_) | None if is_boolean_optional(call, collector) => ParameterKind::Switch,
        Some(_) | None if is_option => ParameterKind::Option,
        Some(_) | None => ParameterKind::Position,
    })
}

fn is_boolean_optional(call: &Call<'_>, collector: &Collector<'_, '_>) -> bool {
    call.keyword("action").is_some_and(|action| last(&collector.shown(action)) == "BooleanOptionalAction")
}

/// What it is where nothing says so.
fn implied(call: &Call<'_>, parameter: &DeclaredParameter) -> Option<DefaultValue> {
    let value = match call.keyword_text("action").as_deref() {
        Some("store_true") => Value::Bool(false),
        Some("store_false") => Value::Bool(true),
        Some(_) | None
            if parameter.kind == ParameterKind::Position && parameter.count.as_deref() == Some("*") =>
        {
            Value::Array(Vec::new())
        }
        Some(_) | None => Value::Null,
    };
    Some(DefaultValue::Literal(value))
}

fn count(call: &Call<'_>, collector: &Collector<'_, '_>) -> Option<String> {
    let count = call.keyword("nargs")?;
    if let Some(number) = collector.bindings.number(count) {
        return Some(number.to_string());
    }
    let text = collector.bindings.text(count).unwrap_or_else(|| collector.shown(count));
    Some(match last(&text) {
        "REMAINDER" | "..." => "...".to_owned(),
        _ => text,
    })
}

fn choices(call: &Call<'_>, collector: &Collector<'_, '_>) -> Vec<Value> {
    let Some(choices) = call.keyword("choices") else { return Vec::new() };
    if let Some(Value::Array(list)) = literal::value(choices, collector.bindings) {
        return list;
    }
    if let Some(Value::Object(table)) = literal::value(choices, collector.bindings) {
        return table.keys().cloned().map(Value::String).collect();
    }
    let Some(range) = choices
        .as_call_expr()
        .filter(|call| call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "range"))
    else {
        return Vec::new();
    };
    let bounds: Option<Vec<u64>> =
        range.arguments.args.iter().map(|bound| collector.bindings.number(bound)).collect();
    match bounds.as_deref() {
        Some([end]) if *end <= 64 => (0..*end).map(Value::from).collect(),
        Some([start, end]) if end.saturating_sub(*start) <= 64 => (*start..*end).map(Value::from).collect(),
        Some(_) | None => Vec::new(),
    }
}

/// `parser.set_defaults(lr=0.1)`
fn set_defaults(call: &Call<'_>, collector: &mut Collector<'_, '_>) {
    let command = call.on().and_then(|on| collector.parsers.command_of(on, collector));
    let listed = collector.reading.parameters.len();
    let new: Vec<LaterDefault> = call
        .keywords()
        .map(|(name, value)| LaterDefault {
            command: command.clone(),
            name: name.to_owned(),
            value: collector.default_of(value),
            listed,
        })
        .collect();
    let free = MOST_LATER.saturating_sub(collector.parsers.defaults.len());
    collector.parsers.defaults.extend(new.into_iter().take(free));
}

fn is_parser(callee: &Expr) -> bool {
    dotted(callee).is_some_and(|name| name.ends_with("Parser"))
}

fn keyword<'a>(call: &'a ExprCall, name: &str) -> Option<&'a Expr> {
    let mut keywords = call.arguments.keywords.iter();
    keywords.find(|one| one.arg.as_ref().is_some_and(|arg| arg.as_str() == name)).map(|one| &one.value)
}

/// `parser`, `self.parser`
pub(super) fn dotted(expression: &Expr) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = expression;
    while let Expr::Attribute(attribute) = rest {
        parts.push(attribute.attr.as_str());
        rest = &attribute.value;
    }
    parts.push(rest.as_name_expr()?.id.as_str());
    parts.reverse();
    let name = parts.join(".");
    (name.len() <= LONGEST).then_some(name)
}
