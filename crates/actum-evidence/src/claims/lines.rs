//! What a run printed, as lines; and how many rows a file has.

use actum_claims::PrintedLine;
use actum_model::{Held, Record, Stream};
use actum_store::Reader;
use std::io::Read;

/// The lines that are looked at.
pub(super) struct Lines {
    pub(super) lines: Vec<PrintedLine>,
    pub(super) is_cut: bool,
}

/// A stream up to this size is read whole; of a longer one the end, where results stand.
const MOST: u64 = 4 << 20;
const MOST_LINES: usize = 20_000;
const LONGEST: usize = 2000;

/// Both streams.
pub(super) fn lines(reader: &Reader, record: &Record) -> Lines {
    let mut found = Lines { lines: Vec::new(), is_cut: false };
    for (stream, held) in [(Stream::Stdout, &record.stdout), (Stream::Stderr, &record.stderr)] {
        found.read(reader, stream, held);
    }
    found
}

impl Lines {
    fn read(&mut self, reader: &Reader, stream: Stream, held: &Held) {
        if held.bytes.0 == 0 {
            return;
        }
        let Ok(mut blob) = reader.blob(&held.sha256) else { return };
        let mut bytes = Vec::new();
        // A long stream is passed over to its end; its lines are counted on the way.
        let skipped = held.bytes.0.saturating_sub(MOST);
        let mut feeds = 0;
        let mut buffer = vec![0; 64 << 10];
        let mut left = skipped;
        while left > 0 {
            let most = buffer.len().min(usize::try_from(left).unwrap_or(buffer.len()));
            match blob.read(&mut buffer[..most]) {
                Ok(0) | Err(_) => break,
                Ok(length) => {
                    feeds += buffer[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
                    left -= length as u64;
                }
            }
        }
        if blob.read_to_end(&mut bytes).is_err() {
            return;
        }
        self.is_cut |= skipped > 0;
        let text = String::from_utf8_lossy(&bytes);
        let all: Vec<&str> = text.split('\n').collect();
        let first = all.len().saturating_sub(MOST_LINES);
        for (at, line) in all.iter().enumerate().skip(first) {
            let shown = line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default();
            let text: String = plain(shown).chars().take(LONGEST).collect();
            if !text.trim().is_empty() {
                self.lines.push(PrintedLine {
                    stream: stream.name().to_owned(),
                    number: feeds + at as u64 + 1,
                    text,
                });
            }
        }
    }
}

/// Without colours.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        if character == '\u{1b}' {
            // A sequence ends with a letter.
            for next in rest.by_ref() {
                if next.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// How much a file holds.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) rows: Option<u64>,
    pub(super) lines: Option<u64>,
    pub(super) columns: Option<u64>,
}

/// Rows of a table without its header, items of a list, lines of lines.
pub(super) fn rows(path: &str, bytes: &[u8]) -> Counted {
    let Ok(text) = std::str::from_utf8(bytes) else { return Counted::default() };
    let lines = text.lines().count() as u64;
    let filled = text.lines().filter(|line| !line.trim().is_empty()).count() as u64;
    let ending = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    let rows = match ending.as_str() {
        // A quoted field may hold line feeds: then lines are no rows.
        "csv" | "tsv" if text.matches('"').count() % 2 == 0 && !has_broken_quotes(text) => {
            Some(filled.saturating_sub(1))
        }
        "jsonl" | "ndjson" => Some(filled),
        "json" => serde_json::from_str::<serde_json::Value>(text)
            .ok()
            .and_then(|value| Some(value.as_array()?.len() as u64)),
        "txt" | "log" => Some(filled),
        _ => None,
    };
    Counted { rows, lines: Some(lines), columns: columns(&ending, text) }
}

/// Names in the header of a table; a comma within quotes may be part of one, so that such a header is not counted.
fn columns(ending: &str, text: &str) -> Option<u64> {
    let mark = match ending {
        "csv" => ',',
        "tsv" => '\t',
        _ => return None,
    };
    let header = text.lines().next().filter(|line| !line.trim().is_empty() && !line.contains('"'))?;
    // Another mark than the ending says: how many there are is not known.
    let is_other = !header.contains(mark) && header.contains([',', ';', '\t', '|']);
    (!is_other).then(|| header.split(mark).count() as u64)
}

fn has_broken_quotes(text: &str) -> bool {
    text.lines().any(|line| line.matches('"').count() % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_files() {
        for (path, text, expected) in [
            ("a.csv", "x,y\n1,2\n3,4\n", Some(2)),
            ("a.csv", "x\n\"a\nb\"\n", None),
            ("a.jsonl", "{}\n{}\n", Some(2)),
            ("a.json", "[1,2,3]", Some(3)),
            ("a.json", "{}", None),
            ("a.bin", "x", None),
        ] {
            assert_eq!(rows(path, text.as_bytes()).rows, expected, "{path}: {text}");
        }
        for (path, text, expected) in [
            ("a.csv", "x,y,z\n1,2,3\n", Some(3)),
            ("a.csv", "x;y\n1;2\n", None),
            ("a.csv", "\"x, y\",z\n", None),
            ("a.tsv", "x\ty\n", Some(2)),
            ("a.json", "[1,2,3]", None),
        ] {
            assert_eq!(rows(path, text.as_bytes()).columns, expected, "{path}: {text}");
        }
        assert_eq!(plain("\u{1b}[32mok\u{1b}[0m"), "ok");
    }
}
