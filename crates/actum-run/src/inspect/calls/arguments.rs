//! What a call is given, as far as it is written there.

use super::aliases::Aliases;
use crate::inspect::tokens::{Kind, Token};

/// 96: longer than any call whose meaning is in its words. The bound keeps calls within calls from costing a square.
const MOST_TOKENS: usize = 96;

/// Words in a list of arguments that are no argument.
const NO_VALUES: &[&str] = &["new", "await", "std", "String", "NULL", "nullptr", "nil", "None", "null", "as"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Parenthesis,
    /// A call without parentheses.
    Line,
}

/// Literal arguments in order; what is computed is a `$` and its name, which the shell's rules read as an expansion.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    positional: Vec<String>,
    named: Vec<(String, String)>,
    list: bool,
    /// The last token that was read.
    pub(super) end: usize,
}

impl Arguments {
    pub(super) fn read(tokens: &[Token<'_>], from: usize, ends: Ends, aliases: &Aliases<'_>) -> Self {
        let mut all = Self { end: from, ..Self::default() };
        let mut open: Vec<char> = Vec::new();
        let first_line = tokens.get(from).map_or(0, |token| token.line);
        let mut at = from;
        while let Some(token) = tokens.get(at).filter(|_| at < from + MOST_TOKENS) {
            if ends == Ends::Line && token.line != first_line {
                break;
            }
            all.end = at;
            let inside_a_call = open.contains(&'(');
            match token.kind {
                Kind::Sign('(') => open.push('('),
                Kind::Sign(sign @ ('[' | '{')) => {
                    all.list |= open.is_empty() && sign == '[' && all.positional.is_empty();
                    open.push(sign);
                }
                Kind::Sign(')') if open.is_empty() => match more_of_a_command(tokens, at) {
                    // `.arg("…")` goes on with the same command.
                    Some(next) => at = next,
                    None => break,
                },
                Kind::Sign(')' | ']' | '}') => {
                    open.pop();
                }
                Kind::Sign(';') if open.is_empty() => break,
                Kind::Sign(_) => {}
                Kind::Text | Kind::Command if inside_a_call => {}
                Kind::Text | Kind::Command => all.literal(tokens, from, at),
                Kind::Word if inside_a_call => {}
                Kind::Word => at = all.word(tokens, at, aliases),
            }
            at += 1;
        }
        all
    }

    /// A literal, joined to the one before where nothing but a plus or dots stand between.
    fn literal(&mut self, tokens: &[Token<'_>], from: usize, at: usize) {
        let value = tokens[at].value();
        let mut before = at;
        while before > from && matches!(tokens[before - 1].kind, Kind::Sign('+' | '.')) {
            before -= 1;
        }
        let joined = before > from && matches!(tokens[before - 1].kind, Kind::Text);
        match self.positional.last_mut().filter(|_| joined) {
            Some(last) => last.push_str(&value),
            None => self.positional.push(value.into_owned()),
        }
    }

    /// A name: of an option, of a literal that was assigned before, or of something computed. Gives the last token read.
    fn word(&mut self, tokens: &[Token<'_>], at: usize, aliases: &Aliases<'_>) -> usize {
        let token = &tokens[at];
        let sign =
            |offset: usize, sign: char| tokens.get(at + offset).is_some_and(|token| token.is_sign(sign));
        let value_at = match () {
            () if sign(1, '=') && sign(2, '>') => Some(at + 3),
            () if (sign(1, '=') && !sign(2, '=')) || (sign(1, ':') && !sign(2, ':')) => Some(at + 2),
            () => None,
        };
        if let Some(value) = value_at.and_then(|index| tokens.get(index).map(|value| (index, value))) {
            let (index, value) = value;
            if matches!(value.kind, Kind::Text | Kind::Word) {
                self.named.push((token.text.to_owned(), value.value().into_owned()));
                return index;
            }
            self.named.push((token.text.to_owned(), String::new()));
            return index - 1;
        }
        let after_dot = at > 0 && (tokens[at - 1].is_sign('.') || tokens[at - 1].is_sign(':'));
        if !after_dot && !NO_VALUES.contains(&token.text) {
            let literal = aliases.literal(token.text).map(|text| text.value().into_owned());
            let computed = || format!("${}", token.text.trim_start_matches('$'));
            self.positional.push(literal.unwrap_or_else(computed));
        }
        at
    }

    /// The `n`th argument; empty where there is none.
    pub(super) fn text(&self, n: usize) -> &str {
        self.positional.get(n).map_or("", String::as_str)
    }

    pub(super) fn words(&self) -> &[String] {
        &self.positional
    }

    pub(super) fn is_list(&self) -> bool {
        self.list
    }

    pub(super) fn is_empty(&self) -> bool {
        self.positional.is_empty() && self.named.is_empty()
    }

    pub(super) fn named(&self, name: &str) -> Option<&str> {
        self.named.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn names(&self, name: &str) -> bool {
        self.named(name).is_some()
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.named(name).is_some_and(|value| matches!(value, "true" | "True" | "TRUE" | "T" | "1"))
    }
}

/// After `Command::new("rm")`: the token that opens `.arg(` or `.args(`.
fn more_of_a_command(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let dot = tokens.get(at + 1)?;
    let name = tokens.get(at + 2)?;
    let open = tokens.get(at + 3)?;
    let more = dot.is_sign('.') && matches!(name.text, "arg" | "args") && open.is_sign('(');
    more.then_some(at + 3)
}
