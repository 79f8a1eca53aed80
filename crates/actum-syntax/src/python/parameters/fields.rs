//! Parameters that are the fields of data classes, for the libraries that make options of them.

use super::super::call::Call;
use super::{Collector, functions, last, literal};
use actum_model::{DeclaredParameter, DefaultValue, Framework, ParameterKind};
use ruff_python_ast::{Expr, Stmt, StmtAnnAssign, StmtClassDef, StmtFunctionDef};
use serde_json::{Map, Value};

/// How a library makes an option of a field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) framework: Framework,
    /// `--batch-size` rather than `--batch_size`.
    pub(super) hyphens: bool,
    /// The other spelling is taken as well.
    pub(super) both: bool,
    /// A field that is itself a data class gives `--optimizer.lr` rather than `--lr`.
    pub(super) nested: bool,
    /// What a boolean is.
    pub(super) boolean: ParameterKind,
    /// Before the name of a boolean that is switched off: `--no-`.
    pub(super) negative: Option<&'static str>,
}

impl Style {
    const HUGGING_FACE: Self = Style {
        framework: Framework::HfArgumentParser,
        hyphens: false,
        both: true,
        nested: false,
        boolean: ParameterKind::Option,
        negative: Some("--no_"),
    };
    const SIMPLE: Self = Style {
        framework: Framework::SimpleParsing,
        hyphens: false,
        both: false,
        nested: false,
        boolean: ParameterKind::Option,
        negative: Some("--no"),
    };
    pub(super) const TYRO: Self = Style {
        framework: Framework::Tyro,
        hyphens: true,
        both: true,
        nested: true,
        boolean: ParameterKind::Switch,
        negative: Some("--no-"),
    };
    const DRACCUS: Self = Style {
        framework: Framework::Draccus,
        hyphens: false,
        both: false,
        nested: true,
        boolean: ParameterKind::Option,
        negative: None,
    };
    pub(super) const HYDRA: Self = Style {
        framework: Framework::Hydra,
        hyphens: false,
        both: false,
        nested: true,
        boolean: ParameterKind::Pair,
        negative: None,
    };
}

/// How deep classes lie in classes, and how far bases are followed.
const DEEPEST: u8 = 6;

/// More fields are not looked at, in one call.
const MOST_FIELDS: usize = 1_000;

pub(super) fn of_call<'a>(call: &Call<'a>, collector: &mut Collector<'a, '_>) {
    if call.method() == "add_arguments" {
        if let Some(class) = call.argument(0) {
            of_class(class, Style::SIMPLE, collector);
        }
        return;
    }
    let imported = call.imported();
    let (argument, style) = match imported {
        "simple_parsing.parse" => (call.either(0, "config_class"), Style::SIMPLE),
        "draccus.parse" | "pyrallis.parse" => (call.either(0, "config_class"), Style::DRACCUS),
        "tyro.cli" => (call.either(0, "f"), Style::TYRO),
        _ if last(imported) == "HfArgumentParser" => (call.either(0, "dataclass_types"), Style::HUGGING_FACE),
        _ => return,
    };
    let Some(argument) = argument else { return };
    if style.framework == Framework::Draccus {
        push_config_path(call.call, collector);
    }
    match argument {
        Expr::Tuple(tuple) => tuple.elts.iter().take(16).for_each(|one| of_class(one, style, collector)),
        Expr::List(list) => list.elts.iter().take(16).for_each(|one| of_class(one, style, collector)),
        one => of_class(one, style, collector),
    }
}

/// `@pyrallis.wrap()`: the fields of what the first parameter is said to be.
pub(super) fn of_function<'a>(function: &'a StmtFunctionDef, collector: &mut Collector<'a, '_>) {
    for decorator in &function.decorator_list {
        let Some(call) = decorator.expression.as_call_expr() else { continue };
        let name = collector.bindings.imported(&call.func).unwrap_or_default();
        if !["draccus.wrap", "pyrallis.wrap"].contains(&name.as_str()) && !name.ends_with("parser.wrap") {
            continue;
        }
        push_config_path(call, collector);
        let first = function.parameters.iter().next().and_then(|parameter| parameter.annotation());
        if let Some(class) = first {
            of_class(class, Style::DRACCUS, collector);
        }
    }
}

fn push_config_path(at: &ruff_python_ast::ExprCall, collector: &mut Collector<'_, '_>) {
    let mut parameter = collector.parameter("config_path", ParameterKind::Option, Framework::Draccus, at);
    parameter.flags = vec!["--config_path".to_owned()];
    parameter.default = Some(DefaultValue::Literal(Value::Null));
    collector.push(parameter);
}

/// The fields of a class by its name; of a function, its parameters.
pub(super) fn of_class<'a>(named: &'a Expr, style: Style, collector: &mut Collector<'a, '_>) {
    if let Some(name) = collector.bindings.imported(named) {
        return known_class(&name, named, style, collector);
    }
    let Some(name) = named.as_name_expr().map(|name| name.id.as_str()) else { return };
    if let Some(class) = collector.classes.get(name).copied() {
        let mut left = MOST_FIELDS;
        Fields { style, left: &mut left }.of(class, "", DEEPEST, collector);
    } else if let Some(function) = collector.functions.get(name).copied() {
        functions::of(function, style, None, collector);
    }
}

/// What most people set of a class that everybody imports. Its defaults depend on its release.
fn known_class(name: &str, at: &Expr, style: Style, collector: &mut Collector<'_, '_>) {
    const FIELDS: [(&str, &str); 12] = [
        ("output_dir", "str"),
        ("num_train_epochs", "float"),
        ("max_steps", "int"),
        ("learning_rate", "float"),
        ("per_device_train_batch_size", "int"),
        ("per_device_eval_batch_size", "int"),
        ("save_steps", "float"),
        ("seed", "int"),
        ("data_seed", "int"),
        ("do_train", "bool"),
        ("do_eval", "bool"),
        ("resume_from_checkpoint", "str"),
    ];
    let class = last(name);
    if !class.ends_with("TrainingArguments") || style.framework != Framework::HfArgumentParser {
        return;
    }
    for (field, value_type) in FIELDS {
        let kind = if value_type == "bool" { style.boolean } else { ParameterKind::Option };
        let mut parameter = collector.parameter(field, kind, style.framework, at);
        parameter.flags = flags(field, style);
        parameter.value_type = Some(value_type.to_owned());
        parameter.default = Some(DefaultValue::Computed(format!("{class}.{field}")));
        collector.push(parameter);
    }
}

struct Fields<'l> {
    style: Style,
    left: &'l mut usize,
}

impl Fields<'_> {
    fn of<'a>(&mut self, class: &'a StmtClassDef, prefix: &str, deep: u8, collector: &mut Collector<'a, '_>) {
        let Some(deep) = deep.checked_sub(1) else { return };
        // A field of the class itself takes the place of one of its base, so it is listed first.
        for field in class.body.iter().filter_map(Stmt::as_ann_assign_stmt) {
            if *self.left == 0 {
                return;
            }
            *self.left -= 1;
            self.field(field, prefix, deep, collector);
        }
        for base in class.arguments.iter().flat_map(|arguments| arguments.args.iter()).take(8) {
            if let Some(name) = collector.bindings.imported(base) {
                known_class(&name, base, self.style, collector);
            }
            let base = base.as_name_expr().and_then(|name| collector.classes.get(name.id.as_str()));
            if let Some(base) = base.copied() {
                *self.left = self.left.saturating_sub(1);
                self.of(base, prefix, deep, collector);
            }
        }
    }

    fn field<'a>(
        &mut self,
        field: &'a StmtAnnAssign,
        prefix: &str,
        deep: u8,
        collector: &mut Collector<'a, '_>,
    ) {
        let Some(name) = field.target.as_name_expr().map(|name| name.id.as_str()) else { return };
        let annotation = collector.shown(&*field.annotation);
        if name.starts_with('_') || annotation.contains("ClassVar") {
            return;
        }
        let path = if self.style.nested { format!("{prefix}{name}") } else { name.to_owned() };
        let inner = field.annotation.as_name_expr().and_then(|name| collector.classes.get(name.id.as_str()));
        if let Some(inner) = inner.copied().filter(|inner| is_data(inner)) {
            return self.of(inner, &format!("{path}."), deep, collector);
        }
        let kind = kind(&annotation, self.style);
        let mut parameter = collector.parameter(&path, kind, self.style.framework, field);
        set_flags(&mut parameter, &annotation, self.style);
        parameter.choices = choices(&field.annotation, collector);
        parameter.value_type = Some(annotation);
        let given = field.value.as_deref().map(|value| default(value, &mut parameter, collector));
        parameter.default = given.flatten();
        let is_pair = parameter.kind == ParameterKind::Pair;
        parameter.required = parameter.default.is_none() && !is_pair;
        collector.push(parameter);
    }
}

fn is_data(class: &StmtClassDef) -> bool {
    !class.decorator_list.is_empty() && class.body.iter().any(Stmt::is_ann_assign_stmt)
}

/// The flags of a parameter, and what kind it is by its type.
pub(super) fn set_flags(parameter: &mut DeclaredParameter, annotation: &str, style: Style) {
    if parameter.kind == ParameterKind::Pair {
        return;
    }
    parameter.flags = flags(&parameter.name, style);
    if is_boolean(annotation) {
        let negative = style.negative.map(|no| {
            let (outer, name) = parameter
                .name
                .rsplit_once('.')
                .map_or((None, parameter.name.as_str()), |(outer, name)| (Some(outer), name));
            let name = if style.hyphens { name.replace('_', "-") } else { name.to_owned() };
            match outer {
                Some(outer) => format!("--{outer}.{}{name}", no.trim_start_matches('-')),
                None => format!("{no}{name}"),
            }
        });
        parameter.negative_flags = negative.into_iter().collect();
        if style.boolean == ParameterKind::Option && style.framework != Framework::Draccus {
            // `--flag` alone is true.
            parameter.count = Some("?".to_owned());
        }
    } else if is_list(annotation) && parameter.kind == ParameterKind::Option {
        parameter.count = Some("*".to_owned());
    }
}

fn flags(name: &str, style: Style) -> Vec<String> {
    let (plain, hyphens) = (format!("--{name}"), format!("--{}", name.replace('_', "-")));
    let (first, second) = if style.hyphens { (hyphens, plain) } else { (plain, hyphens) };
    if style.both && first != second { vec![first, second] } else { vec![first] }
}

pub(super) fn kind(annotation: &str, style: Style) -> ParameterKind {
    match style.boolean {
        ParameterKind::Pair => ParameterKind::Pair,
        boolean if is_boolean(annotation) => boolean,
        _ => ParameterKind::Option,
    }
}

fn is_boolean(annotation: &str) -> bool {
    matches!(annotation, "bool" | "Optional[bool]" | "bool | None" | "\"bool\"" | "typing.Optional[bool]")
}

fn is_list(annotation: &str) -> bool {
    let plain = annotation
        .trim_start_matches("typing.")
        .trim_start_matches("Optional[")
        .trim_start_matches("typing.");
    ["List[", "list[", "Sequence[", "Tuple[", "tuple["].iter().any(|start| plain.starts_with(start))
        || plain == "list"
}

/// The values of `Literal["a", "b"]`.
pub(super) fn choices(annotation: &Expr, collector: &Collector<'_, '_>) -> Vec<Value> {
    let Some(subscript) = annotation.as_subscript_expr() else { return Vec::new() };
    let name = collector.shown(&*subscript.value);
    match last(&name) {
        "Literal" => match literal::value(&subscript.slice, collector.bindings) {
            Some(Value::Array(list)) => list,
            Some(one) => vec![one],
            None => Vec::new(),
        },
        "Optional" => match subscript.slice.as_subscript_expr() {
            // One step further is enough: `Optional[Literal["a"]]`.
            Some(inner) if last(&collector.shown(&*inner.value)) == "Literal" => {
                choices(&subscript.slice, collector)
            }
            Some(_) | None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// What a field is where it is not given: `0.1`, `field(default=0.1)`, `field(default_factory=list)`.
fn default(
    value: &Expr,
    parameter: &mut DeclaredParameter,
    collector: &Collector<'_, '_>,
) -> Option<DefaultValue> {
    let Some(call) = value.as_call_expr() else {
        return Some(collector.default_of(value)).filter(|_| last(&collector.shown(value)) != "MISSING");
    };
    let made = collector.shown(&*call.func);
    if !["field", "Field", "ib", "choice", "flag", "list_field", "mutable_field", "arg", "HfArg"]
        .contains(&last(&made))
    {
        return Some(collector.default_of(value));
    }
    let by_name = |name: &str| {
        let mut keywords = call.arguments.keywords.iter();
        keywords.find(|one| one.arg.as_ref().is_some_and(|arg| arg.as_str() == name)).map(|one| &one.value)
    };
    let metadata = by_name("metadata").and_then(|one| literal::value(one, collector.bindings));
    let told = metadata.and_then(|one| one.get("help").and_then(Value::as_str).map(str::to_owned));
    let told = told.or_else(|| by_name("help").and_then(|one| collector.bindings.text(one)));
    parameter.help = told.map(|help| crate::text::beginning(&help, super::LONGEST).to_owned());
    if let Some(default) = by_name("default") {
        return Some(collector.default_of(default)).filter(|_| last(&collector.shown(default)) != "MISSING");
    }
    if let Some(factory) = by_name("default_factory").or_else(|| by_name("factory")) {
        return Some(made_by(factory, collector));
    }
    // `flag(True)` and `Field(0.1)` take it first; `choice("a", "b", default="a")` does not.
    let first = call.arguments.args.first().filter(|_| matches!(last(&made), "flag" | "Field"));
    first.filter(|first| !first.is_ellipsis_literal_expr()).map(|first| collector.default_of(first))
}

fn made_by(factory: &Expr, collector: &Collector<'_, '_>) -> DefaultValue {
    if let Some(lambda) = factory.as_lambda_expr() {
        return collector.default_of(&lambda.body);
    }
    match factory.as_name_expr().map(|name| name.id.as_str()) {
        Some("list" | "tuple" | "set") => DefaultValue::Literal(Value::Array(Vec::new())),
        Some("dict") => DefaultValue::Literal(Value::Object(Map::new())),
        Some("str") => DefaultValue::Literal(Value::String(String::new())),
        Some(_) | None => DefaultValue::Computed(format!("{}()", collector.shown(factory))),
    }
}
