//! Tells words, strings and comments apart, for every language that has calls.
//!
//! Not a parser: it knows how each family writes comments, strings and regular expressions, so that what stands in them
//! is not taken for code. One pass; whatever is open at the end closes there.

mod lexis;

use lexis::{Block, Lexis, Quote};
pub(super) use lexis::{
    C, GO, JAVA, JAVASCRIPT, JULIA, LUA, Lexis as Spelling, PERL, PHP, PYTHON, R, RUBY, RUST,
};
use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, keyword or number.
    Word,
    Text,
    /// A string that the language hands to a shell.
    Command,
    Sign(char),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    /// A word, or what stands between the quotes.
    pub(super) text: &'a str,
    raw: bool,
    pub(super) line: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A here-document whose end was not found is no here-document. After this many such, none is looked for: each search
/// runs to the end of the code.
const MOST_UNENDED: u8 = 8;

/// `'\\u{10ffff}'` without its first quote.
const LONGEST_CHARACTER: usize = 12;

struct Tokens<'a> {
    code: &'a str,
    lexis: &'static Lexis,
    at: usize,
    line: u32,
    /// Where the code goes on after the here-documents of this line.
    after_bodies: Option<usize>,
    unended: u8,
    tokens: Vec<Token<'a>>,
}

pub(super) fn tokens<'a>(code: &'a str, lexis: &'static Lexis) -> Vec<Token<'a>> {
    let start = lexis.opening.map_or(0, |opening| after_opening(code, opening));
    let line = 1 + lines(&code[..start]);
    let mut all = Tokens { code, lexis, at: start, line, after_bodies: None, unended: 0, tokens: Vec::new() };
    while all.step() {}
    all.tokens
}

impl Token<'_> {
    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    /// What a string means, with the usual escapes resolved.
    pub(super) fn value(&self) -> Cow<'_, str> {
        if self.raw || !self.text.contains('\\') {
            return Cow::Borrowed(self.text);
        }
        let mut value = String::with_capacity(self.text.len());
        let mut characters = self.text.chars();
        while let Some(c) = characters.next() {
            match (c, c == '\\') {
                (_, true) => match characters.next() {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('\n') | None => {}
                    Some(other) => value.push(other),
                },
                (c, false) => value.push(c),
            }
        }
        Cow::Owned(value)
    }
}

impl<'a> Tokens<'a> {
    fn rest(&self) -> &'a str {
        &self.code[self.at..]
    }

    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return false };
        if c == '\n' {
            self.newline();
        } else if c.is_whitespace() {
            self.at += c.len_utf8();
        } else if c == '_' || c == '@' || c.is_alphanumeric() || (c == '$' && self.lexis.dollar_names) {
            self.word();
        } else if !(self.comment() || self.string() || self.heredoc() || self.pattern(c)) {
            self.push(Kind::Sign(c), c.len_utf8());
        }
        true
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line = self.line.saturating_add(1);
        if let Some(after) = self.after_bodies.take().filter(|after| *after > self.at) {
            self.skip_to(after);
        }
        // `=begin` and POD stand at the beginning of a line only.
        if let Some((open, close)) = self.lexis.margin
            && self.rest().starts_with(open)
            && self.rest()[open.len()..].starts_with(|c: char| c.is_ascii_alphabetic())
        {
            let end = self.rest().find(close).map_or(self.code.len(), |at| self.at + at + close.len());
            self.skip_to(end);
        }
    }

    fn skip_to(&mut self, end: usize) {
        self.line = self.line.saturating_add(lines(&self.code[self.at..end]));
        self.at = end;
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let (start, end) = (self.at, self.at + length);
        let token = Token { kind, text: &self.code[start..end], raw: true, line: self.line, start, end };
        self.tokens.push(token);
        self.at = end;
    }

    fn word(&mut self) {
        let rest = self.rest();
        let more = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let length = first + rest[first..].find(|c| !more(c)).unwrap_or(rest.len() - first);
        let word = &rest[..length];
        // A prefix belongs to its string: r"…", f'…'.
        let next = rest[length..].chars().next();
        if length <= 2 && next.is_some_and(|c| c == '"' || c == '\'' || c == '#') && self.prefixed(word) {
            return;
        }
        if length <= 2 && self.quoted_word(word, length) {
            return;
        }
        self.push(Kind::Word, length);
    }

    /// `r"…"` and its kin; false where the word is no prefix.
    fn prefixed(&mut self, word: &str) -> bool {
        if !self.lexis.prefixes.contains(&word.to_ascii_lowercase().as_str()) {
            return false;
        }
        let (before, raw) = (self.at, word.contains(['r', 'R']));
        self.at += word.len();
        if raw && self.lexis.hashes && self.hashed() {
            return true;
        }
        let taken = self.string();
        match self.tokens.last_mut().filter(|_| taken) {
            Some(token) => {
                token.raw |= raw;
                token.start = before;
            }
            None => self.at = before,
        }
        taken
    }

    /// `r#"…"#`.
    fn hashed(&mut self) -> bool {
        let rest = self.rest();
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if hashes == 0 || hashes > 16 || !rest[hashes..].starts_with('"') {
            return false;
        }
        let close = format!("\"{}", &rest[..hashes]);
        let body = &rest[hashes + 1..];
        let length = body.find(&close).unwrap_or(body.len());
        self.text(hashes + 1, length, close.len(), Quote::RAW);
        true
    }

    /// `%x(…)` where a percent sign is needed; `qx{…}`, `q(…)` where it is not.
    fn quoted_word(&mut self, word: &str, length: usize) -> bool {
        let before = self.at.checked_sub(1).map_or(b' ', |at| self.code.as_bytes()[at]);
        if self.lexis.percent != (before == b'%') || matches!(before, b'@' | b'&' | b'>' | b'{') {
            return false;
        }
        let Some((_, kind)) = self.lexis.quoted_words.iter().find(|(name, _)| *name == word) else {
            return false;
        };
        let Some(close) = self.rest()[length..].chars().next().and_then(closing) else { return false };
        let body = &self.rest()[length + 1..];
        let inner = body.find(close).unwrap_or(body.len());
        self.text(length + 1, inner, close.len_utf8(), Quote { kind: *kind, ..Quote::RAW });
        true
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        for Block { open, close, nests } in self.lexis.blocks {
            if rest.starts_with(open) {
                let length = if *nests { nested(rest, open, close) } else { plain(rest, open, close) };
                self.skip_to(self.at + length);
                return true;
            }
        }
        let after_dollar = self.at > 0 && self.code.as_bytes()[self.at - 1] == b'$';
        let line = self.lexis.lines.iter().any(|open| rest.starts_with(open)) && !after_dollar;
        if line {
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
        line
    }

    fn string(&mut self) -> bool {
        let rest = self.rest();
        if self.lexis.long_brackets && rest.starts_with('[') && self.long_bracket() {
            return true;
        }
        let Some(quote) = self.lexis.quotes.iter().find(|quote| rest.starts_with(quote.open)) else {
            return false;
        };
        let mut body = &rest[quote.open.len()..];
        if quote.short {
            body = &body[..body.floor_char_boundary(LONGEST_CHARACTER)];
        }
        let length = until(body, quote);
        // A quote that is also a transpose, a lifetime or a digit separator.
        if quote.short && !body[length..].starts_with(quote.open) {
            return false;
        }
        self.text(quote.open.len(), length, quote.open.len(), *quote);
        true
    }

    /// `[[…]]` and `[=[…]=]`.
    fn long_bracket(&mut self) -> bool {
        let rest = &self.rest()[1..];
        let level = rest.len() - rest.trim_start_matches('=').len();
        if level > 8 || !rest[level..].starts_with('[') {
            return false;
        }
        let close = format!("]{}]", "=".repeat(level));
        let body = &rest[level + 1..];
        let length = body.find(&close).unwrap_or(body.len());
        self.text(level + 2, length, close.len(), Quote::RAW);
        true
    }

    fn text(&mut self, open: usize, length: usize, close: usize, quote: Quote) {
        let (start, inner) = (self.at, self.at + open);
        let end = (inner + length + close).min(self.code.len());
        let text = &self.code[inner..inner + length];
        self.tokens.push(Token { kind: quote.kind, text, raw: quote.raw, line: self.line, start, end });
        self.skip_to(end);
    }

    /// `<<~SQL`, `<<'END'`, `<<<EOT`: the lines after this one, up to the one that is the name.
    fn heredoc(&mut self) -> bool {
        let Some(open) = self.lexis.heredoc.filter(|open| self.rest().starts_with(open)) else {
            return false;
        };
        if self.unended >= MOST_UNENDED {
            return false;
        }
        let marked = &self.rest()[open.len()..];
        let name = marked.trim_start_matches(['~', '-', '"', '\'', ' ']);
        let skipped = marked.len() - name.len();
        let length = name.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = &name[..length];
        if skipped > 3 || !name.starts_with(|c: char| c.is_ascii_uppercase()) {
            return false;
        }
        let from = self.after_bodies.or_else(|| self.rest().find('\n').map(|at| self.at + at + 1));
        let Some((from, (length, whole))) =
            from.and_then(|from| Some((from, body_until(&self.code[from..], name)?)))
        else {
            self.unended += 1;
            return false;
        };
        let start = self.at;
        let end = start + open.len() + skipped + name.len();
        let text = &self.code[from..from + length];
        self.tokens.push(Token { kind: Kind::Text, text, raw: true, line: self.line, start, end });
        self.at = end;
        self.after_bodies = Some(from + whole);
        true
    }

    /// A regular expression, where a value is expected.
    fn pattern(&mut self, c: char) -> bool {
        if c != '/' || !self.lexis.patterns {
            return false;
        }
        let expected = self.tokens.last().is_none_or(|token| match token.kind {
            Kind::Sign(sign) => !matches!(sign, ')' | ']' | '}'),
            Kind::Word => matches!(
                token.text,
                "return" | "typeof" | "if" | "unless" | "and" | "or" | "not" | "when" | "case"
            ),
            Kind::Text | Kind::Command => false,
        });
        let Some(length) = pattern_length(self.rest()).filter(|_| expected) else { return false };
        self.at += length;
        true
    }
}

/// After the tag and the word in it, as in `<?php`; the beginning where there is no tag.
fn after_opening(code: &str, opening: &str) -> usize {
    let Some(at) = code.find(opening).map(|at| at + opening.len()) else { return 0 };
    at + code[at..].find(|c: char| c != '=' && !c.is_ascii_alphabetic()).unwrap_or(0)
}

fn lines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

fn plain(text: &str, open: &str, close: &str) -> usize {
    text[open.len()..].find(close).map_or(text.len(), |at| open.len() + at + close.len())
}

fn nested(text: &str, open: &str, close: &str) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        if bytes[at..].starts_with(open.as_bytes()) {
            depth += 1;
            at += open.len();
        } else if bytes[at..].starts_with(close.as_bytes()) {
            depth -= 1;
            at += close.len();
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of what stands before the closing quote.
fn until(body: &str, quote: &Quote) -> usize {
    let bytes = body.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !quote.raw && bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at..].starts_with(quote.open.as_bytes()) || (bytes[at] == b'\n' && !quote.lines) {
            return at;
        } else {
            at += 1;
        }
    }
    body.len()
}

/// The length of a body, and of it with its last line.
fn body_until(text: &str, name: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].find('\n').map_or(text.len() - at, |end| end + 1);
        if text[at..at + length].trim().trim_end_matches([';', ')', ',']) == name {
            // The line break stays, so that the next line is a next line.
            return Some((at, at + length - usize::from(text[at..at + length].ends_with('\n'))));
        }
        at += length;
    }
    None
}

/// 512: longer patterns than anybody reads; the bound keeps a line of slashes from costing a square.
fn pattern_length(text: &str) -> Option<usize> {
    let (mut class, mut escaped) = (false, false);
    for (at, c) in text.char_indices().skip(1).take(512) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        '/' | '|' | '!' => open,
        _ => return None,
    })
}
