//! Samples: lines of JSON become programs with a name, a command, and what is known about them.

use super::asked::Set;
use crate::error::Error;
use serde_json::Value;
use std::fs;

/// One program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    pub id: String,
    /// What it is counted under: a language, or the name of the set.
    pub class: String,
    /// The file's name, and what is in it.
    pub file: &'static str,
    pub text: String,
    /// The words after `actum run` and its options.
    pub words: Vec<&'static str>,
    pub known: Known,
    pub yardstick: Yardstick,
    /// Packages that it needs, where the sample says so.
    pub packages: Option<Vec<String>>,
}

/// What is known about a program before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It works.
    Right,
    /// It is wrong, or cut off: a success would be a lie.
    Wrong,
    /// Nobody tried.
    Untried,
}

/// Who says whether a program works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yardstick {
    /// The sample itself, or nobody.
    Told,
    /// A run without Actum, where a sample is small and tells nothing.
    Bare,
}

/// All samples of a set.
pub fn read(folder: &str, set: Set) -> Result<Vec<Sample>, Error> {
    let path = format!("{folder}/{}", set.file());
    let text = fs::read_to_string(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
    let lines = text.lines().filter(|line| !line.trim().is_empty()).enumerate();
    lines
        .map(|(number, line)| {
            let malformed =
                |reason: String| Error::Malformed { what: format!("{path}:{}", number + 1), reason };
            let value: Value = serde_json::from_str(line).map_err(|error| malformed(error.to_string()))?;
            one(set, &value).ok_or_else(|| malformed("no id, language or code".to_owned()))
        })
        .collect()
}

fn one(set: Set, value: &Value) -> Option<Sample> {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let (id, language, code) = (text("id")?, text("language")?, text("code")?);
    let program = match text("tests") {
        Some(tests) => format!("{code}\n{tests}"),
        None => code,
    };
    let names = |list: &Vec<Value>| list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let (class, file, words) = match set {
        Set::BigCodeBench => {
            (set.name().to_owned(), "program.py", vec!["--", "python", "-m", "unittest", "program.py"])
        }
        Set::Small => (language.clone(), file(&language)?, vec![file(&language)?]),
        Set::Answers => (set.name().to_owned(), "answer.md", vec!["answer.md"]),
    };
    let known = known(set, value);
    let yardstick = match (set, known) {
        (Set::Small, Known::Untried) => Yardstick::Bare,
        (Set::Small | Set::BigCodeBench | Set::Answers, _) => Yardstick::Told,
    };
    Some(Sample {
        id,
        class,
        file,
        text: program,
        words,
        known,
        yardstick,
        packages: value["packages"].as_array().map(names),
    })
}

/// A class of Java must be in a file of its name, and all of these are called Main.
fn file(language: &str) -> Option<&'static str> {
    let files = [
        ("python", "program.py"),
        ("javascript", "program.js"),
        ("typescript", "program.ts"),
        ("java", "Main.java"),
        ("cpp", "program.cpp"),
        ("ruby", "program.rb"),
        ("php", "program.php"),
        ("csharp", "program.cs"),
        ("kotlin", "program.kt"),
    ];
    files.iter().find(|(name, _)| *name == language).map(|(_, file)| *file)
}

fn known(set: Set, value: &Value) -> Known {
    match (set, &value["expected"]["checked_here"]) {
        (Set::Small, Value::Bool(false)) => Known::Wrong,
        (Set::Small, Value::Null) if value["expected"].get("checked_here").is_some() => Known::Untried,
        (Set::Answers, _) => Known::Untried,
        (Set::Small | Set::BigCodeBench, _) => Known::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_becomes_a_program() {
        let row = json!({ "id": "B/1", "language": "python", "code": "a = 1", "tests": "b = a",
            "packages": ["numpy"], "expected": { "kind": "unittest" } });
        let sample = one(Set::BigCodeBench, &row).unwrap();
        assert_eq!((sample.text.as_str(), sample.known), ("a = 1\nb = a", Known::Right));
        assert_eq!(sample.words, ["--", "python", "-m", "unittest", "program.py"]);
        assert_eq!(sample.packages.as_deref(), Some(&["numpy".to_owned()][..]));
        assert_eq!(one(Set::BigCodeBench, &json!({ "id": "B/1" })), None);
    }

    #[test]
    fn what_is_known_to_be_wrong_is_not_expected_to_run() {
        let row = |language: &str, expected: Value| {
            let row = json!({ "id": "S/1", "language": language, "code": "x", "expected": expected });
            one(Set::Small, &row).map(|sample| (sample.file, sample.known))
        };
        let cases = [
            ("java", json!({ "checked_here": true }), Some(("Main.java", Known::Right))),
            ("typescript", json!({ "checked_here": false }), Some(("program.ts", Known::Wrong))),
            ("php", json!({ "checked_here": null }), Some(("program.php", Known::Untried))),
            ("python", json!({ "kind": "exit 0" }), Some(("program.py", Known::Right))),
            ("cobol", json!({}), None),
        ];
        for (language, expected, sample) in cases {
            assert_eq!(row(language, expected), sample, "{language}");
        }
    }
}
