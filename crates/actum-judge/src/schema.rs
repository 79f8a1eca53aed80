//! JSON Schemas. References to other documents are not followed: nothing here reaches out.

use crate::finding::Finding;
use crate::json;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Patterns are compiled when a schema is read, which happens before the run and in our own process: so many, and each so large.
const MOST_PATTERNS: usize = 300;
const LARGEST_PATTERN: usize = 1 << 20;

/// Reads a schema; why not, where it is none.
pub(crate) fn build(text: &str) -> Result<Validator, String> {
    let value = json::parse(text.as_bytes())?;
    if !value.is_object() && !value.is_boolean() {
        return Err("a schema is an object or a truth value".to_owned());
    }
    let count = patterns(&value);
    if count > MOST_PATTERNS {
        return Err(format!("it has {count} patterns, and {MOST_PATTERNS} is the most"));
    }
    // What does not compile is told before anybody else compiles it.
    let options = PatternOptions::fancy_regex().size_limit(LARGEST_PATTERN);
    let built = jsonschema::options().with_pattern_options(options).build(&value);
    if let (Ok(_), Err(error)) = (&built, jsonschema::meta::validate(&value)) {
        return Err(format!("{error} at {}", shown(&error.instance_path().to_string())));
    }
    built.map_err(|error| error.to_string())
}

/// How many regular expressions it can hold. Neither value is deeper than a parser lets it be.
fn patterns(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.iter().map(|(key, value)| patterns_of(key, value) + patterns(value)).sum(),
        Value::Array(all) => all.iter().map(patterns).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn patterns_of(key: &str, value: &Value) -> usize {
    match (key, value) {
        ("pattern", Value::String(_)) => 1,
        ("patternProperties", Value::Object(map)) => map.len(),
        _ => 0,
    }
}

/// Judges a text against a schema.
pub(crate) fn judge(schema: &str, text: &[u8]) -> Finding {
    let validator = match build(schema) {
        Ok(validator) => validator,
        Err(why) => return Finding::undecided(format!("it is no JSON Schema: {why}")),
    };
    let value = match json::parse(text) {
        Ok(value) => value,
        Err(why) => return Finding::broken(why),
    };
    let mut errors = validator.iter_errors(&value);
    let Some(first) = errors.next() else { return Finding::held("it fits") };
    // Counted no further than anybody reads.
    let more = errors.take(99).count();
    let found = match more {
        0 => "1 place that does not fit".to_owned(),
        99 => "at least 100 places that do not fit, the first".to_owned(),
        more => format!("{} places that do not fit, the first", more + 1),
    };
    Finding::broken(found).quoting(&format!("{first} at {}", shown(&first.instance_path().to_string())))
}

fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "the top" } else { pointer }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str =
        r#"{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}}"#;

    #[test]
    fn what_fits_and_what_does_not() {
        assert!(judge(SCHEMA, b"{\"n\": 3}").held);
        let finding = judge(SCHEMA, b"{\"n\": 0}");
        assert!(
            !finding.held && finding.quote.as_deref().is_some_and(|quote| quote.contains("/n")),
            "{finding:?}"
        );
        assert_eq!(judge(SCHEMA, b"{").found, "it is not JSON: line 1, column 1");
    }

    #[test]
    fn what_is_no_schema_is_told() {
        for text in
            ["", "[1]", "{\"type\": 3}", "{\"$ref\": \"https://example.org/s.json\"}", "{\"pattern\": \"(\"}"]
        {
            assert!(build(text).is_err(), "{text}");
        }
        assert!(build("true").is_ok() && build(SCHEMA).is_ok());
        assert!(build(r#"{"pattern": "^(?=.*[\\w@]+$)\\p{L}+@\\w+\\.\\w{2,8}$"}"#).is_ok());
        let counts = r#"{"pattern": "(?:a{999}){99}b"}"#;
        assert!(build(counts).is_err_and(|why| why.contains("(?:a{999}){99}b")));
        let many = format!("{{\"anyOf\": [{}true]}}", r#"{"pattern": "a"},"#.repeat(301));
        assert_eq!(build(&many).unwrap_err(), "it has 301 patterns, and 300 is the most");
    }
}
