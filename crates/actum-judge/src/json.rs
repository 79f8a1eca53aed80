//! JSON values: the same but for small differences of numbers, and places in them.

use crate::finding::Finding;
use serde_json::{Map, Number, Value};

/// Reads a text as one value.
pub(crate) fn parse(text: &[u8]) -> Result<Value, String> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err("it is empty".to_owned());
    }
    serde_json::from_slice(text).map_err(|error| format!("it is not JSON: {}", place(&error)))
}

/// Without what the parser quotes of the text.
fn place(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

/// Judges whether a text is this value.
pub(crate) fn judge(expected: &str, tolerance: f64, text: &[u8]) -> Finding {
    let expected = match parse(expected.as_bytes()) {
        Ok(expected) => expected,
        Err(why) => return Finding::undecided(format!("of what is expected: {why}")),
    };
    match parse(text) {
        Err(why) => Finding::broken(why).quoting(&String::from_utf8_lossy(&text[..text.len().min(400)])),
        Ok(found) => match difference(&expected, &found, tolerance) {
            None => Finding::held("the same value"),
            Some(Difference { at, what, quote }) => {
                let at = if at.is_empty() { "at the top".to_owned() } else { format!("at {at}") };
                let finding = Finding::broken(format!("{what} {at}"));
                quote.map_or(finding.clone(), |quote| finding.quoting(&quote))
            }
        },
    }
}

/// Where two values differ first.
#[derive(Debug, PartialEq)]
pub(crate) struct Difference {
    /// A pointer into what is expected.
    pub(crate) at: String,
    pub(crate) what: String,
    /// What stands there.
    pub(crate) quote: Option<String>,
}

/// The first difference, in the order of what is expected. Neither value is deeper than a parser lets them be.
pub(crate) fn difference(expected: &Value, found: &Value, tolerance: f64) -> Option<Difference> {
    let other = |what: &str| {
        Some(Difference { at: String::new(), what: what.to_owned(), quote: Some(found.to_string()) })
    };
    match (expected, found) {
        (Value::Number(expected), Value::Number(found)) => match is_near(expected, found, tolerance) {
            true => None,
            false => Some(Difference {
                at: String::new(),
                what: format!("{found} instead of {expected}"),
                quote: None,
            }),
        },
        (Value::Array(expected), Value::Array(found)) => in_array(expected, found, tolerance),
        (Value::Object(expected), Value::Object(found)) => in_object(expected, found, tolerance),
        (expected, found) if expected == found => None,
        (expected, found) if kind(expected) == kind(found) => other(&format!("another {}", kind(found))),
        (expected, found) => other(&format!("{} instead of {}", kind(found), kind(expected))),
    }
}

fn in_array(expected: &[Value], found: &[Value], tolerance: f64) -> Option<Difference> {
    let mut pairs = expected.iter().zip(found).enumerate();
    let first = pairs.find_map(|(at, (one, other))| Some((at, difference(one, other, tolerance)?)));
    if let Some((at, inner)) = first {
        return Some(inner.below(&at.to_string()));
    }
    let what = format!("{} members instead of {}", found.len(), expected.len());
    (expected.len() != found.len()).then_some(Difference { at: String::new(), what, quote: None })
}

fn in_object(
    expected: &Map<String, Value>,
    found: &Map<String, Value>,
    tolerance: f64,
) -> Option<Difference> {
    for (key, value) in expected {
        let inner = match found.get(key) {
            Some(found) => difference(value, found, tolerance),
            None => Some(Difference { at: String::new(), what: "nothing".to_owned(), quote: None }),
        };
        if let Some(inner) = inner {
            return Some(inner.below(&key.replace('~', "~0").replace('/', "~1")));
        }
    }
    let further = found.keys().find(|key| !expected.contains_key(*key))?;
    Some(Difference {
        at: String::new(),
        what: "an additional member".to_owned(),
        quote: Some(further.clone()),
    })
}

impl Difference {
    fn below(self, key: &str) -> Self {
        Self { at: format!("/{key}{}", self.at), ..self }
    }
}

/// Whole numbers are compared as such where no tolerance is asked for: as floating point large ones would look equal.
fn is_near(expected: &Number, found: &Number, tolerance: f64) -> bool {
    let exact = |number: &Number| number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
    match (exact(expected), exact(found)) {
        (Some(expected), Some(found)) if tolerance == 0.0 => expected == found,
        _ => near(expected.as_f64().unwrap_or(f64::NAN), found.as_f64().unwrap_or(f64::NAN), tolerance),
    }
}

/// Within the tolerance: of the number itself where it is larger than one, else as it is.
pub(crate) fn near(expected: f64, found: f64, tolerance: f64) -> bool {
    (expected - found).abs() <= tolerance * expected.abs().max(1.0)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What stands at a pointer; `*` is every member.
pub(crate) fn at<'v>(value: &'v Value, pointer: &str) -> Vec<&'v Value> {
    let mut here = vec![value];
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        here = here.into_iter().flat_map(|value| below(value, &step)).collect();
    }
    here
}

fn below<'v>(value: &'v Value, step: &str) -> Vec<&'v Value> {
    match (value, step) {
        (Value::Array(all), "*") => all.iter().collect(),
        (Value::Object(all), "*") => all.values().collect(),
        (Value::Array(all), step) => {
            step.parse::<usize>().ok().and_then(|at| all.get(at)).into_iter().collect()
        }
        (Value::Object(all), step) => all.get(step).into_iter().collect(),
        (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), _) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn differences_are_placed() {
        for (expected, found, words) in [
            (r#"{"a": 1}"#, r#"{"a": 1.0}"#, "the same value"),
            (r#"{"a": [1, 2]}"#, r#"{"a": [1, 3]}"#, "3 instead of 2 at /a/1"),
            (r#"{"a": [1]}"#, r#"{"a": [1, 2]}"#, "2 members instead of 1 at /a"),
            (r#"{"a": 1}"#, r#"{"b": 1}"#, "nothing at /a"),
            (r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, "an additional member at the top"),
            (r#""a""#, r#""b""#, "another text at the top"),
            (r#"{"a/b": 1}"#, r#"{"a/b": "1"}"#, "text instead of number at /a~1b"),
            ("1", "nan", "it is not JSON: line 1, column 2"),
            ("1", " \n", "it is empty"),
            (
                "9007199254740993",
                "9007199254740992",
                "9007199254740992 instead of 9007199254740993 at the top",
            ),
        ] {
            assert_eq!(judge(expected, 0.0, found.as_bytes()).found, words);
        }
        assert!(judge("[100]", 0.01, b"[101]").held && !judge("[100]", 0.001, b"[101]").held);
    }

    #[test]
    fn pointers_lead_to_values() {
        let value = json!({"a": [{"b": 1}, {"b": 2}, {"c": 3}], "x/y": {"~": 4}});
        let found = |pointer: &str| at(&value, pointer).into_iter().cloned().collect::<Vec<_>>();
        assert_eq!(found("/a/*/b"), [json!(1), json!(2)]);
        assert_eq!(found("/x~1y/~0"), [json!(4)]);
        assert_eq!((found("/a/9"), found("/a/0/b/c")), (vec![], vec![]));
        assert_eq!(found(""), std::slice::from_ref(&value));
    }

    #[test]
    fn a_deep_text_is_refused_and_does_no_harm() {
        let deep = "[".repeat(1 << 20);
        assert!(judge("1", 0.0, deep.as_bytes()).found.starts_with("it is not JSON"));
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            "[a-c~/]{0,3}".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-c~/]{0,2}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn equality_without_tolerance_is_that_of_values(one in values(), other in values()) {
            prop_assert_eq!(difference(&one, &one, 0.0), None);
            if difference(&one, &other, 0.0).is_none() {
                prop_assert_eq!(difference(&other, &one, 0.0), None);
            }
        }

        #[test]
        fn a_difference_is_where_it_is_said_to_be(one in values(), other in values()) {
            if let Some(difference) = difference(&one, &other, 0.0) {
                prop_assert!(!at(&one, &difference.at).is_empty(), "{}", difference.at);
            }
        }

        #[test]
        fn more_tolerance_never_finds_more(a in -1e3..1e3f64, b in -1e3..1e3f64, small in 0.0..1.0f64, more in 0.0..1.0f64) {
            prop_assert!(near(a, a, small));
            prop_assert!(!near(a, b, small) || near(a, b, small + more));
            prop_assert!(!near(f64::NAN, b, more) && !near(a, f64::INFINITY, more));
        }
    }
}
