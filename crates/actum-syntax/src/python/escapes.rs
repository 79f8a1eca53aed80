//! Lines that are for a notebook and not for Python, found in the text and set aside before it is parsed.
//!
//! The parser reads notebooks as well, but ends the process where such a line comes while it waits for the rest of an expression
//! (`lambda`, and on the next line `?x`). So it is shown a `0` in place of each, in a text that is as long.
//! Lines that begin with `,`, `;` or `/` are not taken for such: hardly anybody writes them, and paths begin so.

use actum_model::MagicKind;
use std::ops::Range;

/// A line, or what follows the `=` of an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Escape {
    pub(super) kind: MagicKind,
    pub(super) mark: &'static str,
    /// What follows the mark; where the line goes on behind a backslash, as one line.
    pub(super) value: String,
    pub(super) start: usize,
}

/// The longer first.
const MARKS: [(&str, MagicKind); 6] = [
    ("%%", MagicKind::Cell),
    ("!!", MagicKind::Shell),
    ("??", MagicKind::Help),
    ("%", MagicKind::Line),
    ("!", MagicKind::Shell),
    ("?", MagicKind::Help),
];

/// Whether a text can hold any: without their marks there is nothing to read otherwise.
pub(super) fn are_in(text: &str) -> bool {
    text.contains(['%', '!', '?'])
}

/// The text with a `0` and blanks in place of each, and what they are.
pub(super) fn set_aside(text: &str) -> (String, Vec<Escape>) {
    let mut scan =
        Scan { text, bytes: text.as_bytes(), at: 0, depth: 0, escapes: Vec::new(), ranges: Vec::new() };
    while scan.at < scan.bytes.len() {
        scan.logical_line();
    }
    let mut plain = String::with_capacity(text.len());
    let mut done = 0;
    for range in scan.ranges {
        plain.push_str(&text[done..range.start]);
        plain.push('0');
        let blank = |&byte: &u8| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' };
        plain.extend(text.as_bytes()[range.start + 1..range.end].iter().map(blank));
        done = range.end;
    }
    plain.push_str(&text[done..]);
    (plain, scan.escapes)
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// How many brackets are open: within them nothing is for the notebook.
    depth: usize,
    escapes: Vec<Escape>,
    ranges: Vec<Range<usize>>,
}

impl Scan<'_> {
    /// From the beginning of a line to where the statement ends that begins there.
    fn logical_line(&mut self) {
        self.skip_blanks();
        let start = self.at;
        if self.depth == 0 && self.take_escape() {
            return;
        }
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'#' => self.at = self.end_of_line(),
                b'\'' | b'"' => self.skip_string(byte),
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                b'\\' => self.skip_line_end(),
                b'=' if self.is_assigned() => {
                    self.skip_blanks();
                    self.take_escape();
                }
                b'?' if self.depth == 0 => self.take_help(start),
                b'\n' if self.depth == 0 => return,
                _ => {}
            }
        }
    }

    /// Takes what begins here, if it is for the notebook.
    fn take_escape(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some((mark, kind)) = MARKS.into_iter().find(|(mark, _)| rest.starts_with(mark)) else {
            return false;
        };
        let start = self.at;
        self.at += mark.len();
        while let Some(byte) = self.peek(0).filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            self.at += 1;
            if byte == b'\\' {
                self.skip_line_end();
            }
        }
        let value = self.text[start + mark.len()..self.at].replace("\\\r\n", "").replace("\\\n", "");
        self.push(Escape { kind, mark, value, start });
        true
    }

    /// `frame.head?`: a name that help is asked for. The first mark of question has been read.
    fn take_help(&mut self, start: usize) {
        let name = &self.text[start..self.at - 1];
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
        let is_name =
            name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_of_name);
        let mark = if self.peek(0) == Some(b'?') { "??" } else { "?" };
        let end = self.at - 1 + mark.len();
        if is_name && self.text[end..self.end_of_line()].trim().is_empty() {
            self.at = end;
            self.push(Escape { kind: MagicKind::Help, mark, value: name.to_owned(), start });
        }
    }

    fn push(&mut self, escape: Escape) {
        self.ranges.push(escape.start..self.at);
        self.escapes.push(escape);
    }

    /// Whether the `=` that was just read is that of an assignment, and the notebook gives the value.
    fn is_assigned(&self) -> bool {
        let before = self.at.checked_sub(2).map_or(b' ', |before| self.bytes[before]);
        let is_alone = !before.is_ascii_punctuation() || matches!(before, b'_' | b']' | b')');
        let next = self.bytes[self.at..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        self.depth == 0
            && is_alone
            && matches!(next, Some(b'%' | b'!'))
            && !self.text[self.at..].starts_with("!=")
    }

    /// Behind a quotation mark: to its end, or to the end of the line where it is never closed.
    fn skip_string(&mut self, quote: u8) {
        let is_long = self.peek(0) == Some(quote) && self.peek(1) == Some(quote);
        if is_long {
            self.at += 2;
        }
        while let Some(byte) = self.peek(0) {
            if byte == b'\n' && !is_long {
                return;
            }
            self.at += 1;
            if byte == b'\\' {
                self.at += usize::from(self.peek(0).is_some());
            } else if byte == quote && !is_long {
                return;
            } else if byte == quote && self.peek(0) == Some(quote) && self.peek(1) == Some(quote) {
                self.at += 2;
                return;
            }
        }
    }

    /// Behind a backslash: the end of the line, where it is one.
    fn skip_line_end(&mut self) {
        self.at += usize::from(self.peek(0) == Some(b'\r') && self.peek(1) == Some(b'\n'));
        self.at += usize::from(self.peek(0) == Some(b'\n'));
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(0), Some(b' ' | b'\t' | b'\x0c')) {
            self.at += 1;
        }
    }

    fn end_of_line(&self) -> usize {
        self.text[self.at..].find('\n').map_or(self.text.len(), |end| self.at + end)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<String> {
        set_aside(text).1.iter().map(|escape| format!("{}|{}", escape.mark, escape.value)).collect()
    }

    #[test]
    fn lines_for_the_notebook_are_found() {
        let text = "%%time\n  %pip install a\n!ls \\\n  -l\nfiles = !ls *.py\nx.y = %timeit f()\n?print\nframe.head??\na[0]? \n!!ls\n";
        let expected = [
            "%%|time",
            "%|pip install a",
            "!|ls   -l",
            "!|ls *.py",
            "%|timeit f()",
            "?|print",
            "??|frame.head",
            "?|a[0]",
            "!!|ls",
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn what_is_python_is_none() {
        for text in [
            "x = (1\n% 2)\n",
            "s = '''\n%pip\n'''\n",
            "x = 7 \\\n% 2\n",
            "# a?\n",
            "x != y\n",
            "x = y % 2\n",
            "f(a=\n%b)",
            "/usr/bin/env\n",
            ", b\n",
            "what is it?\n",
            "s = \"a\nb\"?\n",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_stands_in_their_place_is_as_long() {
        assert_eq!(set_aside("a\n%pip é\nx = !ls\\\n b\nb").0, "a\n0      \nx = 0   \n  \nb");
        assert_eq!(set_aside("é??\nb").0, "0   \nb");
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_length_and_its_lines(text in "([a-z.=]{1,3}|[(){}\\[\\]'\"#%!?\\\\ \n\r]|\"\"\"|é|%%|= !){0,60}") {
            let (plain, escapes) = set_aside(&text);
            prop_assert_eq!(plain.len(), text.len());
            let ends = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(ends(&plain), ends(&text));
            prop_assert!(escapes.is_sorted_by_key(|escape| escape.start));
        }
    }
}
