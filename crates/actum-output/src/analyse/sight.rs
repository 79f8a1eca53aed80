//! What a language's shapes are given to look at, and what they hand back.
//!
//! The output is read once from top to bottom. At each line every language is asked whether something of its own begins
//! there; the first that says so takes the lines that belong to it. So nothing is picked out twice, and the declared
//! language, which is asked first, has precedence. A shape looks ahead a bounded number of lines before it has decided,
//! and takes everything that it reads after that: the whole costs no more than the length of the output.

use super::asked::Asked;
use super::lines::Lines;
use actum_model::Frame;

/// Asks whether something begins at this line.
pub(super) type Look = fn(&Scene<'_>, usize) -> Option<Sighting>;

/// One stream, and what is known about the run.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) lines: &'a Lines,
    pub(super) asked: &'a Asked<'a>,
    /// Some shapes are errors only when the run failed, else they are warnings or plain words.
    pub(super) run: RunEnded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunEnded {
    Well,
    Badly,
}

/// Something that begins at a line, and how many lines it takes.
#[derive(Debug)]
pub(super) struct Sighting {
    pub(super) taken: usize,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Failure(Box<Draft>),
    Warning(String),
    /// Belongs to the language and says nothing of its own: `error: aborting due to 2 previous errors`.
    Aside,
}

/// A failure before it is neutralised, bounded and placed.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) language: &'static str,
    pub(super) place: Option<Frame>,
    pub(super) frame: Option<Frame>,
    pub(super) causes: Vec<String>,
    pub(super) phase: Phase,
    /// Lines before the one that gave it away which belong to it.
    pub(super) above: usize,
}

/// When it happened. Of many compile errors the first tells most, of many run-time errors the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    Compiling,
    #[default]
    Running,
}

impl Sighting {
    pub(super) fn failure(taken: usize, draft: Draft) -> Option<Self> {
        Some(Self { taken, what: What::Failure(Box::new(draft)) })
    }

    pub(super) fn warning(taken: usize, text: String) -> Option<Self> {
        Some(Self { taken, what: What::Warning(text) })
    }

    pub(super) fn aside(taken: usize) -> Option<Self> {
        Some(Self { taken, what: What::Aside })
    }
}

impl Scene<'_> {
    pub(super) fn at(&self, index: usize) -> &str {
        self.lines.at(index)
    }

    /// The first index from `from` whose line does not hold; never past the end.
    pub(super) fn until(&self, from: usize, holds: impl Fn(&str) -> bool) -> usize {
        (from..self.lines.len()).find(|index| !holds(self.at(*index))).unwrap_or(self.lines.len())
    }

    /// The first index in the next `within` lines that holds.
    pub(super) fn ahead(&self, from: usize, within: usize, holds: impl Fn(&str) -> bool) -> Option<usize> {
        (from..self.lines.len().min(from.saturating_add(within))).find(|index| holds(self.at(*index)))
    }

    /// Looks through frames that are printed innermost first.
    pub(super) fn innermost(&self, frames: impl Iterator<Item = Frame>) -> Frames {
        let mut found = Frames::default();
        for frame in frames {
            if found.own.is_none() && self.asked.owns(&frame.file) {
                found.own = Some(frame.clone());
            }
            found.any.get_or_insert(frame);
        }
        found
    }
}

/// Of a trace: the innermost frame of the user's own code, and the innermost of all.
#[derive(Debug, Default)]
pub(super) struct Frames {
    pub(super) own: Option<Frame>,
    pub(super) any: Option<Frame>,
}

impl Frames {
    /// The next frame of a trace that is printed innermost last.
    pub(super) fn deeper(&mut self, asked: &Asked<'_>, frame: Frame) {
        if asked.owns(&frame.file) {
            self.own = Some(frame.clone());
        }
        self.any = Some(frame);
    }
}

pub(super) fn frame(function: Option<&str>, file: &str, line: Option<u64>) -> Frame {
    Frame { function: function.map(str::to_owned), file: file.to_owned(), line, column: None }
}

/// A place as compilers print it, `path:12:5`, and what follows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub(super) path: &'a str,
    pub(super) line: u64,
    pub(super) column: Option<u64>,
    pub(super) rest: &'a str,
}

impl Place<'_> {
    pub(super) fn frame(&self) -> Frame {
        Frame { function: None, file: self.path.to_owned(), line: Some(self.line), column: self.column }
    }
}

/// Reads `path:line[:column]` up to the first colon that a number follows. The path has no quotes and is not empty.
pub(super) fn place(text: &str) -> Option<Place<'_>> {
    for (at, _) in text.match_indices(':') {
        let Some((line, after)) = number(&text[at + 1..]) else { continue };
        let path = &text[..at];
        if path.is_empty() || path.len() > 1024 || path.contains(['"', '\t', '(']) {
            return None;
        }
        let column = after.strip_prefix(':').and_then(number);
        return Some(match column {
            Some((column, rest)) => Place { path, line, column: Some(column), rest },
            None => Place { path, line, column: None, rest: after },
        });
    }
    None
}

/// A decimal number at the beginning, and what follows it.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok().map(|number| (number, &text[end..]))
}

/// `Kind: message` or `Kind` alone, where the kind is a name with dots or `::` and an optional `[CODE]`.
pub(super) fn kind_and_message(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || "_.$".contains(c))).unwrap_or(text.len());
    let mut kind = &text[..end];
    if !kind.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let mut rest = &text[end..];
    let is_code = |code: &str| {
        code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
    };
    let coded =
        rest.strip_prefix(" [").and_then(|code| code.split_once(']')).filter(|(code, _)| is_code(code));
    if let Some((_, after)) = coded {
        (kind, rest) = (&text[..text.len() - after.len()], after);
    }
    match rest.strip_prefix(':') {
        Some(message) if message.is_empty() || message.starts_with(' ') => Some((kind, message.trim())),
        None if rest.trim().is_empty() => Some((kind, "")),
        Some(_) | None => None,
    }
}

/// The words between the first `open` and the `close` after it.
pub(super) fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let read = |text| place(text).map(|place| (place.path, place.line, place.column, place.rest));
        assert_eq!(read("a.c:4:13: error: x"), Some(("a.c", 4, Some(13), ": error: x")));
        assert_eq!(read("Bad.java:3: error: x"), Some(("Bad.java", 3, None, ": error: x")));
        assert_eq!(read("C:/a.c:4:1"), Some(("C:/a.c", 4, Some(1), "")));
        assert_eq!(read("no place: here"), None);
        assert_eq!(read(":3: x"), None);
        assert_eq!(read("a:99999999999999999999999"), None);
    }

    #[test]
    fn kinds() {
        assert_eq!(kind_and_message("ValueError: no: way"), Some(("ValueError", "no: way")));
        assert_eq!(
            kind_and_message("json.decoder.JSONDecodeError: x"),
            Some(("json.decoder.JSONDecodeError", "x"))
        );
        assert_eq!(kind_and_message("Error [ERR_X]: y"), Some(("Error [ERR_X]", "y")));
        assert_eq!(kind_and_message("KeyboardInterrupt"), Some(("KeyboardInterrupt", "")));
        assert_eq!(kind_and_message("two words: x"), None);
        assert_eq!(kind_and_message("a:b"), None);
        assert_eq!(kind_and_message("3: x"), None);
    }
}
