//! Parameters that are plain names: nodes of yacs, what a configurator overwrites, and constants as a last resort.

use super::super::call::Call;
use super::{Collector, argparse, last, literal};
use actum_model::{DefaultValue, Framework, ParameterKind};
use ruff_python_ast::{Expr, Stmt};
use serde_json::Value;

/// Constants are parameters only where they are few enough to be meant as such.
const MOST_CONSTANTS: usize = 60;

/// `_C.MODEL.LAYERS = 4` on a node of yacs.
pub(super) fn of_assignment(target: &Expr, value: &Expr, collector: &mut Collector<'_, '_>) {
    if !target.is_attribute_expr() {
        return;
    }
    let Some(path) = argparse::dotted(target) else { return };
    let Some((root, name)) = path.split_once('.') else { return };
    let mut rest = target;
    while let Expr::Attribute(attribute) = rest {
        rest = &attribute.value;
    }
    let maker = collector.bindings.maker(rest).unwrap_or_default();
    if !(maker.starts_with("yacs.") || maker.starts_with("fvcore.") && last(&maker) == "CfgNode")
        || root.is_empty()
    {
        return;
    }
    // A node within: `_C.MODEL = CN()`.
    if value
        .as_call_expr()
        .and_then(|call| collector.bindings.imported(&call.func))
        .is_some_and(|made| made == maker)
    {
        return;
    }
    let mut parameter = collector.parameter(name, ParameterKind::Pair, Framework::Yacs, target);
    parameter.default = Some(collector.default_of(value));
    collector.push(parameter);
}

/// `exec(open("configurator.py").read())`
pub(super) fn of_call(call: &Call<'_>, collector: &mut Collector<'_, '_>) {
    if call.plain() == "exec"
        && call.argument(0).is_some_and(|code| collector.shown(code).contains("configurator"))
    {
        collector.has_configurator = true;
    }
}

pub(super) fn finish(collector: &mut Collector<'_, '_>) {
    if collector.has_configurator {
        return assigned(collector, Framework::Configurator, &|name| !name.starts_with('_'));
    }
    let is_listed = !collector.reading.parameters.is_empty();
    // A module that only defines things has constants, but is not started.
    let acts =
        collector.source.body().iter().any(|one| one.is_expr_stmt() || one.is_if_stmt() || one.is_for_stmt());
    if !is_listed && acts {
        assigned(collector, Framework::Constants, &is_constant);
    }
}

fn is_constant(name: &str) -> bool {
    name.len() > 1
        && name.starts_with(|one: char| one.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Literal values that names of the top level are bound to once.
fn assigned(collector: &mut Collector<'_, '_>, framework: Framework, is_meant: &dyn Fn(&str) -> bool) {
    let body = collector.source.body();
    let mut left = MOST_CONSTANTS;
    for statement in body {
        let (target, value) = match statement {
            Stmt::Assign(assign) if assign.targets.len() == 1 => (&assign.targets[0], &*assign.value),
            Stmt::AnnAssign(assign) => match assign.value.as_deref() {
                Some(value) => (&*assign.target, value),
                None => continue,
            },
            _ => continue,
        };
        let Some(name) = target.as_name_expr().map(|name| name.id.as_str()).filter(|name| is_meant(name))
        else {
            continue;
        };
        let is_list = |value: &Value| {
            value.as_array().is_some_and(|list| list.iter().all(|one| !one.is_array() && !one.is_object()))
        };
        let value = literal::value(value, collector.bindings);
        let Some(value) = value.filter(|value| !value.is_object() && (!value.is_array() || is_list(value)))
        else {
            continue;
        };
        if left == 0 {
            return;
        }
        left -= 1;
        let is_option = framework == Framework::Configurator;
        let kind = if is_option { ParameterKind::Option } else { ParameterKind::Constant };
        let mut parameter = collector.parameter(name, kind, framework, statement);
        if is_option {
            parameter.flags = vec![format!("--{name}")];
        }
        parameter.default = Some(DefaultValue::Literal(value));
        collector.push(parameter);
    }
}
