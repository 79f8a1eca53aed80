//! Languages that do things by calling: calls are recognised by name, their literal arguments are read.

mod aliases;
mod arguments;
mod rules;

use super::found::{Findings, Found, Reach, Weight, shown};
use super::shell::{is_outside, is_writing, starts_later};
use super::tokens::{self, Kind, Spelling, Token};
use super::{Place, Tongue, embedded, shell, sql};
use actum_model::OperationKind;
use aliases::Aliases;
use arguments::Arguments;
use rules::Action;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
    R,
    Julia,
    Go,
    Rust,
    C,
    Java,
}

/// One call: the name with everything before its dots, where it stands, what it is given.
struct Call<'a> {
    path: String,
    action: Action,
    first: usize,
    line: u32,
    arguments: Arguments,
    written: &'a str,
}

struct Looking<'a, 'f> {
    language: Language,
    code: &'a str,
    tokens: &'a [Token<'a>],
    aliases: Aliases<'a>,
    place: Place,
    findings: &'f mut Findings,
}

/// Looks at a program of a language with calls.
pub(super) fn look(language: Language, code: &str, place: Place, findings: &mut Findings) {
    let tokens = tokens::tokens(code, language.spelling());
    let aliases = Aliases::default();
    let mut looking = Looking { language, code, tokens: &tokens, aliases, place, findings };
    let mut at = 0;
    while at < tokens.len() {
        at = looking.step(at);
    }
}

impl<'a> Looking<'a, '_> {
    /// Looks at one token; gives the next to look at.
    fn step(&mut self, at: usize) -> usize {
        let token = &self.tokens[at];
        match token.kind {
            Kind::Sign(_) | Kind::Text => at + 1,
            Kind::Command => {
                self.shell_text(&token.value(), token.line);
                at + 1
            }
            Kind::Word => self.word(at),
        }
    }

    fn word(&mut self, at: usize) -> usize {
        if let Some(next) = self.aliases.learn(self.language, self.tokens, at) {
            return next;
        }
        let (path, end) = self.path(at);
        if let Some(call) = self.call(path, at, end) {
            self.apply(&call);
        }
        end
    }

    /// The names joined by dots, colons and arrows from here on, and the token after them.
    fn path(&self, at: usize) -> (String, usize) {
        let mut path = String::new();
        let name = self.tokens[at].text.trim_start_matches('@');
        if separator_before(self.tokens, at) {
            path.push('.');
        }
        path.push_str(if path.is_empty() { self.aliases.resolve(name) } else { name });
        let mut end = at + 1;
        while let Some(length) = separator(self.tokens, end) {
            let Some(next) = self.tokens.get(end + length).filter(|token| token.kind == Kind::Word) else {
                break;
            };
            // 8: deeper names have their last parts in the rules anyway.
            if end - at < 24 {
                path.push('.');
                path.push_str(next.text);
            }
            end += length + 1;
        }
        (path, end)
    }

    /// A call that has a rule, if what follows the name makes it one.
    fn call(&self, path: String, at: usize, end: usize) -> Option<Call<'a>> {
        let action = rules::of(self.language).iter().find(|rule| rule.names(&path))?.action;
        let next = self.tokens.get(end)?;
        let opens = next.is_sign('(')
            || (next.is_sign('!') && self.tokens.get(end + 1).is_some_and(|token| token.is_sign('(')));
        let bare = self.language.calls_without_parentheses()
            && next.line == self.tokens[at].line
            && matches!(next.kind, Kind::Text | Kind::Command | Kind::Word);
        let tagged = path == "$" && next.kind == Kind::Text;
        if !(opens || bare || tagged) || self.is_declared(at, &path) {
            return None;
        }
        let from = if opens { end + 1 } else { end };
        let ends = if opens { arguments::Ends::Parenthesis } else { arguments::Ends::Line };
        let literals = arguments::Literals { aliases: &self.aliases, findings: self.findings };
        let arguments = Arguments::read(self.tokens, from, ends, literals);
        let stop = arguments.end.min(self.tokens.len().saturating_sub(1));
        let written = self.code.get(self.tokens[at].start..self.tokens[stop].end).unwrap_or_default();
        Some(Call { path, action, first: at, line: self.tokens[at].line, arguments, written })
    }

    /// `def remove(…)`, `int unlink(…)`: a name after another is declared, unless the one before is a keyword.
    fn is_declared(&self, at: usize, path: &str) -> bool {
        const KEYWORDS: &[&str] = &[
            "return", "else", "await", "yield", "in", "and", "or", "not", "if", "unless", "do", "then",
            "new", "throw", "case", "when", "elif", "assert", "raise", "while", "begin", "ensure", "rescue",
            "go", "defer", "my",
        ];
        let Some(before) = at.checked_sub(1).map(|index| &self.tokens[index]) else { return false };
        before.kind == Kind::Word
            && !path.contains('.')
            && before.line == self.tokens[at].line
            && !KEYWORDS.contains(&before.text)
    }

    fn apply(&mut self, call: &Call<'_>) {
        let line = self.line(call.line);
        match call.action {
            Action::Is(kind) => self.add(call, kind, Weight::Plain, Reach::Unknown),
            Action::Delete(weight) => self.delete(call, weight),
            Action::Write => self.write(call, call.arguments.text(0)),
            Action::WriteReceiver => self.write(call, self.receiver(call)),
            Action::Move => self.write(call, call.arguments.text(1)),
            Action::Open => self.open(call),
            Action::Shell => self.shell(call),
            Action::Words => self.words(call, 0),
            Action::WordsAfterPath => self.words(call, 1),
            Action::Sql => self.sql(call),
            Action::Method => self.method(call),
            Action::Folder => self.findings.leave_the_folder(),
            Action::Code => {
                let text = call.arguments.text(0);
                embedded::look_within(Tongue::Calls(self.language), text, self.place, line, self.findings);
            }
        }
    }

    fn line(&self, line: u32) -> u32 {
        self.place.line.saturating_add(line - 1)
    }

    fn add(&mut self, call: &Call<'_>, kind: OperationKind, weight: Weight, reach: Reach) {
        let line = self.line(call.line);
        self.findings.add(Found { kind, what: shown(call.written), line, weight, reach });
    }

    fn delete(&mut self, call: &Call<'_>, weight: Weight) {
        if call.arguments.is_empty() && !call.path.contains('.') {
            return;
        }
        let forced = ["recursive", "force"].iter().any(|name| call.arguments.is_set(name));
        let weight = if forced { Weight::Grave } else { weight };
        let target = call.arguments.text(0);
        let reach = Reach::of_path(if target.is_empty() { self.receiver(call) } else { target });
        self.add(call, OperationKind::Delete, weight, reach);
    }

    /// `Path("x").unlink()`: the path stands before the call.
    fn receiver(&self, call: &Call<'_>) -> &'a str {
        let before = |steps: usize| call.first.checked_sub(steps).map(|index| &self.tokens[index]);
        match (before(1), before(2), before(3)) {
            (Some(dot), Some(close), Some(text))
                if dot.is_sign('.') && close.is_sign(')') && text.kind == Kind::Text =>
            {
                text.text
            }
            _ => "",
        }
    }

    /// Only what is certainly outside the workspace is told.
    fn write(&mut self, call: &Call<'_>, target: &str) {
        let reach = Reach::of_path(target);
        if starts_later(target) {
            self.add(call, OperationKind::Persistence, Weight::Plain, reach);
        } else if is_outside(&reach) {
            self.add(call, OperationKind::OverwriteOutside, Weight::Plain, reach);
        }
    }

    fn open(&mut self, call: &Call<'_>) {
        let mode = call.arguments.named("mode").unwrap_or_else(|| call.arguments.text(1));
        if mode.len() <= 4 && mode.contains(['w', 'a', 'x', '+', '>']) {
            self.write(call, call.arguments.text(0));
        }
    }

    fn shell(&mut self, call: &Call<'_>) {
        if call.arguments.is_list() {
            return self.words(call, 0);
        }
        self.shell_text(call.arguments.text(0), call.line);
    }

    fn shell_text(&mut self, text: &str, line: u32) {
        let line = self.line(line);
        embedded::look_within(Tongue::Shell, text, self.place, line, self.findings);
    }

    fn words(&mut self, call: &Call<'_>, skip: usize) {
        let words = call.arguments.words().get(skip..).unwrap_or_default();
        match words {
            [one] if one.contains(char::is_whitespace) => self.shell_text(one, call.line),
            _ => {
                let line = self.line(call.line);
                if let Some(place) = self.place.within(line) {
                    shell::look_at_words(words, place, self.findings);
                }
            }
        }
    }

    fn sql(&mut self, call: &Call<'_>) {
        let line = self.line(call.line);
        if let Some(place) = self.place.within(line) {
            sql::look(call.arguments.text(0), sql::Where::Unknown, place, self.findings);
        }
    }

    fn method(&mut self, call: &Call<'_>) {
        let first = call.arguments.text(0);
        let named = ["method", "type", "customMethod"].iter().find_map(|name| call.arguments.named(name));
        let carries = call.path.ends_with("urlopen") && call.arguments.names("data");
        if carries || is_writing(first) || named.is_some_and(is_writing) {
            self.add(call, OperationKind::NetworkWrite, Weight::Plain, Reach::Unknown);
        }
    }
}

/// The length of what joins two names at `at`: `.`, `::`, `->`, `?.`, `\`, `:` and `$` of Lua and R.
fn separator(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let sign = |offset: usize, sign: char| tokens.get(at + offset).is_some_and(|token| token.is_sign(sign));
    if (sign(0, ':') && sign(1, ':')) || (sign(0, '-') && sign(1, '>')) || (sign(0, '?') && sign(1, '.')) {
        return Some(2);
    }
    (sign(0, '.') || sign(0, '\\') || (sign(0, ':') && joined(tokens, at))).then_some(1)
}

/// A single colon joins only without space around it: `file:write(…)`, not `{a: b}`.
fn joined(tokens: &[Token<'_>], at: usize) -> bool {
    let (Some(before), Some(colon), Some(after)) =
        (at.checked_sub(1).and_then(|index| tokens.get(index)), tokens.get(at), tokens.get(at + 1))
    else {
        return false;
    };
    before.kind == Kind::Word && before.end == colon.start && colon.end == after.start
}

fn separator_before(tokens: &[Token<'_>], at: usize) -> bool {
    let sign = |back: usize, sign: char| {
        at.checked_sub(back).and_then(|index| tokens.get(index)).is_some_and(|token| token.is_sign(sign))
    };
    sign(1, '.') || (sign(1, '>') && sign(2, '-')) || (sign(1, ':') && sign(2, ':'))
}

impl Language {
    fn spelling(self) -> &'static Spelling {
        match self {
            Language::Python => &tokens::PYTHON,
            Language::JavaScript => &tokens::JAVASCRIPT,
            Language::Ruby => &tokens::RUBY,
            Language::Perl => &tokens::PERL,
            Language::Php => &tokens::PHP,
            Language::Lua => &tokens::LUA,
            Language::R => &tokens::R,
            Language::Julia => &tokens::JULIA,
            Language::Go => &tokens::GO,
            Language::Rust => &tokens::RUST,
            Language::C => &tokens::C,
            Language::Java => &tokens::JAVA,
        }
    }

    fn calls_without_parentheses(self) -> bool {
        matches!(self, Language::Ruby | Language::Perl | Language::Lua)
    }
}
