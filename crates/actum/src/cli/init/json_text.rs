//! JSON as a text with places: where each value begins and ends, so that one can be added and everything else stays as it is.
//!
//! Comments are passed over: some agents allow them in their settings. What is no JSON is refused with its line.

use std::ops::Range;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Value>),
    /// A text, without its quotes and escapes.
    Text(String),
    Other,
}

/// One name of an object with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: String,
    /// Where the name begins.
    pub(super) start: usize,
    pub(super) value: Value,
}

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub(super) struct Broken {
    line: usize,
    column: usize,
    what: &'static str,
}

/// Deeper than any settings.
const DEEPEST: usize = 64;

impl Value {
    /// The value of a name, the last one where it stands twice, as readers of JSON take it.
    pub(super) fn member(&self, key: &str) -> Option<&Member> {
        match &self.kind {
            Kind::Object(members) => members.iter().rev().find(|member| member.key == key),
            Kind::Array(_) | Kind::Text(_) | Kind::Other => None,
        }
    }

    pub(super) fn elements(&self) -> &[Value] {
        match &self.kind {
            Kind::Array(elements) => elements,
            Kind::Object(_) | Kind::Text(_) | Kind::Other => &[],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            Kind::Object(_) | Kind::Array(_) | Kind::Other => None,
        }
    }
}

/// Reads a whole text.
pub(super) fn read(text: &str) -> Result<Value, Broken> {
    // A mark of byte order at the beginning is no part of it.
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at };
    reader.space()?;
    let value = reader.value(0)?;
    reader.space()?;
    if reader.at < text.len() { Err(reader.broken("unexpected text after the end")) } else { Ok(value) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn broken(&self, what: &'static str) -> Broken {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Broken { line, column, what }
    }

    /// Over spaces and comments.
    fn space(&mut self) -> Result<(), Broken> {
        loop {
            let rest = &self.text[self.at..];
            let spaces = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            let comment = &rest[spaces..];
            let length = if comment.starts_with("//") {
                comment.find('\n').unwrap_or(comment.len())
            } else if comment.starts_with("/*") {
                comment.find("*/").ok_or_else(|| self.broken("a comment is not closed"))? + 2
            } else {
                self.at += spaces;
                return Ok(());
            };
            self.at += spaces + length;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Broken> {
        if depth > DEEPEST {
            return Err(self.broken("too deeply nested"));
        }
        let start = self.at;
        let kind = match self.next() {
            Some(b'{') => Kind::Object(self.members(depth)?),
            Some(b'[') => Kind::Array(self.array(depth)?),
            Some(b'"') => Kind::Text(self.string()?),
            Some(_) => self.word()?,
            None => return Err(self.broken("the text ends where a value is expected")),
        };
        Ok(Value { kind, span: start..self.at })
    }

    fn members(&mut self, depth: usize) -> Result<Vec<Member>, Broken> {
        let mut members = Vec::new();
        while self.goes_on(b'}', members.is_empty())? {
            let start = self.at;
            if self.next() != Some(b'"') {
                return Err(self.broken("expected a name in double quotes"));
            }
            let key = self.string()?;
            self.space()?;
            if self.next() != Some(b':') {
                return Err(self.broken("expected a colon"));
            }
            self.at += 1;
            self.space()?;
            members.push(Member { key, start, value: self.value(depth + 1)? });
        }
        Ok(members)
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Value>, Broken> {
        let mut elements = Vec::new();
        while self.goes_on(b']', elements.is_empty())? {
            elements.push(self.value(depth + 1)?);
        }
        Ok(elements)
    }

    /// Over the opening bracket or a comma to the next entry; false behind the closing bracket.
    fn goes_on(&mut self, close: u8, is_first: bool) -> Result<bool, Broken> {
        if is_first {
            self.at += 1;
        }
        self.space()?;
        match self.next() {
            Some(byte) if byte == close => {
                self.at += 1;
                return Ok(false);
            }
            Some(b',') if !is_first => self.at += 1,
            Some(_) if is_first => return Ok(true),
            Some(_) => return Err(self.broken("expected a comma or the end of the list")),
            None => return Err(self.broken("a bracket is not closed")),
        }
        self.space()?;
        if self.next() == Some(close) { Err(self.broken("nothing follows the comma")) } else { Ok(true) }
    }

    fn string(&mut self) -> Result<String, Broken> {
        let start = self.at;
        let mut escaped = false;
        for (offset, byte) in self.text[start..].bytes().enumerate().skip(1) {
            match byte {
                b'"' if !escaped => {
                    let whole = &self.text[start..=start + offset];
                    let text = serde_json::from_str(whole)
                        .map_err(|_| self.broken("a string has an invalid escape"))?;
                    self.at = start + offset + 1;
                    return Ok(text);
                }
                _ => escaped = byte == b'\\' && !escaped,
            }
        }
        Err(self.broken("a string is not closed"))
    }

    fn word(&mut self) -> Result<Kind, Broken> {
        let rest = &self.text[self.at..];
        let end = rest.find([',', '}', ']', ' ', '\t', '\n', '\r', '/']).unwrap_or(rest.len());
        match serde_json::from_str::<serde_json::Value>(&rest[..end]) {
            Ok(_) => {
                self.at += end;
                Ok(Kind::Other)
            }
            Err(_) => Err(self.broken("not a JSON value")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_know_where_they_stand() {
        let text = "// mine\n{ \"a\": [1, {\"b\": \"x\\\"y\"}], /* c */ \"d\": -1.5e3 }\n";
        let value = read(text).unwrap();
        let a = &value.member("a").unwrap().value;
        assert_eq!(&text[a.span.clone()], "[1, {\"b\": \"x\\\"y\"}]");
        let b = a.elements()[1].member("b").unwrap();
        assert_eq!((b.value.text(), &text[b.start..b.value.span.end]), (Some("x\"y"), "\"b\": \"x\\\"y\""));
        assert_eq!(&text[value.member("d").unwrap().value.span.clone()], "-1.5e3");
    }

    #[test]
    fn what_is_broken_is_refused_with_its_place() {
        for (text, message) in [
            ("", "line 1, column 1: the text ends where a value is expected"),
            ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: expected a comma or the end of the list"),
            ("{\"a\": 1,}", "line 1, column 9: nothing follows the comma"),
            ("{'a': 1}", "line 1, column 2: expected a name in double quotes"),
            ("{\"a\": nul}", "line 1, column 7: not a JSON value"),
            ("{} x", "line 1, column 4: unexpected text after the end"),
            ("{\"a", "line 1, column 2: a string is not closed"),
            ("[1, 2", "line 1, column 6: a bracket is not closed"),
        ] {
            assert_eq!(read(text).map_err(|broken| broken.to_string()), Err(message.to_owned()), "{text:?}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[\\[\\]{}\",:a/* \\n\\\\1u-]{0,40}") {
            if let Ok(value) = read(&text) {
                prop_assert!(text.get(value.span).is_some());
            }
        }

        #[test]
        fn what_a_writer_of_json_writes_is_read(key in ".{0,8}", text in ".{0,8}", number in any::<i64>()) {
            let written = serde_json::to_string_pretty(&serde_json::json!({ key.clone(): [text, number, null] })).unwrap();
            let value = read(&written).unwrap();
            prop_assert_eq!(value.member(&key).unwrap().value.elements().len(), 3);
        }
    }
}
