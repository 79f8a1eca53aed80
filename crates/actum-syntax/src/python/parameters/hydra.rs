//! Hydra: where the configuration of `@hydra.main` is, and configurations that are data classes.

use super::super::call::Call;
use super::fields::{self, Style};
use super::{Collector, last};
use actum_model::{DefaultValue, Framework, ParameterKind};
use ruff_python_ast::StmtFunctionDef;
use serde_json::Value;

/// `@hydra.main(config_path="conf", config_name="config")`
pub(super) fn of_function<'a>(function: &'a StmtFunctionDef, collector: &mut Collector<'a, '_>) {
    for decorator in &function.decorator_list {
        let Some(call) = decorator.expression.as_call_expr() else { continue };
        let line = collector.source.line(call);
        let call = Call::of(call, line, collector.bindings);
        if call.imported() != "hydra.main" && call.imported() != "hydra_zen.main" {
            continue;
        }
        for (at, name, flags) in
            [(0, "config_path", ["--config-path", "-cp"]), (1, "config_name", ["--config-name", "-cn"])]
        {
            let mut parameter = collector.parameter(name, ParameterKind::Option, Framework::Hydra, call.call);
            parameter.flags = flags.map(str::to_owned).to_vec();
            let value = call.either(at, name).map(|value| collector.default_of(value));
            parameter.default = Some(value.unwrap_or(DefaultValue::Literal(Value::Null)));
            collector.push(parameter);
        }
    }
}

/// `cs.store(name="config", node=Config)`: the fields of the class are the configuration.
pub(super) fn of_call<'a>(call: &Call<'a>, collector: &mut Collector<'a, '_>) {
    if call.method() != "store"
        || last(call.maker()) != "ConfigStore" && !call.maker().contains("ConfigStore.")
    {
        return;
    }
    if call.keyword("group").is_some() {
        return;
    }
    if let Some(node) = call.keyword("node") {
        fields::of_class(node, Style::HYDRA, collector);
    }
}
