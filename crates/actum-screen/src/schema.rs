//! The JSON Schemas of what programs read: made from the types, so that they cannot say anything else.

use actum_model::{Blocks, Event, Findings, Report, TaskResults, TasksSummary};
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// Of the report that `--json` and `--report` write.
pub fn report_schema() -> Value {
    made::<Report>()
}

/// Of one line of `--events`.
pub fn event_schema() -> Value {
    made::<Event>()
}

/// Of what `actum tasks` reads and writes back.
pub fn task_results_schema() -> Value {
    made::<TaskResults>()
}

/// Of what `actum tasks --json` prints.
pub fn tasks_summary_schema() -> Value {
    made::<TasksSummary>()
}

/// Of what `actum extract --json` writes.
pub fn blocks_schema() -> Value {
    made::<Blocks>()
}

/// Of what `actum claims --json` prints.
pub fn findings_schema() -> Value {
    made::<Findings>()
}

fn made<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(AbsentIsAbsent);
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    // What it is stands before what it holds.
    let first = ["$schema", "title", "description"];
    let head = first.iter().filter_map(|name| Some(((*name).to_owned(), schema.get(name)?.clone())));
    let rest = schema.as_object().into_iter().flatten().filter(|(name, _)| !first.contains(&name.as_str()));
    Value::Object(head.chain(rest.map(|(name, value)| (name.clone(), value.clone()))).collect())
}

/// What may be missing is missing, never null; and a number is a number, whatever it is kept in.
#[derive(Debug, Clone)]
struct AbsentIsAbsent;

impl Transform for AbsentIsAbsent {
    fn transform(&mut self, schema: &mut Schema) {
        without_null_type(schema);
        without_null_choice(schema);
        without_width(schema);
        plain_description(schema);
        if schema.get("default") == Some(&Value::Null) {
            schema.remove("default");
        }
        transform_subschemas(self, schema);
    }
}

/// `["string", "null"]` becomes `"string"`.
fn without_null_type(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            schema.insert("type".to_owned(), one);
        }
    }
}

/// A choice between something and null becomes the something.
fn without_null_choice(schema: &mut Schema) {
    let Some(Value::Array(choices)) = schema.get_mut("anyOf") else { return };
    choices.retain(|choice| *choice != json!({"type": "null"}));
    if let [Value::Object(only)] = choices.as_slice() {
        let only = only.clone();
        schema.remove("anyOf");
        for (name, value) in only {
            schema.insert(name, value);
        }
    }
}

/// `uint64` and its kin are no formats of JSON Schema.
fn without_width(schema: &mut Schema) {
    let of_a_number = |format: &str| {
        let name = format.trim_start_matches('u').trim_end_matches(|c: char| c.is_ascii_digit());
        matches!(name, "int" | "float" | "double")
    };
    if schema.get("format").and_then(Value::as_str).is_some_and(of_a_number) {
        schema.remove("format");
    }
}

/// Descriptions are the comments of the types: on one line, and without links that lead only where the code is.
fn plain_description(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = plain(text);
    }
}

fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("[`") {
        let Some(end) = rest[at..].find("`]").map(|end| at + end + 2) else { break };
        plain.push_str(&rest[..at]);
        plain.push_str(&rest[at + 1..end - 1]);
        rest = &rest[end..];
        if rest.starts_with('(') {
            rest = rest.find(')').map_or(rest, |close| &rest[close + 1..]);
        }
    }
    (plain + rest).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(value: &Value, look: &mut dyn FnMut(&str, &Value)) {
        match value {
            Value::Object(map) => map.iter().for_each(|(name, value)| {
                look(name, value);
                every(value, look);
            }),
            Value::Array(items) => items.iter().for_each(|item| every(item, look)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn nothing_is_null_and_no_number_has_a_width() {
        for schema in [report_schema(), event_schema(), blocks_schema(), findings_schema()] {
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
            every(&schema, &mut |name, value| {
                assert_ne!((name, value), ("type", &json!("null")));
                assert!(
                    !value.as_array().is_some_and(|items| items.contains(&json!("null"))),
                    "{name}: {value}"
                );
                let format = if name == "format" { value.as_str() } else { None };
                assert!(
                    !format.is_some_and(|format| format.contains("int") || format == "double"),
                    "{format:?}"
                );
            });
        }
    }

    #[test]
    fn descriptions_are_one_line_without_links_into_the_code() {
        let text = "shown by\n[`path_text`](crate::path_text), see [`fmt::Display`]; a [list]";
        assert_eq!(plain(text), "shown by `path_text`, see `fmt::Display`; a [list]");
    }

    #[test]
    fn the_contract_is_required_and_in_order() {
        let schema = report_schema();
        let names: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names[..4], ["v", "run", "outcome", "exit_code"]);
        let required = schema["required"].as_array().unwrap();
        for name in ["run", "outcome", "result", "execution", "analysis", "evidence_anchors"] {
            assert!(required.contains(&json!(name)), "{name}");
        }
        assert!(!required.contains(&json!("confinement")) && !required.contains(&json!("steps")));
    }
}
