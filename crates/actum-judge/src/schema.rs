//! JSON Schemas. References to other documents are not followed: nothing here reaches out.

use crate::finding::Finding;
use crate::json;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use std::collections::HashMap;

/// Patterns are compiled when a schema is read, which happens before the run and in our own process: so many, and each so large.
const MOST_PATTERNS: usize = 300;
const LARGEST_PATTERN: usize = 1 << 20;

/// Reads a schema; why not, where it is none.
pub(crate) fn build(text: &str) -> Result<Validator, String> {
    let value = json::parse(text.as_bytes())?;
    if !value.is_object() && !value.is_boolean() {
        return Err("a schema must be an object or a boolean".to_owned());
    }
    let count = patterns(&value);
    if count > MOST_PATTERNS {
        return Err(format!("it has {count} patterns; at most {MOST_PATTERNS} are allowed"));
    }
    if !expands_little(&value) {
        return Err(format!("its references expand to more than {MOST_EXPANDED} parts"));
    }
    // What does not compile is told before anybody else compiles it.
    let options = PatternOptions::fancy_regex().size_limit(LARGEST_PATTERN);
    let built = jsonschema::options().with_pattern_options(options).build(&value);
    if let (Ok(_), Err(error)) = (&built, jsonschema::meta::validate(&value)) {
        return Err(format!("{error} at {}", shown(&error.instance_path().to_string())));
    }
    built.map_err(|error| error.to_string())
}

/// A reference is compiled once more for each way that leads to it: two references a level double the work at every level.
const MOST_EXPANDED: u64 = 200_000;
/// So few references, however they are arranged, lead to no more than 3^8 parts.
const FEW_REFERENCES: usize = 24;

/// Whether a schema stays small when every reference is replaced by what it leads to. References are followed where they are
/// pointers into this document; a schema with many others is refused.
fn expands_little(schema: &Value) -> bool {
    let mut references = Vec::new();
    let mut has_bases = false;
    collect(schema, true, &mut references, &mut has_bases);
    // Before 2017 an address of its own was called `id`, which is also what many documents call something else.
    let written_for = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    has_bases |= ["draft-03", "draft-04"].iter().any(|old| written_for.contains(old));
    if references.len() <= FEW_REFERENCES {
        return true;
    }
    let is_followed = |name: &Option<&str>| name.is_some_and(|name| name == "#" || name.starts_with("#/"));
    if has_bases || !references.iter().all(is_followed) {
        return false;
    }
    expanded(schema, schema, &mut HashMap::new()) <= MOST_EXPANDED
}

/// Every reference, and whether a part of the schema has an address of its own, which changes what pointers mean.
fn collect<'v>(value: &'v Value, is_top: bool, found: &mut Vec<Option<&'v str>>, has_bases: &mut bool) {
    match value {
        Value::Object(map) => {
            *has_bases |= !is_top && map.get("$id").is_some_and(Value::is_string);
            let references = REFERENCES.iter().filter_map(|key| map.get(*key));
            found.extend(references.filter(|one| one.is_string()).map(Value::as_str));
            map.values().for_each(|value| collect(value, false, found, has_bases));
        }
        Value::Array(all) => all.iter().for_each(|value| collect(value, false, found, has_bases)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// How many parts a value has with its references replaced. One that leads back to itself counts once.
fn expanded<'v>(value: &'v Value, top: &'v Value, known: &mut HashMap<&'v str, u64>) -> u64 {
    let inside = match value {
        Value::Object(map) => {
            let keys = map.iter().filter(|(key, _)| !matches!(key.as_str(), "$defs" | "definitions"));
            let parts = keys.fold(0_u64, |sum, (_, value)| sum.saturating_add(expanded(value, top, known)));
            let named = REFERENCES.iter().filter_map(|key| map.get(*key)?.as_str());
            named.fold(parts, |sum, name| sum.saturating_add(behind(name, top, known)))
        }
        Value::Array(all) => {
            all.iter().fold(0, |sum: u64, value| sum.saturating_add(expanded(value, top, known)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    inside.saturating_add(1)
}

fn behind<'v>(name: &'v str, top: &'v Value, known: &mut HashMap<&'v str, u64>) -> u64 {
    if let Some(size) = known.get(name) {
        return *size;
    }
    known.insert(name, 1);
    let pointer = percent_decoded(name.trim_start_matches('#'));
    let size = top.pointer(&pointer).map_or(1, |part| expanded(part, top, known));
    known.insert(name, size);
    size
}

/// `%25` in an address is a percent sign.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let digits = others.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
        Err(why) => return Finding::undecided(format!("it is not a JSON Schema: {why}")),
    };
    let value = match json::parse(text) {
        Ok(value) => value,
        Err(why) => return Finding::broken(why),
    };
    let mut errors = validator.iter_errors(&value);
    let Some(first) = errors.next() else { return Finding::held("it matches the schema") };
    // Counted no further than anybody reads.
    let more = errors.take(99).count();
    let found = match more {
        0 => "1 violation".to_owned(),
        99 => "at least 100 violations, the first".to_owned(),
        more => format!("{} violations, the first", more + 1),
    };
    Finding::broken(found).quoting(&format!("{first} at {}", shown(&first.instance_path().to_string())))
}

fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "the top level" } else { pointer }
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

    /// A schema in which each of so many parts names the next one twice.
    fn doubling(levels: usize, more: &str) -> String {
        let part = |at: usize| {
            let next = format!("{{\"$ref\": \"#/$defs/a{}\"}}", at + 1);
            format!("\"a{at}\": {{\"allOf\": [{next}, {next}]{more}}}, ")
        };
        let parts: String = (0..levels).map(part).collect();
        format!(
            "{{\"$ref\": \"#/$defs/a0\"{more}, \"$defs\": {{{parts} \"a{levels}\": {{\"type\": \"object\"}}}}}}"
        )
    }

    #[test]
    fn references_do_not_multiply() {
        for more in ["", ", \"unevaluatedProperties\": false", ", \"unevaluatedItems\": false"] {
            assert!(build(&doubling(40, more)).is_err_and(|why| why.contains("references")), "{more}");
            assert!(build(&doubling(11, more)).is_ok(), "{more}");
        }
        let anchors = doubling(40, ", \"unevaluatedProperties\": false").replace("#/$defs/", "#");
        assert!(build(&anchors).is_err());
        let plain: String = (0..500).map(|at| format!("\"p{at}\": {{\"$ref\": \"#/$defs/a\"}}, ")).collect();
        let plain = format!(
            "{{\"properties\": {{{plain} \"last\": {{\"$ref\": \"#\"}}}}, \"$defs\": {{\"a\": {{\"type\": \"string\"}}}}}}"
        );
        assert!(build(&plain).is_ok(), "many that lead to one");
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
        assert_eq!(build(&many).unwrap_err(), "it has 301 patterns; at most 300 are allowed");
    }
}
