//! What the report of a run must not say. Pure.

/// Whether the report blames memory for how the run ended.
pub(crate) fn blames_memory(report: &str) -> bool {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(report) else { return false };
    any(&value, &|key, value| key == "how" && value == "out-of-memory")
}

/// Whether the report names the path; separators inside JSON text are plain.
pub(crate) fn names(report: &str, path: &str) -> bool {
    report.contains(path)
}

fn any(value: &serde_json::Value, test: &impl Fn(&str, &serde_json::Value) -> bool) -> bool {
    match value {
        serde_json::Value::Object(fields) => {
            fields.iter().any(|(key, value)| test(key, value) || any(value, test))
        }
        serde_json::Value::Array(items) => items.iter().any(|item| any(item, test)),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blame_is_found_in_the_ending_only() {
        assert!(blames_memory(r#"{"attempts":[{"ending":{"how":"out-of-memory","max":1}}]}"#));
        assert!(!blames_memory(r#"{"ending":{"how":"signalled","signal":9},"note":"out-of-memory"}"#));
        assert!(!blames_memory("not JSON"));
    }
}
