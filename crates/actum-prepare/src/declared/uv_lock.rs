//! `uv.lock` with the `pyproject.toml` beside it: judged, and written anew from what was judged, so that uv reads nothing else.

use super::refused;
use crate::error::PrepareError;
use crate::requirement::is_name;
use crate::wanted::ProjectLock;
use serde_json::Value as Json;
use std::path::Path;
use toml::{Table, Value};

/// Reads a lock. Every package comes from an index; only the project itself is a folder.
pub(super) fn read(path: &Path, project: &Table, text: &str) -> Result<ProjectLock, PrepareError> {
    let path = path.with_file_name("uv.lock");
    let wrong = |what: &str, why| refused(&path, what, why);
    let lock: Table = text.parse().map_err(|_| wrong("", "it is not a uv lock file"))?;
    // An older name of the same list.
    if lock.contains_key("distribution") {
        return Err(wrong(
            "distribution",
            "it was written by an old version of uv: update it with `uv lock`",
        ));
    }
    let own = project.get("project").and_then(|part| part.get("name")).and_then(Value::as_str);
    let own = own.map(crate::bare);
    let entries = match lock.get("package") {
        Some(list) => list.as_array().ok_or_else(|| wrong("package", "it is not a uv lock file"))?.as_slice(),
        None => &[],
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        if !is_name(name) {
            return Err(wrong(name, "it is not a package name"));
        }
        match source(entry) {
            Source::Index => names.push(name.to_owned()),
            Source::Project if own == Some(crate::bare(name)) => {}
            Source::Project | Source::Elsewhere => {
                return Err(wrong(name, "it is a URL; only packages from the index are supported"));
            }
        }
    }
    Ok(ProjectLock { project: document(&minimal(project)), lock: document(&lock), names })
}

/// A document of TOML, each key of it on one line.
fn document(table: &Table) -> String {
    table.iter().map(|(key, value)| format!("{} = {}\n", quoted(key), written(value))).collect()
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}").replace("NaN", "nan"),
        Value::Boolean(flag) => flag.to_string(),
        Value::Datetime(moment) => moment.to_string(),
        Value::Array(list) => format!("[{}]", list.iter().map(written).collect::<Vec<_>>().join(", ")),
        Value::Table(table) => {
            let pair = |(key, value): (&String, &Value)| format!("{} = {}", quoted(key), written(value));
            format!("{{ {} }}", table.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A basic string: what JSON escapes TOML escapes in the same way, and the one character that JSON leaves is added.
fn quoted(text: &str) -> String {
    Json::from(text).to_string().replace('\u{7f}', "\\u007f")
}

enum Source {
    Index,
    /// The folder that the lock is in.
    Project,
    Elsewhere,
}

/// One kind with one text. With two kinds, which of them counts would be uv's choice.
fn source(entry: &Value) -> Source {
    let Some(source) = entry.get("source") else { return Source::Index };
    let mut kinds = source.as_table().into_iter().flatten();
    match (kinds.next(), kinds.next()) {
        (Some((kind, Value::String(_))), None) if kind == "registry" => Source::Index,
        (Some((kind, Value::String(place))), None) if ["virtual", "editable"].contains(&kind.as_str()) => {
            if place == "." {
                Source::Project
            } else {
                Source::Elsewhere
            }
        }
        _ => Source::Elsewhere,
    }
}

/// What uv needs of a project to read its lock: its name, and which groups there are.
fn minimal(project: &Table) -> Table {
    let part =
        |table: &Table, name: &str| table.get(name).and_then(Value::as_table).cloned().unwrap_or_default();
    let theirs = part(project, "project");
    let text = |name: &str| theirs.get(name).filter(|value| value.is_str()).cloned();
    let mut own = Table::new();
    own.extend(text("name").map(|name| ("name".to_owned(), name)));
    own.insert("version".to_owned(), text("version").unwrap_or_else(|| Value::String("0".to_owned())));
    own.extend(text("requires-python").map(|range| ("requires-python".to_owned(), range)));
    let groups = part(project, "dependency-groups");
    let groups = groups.keys().filter(|name| is_name(name));
    let groups: Table = groups.map(|name| (name.clone(), Value::Array(Vec::new()))).collect();
    let defaults = part(&part(project, "tool"), "uv").get("default-groups").cloned();
    let is_list = |value: &Value| {
        let is_list_of_names = |list: &Vec<Value>| list.iter().all(|one| one.as_str().is_some_and(is_name));
        value.as_array().is_some_and(is_list_of_names) || value.as_str() == Some("all")
    };
    let uv: Table =
        defaults.filter(is_list).map(|list| ("default-groups".to_owned(), list)).into_iter().collect();
    let tool: Table = [("uv".to_owned(), Value::Table(uv))].into_iter().collect();
    [("project", own), ("dependency-groups", groups), ("tool", tool)]
        .map(|(name, table)| (name.to_owned(), Value::Table(table)))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_lock(source: &str, name: &str) -> Result<ProjectLock, PrepareError> {
        let project: Table =
            "[project]\nname = 'My_App'\n[tool.uv.sources]\nx = { path = '/' }\n".parse().unwrap();
        let text = format!("version = 1\n[[package]]\nname = \"{name}\"\nversion = \"1\"\n{source}\n");
        read(Path::new("/p/pyproject.toml"), &project, &text)
    }

    #[test]
    fn every_package_of_a_lock_comes_from_an_index() {
        for (source, name, is_taken) in [
            ("source = { registry = 'https://a.example/simple' }", "x", true),
            ("source = { virtual = '.' }", "my-app", true),
            ("source = { editable = '.' }", "my-app", true),
            ("source = { virtual = '.' }", "x", false),
            ("source = { virtual = '.', registry = 'https://a.example/simple' }", "x", false),
            ("source = { virtual = '.', registry = 'https://a.example/simple' }", "my-app", false),
            ("source = { virtual = '.', url = 'https://a.example/x.whl' }", "my-app", false),
            ("source = { registry = 5, url = 'https://a.example/x.whl' }", "x", false),
            ("source = { registry = 5 }", "x", false),
            ("source = { editable = '../x' }", "my-app", false),
            ("source = { git = 'https://a.example/x' }", "x", false),
            ("source = 'registry+https://a.example'", "x", false),
            ("source = {}", "x", false),
            ("source = { registry = 'https://a.example/simple' }", "x @ y", false),
        ] {
            assert_eq!(read_lock(source, name).is_ok(), is_taken, "{name}: {source}");
        }
        let project = Table::new();
        for text in ["package = 5", "[[distribution]]\nname = 'x'\n", "["] {
            assert!(read(Path::new("/p/pyproject.toml"), &project, text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_written_parses_to_the_same() {
        let text = "a = 1\nb = [1.5, true, 'x\"y\\z']\n\"k \\n\\u007f\" = \"l\\n\\t\\u0001\"\nd = 2024-06-18T00:00:00Z\n[[p]]\nn = 'x'\n[p.q]\nr = []\n";
        let table: Table = text.parse().unwrap();
        assert_eq!(document(&table).parse::<Table>().unwrap(), table);
    }

    #[test]
    fn a_project_is_handed_on_without_its_settings() {
        let lock = read_lock("source = { registry = 'r' }", "x").unwrap();
        assert_eq!(lock.names, ["x"]);
        assert!(lock.project.contains("My_App") && !lock.project.contains("sources"), "{}", lock.project);
    }
}
