//! Values of parameters, and the ordered parameters of one trial.

use crate::number;
use actum_model::Digest;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// One value. `1` and `1.0` are two: a program may tell them apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "serde_json::Value", try_from = "serde_json::Value")]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    /// Finite, and never `-0.0`.
    Number(f64),
    Text(String),
}

/// Why something is no value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("`{0}` is beyond 64 bits; quote it to pass it as text")]
    TooLarge(String),
    #[error("a value is a number, a text, true, false or null, not {0}")]
    Compound(&'static str),
}

impl Value {
    /// A finite number.
    pub fn number(number: f64) -> Option<Self> {
        number.is_finite().then(|| Value::Number(number::without_sign_of_zero(number)))
    }

    /// As JSON, in the one form that digests are made from.
    pub fn canonical(&self) -> String {
        match self {
            Value::Null => "null".to_owned(),
            Value::Boolean(truth) => truth.to_string(),
            Value::Integer(integer) => integer.to_string(),
            Value::Number(number) => number::text(*number),
            Value::Text(text) => json_text(text),
        }
    }
}

/// As an argument for a program: a text without quotes.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Null | Value::Boolean(_) | Value::Integer(_) | Value::Number(_) => {
                f.write_str(&self.canonical())
            }
        }
    }
}

impl From<Value> for serde_json::Value {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => serde_json::Value::Null,
            Value::Boolean(truth) => truth.into(),
            Value::Integer(integer) => integer.into(),
            Value::Number(number) => number.into(),
            Value::Text(text) => text.into(),
        }
    }
}

impl TryFrom<serde_json::Value> for Value {
    type Error = ValueError;

    fn try_from(value: serde_json::Value) -> Result<Self, ValueError> {
        match value {
            serde_json::Value::Null => Ok(Value::Null),
            serde_json::Value::Bool(truth) => Ok(Value::Boolean(truth)),
            serde_json::Value::String(text) => Ok(Value::Text(text)),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(integer) => Ok(Value::Integer(integer)),
                None if number.is_u64() => Err(ValueError::TooLarge(number.to_string())),
                None => number
                    .as_f64()
                    .and_then(Value::number)
                    .ok_or_else(|| ValueError::TooLarge(number.to_string())),
            },
            serde_json::Value::Array(_) => Err(ValueError::Compound("a list")),
            serde_json::Value::Object(_) => Err(ValueError::Compound("a table")),
        }
    }
}

impl JsonSchema for Value {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["null", "boolean", "number", "string"] })
    }
}

/// Names and values of one trial, in the order of the space. A JSON object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters(Vec<(String, Value)>);

impl Parameters {
    /// In this order; nothing where a name comes twice.
    pub fn new(pairs: Vec<(String, Value)>) -> Option<Self> {
        let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let is_unique = names.windows(2).all(|pair| pair[0] != pair[1]);
        is_unique.then_some(Self(pairs))
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As JSON with sorted names: the same for any order of the parameters.
    pub fn canonical(&self) -> String {
        let mut pairs: Vec<&(String, Value)> = self.0.iter().collect();
        pairs.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let fields: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{}:{}", json_text(name), value.canonical())).collect();
        format!("{{{}}}", fields.join(","))
    }

    /// The same for the same parameters in any order.
    pub fn digest(&self) -> Digest {
        Digest::of(self.canonical())
    }
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Pairs)
    }
}

impl JsonSchema for Parameters {
    fn schema_name() -> Cow<'static, str> {
        "Parameters".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<Value>();
        json_schema!({ "type": "object", "additionalProperties": value })
    }
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Parameters;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of names and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Parameters::new(pairs).ok_or_else(|| A::Error::custom("a parameter is given twice"))
    }
}

/// A JSON string.
pub(crate) fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_one_point_nought_are_two() {
        let [one, other]: [Value; 2] = serde_json::from_str("[1, 1.0]").unwrap();
        assert_eq!((one.canonical(), other.canonical()), ("1".to_owned(), "1.0".to_owned()));
        assert_eq!(serde_json::to_string(&other).unwrap(), "1.0");
    }

    #[test]
    fn what_would_lose_digits_is_refused() {
        for text in ["18446744073709551615", "[1]", "{\"a\":1}"] {
            assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_order_is_kept_and_does_not_count() {
        let read = |text: &str| serde_json::from_str::<Parameters>(text).unwrap();
        let (one, other) = (read(r#"{"b":1,"a":"x\n"}"#), read(r#"{"a":"x\n","b":1}"#));
        assert_eq!(serde_json::to_string(&one).unwrap(), r#"{"b":1,"a":"x\n"}"#);
        assert_eq!(one.canonical(), other.canonical());
        assert!(serde_json::from_str::<Parameters>(r#"{"a":1,"a":2}"#).is_err());
    }
}
