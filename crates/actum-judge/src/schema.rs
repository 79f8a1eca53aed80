//! JSON Schemas. References to other documents are not followed: nothing here reaches out.

use crate::finding::Finding;
use crate::json;
use jsonschema::Validator;

/// Reads a schema; why not, where it is none.
pub(crate) fn build(text: &str) -> Result<Validator, String> {
    let value = json::parse(text.as_bytes())?;
    if !value.is_object() && !value.is_boolean() {
        return Err("a schema is an object or a truth value".to_owned());
    }
    if let Err(error) = jsonschema::meta::validate(&value) {
        return Err(format!("{error} at {}", shown(&error.instance_path().to_string())));
    }
    jsonschema::validator_for(&value).map_err(|error| error.to_string())
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
    }
}
