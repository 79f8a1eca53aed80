//! What `cargo metadata` says, reduced to the few fields that the checks ask for.

use serde_json::Value;

use crate::command::Command;
use crate::error::Error;

/// A crate of this workspace and what it depends on, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crate {
    pub name: String,
    /// Normal and build dependencies; development ones may point anywhere.
    pub dependencies: Vec<String>,
}

/// The crates of this workspace; touches no network.
pub fn workspace() -> Result<Vec<Crate>, Error> {
    read_crates(&metadata()?)
}

/// Where cargo puts what it builds; follows `CARGO_TARGET_DIR`.
pub fn target_folder() -> Result<String, Error> {
    let value = metadata()?;
    Ok(text(&value, "target_directory")?.to_owned())
}

fn metadata() -> Result<Value, Error> {
    let output = Command::cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]).output()?;
    serde_json::from_str(&output).map_err(|error| malformed(&error.to_string()))
}

fn read_crates(value: &Value) -> Result<Vec<Crate>, Error> {
    list(value, "packages")?.iter().map(read_crate).collect()
}

fn read_crate(package: &Value) -> Result<Crate, Error> {
    let mut dependencies = Vec::new();
    for dependency in list(package, "dependencies")? {
        // The kind is absent for normal dependencies, and otherwise "build" or "dev".
        if dependency["kind"] != "dev" {
            dependencies.push(text(dependency, "name")?.to_owned());
        }
    }
    Ok(Crate { name: text(package, "name")?.to_owned(), dependencies })
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, Error> {
    value[key].as_array().ok_or_else(|| malformed(&format!("`{key}` is not a list")))
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, Error> {
    value[key].as_str().ok_or_else(|| malformed(&format!("`{key}` is not text")))
}

fn malformed(reason: &str) -> Error {
    Error::Malformed { what: "the output of cargo metadata".to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn development_dependencies_are_left_out() {
        let value = json!({"packages": [{"name": "actum-run", "dependencies": [
            {"name": "actum-model", "kind": null}, {"name": "cc", "kind": "build"}, {"name": "actum-testkit", "kind": "dev"},
        ]}]});
        let crates = read_crates(&value).unwrap();
        assert_eq!(crates[0].dependencies, ["actum-model", "cc"]);
    }

    #[test]
    fn another_shape_is_an_error() {
        assert!(read_crates(&json!({})).is_err());
        assert!(read_crates(&json!({"packages": [{"name": 1}]})).is_err());
    }
}
