//! Spaces from files: what a reader of YAML, TOML or JSON made of them.
//!
//! A name has a list, a single value, a text with a form of the command line, or a table with keys as Weights & Biases has them:
//! `value`, `values`, or `min` and `max` with `distribution`. Tables within tables become names with dots.

use super::{Space, SpaceError, grammar, shortened};
use crate::{Domain, Value, number};
use serde_json::Value as Json;

type Table = serde_json::Map<String, Json>;

/// Tables within tables; readers of files have a bound of their own, which is far higher.
const DEEPEST: usize = 8;

const DISTRIBUTIONS: &str = "constant, categorical, int_uniform, uniform, q_uniform, log_uniform, log_uniform_values, \
q_log_uniform_values, normal";

pub(super) fn space(value: &Json) -> Result<Space, SpaceError> {
    match value {
        Json::Array(words) => {
            let texts: Option<Vec<&str>> = words.iter().map(Json::as_str).collect();
            Space::parse(&texts.ok_or_else(|| whole("a list of words holds texts only"))?)
        }
        Json::Object(table) => {
            let parameters = match table.get("parameters") {
                Some(Json::Object(parameters)) => parameters,
                Some(_) | None => table,
            };
            let mut found = Vec::new();
            add(&mut found, "", parameters, 0)?;
            Space::new(found)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            Err(whole("a space is a list of words or a table of names"))
        }
    }
}

fn whole(reason: &str) -> SpaceError {
    SpaceError::Table { name: "(all)".to_owned(), reason: reason.to_owned() }
}

fn add(
    found: &mut Vec<(String, Domain)>,
    prefix: &str,
    table: &Table,
    depth: usize,
) -> Result<(), SpaceError> {
    for (key, value) in table {
        let name = format!("{prefix}{key}");
        let refused = |reason: String| SpaceError::Table { name: shortened(&name), reason };
        if depth > DEEPEST || found.len() > super::MOST_PARAMETERS {
            return Err(refused("is nested too deep, or one of too many".to_owned()));
        }
        match value {
            Json::Object(inner) => match inner.get("parameters") {
                Some(Json::Object(nested)) => add(found, &format!("{name}."), nested, depth + 1)?,
                Some(_) | None => {
                    let domain = described(inner).map_err(refused)?;
                    found.push((name, domain));
                }
            },
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                let domain = plain(value).map_err(refused)?;
                found.push((name, domain));
            }
        }
    }
    Ok(())
}

/// A list, a value, or a text that is a form.
fn plain(value: &Json) -> Result<Domain, String> {
    match value {
        Json::Array(values) => choice(values),
        Json::String(text) if grammar::is_form(text) => grammar::domain(text)
            .map_err(|reason| format!("`{}` {reason}; allowed are {}", shortened(text), grammar::FORMS)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => {
            choice(std::slice::from_ref(value))
        }
    }
}

fn choice(values: &[Json]) -> Result<Domain, String> {
    let read = values.iter().map(|value| Value::try_from(value.clone()));
    read.collect::<Result<_, _>>().map(Domain::Choice).map_err(|error| error.to_string())
}

/// A table that describes one domain.
fn described(table: &Table) -> Result<Domain, String> {
    let keys = Keys(table);
    if let Some(value) = table.get("value") {
        keys.allow(&["value", "distribution"])?;
        return choice(std::slice::from_ref(value));
    }
    if let Some(values) = table.get("values") {
        keys.allow(&["values", "distribution"])?;
        return choice(values.as_array().ok_or("has `values`, which is no list")?);
    }
    match keys.distribution()? {
        "int_uniform" => {
            keys.allow(&["distribution", "min", "max", "step"])?;
            let step =
                table.get("step").map(|step| step.as_u64().ok_or("has a `step` that is no positive integer"));
            Ok(Domain::Integers {
                min: keys.integer("min")?,
                max: keys.integer("max")?,
                step: step.transpose()?.unwrap_or(1),
            })
        }
        "uniform" | "q_uniform" => {
            keys.allow(&["distribution", "min", "max", "q", "step"])?;
            Ok(Domain::Uniform { min: keys.number("min")?, max: keys.number("max")?, step: keys.step()? })
        }
        "log_uniform_values" | "q_log_uniform_values" => {
            keys.allow(&["distribution", "min", "max", "q", "step"])?;
            Ok(Domain::Log { min: keys.number("min")?, max: keys.number("max")?, step: keys.step()? })
        }
        // Here the ends are exponents of e.
        "log_uniform" => {
            keys.allow(&["distribution", "min", "max"])?;
            let end = |key| {
                keys.number(key).map(|exponent| number::round(number::exp(exponent.clamp(-690.0, 690.0))))
            };
            Ok(Domain::Log { min: end("min")?, max: end("max")?, step: None })
        }
        "normal" => {
            keys.allow(&["distribution", "mu", "sigma"])?;
            let or = |key, usual| if table.contains_key(key) { keys.number(key) } else { Ok(usual) };
            Ok(Domain::Normal { mean: or("mu", 0.0)?, deviation: or("sigma", 1.0)? })
        }
        other => Err(format!("has the distribution `{}`; allowed are {DISTRIBUTIONS}", shortened(other))),
    }
}

/// The keys of a table that describes a domain.
struct Keys<'t>(&'t Table);

impl<'t> Keys<'t> {
    fn allow(&self, known: &[&str]) -> Result<(), String> {
        match self.0.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                Err(format!("has the key `{}`; allowed here are {}", shortened(key), known.join(", ")))
            }
        }
    }

    /// As W&B chooses where none is named: integers between integers, numbers otherwise.
    fn distribution(&self) -> Result<&'t str, String> {
        if let Some(named) = self.0.get("distribution") {
            return named.as_str().ok_or_else(|| "has a `distribution` that is no text".to_owned());
        }
        if !self.0.contains_key("min") || !self.0.contains_key("max") {
            return Err("needs `value`, `values`, or `min` and `max`".to_owned());
        }
        let is_integer = |key: &str| self.0.get(key).is_none_or(Json::is_i64);
        let are_integers =
            is_integer("min") && is_integer("max") && is_integer("step") && !self.0.contains_key("q");
        Ok(if are_integers { "int_uniform" } else { "uniform" })
    }

    fn integer(&self, key: &str) -> Result<i64, String> {
        let value = self.0.get(key).ok_or_else(|| format!("needs `{key}`"))?;
        value.as_i64().ok_or_else(|| format!("has `{key}`, which is no integer"))
    }

    fn number(&self, key: &str) -> Result<f64, String> {
        let value = self.0.get(key).ok_or_else(|| format!("needs `{key}`"))?;
        // YAML 1.1 readers give `1e-5` as a text.
        let number = value.as_f64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()));
        let number = number.filter(|number: &f64| number.is_finite());
        number.map(number::without_sign_of_zero).ok_or_else(|| format!("has `{key}`, which is no number"))
    }

    fn step(&self) -> Result<Option<f64>, String> {
        match (self.0.contains_key("step"), self.0.contains_key("q")) {
            (true, true) => Err("has both `step` and `q`".to_owned()),
            (true, false) => self.number("step").map(Some),
            (false, true) => self.number("q").map(Some),
            (false, false) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let value: Json = serde_json::from_str(text).unwrap();
        Space::read(&value).map(|space| space.words()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_forms_people_have() {
        for (text, expected) in [
            (r#"{"lr": [0.1, 0.01], "opt": ["adam", null]}"#, &["lr=0.1,0.01", "opt=adam,null"][..]),
            (
                r#"{"lr": "log(1e-5, 0.1)", "layers": "1..4", "name": "a,b", "k": "10"}"#,
                &["lr=log(1e-5,0.1)", "layers=1..4", "name=\"a,b\"", "k=\"10\""],
            ),
            (r#"["lr=0.1,0.2", "b=1..2"]"#, &["lr=0.1,0.2", "b=1..2"]),
            (
                r#"{"method": "bayes", "metric": {"name": "loss"}, "parameters": {
                "lr": {"distribution": "log_uniform_values", "min": 1e-5, "max": "1e-1"},
                "old": {"distribution": "log_uniform", "min": -2, "max": 0},
                "drop": {"min": 0.0, "max": 0.5},
                "q": {"distribution": "q_uniform", "min": 0, "max": 1, "q": 0.25},
                "layers": {"min": 1, "max": 4},
                "opt": {"values": ["adam", "sgd"]},
                "epochs": {"value": 10},
                "w": {"distribution": "normal", "sigma": 2},
                "model": {"parameters": {"size": {"values": [1, 2]}}}}}"#,
                &[
                    "lr=log(1e-5,0.1)",
                    "old=log(0.135335283237,1)",
                    "drop=uniform(0,0.5)",
                    "q=uniform(0,1,step=0.25)",
                    "layers=1..4",
                    "opt=adam,sgd",
                    "epochs=10",
                    "w=normal(0,2)",
                    "model.size=1,2",
                ],
            ),
        ] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn refusals_name_the_parameter_and_what_is_allowed() {
        for (text, expected) in [
            ("3", "a list of words or a table"),
            (r#"[1]"#, "texts only"),
            (r#"{"lr": {"min": 1}}"#, "`lr`: needs `value`, `values`, or `min` and `max`"),
            (r#"{"lr": {"min": 1, "max": 2, "nin": 3}}"#, "the key `nin`; allowed here are"),
            (r#"{"lr": {"distribution": "beta", "min": 1, "max": 2}}"#, "`beta`; allowed are constant,"),
            (r#"{"lr": {"values": 3}}"#, "no list"),
            (r#"{"lr": [[1]]}"#, "not a list"),
            (r#"{"lr": []}"#, "the list is empty"),
            (r#"{"lr": "gauss(1)"}"#, "unknown form"),
            (r#"{"lr": {"min": 0.5, "max": 2.0, "step": 1, "q": 1}}"#, "both"),
            (r#"{"a b": [1]}"#, "no name"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    fn json() -> impl Strategy<Value = Json> {
        let keys = "min|max|value|values|distribution|step|q|mu|sigma|parameters|lr";
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<u64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            "normal|uniform|log_uniform|q_uniform|int_uniform|1..4|log\\(1,2\\)".prop_map(Json::from),
        ];
        leaf.prop_recursive(5, 40, 5, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                proptest::collection::hash_map(keys, inner, 0..5)
                    .prop_map(|map| Json::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_table_is_read_or_refused(value in json()) {
            if let Ok(space) = Space::read(&value) {
                let text = serde_json::to_string(&space).unwrap();
                prop_assert_eq!(serde_json::from_str::<Space>(&text).unwrap(), space);
            }
        }
    }
}
