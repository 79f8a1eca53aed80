//! Numbers in JSON that may be NaN or infinite: JSON has no word for those, so they travel as text.
//!
//! `"NaN"`, `"Infinity"` and `"-Infinity"` are also what protobuf's JSON has, and so what MLflow's client sends and reads.

use serde::{Deserialize, Deserializer, Serializer};
use serde_json::Value;

/// A number as JSON.
pub(crate) fn to_json(value: f64) -> Value {
    match serde_json::Number::from_f64(value) {
        Some(number) => Value::Number(number),
        None => Value::String(name(value).to_owned()),
    }
}

/// A number, or the text of one.
pub(crate) fn from_json(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| from_text(value.as_str()?))
}

/// A number as programs write it into files: `0.5`, `1e-3`, `nan`, `-inf`, `Infinity`.
pub(crate) fn from_text(text: &str) -> Option<f64> {
    let text = text.trim();
    // Longer than any number that has a meaning; `parse` takes time in proportion to its length.
    if text.len() > 64 {
        return None;
    }
    text.parse().ok()
}

pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_str(name(*value)) }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = Value::deserialize(deserializer)?;
    from_json(&value).ok_or_else(|| serde::de::Error::custom("a metric's value is a number"))
}

fn name(value: f64) -> &'static str {
    match () {
        () if value.is_nan() => "NaN",
        () if value > 0.0 => "Infinity",
        () => "-Infinity",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_numbers() {
        for (text, expected) in [
            ("0.5", Some(0.5)),
            (" 1e-3 ", Some(0.001)),
            ("-inf", Some(f64::NEG_INFINITY)),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(from_text(text), expected, "{text}");
        }
        assert!(from_text("nan").is_some_and(f64::is_nan));
        assert_eq!(from_text(&"1".repeat(65)), None);
    }
}
