//! Splits a script into simple commands and their words.
//!
//! One pass, one character at a time, with a stack for what is open: quotes, substitutions, subshells. Nothing is
//! expanded; a word that holds an expansion says so. Reserved words stay in front of their command. An open quote or
//! bracket at the end closes there.

use std::mem::take;

/// A simple command: words, where they stand, what it reads and where it writes.
#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) bodies: Vec<Body>,
    /// The command whose output is this one's input.
    pub(super) reads_from: Option<usize>,
    pub(super) line: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Holds an expansion, whose value is known only when it runs.
    pub(super) dynamic: bool,
    /// Holds the output of a command that downloads.
    pub(super) downloaded: bool,
    quoted: bool,
}

#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) writes: bool,
    pub(super) target: Word,
}

/// A here-document or here-string.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) text: String,
    pub(super) line: u32,
    /// Its substitutions are carried out.
    pub(super) expands: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Script,
    /// Text between the lines of a here-document.
    Body,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Code, until this character.
    Code(Option<char>),
    /// Double quotes.
    Double,
    /// `${…}`.
    Brace,
    /// `((…))`, with the parentheses that are open in it.
    Arithmetic(u32),
    /// The body of a here-document: text to the end.
    Text,
}

/// What the next word is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Argument,
    Target { writes: bool },
    HereString,
    Delimiter { tabs: bool },
}

#[derive(Debug)]
struct Partial {
    simple: Simple,
    word: Option<Word>,
    role: Role,
    /// The command before the pipe.
    piped_from: Option<usize>,
    downloads: bool,
}

#[derive(Debug)]
struct Pending {
    delimiter: String,
    quoted: bool,
    tabs: bool,
    command: Option<usize>,
    depth: usize,
}

struct Splitter<'a> {
    code: &'a str,
    at: usize,
    /// Where the character that is looked at begins.
    mark: usize,
    line: u32,
    open: Vec<Open>,
    partial: Vec<Partial>,
    pending: Vec<Pending>,
    done: Vec<Simple>,
}

/// Here-documents that begin in one line. Nobody writes more; the bound keeps a hostile line from costing a square.
const MOST_BODIES: usize = 32;

pub(super) fn split(code: &str, kind: Kind) -> Vec<Simple> {
    let first = match kind {
        Kind::Script => Open::Code(None),
        Kind::Body => Open::Text,
    };
    let mut splitter = Splitter {
        code,
        at: 0,
        mark: 0,
        line: 1,
        open: vec![first],
        partial: vec![Partial::new(None)],
        pending: Vec::new(),
        done: Vec::new(),
    };
    while splitter.step() {}
    // The text around the substitutions of a body is no command.
    let outermost = usize::from(kind == Kind::Body);
    while splitter.partial.len() > outermost {
        splitter.end_command();
        splitter.partial.pop();
    }
    splitter.done
}

impl Word {
    pub(super) fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

impl Partial {
    fn new(piped_from: Option<usize>) -> Self {
        Self { simple: Simple::default(), word: None, role: Role::Argument, piped_from, downloads: false }
    }
}

impl Splitter<'_> {
    /// Takes one thing; false at the end.
    fn step(&mut self) -> bool {
        self.mark = self.at;
        let Some(c) = self.take_character() else { return false };
        match self.open.last().copied().unwrap_or(Open::Code(None)) {
            Open::Code(close) => self.in_code(c, close),
            Open::Double if c == '"' => self.close(),
            Open::Brace if c == '}' => self.close(),
            Open::Double | Open::Brace | Open::Text => self.in_text(c),
            Open::Arithmetic(depth) => self.in_arithmetic(c, depth),
        }
        true
    }

    fn take_character(&mut self) -> Option<char> {
        let c = self.code[self.at..].chars().next()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.line = self.line.saturating_add(1);
        }
        Some(c)
    }

    fn next_is(&self, text: &str) -> bool {
        self.code[self.at..].starts_with(text)
    }

    fn skip(&mut self, text: &str) -> bool {
        let there = self.next_is(text);
        if there {
            self.at += text.len();
        }
        there
    }

    fn in_code(&mut self, c: char, close: Option<char>) {
        if Some(c) == close {
            return self.close_substitution();
        }
        match c {
            '\n' => self.end_line(),
            ' ' | '\t' | '\r' => self.end_word(),
            ';' | '&' if !(c == '&' && self.next_is(">")) => self.end_command(),
            '&' => self.end_word(),
            '|' => self.pipe(),
            '(' => self.parenthesis(),
            ')' => self.end_command(),
            '<' | '>' => self.redirect(c),
            '#' if self.top().word.is_none() => self.comment(),
            '\'' => self.single_quotes(),
            '"' => self.open_in_word(Open::Double),
            '\\' => self.escaped(),
            '`' => self.substitution('`'),
            '$' => self.dollar(),
            _ => self.push(c),
        }
    }

    /// Within double quotes, `${…}` and bodies.
    fn in_text(&mut self, c: char) {
        match c {
            '\\' => self.escaped(),
            '`' => self.substitution('`'),
            '$' => self.dollar(),
            _ => self.push(c),
        }
    }

    fn in_arithmetic(&mut self, c: char, depth: u32) {
        let last = self.open.len() - 1;
        match c {
            '(' => self.open[last] = Open::Arithmetic(depth.saturating_add(1)),
            ')' if depth > 0 => self.open[last] = Open::Arithmetic(depth - 1),
            ')' => {
                self.skip(")");
                self.close();
            }
            '$' => self.dollar(),
            '`' => self.substitution('`'),
            _ => {}
        }
    }

    fn dollar(&mut self) {
        let code = matches!(self.open.last(), Some(Open::Code(_)));
        if self.skip("((") {
            self.open_in_word(Open::Arithmetic(0));
            self.word().dynamic = true;
        } else if self.skip("(") {
            self.substitution(')');
        } else if self.skip("{") {
            self.push_text("${");
            self.open_in_word(Open::Brace);
            self.word().dynamic = true;
        } else if code && self.next_is("'") {
            // ANSI quotes: escapes are not resolved, so an encoded word passes unseen, as any computed one does.
            self.at += 1;
            self.single_quotes();
        } else {
            self.push('$');
            self.word().dynamic = true;
        }
    }

    fn escaped(&mut self) {
        match self.take_character() {
            Some('\n') | None => {}
            Some(c) => self.push(c),
        }
    }

    fn single_quotes(&mut self) {
        let rest = &self.code[self.at..];
        let length = rest.find('\'').unwrap_or(rest.len());
        let text = rest[..length].to_owned();
        self.line = self.line.saturating_add(lines(&text));
        self.push_text(&text);
        self.word().quoted = true;
        self.at = (self.at + length + 1).min(self.code.len());
    }

    /// Ends the command as well: nothing but the end of the line can follow.
    fn comment(&mut self) {
        self.end_command();
        let rest = &self.code[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn parenthesis(&mut self) {
        let first = self.top().word.is_none() && self.top().simple.words.is_empty();
        if first && self.skip("(") {
            self.open.push(Open::Arithmetic(0));
            return;
        }
        self.end_command();
        let piped_from = self.top().piped_from.take();
        self.open.push(Open::Code(Some(')')));
        self.partial.push(Partial::new(piped_from));
    }

    fn redirect(&mut self, c: char) {
        // A number in front is the descriptor, not a word.
        if self.top().word.as_ref().is_some_and(|word| {
            !word.quoted && word.text.len() < 4 && word.text.bytes().all(|byte| byte.is_ascii_digit())
        }) {
            self.top().word = None;
        }
        self.end_word();
        self.begin();
        if self.skip("(") {
            return self.substitution(')');
        }
        let role = match c {
            '<' if self.skip("<<") => Role::HereString,
            '<' if self.skip("<-") => Role::Delimiter { tabs: true },
            '<' if self.skip("<") => Role::Delimiter { tabs: false },
            '<' => Role::Target { writes: self.skip(">") },
            _ => {
                let _ = self.skip(">") || self.skip("|") || self.skip("&");
                Role::Target { writes: true }
            }
        };
        if role == (Role::Target { writes: false }) {
            self.skip("&");
        }
        self.top().role = role;
    }

    fn substitution(&mut self, close: char) {
        self.word().dynamic = true;
        self.open.push(Open::Code(Some(close)));
        self.partial.push(Partial::new(None));
    }

    /// The end of `$(…)`, `<(…)`, a subshell or backticks: the word around goes on.
    fn close_substitution(&mut self) {
        self.end_command();
        self.open.pop();
        let downloads = self.partial.pop().is_some_and(|partial| partial.downloads);
        if self.partial.is_empty() {
            self.partial.push(Partial::new(None));
        }
        let top = self.top();
        top.downloads |= downloads;
        if let Some(word) = &mut top.word {
            word.downloaded |= downloads;
        }
    }

    fn pipe(&mut self) {
        if self.skip("|") {
            return self.end_command();
        }
        self.skip("&");
        let before = self.done.len();
        self.end_command();
        self.top().piped_from = (self.done.len() > before).then(|| self.done.len() - 1);
    }

    fn open_in_word(&mut self, what: Open) {
        self.word().quoted |= what == Open::Double;
        self.open.push(what);
    }

    fn close(&mut self) {
        if self.open.pop() == Some(Open::Brace) {
            self.push('}');
        }
    }

    fn top(&mut self) -> &mut Partial {
        self.partial.last_mut().expect("a command is always open: the first is never closed while splitting")
    }

    /// A command begins with its first word or redirection.
    fn begin(&mut self) {
        let (mark, line) = (self.mark, self.line);
        let top = self.top();
        if top.simple.line == 0 {
            top.simple.line = line;
            top.simple.start = mark;
        }
    }

    fn word(&mut self) -> &mut Word {
        self.begin();
        self.top().word.get_or_insert_default()
    }

    fn push(&mut self, c: char) {
        // In the text of a body only substitutions matter.
        if self.open.last() != Some(&Open::Text) {
            self.word().text.push(c);
        }
    }

    fn push_text(&mut self, text: &str) {
        self.word().text.push_str(text);
    }

    fn end_word(&mut self) {
        let (line, depth) = (self.line, self.partial.len());
        let top = self.top();
        let Some(word) = top.word.take() else { return };
        match std::mem::replace(&mut top.role, Role::Argument) {
            Role::Argument => top.simple.words.push(word),
            Role::Target { writes } => top.simple.redirects.push(Redirect { writes, target: word }),
            Role::HereString => {
                let first = line.saturating_sub(lines(&word.text));
                top.simple.bodies.push(Body { text: word.text, line: first, expands: false });
            }
            Role::Delimiter { .. } if self.pending.len() == MOST_BODIES => {}
            Role::Delimiter { tabs } => self.pending.push(Pending {
                delimiter: word.text,
                quoted: word.quoted,
                tabs,
                command: None,
                depth,
            }),
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        let (mark, depth) = (self.mark, self.partial.len());
        let top = self.top();
        if top.simple.line == 0 {
            return;
        }
        let mut simple = take(&mut top.simple);
        simple.reads_from = top.piped_from.take();
        simple.end = mark;
        top.downloads |=
            simple.words.first().is_some_and(|word| matches!(word.text.as_str(), "curl" | "wget"));
        let index = self.done.len();
        let own = self.pending.iter_mut().filter(|one| one.command.is_none() && one.depth == depth);
        own.for_each(|one| one.command = Some(index));
        self.done.push(simple);
    }

    fn end_line(&mut self) {
        self.end_command();
        for pending in take(&mut self.pending) {
            self.read_body(&pending);
        }
    }

    fn read_body(&mut self, pending: &Pending) {
        let (first, start) = (self.line, self.at);
        let mut end = self.at;
        loop {
            let rest = &self.code[self.at..];
            if rest.is_empty() {
                end = self.at;
                break;
            }
            let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
            let written = rest[..length].trim_end_matches(['\n', '\r']);
            let written = if pending.tabs { written.trim_start_matches('\t') } else { written };
            self.at += length;
            self.line = self.line.saturating_add(1);
            if written == pending.delimiter {
                break;
            }
            end = self.at;
        }
        let Some(command) = pending.command.and_then(|index| self.done.get_mut(index)) else { return };
        let text = self.code[start..end].to_owned();
        command.bodies.push(Body { text, line: first, expands: !pending.quoted });
    }
}

fn lines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
