//! JUnit XML: the file that nearly every runner can write. Also read where it is printed.
//!
//! A scanner for this one format, not a parser of XML: it looks for a handful of elements, skips comments and character
//! data, and never resolves anything. What is not well formed is counted as far as it goes.

use super::{Tally, duration};
use crate::analyse::text::Text;
use actum_model::{Span, Stream, Tests};

/// The tests of a report file. The place is given as lines of that text, on no stream of its own: stdout.
pub fn junit(text: &str) -> Option<Tests> {
    let start = text.find("<testsuite")?;
    let mut reading = Reading { tally: Tally::new(), case: None, suites: 0 };
    let mut rest = &text[start..];
    while let Some(open) = rest.find('<') {
        rest = &rest[open..];
        let length = if rest.starts_with("<![CDATA[") {
            rest.find("]]>").map_or(rest.len(), |end| end + 3)
        } else if rest.starts_with("<!--") {
            rest.find("-->").map_or(rest.len(), |end| end + 3)
        } else {
            let end = tag_end(rest);
            reading.tag(&rest[..end]);
            end
        };
        rest = &rest[length..];
    }
    reading.close_case();
    (reading.suites > 0).then(|| {
        let line = |bytes: &str| 1 + bytes.matches('\n').count() as u64;
        let end = text.rfind("</testsuite").unwrap_or(text.trim_end().len());
        reading.tally.tests("junit", Stream::Stdout, [line(&text[..start]), line(&text[..end])])
    })
}

/// A report that was printed. One that was cut in the middle would be counted wrongly, and is not counted.
pub(super) fn of_stream(stream: Stream, text: &Text) -> Option<Tests> {
    if text.is_cut() {
        return None;
    }
    let (_, bytes) = text.parts().into_iter().next()?;
    junit(&String::from_utf8_lossy(&bytes)).map(|tests| Tests { stream, ..tests })
}

struct Reading {
    tally: Tally,
    case: Option<Case>,
    suites: u64,
}

struct Case {
    name: String,
    verdict: Verdict,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Skipped,
}

impl Reading {
    fn tag(&mut self, tag: &str) {
        let name =
            tag[1..].split(|c: char| c.is_whitespace() || c == '/' || c == '>').next().unwrap_or_default();
        match name {
            "testsuite" => self.open_suite(tag),
            "testcase" => self.open_case(tag),
            "failure" | "error" => self.verdict(Verdict::Failed),
            "skipped" => self.verdict(Verdict::Skipped),
            "" if tag.starts_with("</testcase") => self.close_case(),
            _ => {}
        }
    }

    fn open_suite(&mut self, tag: &str) {
        self.suites += 1;
        if let Some(time) = attribute(tag, "time").and_then(|time| duration(&time)) {
            let sum = self.tally.duration.unwrap_or_default().0.saturating_add(time.0);
            self.tally.duration = Some(Span(sum));
        }
    }

    fn open_case(&mut self, tag: &str) {
        self.close_case();
        let class = attribute(tag, "classname").unwrap_or_default();
        let name = attribute(tag, "name").unwrap_or_default();
        self.tally.suites.add(&class);
        let name = if class.is_empty() { name } else { format!("{class}.{name}") };
        self.case = Some(Case { name, verdict: Verdict::Passed });
        if tag.ends_with("/>") {
            self.close_case();
        }
    }

    fn verdict(&mut self, verdict: Verdict) {
        if let Some(case) = self.case.as_mut().filter(|case| case.verdict != Verdict::Failed) {
            case.verdict = verdict;
        }
    }

    fn close_case(&mut self) {
        let Some(case) = self.case.take() else { return };
        match case.verdict {
            Verdict::Passed => self.tally.passed += 1,
            Verdict::Skipped => self.tally.skipped += 1,
            Verdict::Failed => {
                self.tally.failed += 1;
                self.tally.name(&case.name);
            }
        }
    }
}

/// The length of a tag, where a `>` inside quotes does not close it.
fn tag_end(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None | Some(_), _) => {}
        }
    }
    text.len()
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (at, _) = tag.match_indices(name).find(|(at, _)| {
        let before = tag[..*at].ends_with(|c: char| c.is_ascii_whitespace());
        before && tag[at + name.len()..].trim_start().starts_with('=')
    })?;
    let value = tag[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let value = value[1..].split(quote).next()?;
    Some(unescape(value))
}

/// The five named entities; numbered ones stay as they are, for they are line feeds and the like.
fn unescape(value: &str) -> String {
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    named.iter().fold(value.to_owned(), |text, (entity, character)| text.replace(entity, character))
}
