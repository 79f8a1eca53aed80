//! Cases: what a program is given, and what it has to print then. From a table (TOML, CSV, JSON or JSON lines) or from a
//! folder of small files.
//!
//! | of a table | of a folder | meaning |
//! |---|---|---|
//! | `name` | the name before the ending | how it is called |
//! | `stdin` | `NAME.in` | what it reads |
//! | `args` | `NAME.args`, one a line | its arguments: a list, or words with blanks between them |
//! | `stdout`, `exit`, `stdout-json`, … | `NAME.out`, `NAME.exit`, `NAME.json` | what is expected, in the words of expectations |
//!
//! Without another word a case expects exit code 0.

use crate::error::JudgeError;
use crate::read::{self, Settings};
use actum_model::Expectation;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One case, as it is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    pub name: String,
    pub stdin: Vec<u8>,
    pub arguments: Vec<String>,
    pub expectations: Vec<Expectation>,
}

/// More is a test suite of its own.
const MOST: usize = 10_000;

/// The cases of a table, by the ending of its name.
pub fn of_table(name: &str, text: &str) -> Result<Vec<Given>, JudgeError> {
    let wrong = |why: String| JudgeError::NoCases { from: name.to_owned(), why };
    let rows = match name.rsplit('.').next().unwrap_or_default() {
        "toml" => of_toml(text),
        "csv" => of_csv(text),
        "jsonl" | "ndjson" => of_json_lines(text),
        "json" => serde_json::from_str(text).map_err(|error| error.to_string()),
        _ => Err("a table of cases is a .toml, .csv, .json or .jsonl file".to_owned()),
    };
    let rows = rows.map_err(wrong)?;
    if rows.is_empty() || rows.len() > MOST {
        return Err(wrong(format!("it has {} cases; 1 to {MOST} are allowed", rows.len())));
    }
    rows.into_iter().zip(1..).map(|(row, number)| given(row, number, name)).collect()
}

fn of_toml(text: &str) -> Result<Vec<Map<String, Value>>, String> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Whole {
        case: Vec<Map<String, Value>>,
    }
    let whole: Whole = toml::from_str(text).map_err(|error| error.message().trim().to_owned())?;
    Ok(whole.case)
}

fn of_json_lines(text: &str) -> Result<Vec<Map<String, Value>>, String> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, number)| serde_json::from_str(line).map_err(|error| format!("line {number}: {error}")))
        .collect()
}

/// A field that is empty says nothing; empty output is expected as `stdout-json` or in another form of table.
fn of_csv(text: &str) -> Result<Vec<Map<String, Value>>, String> {
    let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let names = reader.headers().map_err(|error| error.to_string())?.clone();
    let row = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record.map_err(|error| format!("malformed rows: {error}"))?;
        let fields = names.iter().zip(record.iter()).filter(|(_, field)| !field.is_empty());
        Ok(fields.map(|(name, field)| (name.trim().to_owned(), Value::String(field.to_owned()))).collect())
    };
    reader.records().map(row).collect()
}

fn given(mut row: Map<String, Value>, number: usize, from: &str) -> Result<Given, JudgeError> {
    let wrong =
        |why: &str| JudgeError::NoCases { from: from.to_owned(), why: format!("case {number}: {why}") };
    let name = match row.remove("name") {
        None => number.to_string(),
        Some(Value::String(name)) => name,
        Some(other) => other.to_string(),
    };
    let stdin = match row.remove("stdin") {
        None => Vec::new(),
        Some(Value::String(text)) => text.into_bytes(),
        Some(_) => return Err(wrong("`stdin` must be a string")),
    };
    let arguments = row.remove("args").map_or(Some(Vec::new()), |value| arguments(&value));
    let arguments = arguments.ok_or_else(|| wrong("`args` must be a list of strings"))?;
    let expectations = read::table(&row, &Settings::default())?;
    Ok(Given { name, stdin, arguments, expectations: complete(expectations) })
}

/// Words with blanks between them, or a list; a text that is a list of JSON is one.
fn arguments(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) if text.trim_start().starts_with('[') => match serde_json::from_str(text) {
            Ok(list @ Value::Array(_)) => arguments(&list),
            Ok(_) | Err(_) => None,
        },
        Value::String(text) => Some(text.split_whitespace().map(str::to_owned).collect()),
        Value::Array(words) => words.iter().map(word).collect(),
        Value::Number(_) => Some(vec![value.to_string()]),
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Exit code 0, where nothing else is expected of it.
fn complete(mut expectations: Vec<Expectation>) -> Vec<Expectation> {
    if !expectations.iter().any(|one| matches!(one, Expectation::Exit { .. })) {
        expectations.insert(0, Expectation::Exit { code: 0 });
    }
    expectations
}

/// The cases of a folder: its files by their names.
pub fn of_folder(from: &str, files: &[(String, Vec<u8>)]) -> Result<Vec<Given>, JudgeError> {
    let wrong = |why: String| JudgeError::NoCases { from: from.to_owned(), why };
    let mut rows: BTreeMap<&str, Given> = BTreeMap::new();
    for (name, bytes) in files {
        let Some((stem, ending)) = name.rsplit_once('.') else { continue };
        if !["in", "args", "out", "err", "exit", "json"].contains(&ending) {
            continue;
        }
        let empty = || Given {
            name: stem.to_owned(),
            stdin: Vec::new(),
            arguments: Vec::new(),
            expectations: Vec::new(),
        };
        let given = rows.entry(stem).or_insert_with(empty);
        let text = String::from_utf8_lossy(bytes).into_owned();
        match ending {
            "in" => given.stdin.clone_from(bytes),
            "args" => given.arguments = text.lines().map(str::to_owned).collect(),
            kind => {
                let kind = match kind {
                    "out" => "stdout",
                    "err" => "stderr",
                    "json" => "stdout-json",
                    other => other,
                };
                let row = Map::from_iter([(kind.to_owned(), Value::String(text))]);
                given.expectations.extend(read::table(&row, &Settings::default())?);
            }
        }
    }
    if rows.is_empty() || rows.len() > MOST {
        return Err(wrong(format!(
            "it has {} cases; a case consists of NAME.in, NAME.args and NAME.out",
            rows.len()
        )));
    }
    let whole = |given: Given| Given { expectations: complete(given.expectations), ..given };
    Ok(rows.into_values().map(whole).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(given: &Given) -> Vec<String> {
        given.expectations.iter().map(Expectation::name).collect()
    }

    #[test]
    fn every_form_of_table_says_the_same() {
        let toml = "[[case]]\nname = 'two'\nstdin = \"2\\n\"\nargs = ['-x', 'a b']\nstdout = '4'\n";
        let csv = "name,stdin,args,stdout\ntwo,\"2\n\",\"[\"\"-x\"\", \"\"a b\"\"]\",4\n";
        let line = r#"{"name": "two", "stdin": "2\n", "args": ["-x", "a b"], "stdout": "4"}"#;
        let tables = [
            ("a.toml", toml.to_owned()),
            ("a.csv", csv.to_owned()),
            ("a.jsonl", format!("{line}\n\n")),
            ("a.json", format!("[{line}]")),
        ];
        let read: Vec<Vec<Given>> = tables.iter().map(|(name, text)| of_table(name, text).unwrap()).collect();
        assert!(read.windows(2).all(|pair| pair[0] == pair[1]), "{read:?}");
        let one = &read[0][0];
        assert_eq!(
            (one.name.as_str(), one.stdin.as_slice(), one.arguments.as_slice()),
            ("two", b"2\n".as_slice(), ["-x".to_owned(), "a b".to_owned()].as_slice())
        );
        assert_eq!(names(one), ["exit", "stdout"]);
    }

    #[test]
    fn what_is_no_table_of_cases_is_told() {
        for (name, text, why) in [
            ("a.toml", "case = []", "it has 0 cases"),
            ("a.toml", "[[cases]]\n", "unknown field"),
            ("a.csv", "name,stdin\na,b,c\n", "malformed rows"),
            ("a.jsonl", "{\"stdout\": \"x\"}\n{", "line 2"),
            ("a.txt", "", "a table of cases is"),
            ("a.json", "[{\"stdin\": 3}]", "case 1: `stdin` must be a string"),
            ("a.json", "[{\"args\": {}}]", "case 1: `args` must be a list of strings"),
            ("a.json", "[{\"outstd\": \"x\"}]", "`outstd` is not a kind of expectation"),
        ] {
            let told = of_table(name, text).unwrap_err().to_string();
            assert!(told.contains(why), "{text}: {told}");
        }
    }

    #[test]
    fn a_folder_of_small_files() {
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let files = [
            file("b.in", "x"),
            file("a.args", "-n\n3 4\n"),
            file("a.out", "7\n"),
            file("b.exit", "2\n"),
            file("README.md", ""),
        ];
        let read = of_folder("cases", &files).unwrap();
        assert_eq!(
            (read[0].name.as_str(), read[0].arguments.len(), names(&read[0])),
            ("a", 2, vec!["exit".to_owned(), "stdout".to_owned()])
        );
        assert_eq!(
            (read[1].stdin.as_slice(), &read[1].expectations),
            (b"x".as_slice(), &vec![Expectation::Exit { code: 2 }])
        );
        assert!(of_folder("cases", &[file("x", "")]).is_err());
    }
}
