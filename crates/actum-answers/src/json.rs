//! JSON that may stop in the middle, with the line at which each value stands.
//!
//! A transcript that was cut is still evidence of what was said until then, so a text that ends too early is no error: what was
//! open is closed, and says that it was cut. Of our own because no library tells both that and the lines.

/// Deeper than any message; what is deeper is no message.
const DEEPEST: usize = 100;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value {
    pub(crate) node: Node,
    /// First and last line, counted from 1.
    pub(crate) lines: [u64; 2],
    /// The text ended within it.
    pub(crate) is_cut: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
    /// A number, `true`, `false` or `null`, as written.
    Word(String),
}

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) line: u64,
    pub(crate) problem: String,
}

/// Reads one value; what stands behind it must be blank.
pub(crate) fn read(text: &str, first_line: u64) -> Result<Value, Broken> {
    let mut parser = Parser { bytes: text.as_bytes(), text, at: 0, line: first_line, is_at_end: false };
    let value = parser.value(0)?;
    parser.blank();
    match parser.bytes.get(parser.at) {
        Some(_) if !parser.is_at_end => Err(parser.broken("unexpected text after the value")),
        Some(_) | None => Ok(value),
    }
}

impl Value {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        match &self.node {
            Node::Object(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            Node::Text(_) | Node::List(_) | Node::Word(_) => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.node {
            Node::Text(text) => Some(text),
            Node::Object(_) | Node::List(_) | Node::Word(_) => None,
        }
    }

    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name)?.text()
    }

    pub(crate) fn list(&self) -> &[Value] {
        match &self.node {
            Node::List(items) => items,
            Node::Object(_) | Node::Text(_) | Node::Word(_) => &[],
        }
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.node, Node::Object(_))
    }
}

struct Parser<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    line: u64,
    /// The text ended before its value did.
    is_at_end: bool,
}

impl Parser<'_> {
    fn broken(&self, problem: &str) -> Broken {
        Broken { line: self.line, problem: problem.to_owned() }
    }

    fn blank(&mut self) {
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.line += u64::from(*byte == b'\n');
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Broken> {
        self.blank();
        let first = self.line;
        let node = match self.bytes.get(self.at) {
            _ if depth > DEEPEST => return Err(self.broken("it is nested too deeply")),
            None => {
                self.is_at_end = true;
                Node::Word(String::new())
            }
            Some(b'"') => Node::Text(self.string()),
            Some(b'[') => self.list(depth)?,
            Some(b'{') => self.object(depth)?,
            Some(_) => self.word()?,
        };
        Ok(Value { node, lines: [first, self.line], is_cut: self.is_at_end })
    }

    fn list(&mut self, depth: usize) -> Result<Node, Broken> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.blank();
            match self.bytes.get(self.at) {
                Some(b']') => break self.at += 1,
                Some(b',') if !items.is_empty() => self.at += 1,
                Some(_) => items.push(self.value(depth + 1)?),
                None => break self.is_at_end = true,
            }
            if self.is_at_end {
                break;
            }
        }
        Ok(Node::List(items))
    }

    fn object(&mut self, depth: usize) -> Result<Node, Broken> {
        let mut fields = Vec::new();
        self.at += 1;
        loop {
            self.blank();
            match self.bytes.get(self.at) {
                Some(b'}') => break self.at += 1,
                Some(b',') if !fields.is_empty() => self.at += 1,
                Some(b'"') => fields.extend(self.field(depth)?),
                Some(_) => return Err(self.broken("expected a name in quotation marks")),
                None => break self.is_at_end = true,
            }
            if self.is_at_end {
                break;
            }
        }
        Ok(Node::Object(fields))
    }

    fn field(&mut self, depth: usize) -> Result<Option<(String, Value)>, Broken> {
        let name = self.string();
        self.blank();
        match self.bytes.get(self.at) {
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.broken("expected a colon")),
            None => self.is_at_end = true,
        }
        if self.is_at_end {
            return Ok(None);
        }
        Ok(Some((name, self.value(depth + 1)?)))
    }

    fn word(&mut self) -> Result<Node, Broken> {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = self.bytes[self.at..].iter().take_while(is_part).count();
        let word = &self.text[self.at..self.at + length];
        let is_number = word.parse::<f64>().is_ok();
        self.at += length;
        let is_last = self.at == self.bytes.len();
        match word {
            "true" | "false" | "null" => Ok(Node::Word(word.to_owned())),
            _ if is_number => Ok(Node::Word(word.to_owned())),
            _ if is_last && !word.is_empty() => {
                self.is_at_end = true;
                Ok(Node::Word(word.to_owned()))
            }
            _ => Err(self.broken("expected a value")),
        }
    }

    /// What stands between quotation marks. What JSON does not allow there is taken as it is: the text is an answer's, not ours.
    fn string(&mut self) -> String {
        let mut out = String::new();
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let plain =
                rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n')).unwrap_or(rest.len());
            out.push_str(&self.text[self.at..self.at + plain]);
            self.at += plain;
            match self.bytes.get(self.at) {
                Some(b'"') => break self.at += 1,
                Some(b'\n') => {
                    out.push('\n');
                    self.line += 1;
                    self.at += 1;
                }
                Some(_) if self.at + 1 < self.bytes.len() => self.escape(&mut out),
                Some(_) | None => {
                    self.at = self.bytes.len();
                    break self.is_at_end = true;
                }
            }
        }
        out
    }

    fn escape(&mut self, out: &mut String) {
        let letter = self.bytes[self.at + 1];
        self.at += 2;
        out.push(match letter {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => self.unicode(),
            other if other.is_ascii() => char::from(other),
            // A character of several bytes behind a backslash: its first byte was passed, so it is taken from there.
            _ => {
                self.at -= 1;
                '\\'
            }
        });
    }

    fn unicode(&mut self) -> char {
        let first = self.four();
        let is_high = |unit: u32| (0xd800..0xdc00).contains(&unit);
        if is_high(first) && self.bytes[self.at.min(self.bytes.len())..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            let second = self.four();
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
            self.at = back;
        }
        char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn four(&mut self) -> u32 {
        let digits = self.text.get(self.at..self.at + 4).and_then(|four| u32::from_str_radix(four, 16).ok());
        if digits.is_some() {
            self.at += 4;
        }
        digits.unwrap_or(0xfffd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_and_their_lines() {
        let value = read("{\n \"a\": [1, true,\n \"x\\n\\u00e9\\ud83d\\ude00\"],\n \"b\": {}\n}", 1).unwrap();
        let list = value.get("a").unwrap();
        assert_eq!(list.lines, [2, 3]);
        assert_eq!(list.list()[2].text(), Some("x\né😀"));
        assert_eq!(value.lines, [1, 5]);
        assert!(!value.is_cut);
    }

    #[test]
    fn a_text_that_stops_is_closed_and_says_so() {
        for text in [
            "{\"a\": \"x",
            "{\"a\": \"x\\",
            "{\"a\": [\"x\", ",
            "{\"a\": \"x\", \"b",
            "{\"a\": \"x\", \"b\":",
            "{\"a\":\"x\",\"c\":tr",
        ] {
            let value = read(text, 1).unwrap();
            assert!(value.is_cut, "{text}");
            let first = value.get("a").unwrap();
            assert_eq!(first.text().or_else(|| first.list()[0].text()), Some("x"), "{text}");
        }
    }

    #[test]
    fn what_is_broken_is_told_with_its_line() {
        for (text, line) in [("{\n a: 1}", 2), ("[1 2]x", 1), ("{\"a\" 1}", 1), ("{\"a\": nope, 1}", 1)] {
            assert_eq!(read(text, 1).unwrap_err().line, line, "{text}");
        }
        assert!(read(&"[".repeat(200), 1).unwrap_err().problem.contains("deep"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([\\[\\]{}\",:\\\\a-fu0-9 \n]|é){0,80}") {
            let _ = read(&text, 1);
        }

        #[test]
        fn what_was_written_is_read(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            let value = read(&json, 1).unwrap();
            prop_assert_eq!(value.text(), Some(text.as_str()));
        }
    }
}
