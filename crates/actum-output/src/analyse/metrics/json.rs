//! Numbers in JSON: a line of output that is an object, and files of metrics. Literals are kept as they were written.

use super::names::{self, STEPS, Weight};
use super::{Told, number};

/// One number of a JSON value.
struct Leaf<'a> {
    /// The keys that lead to it.
    path: Vec<String>,
    literal: &'a str,
    value: f64,
    /// Where it stands.
    at: usize,
}

/// Deeper than anybody writes a metric.
const DEEPEST: usize = 4;
/// Keys by which a line of a log is told from a line of results.
const LOG: [&str; 6] = ["level", "severity", "msg", "message", "logger", "levelname"];

/// What a line told; none for one that is no object.
pub(super) fn of_line(line: &str) -> Option<Vec<Told>> {
    let line = line.trim();
    if !(line.starts_with('{') && line.ends_with('}')) {
        return None;
    }
    let leaves = leaves(line)?;
    let step = step(&leaves);
    let is_log = LOG.iter().any(|key| line.contains(&format!("\"{key}\"")));
    let weight = |leaf: &Leaf<'_>| names::weight(&leaf.path.join("/"));
    let in_company = step.is_some() || leaves.iter().any(|leaf| weight(leaf) == Weight::Strong);
    let counts = |leaf: &Leaf<'_>| match weight(leaf) {
        Weight::Strong => true,
        Weight::Weak => in_company || leaf.is_fractional(),
        Weight::Unknown => in_company && !is_log,
        Weight::Never => false,
    };
    Some(leaves.into_iter().filter(counts).map(|leaf| leaf.told(step)).collect())
}

/// Everything that a file of metrics tells, with its line. Its name says what it is, so every number counts but steps.
pub(super) fn of_file(text: &str) -> Vec<(Told, u64)> {
    if let Some(leaves) = leaves(text) {
        return of_value(leaves, text, 1);
    }
    let lines = text.lines().zip(1..);
    lines.filter_map(|(line, number)| Some(of_value(leaves(line)?, line, number))).flatten().collect()
}

fn of_value(leaves: Vec<Leaf<'_>>, text: &str, first: u64) -> Vec<(Told, u64)> {
    let step = step(&leaves);
    let (mut line, mut counted) = (first, 0);
    let mut told = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        line += text[counted..leaf.at].bytes().filter(|byte| *byte == b'\n').count() as u64;
        counted = leaf.at;
        if !leaf.path.last().is_some_and(|key| names::is_step(key)) {
            told.push((leaf.told(step), line));
        }
    }
    told
}

/// Every number that keys lead to, steps too.
pub(super) fn numbers(text: &str) -> Option<Vec<Told>> {
    let leaves = leaves(text)?;
    let step = step(&leaves);
    Some(leaves.into_iter().map(|leaf| leaf.told(step)).collect())
}

impl Leaf<'_> {
    fn told(self, step: Option<u64>) -> Told {
        Told { name: self.path.join("/"), literal: self.literal.to_owned(), value: self.value, step }
    }

    fn is_fractional(&self) -> bool {
        self.literal.contains(['.', 'e', 'E'])
    }
}

/// The step that an object names at its top.
fn step(leaves: &[Leaf<'_>]) -> Option<u64> {
    let named = |name: &&str| leaves.iter().find(|leaf| leaf.path.len() == 1 && leaf.path[0] == **name);
    STEPS.iter().find_map(named).and_then(|leaf| number::step(leaf.literal))
}

/// All numbers that keys lead to. None where it is no JSON; what serde takes can be scanned without care.
fn leaves(text: &str) -> Option<Vec<Leaf<'_>>> {
    let is_json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if !is_json(text) && !is_json(&with_plain_numbers(text)?) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut leaves = Vec::new();
    // The key of every value that is open; none for those in lists.
    let mut open: Vec<Option<String>> = Vec::new();
    let mut key: Option<String> = None;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => open.push(key.take()),
            b'}' | b']' => {
                open.pop();
            }
            b',' => key = None,
            b'"' => {
                let end = string_end(bytes, at);
                let is_key = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                key = if is_key { serde_json::from_str(&text[at..end]).ok() } else { None };
                at = end;
                continue;
            }
            b'N' | b'I' | b'-' if not_finite(&text[at..]).is_some() => {
                let literal = not_finite(&text[at..]).unwrap_or_default();
                leaves.extend(key.take().and_then(|key| leaf(&open, key, literal, at)));
                at += literal.len();
                continue;
            }
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                let literal = &text[at..at + bytes[at..].iter().take_while(|byte| is_part(byte)).count()];
                leaves.extend(key.take().and_then(|key| leaf(&open, key, literal, at)));
                at += literal.len();
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Some(leaves)
}

/// What Python's `json` writes for numbers that JSON does not have.
const NOT_FINITE: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The number without digits that begins here.
fn not_finite(text: &str) -> Option<&'static str> {
    NOT_FINITE.into_iter().find(|word| text.starts_with(word))
}

/// The same text with zeros for numbers without digits, at the same places. None where it has none of them.
fn with_plain_numbers(text: &str) -> Option<String> {
    with_numbers_as(text, |word| format!("{:width$}", "0", width = word.len()))
}

/// The same text with numbers without digits as texts: `NaN` as `"NaN"`. None where it has none of them.
pub(super) fn with_text_numbers(text: &str) -> Option<String> {
    with_numbers_as(text, |word| format!("\"{word}\""))
}

/// Writes what stands for a number without digits in another way; strings are left as they are.
fn with_numbers_as(text: &str, form: impl Fn(&str) -> String) -> Option<String> {
    if !NOT_FINITE.iter().any(|word| text.contains(word)) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut changed = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        let word = match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'N' | b'I' | b'-' => not_finite(&text[at..]),
            _ => None,
        };
        let Some(word) = word else {
            at += 1;
            continue;
        };
        changed.push_str(&text[copied..at]);
        changed.push_str(&form(word));
        at += word.len();
        copied = at;
    }
    changed.push_str(&text[copied..]);
    (copied > 0).then_some(changed)
}

fn leaf<'a>(open: &[Option<String>], key: String, literal: &'a str, at: usize) -> Option<Leaf<'a>> {
    // The outermost value has no key of its own.
    let above: Option<Vec<String>> = open.get(1..)?.iter().cloned().collect();
    let path: Vec<String> = above?.into_iter().chain([key]).collect();
    let value = literal.parse().ok()?;
    (path.len() <= DEEPEST).then_some(Leaf { path, literal, value, at })
}

/// The end of the string that begins here.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}
