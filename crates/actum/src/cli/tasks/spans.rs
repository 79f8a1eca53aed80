//! Where in a text of JSON things stand, so that one can be replaced and the rest stays byte for byte what it was.
//!
//! The text has been read by a whole parser before: what is asked here is only where. Nothing panics on text that is no JSON;
//! what is found in it then means nothing.

use std::ops::Range;

/// One member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: String,
    /// Its value, without blanks around it.
    pub(super) value: Range<usize>,
}

/// The members of the object that begins at `at`, in order.
pub(super) fn members(text: &str, at: usize) -> Vec<Member> {
    let mut found = Vec::new();
    each(text, at, |text, start| {
        let end = value_end(text, start);
        let key = text.get(start..end).and_then(|key| serde_json::from_str(key).ok()).unwrap_or_default();
        let colon = blank(text, end);
        let value = blank(text, colon + 1);
        let after = value_end(text, value);
        found.push(Member { key, value: value..after });
        after
    });
    found
}

/// The elements of the list that begins at `at`, in order.
pub(super) fn elements(text: &str, at: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each(text, at, |text, start| {
        let end = value_end(text, start);
        found.push(start..end);
        end
    });
    found
}

/// The first byte that is no blank, at or behind `at`.
pub(super) fn blank(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// Calls `take` with the start of each part of a container; it gives back where the part ends.
fn each(text: &str, at: usize, mut take: impl FnMut(&str, usize) -> usize) {
    let bytes = text.as_bytes();
    let mut at = blank(text, at + 1);
    while at < bytes.len() && !matches!(bytes[at], b']' | b'}') {
        let end = take(text, at);
        let next = blank(text, end);
        if next <= at || bytes.get(next) != Some(&b',') {
            break;
        }
        at = blank(text, next + 1);
    }
}

/// Where the value that begins at `at` ends.
fn value_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, at);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn parts_are_found_where_they_stand() {
        let text = r#"{ "a" : [1, {"b": "x,\"}"}, []] ,"\u0063":-1.50e3,  "d":"é" }"#;
        let found: Vec<(String, &str)> =
            members(text, 0).into_iter().map(|member| (member.key, &text[member.value])).collect();
        let expected = [("a", r#"[1, {"b": "x,\"}"}, []]"#), ("c", "-1.50e3"), ("d", "\"é\"")];
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value)));
        let list = members(text, 0)[0].value.start;
        let parts: Vec<&str> = elements(text, list).into_iter().map(|range| &text[range]).collect();
        assert_eq!(parts, ["1", r#"{"b": "x,\"}"}"#, "[]"]);
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[ -~é\"\\\\\n]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let object = proptest::collection::btree_map("[a-z\"]{0,3}", inner.clone(), 0..4);
            prop_oneof![
                proptest::collection::vec(inner, 0..4).prop_map(Value::from),
                object.prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_found_reads_as_what_a_parser_reads(value in values(), pretty: bool) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            if let Value::Object(map) = &value {
                let found = members(&text, 0);
                prop_assert_eq!(found.len(), map.len());
                for member in found {
                    let read: Value = serde_json::from_str(&text[member.value]).unwrap();
                    prop_assert_eq!(Some(&read), map.get(&member.key));
                }
            }
            if let Value::Array(list) = &value {
                let found: Vec<Value> =
                    elements(&text, 0).into_iter().map(|range| serde_json::from_str(&text[range]).unwrap()).collect();
                prop_assert_eq!(&found, list);
            }
        }

        #[test]
        fn no_text_makes_it_panic_or_hang(text in "[\\[\\]{}\",:\\\\ a1é]{0,60}") {
            let _ = (members(&text, 0), elements(&text, 0));
        }
    }
}
