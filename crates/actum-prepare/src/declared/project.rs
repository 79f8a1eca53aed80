//! `pyproject.toml`: the dependencies of `[project]`, else those of Poetry.

use super::{Declared, refused};
use crate::error::PrepareError;
use crate::requirement::is_name;
use std::path::Path;
use toml::{Table, Value};

/// Reads it, with the lock beside it where there is one.
pub(super) fn read(path: &Path, text: &str, lock: Option<String>) -> Result<Declared, PrepareError> {
    let table: Table = text.parse().map_err(|_| refused(path, "", "it is not TOML"))?;
    let mut declared = Declared { files: vec![path.to_path_buf()], ..Declared::default() };
    let project = table.get("project").and_then(Value::as_table);
    if let Some(project) = project {
        declared.python = project.get("requires-python").and_then(Value::as_str).map(str::to_owned);
        for line in strings(project.get("dependencies")) {
            super::requirements::package(&mut declared, path, line)?;
        }
        let dynamic = strings(project.get("dynamic")).any(|name| name == "dependencies");
        if dynamic && lock.is_none() {
            let note = "the project computes its dependencies at build time, so they are unknown";
            declared.notes.push(note.to_owned());
        }
    }
    if let Some(lock) = lock {
        declared.files.push(path.with_file_name("uv.lock"));
        declared.lock = Some(super::uv_lock::read(path, &table, &lock)?);
        return Ok(declared);
    }
    let poetry =
        table.get("tool").and_then(|tool| tool.get("poetry")).and_then(|poetry| poetry.get("dependencies"));
    if let (true, Some(list)) = (declared.requirements.is_empty(), poetry.and_then(Value::as_table)) {
        poetry_list(path, list, &mut declared)?;
    }
    Ok(declared)
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn poetry_list(path: &Path, list: &Table, declared: &mut Declared) -> Result<(), PrepareError> {
    for (name, value) in list {
        let version = match value {
            Value::String(version) => version.as_str(),
            Value::Table(table) if table.get("optional").and_then(Value::as_bool) == Some(true) => continue,
            Value::Table(table) => match table.get("version").and_then(Value::as_str) {
                Some(version) => version,
                None => {
                    return Err(refused(
                        path,
                        name,
                        "it is a URL; only packages from the index are supported",
                    ));
                }
            },
            Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => {
                return Err(refused(path, name, "its version is not a string"));
            }
        };
        let range = range(version).ok_or_else(|| refused(path, name, "its version cannot be parsed"))?;
        if name == "python" {
            declared.python = declared.python.take().or(Some(range));
        } else {
            if !is_name(name) {
                return Err(refused(path, name, "it is not a package name"));
            }
            super::requirements::package(declared, path, &format!("{name}{range}"))?;
        }
    }
    Ok(())
}

/// Poetry's ranges in the words of PEP 440. None where a part is not understood.
fn range(text: &str) -> Option<String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "*");
    let parts: Option<Vec<String>> = parts.map(bound).collect();
    parts.map(|parts| parts.join(","))
}

fn bound(text: &str) -> Option<String> {
    let is_version = |text: &str| {
        text.chars().all(|c| c.is_ascii_alphanumeric() || ".*+-!".contains(c)) && !text.is_empty()
    };
    if let Some(version) = text.strip_prefix('^').map(str::trim) {
        return Some(format!(">={version},<{}", above(version, first_of_weight(version)?)?));
    }
    if let Some(version) = text.strip_prefix('~').filter(|rest| !rest.starts_with('=')).map(str::trim) {
        return Some(format!(">={version},<{}", above(version, 1.min(version.split('.').count() - 1))?));
    }
    let start = text.find(|c: char| !"<>=!~ ".contains(c))?;
    let (how, version) = (text[..start].trim(), text[start..].trim());
    if !is_version(version) {
        return None;
    }
    Some(if how.is_empty() { format!("=={version}") } else { format!("{how}{version}") })
}

/// Which number of a caret's version must not change: the first that is not zero.
fn first_of_weight(version: &str) -> Option<usize> {
    let numbers: Vec<u64> = version.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    Some(numbers.iter().position(|number| *number > 0).unwrap_or(numbers.len() - 1))
}

/// The version in which the number at this place is one more.
fn above(version: &str, place: usize) -> Option<String> {
    let mut numbers: Vec<u64> = version.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    numbers.truncate(place + 1);
    *numbers.last_mut()? = numbers.last()?.checked_add(1)?;
    Some(numbers.iter().map(u64::to_string).collect::<Vec<_>>().join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_poetry_are_translated() {
        for (theirs, ours) in [
            ("^1.2.3", ">=1.2.3,<2"),
            ("^0.2.3", ">=0.2.3,<0.3"),
            ("^0.0.3", ">=0.0.3,<0.0.4"),
            ("^3.9", ">=3.9,<4"),
            ("~1.2.3", ">=1.2.3,<1.3"),
            ("~1", ">=1,<2"),
            ("*", ""),
            (">=1.0, <2", ">=1.0,<2"),
            ("1.4.0", "==1.4.0"),
            ("==1.4.*", "==1.4.*"),
        ] {
            assert_eq!(range(theirs).as_deref(), Some(ours), "{theirs}");
        }
        for odd in ["^x", "~", "latest || 2", "1.0;rm"] {
            assert_eq!(range(odd), None, "{odd}");
        }
    }

    #[test]
    fn neither_names_nor_versions_carry_a_second_line() {
        for text in [
            "[project]\ndependencies = [\"goodpkg>=0\\nevilpkg\"]",
            "[project]\ndependencies = [\"goodpkg\\r-r /etc/passwd\"]",
            "[project]\ndependencies = [\"-r other.txt\"]",
            "[tool.poetry.dependencies]\n\"goodpkg @ http://h/goodpkg.whl\\nevilpkg\" = '*'",
            "[tool.poetry.dependencies]\n\"-r /etc/passwd\\ngoodpkg\" = '*'",
            "[tool.poetry.dependencies]\n\"-r /etc/passwd\" = '*'",
            "[tool.poetry.dependencies]\n\"goodpkg[x]\" = '*'",
            "[tool.poetry.dependencies]\n\"\" = '*'",
            "[tool.poetry.dependencies]\ngoodpkg = \"^1\\nevilpkg\"",
            "[tool.poetry.dependencies]\ngoodpkg = \">=1\\nevilpkg\"",
            "[tool.poetry.dependencies]\ngoodpkg = { version = \"1\\n-r x\" }",
        ] {
            assert!(read(Path::new("/p/pyproject.toml"), text, None).is_err(), "{text}");
        }
    }

    #[test]
    fn a_project_of_poetry_is_read() {
        let text = "[tool.poetry.dependencies]\npython = '^3.9'\nrequests = '^2.0'\nextra = {version = '*', optional = true}\nrich = {version = '>=10'}\n";
        let found = read(Path::new("/p/pyproject.toml"), text, None).unwrap();
        assert_eq!(found.requirements, ["requests>=2.0,<3", "rich>=10"]);
        assert_eq!(found.python.as_deref(), Some(">=3.9,<4"));
        assert!(
            read(
                Path::new("/p/pyproject.toml"),
                "[tool.poetry.dependencies]\nx = {git = 'https://a.example'}",
                None
            )
            .is_err()
        );
        assert!(read(Path::new("/p/pyproject.toml"), "[project", None).is_err());
        assert!(
            read(
                Path::new("/p/pyproject.toml"),
                "[project]\ndependencies = ['x @ https://a.example/x.whl']",
                None
            )
            .is_err()
        );
    }

    proptest::proptest! {
        #[test]
        fn any_range_is_translated_or_refused(text in "[\\^~<>=!0-9.*, a]{0,20}") {
            let _ = range(&text);
        }
    }
}
