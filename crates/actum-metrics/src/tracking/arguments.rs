//! The arguments of a request: a JSON object in its body, or names and values in its query.

use super::TrackingRequest;
use super::answer::Failure;
use crate::number;
use serde_json::{Map, Value};

/// The most characters of keys, and of the values of parameters and tags: MLflow's own bounds.
pub(super) const LONGEST_KEY: usize = 250;
pub(super) const LONGEST_PARAM: usize = 6000;
pub(super) const LONGEST_TAG: usize = 8000;

/// One object of arguments: that of the request, or one inside it.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    pub(super) fn read(request: &TrackingRequest<'_>) -> Result<Self, Failure> {
        let mut arguments = match request.body.iter().all(u8::is_ascii_whitespace) {
            true => Map::new(),
            false => serde_json::from_slice(request.body)
                .map_err(|error| Failure::invalid(format!("the body is not a JSON object: {error}")))?,
        };
        for pair in request.query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            arguments.entry(decode(name)).or_insert_with(|| Value::String(decode(value)));
        }
        Ok(Self(arguments))
    }

    /// The text of an argument that has to be there.
    pub(super) fn text(&self, name: &str) -> Result<&str, Failure> {
        self.some_text(name).ok_or_else(|| Failure::invalid(format!("the argument '{name}' is missing")))
    }

    /// The text of an argument; none where it is absent or empty.
    pub(super) fn some_text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// Text of at most so many characters, which may be empty. Protobuf leaves empty text out.
    pub(super) fn bounded(&self, name: &str, most: usize) -> Result<String, Failure> {
        let text = match self.0.get(name) {
            None | Some(Value::Null) => "",
            Some(value) => value.as_str().ok_or_else(|| Failure::invalid(format!("'{name}' is not text")))?,
        };
        if text.chars().nth(most).is_some() {
            return Err(Failure::invalid(format!("'{name}' is longer than {most} characters")));
        }
        Ok(text.to_owned())
    }

    /// The name of a metric, parameter or tag: the characters that MLflow takes, so that it can be a path and is harmless
    /// on a screen.
    pub(super) fn key(&self, name: &str) -> Result<String, Failure> {
        let key = self.bounded(name, LONGEST_KEY)?;
        let is_plain = |c: char| c.is_alphanumeric() || "_-. :/".contains(c);
        let is_path = !key.starts_with('/') && key.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if key.is_empty() || !key.chars().all(is_plain) || !is_path {
            let rule = "letters, digits, '_', '-', '.', ' ', ':' and '/' are allowed, and no path that leaves its folder";
            return Err(Failure::invalid(format!("'{name}' is not a valid name: {rule}")));
        }
        Ok(key)
    }

    /// A whole number, which protobuf may write as text.
    pub(super) fn whole(&self, name: &str) -> Option<i64> {
        match self.0.get(name)? {
            Value::String(text) => text.parse().ok(),
            Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    pub(super) fn number(&self, name: &str) -> Result<f64, Failure> {
        // Protobuf leaves zero out where the field is not optional.
        match self.0.get(name) {
            None => Ok(0.0),
            Some(value) => {
                number::from_json(value).ok_or_else(|| Failure::invalid(format!("'{name}' is not a number")))
            }
        }
    }

    /// Whether it is true, as JSON or in a query.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The objects of a list; none where it is absent.
    pub(super) fn objects(&self, name: &str) -> Result<Vec<Arguments>, Failure> {
        let wrong = || Failure::invalid(format!("'{name}' is not a list of objects"));
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
        let object = |value: &Value| value.as_object().cloned().map(Arguments).ok_or_else(wrong);
        value.as_array().ok_or_else(wrong)?.iter().map(object).collect()
    }

    /// The texts of a list; a single text is a list of one.
    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        match self.0.get(name) {
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(text)) => vec![text],
            _ => Vec::new(),
        }
    }

    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

/// Text of a query: `+` is a space, `%41` a byte.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(if bytes[at] == b'+' { b' ' } else { bytes[at] });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded() {
        for (text, expected) in
            [("a+b%20c", "a b c"), ("%C3%A9", "é"), ("%", "%"), ("%zz%4", "%zz%4"), ("%+1é", "% 1é")]
        {
            assert_eq!(decode(text), expected);
        }
    }
}
