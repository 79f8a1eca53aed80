//! The corpus: answers with what is expected of each block, many in a file.
//!
//! ```text
//! === a name of the case | answer.md
//! = run python 3-5 path=app.py why="is the file"
//! ---
//! the answer, up to the next case
//! ```
//!
//! A line for each block: disposition, language (`-` for none), lines; then what else is to hold: `path`, `session`, `of`
//! (whose output), `instead`, `needs` (packages), `out` (lines left out), `kind`, `holds`, `why` (words in the reason or a warning), and
//! as JSON strings `text` (what is run or written) and `expected`. A case whose name ends in `(escaped)` has `\r`, `\u…` and their kin
//! in its answer; `= error WORDS` says that it cannot be read.

use actum_model::Block;
use std::path::Path;

pub struct Case {
    pub name: String,
    pub file: String,
    pub answer: Vec<u8>,
    pub expected: Vec<String>,
}

/// Every case of every file.
pub fn all() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| cases(&std::fs::read_to_string(file).unwrap(), file)).collect()
}

fn cases(text: &str, file: &Path) -> Vec<Case> {
    let stem = file.file_stem().unwrap().to_string_lossy();
    let parts = format!("\n{text}");
    parts.split("\n=== ").skip(1).map(|part| case(part, &stem)).collect()
}

fn case(part: &str, stem: &str) -> Case {
    let (head, answer) = part.split_once("\n---\n").unwrap_or_else(|| panic!("{stem}: no answer in {part}"));
    let mut lines = head.lines();
    let title = lines.next().unwrap();
    let (name, file) = title.split_once(" | ").unwrap_or((title, "answer.md"));
    let expected =
        lines.map(|line| line.strip_prefix("= ").unwrap_or_else(|| panic!("{stem}: {line}")).to_owned());
    let is_escaped = name.ends_with("(escaped)");
    let answer = if is_escaped { unescaped(answer) } else { format!("{answer}\n").into_bytes() };
    Case { name: format!("{stem}: {name}"), file: file.to_owned(), answer, expected: expected.collect() }
}

/// `\r`, `\n`, `\0`, `\xff` and `\\`; lines themselves do not count.
fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut letters = text.chars().filter(|letter| *letter != '\n');
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.extend(letter.to_string().bytes());
            continue;
        }
        match letters.next().unwrap() {
            'r' => out.push(b'\r'),
            'n' => out.push(b'\n'),
            't' => out.push(b'\t'),
            '0' => out.push(0),
            'x' => {
                let digits: String = letters.by_ref().take(2).collect();
                out.push(u8::from_str_radix(&digits, 16).unwrap());
            }
            other => out.extend(other.to_string().bytes()),
        }
    }
    out
}

/// What came out, as an expectation writes it: with the keys that are asked for.
pub fn told(block: &Block, expected: Option<&String>) -> String {
    let language = if block.language.is_empty() { "-" } else { &block.language };
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let disposition = word(&serde_json::to_value(block.disposition).unwrap());
    let mut line = format!("{disposition} {language} {}-{}", block.lines[0], block.lines[1]);
    for (key, value) in keys(expected.map(String::as_str).unwrap_or_default()) {
        let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        let found = match key.as_str() {
            "path" => block.path.clone().unwrap_or_default(),
            "session" => number(block.session),
            "of" => number(block.output_of),
            "instead" => number(block.instead_of),
            "needs" => {
                block.requirements.iter().map(|one| one.package.as_str()).collect::<Vec<_>>().join(",")
            }
            "out" => block
                .left_out
                .as_ref()
                .map(|one| format!("{}-{}", one.lines[0], one.lines[1]))
                .unwrap_or_default(),
            "kind" => word(&serde_json::to_value(block.kind).unwrap()),
            "holds" => word(&serde_json::to_value(block.holds).unwrap()),
            "text" => serde_json::to_string(block.text()).unwrap(),
            "expected" => serde_json::to_string(block.expected.as_deref().unwrap_or_default()).unwrap(),
            "why" => reason(block, value.trim_matches('"')),
            other => panic!("no key is called {other}"),
        };
        line.push_str(&format!(" {key}={found}"));
    }
    line
}

/// The words that were looked for, or all there are.
fn reason(block: &Block, words: &str) -> String {
    let all = format!(
        "{} {} {}",
        block.why,
        block.warnings.join(" "),
        block.truncated.as_deref().unwrap_or_default()
    );
    format!("\"{}\"", if all.contains(words) { words } else { all.trim() })
}

/// What stands behind the lines: `key=value`, where a value in quotation marks may hold spaces.
fn keys(line: &str) -> Vec<(String, String)> {
    let mut rest = line.splitn(4, ' ').nth(3).unwrap_or_default();
    let mut keys = Vec::new();
    while let Some((key, value)) = rest.trim_start().split_once('=') {
        let end = match value.starts_with('"') {
            true => 1 + closing(&value[1..]) + 1,
            false => value.find(' ').unwrap_or(value.len()),
        };
        keys.push((key.to_owned(), value[..end].to_owned()));
        rest = &value[end..];
    }
    keys
}

fn closing(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if !is_escaped => return at,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    panic!("a value is not closed: {text}")
}
