//! What a call is given, as far as it is written there.

use super::aliases::Aliases;
use crate::found::Findings;
use crate::tokens::{Kind, Token};

/// 96: longer than any call whose meaning is in its words. The bound keeps calls within calls from costing a square.
const MOST_TOKENS: usize = 96;

/// 4 MiB: a literal can be named in as many calls as somebody cares to write, and is looked at in each. All those of a long program, each
/// named twice, are not more. What is beyond counts as computed.
const MOST_OF_NAMED: usize = 4 << 20;
/// 16 MiB: what stands in a call itself is as long as the code, and as that in each language within another.
const MOST_OF_WRITTEN: usize = 16 << 20;

/// Words in a list of arguments that are no argument.
const NO_VALUES: &[&str] = &["new", "await", "std", "String", "NULL", "nullptr", "nil", "None", "null", "as"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Parenthesis,
    /// A call without parentheses.
    Line,
}

/// Where literals come from, and what is left to be spent on them.
#[derive(Clone, Copy)]
pub(super) struct Literals<'l, 'a> {
    pub(super) aliases: &'l Aliases<'a>,
    pub(super) findings: &'l Findings,
}

impl Literals<'_, '_> {
    /// What a literal means that stands in the call.
    fn written(self, token: &Token<'_>) -> Option<String> {
        self.findings.hand_over(token.text.len(), MOST_OF_WRITTEN).then(|| token.value().into_owned())
    }

    /// What a literal means that was assigned to a name.
    fn named(self, name: &str) -> Option<String> {
        let token = self.aliases.literal(name)?;
        self.findings.hand_over(token.text.len(), MOST_OF_NAMED).then(|| token.value().into_owned())
    }
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
    pub(super) fn read(tokens: &[Token<'_>], from: usize, ends: Ends, literals: Literals<'_, '_>) -> Self {
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
                Kind::Text | Kind::Command => all.literal(tokens, from, at, literals),
                Kind::Word if inside_a_call => {}
                Kind::Word => at = all.word(tokens, at, literals),
            }
            at += 1;
        }
        all
    }

    /// A literal, joined to the one before where nothing but a plus or dots stand between.
    fn literal(&mut self, tokens: &[Token<'_>], from: usize, at: usize, literals: Literals<'_, '_>) {
        let value = literals.written(&tokens[at]).unwrap_or_else(|| "$".to_owned());
        let mut before = at;
        while before > from && matches!(tokens[before - 1].kind, Kind::Sign('+' | '.')) {
            before -= 1;
        }
        let joined = before > from && matches!(tokens[before - 1].kind, Kind::Text);
        match self.positional.last_mut().filter(|_| joined) {
            Some(last) => last.push_str(&value),
            None => self.positional.push(value),
        }
    }

    /// A name: of an option, of a literal that was assigned before, or of something computed. Gives the last token read.
    fn word(&mut self, tokens: &[Token<'_>], at: usize, literals: Literals<'_, '_>) -> usize {
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
                self.named.push((token.text.to_owned(), literals.written(value).unwrap_or_default()));
                return index;
            }
            self.named.push((token.text.to_owned(), String::new()));
            return index - 1;
        }
        let after_dot = at > 0 && (tokens[at - 1].is_sign('.') || tokens[at - 1].is_sign(':'));
        if !after_dot && !NO_VALUES.contains(&token.text) {
            let literal = literals.named(token.text);
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

#[cfg(test)]
mod tests {
    use crate::inspect;
    use actum_model::Seen;

    #[test]
    fn a_literal_that_is_named_often_costs_no_square() {
        let escaped = "\\\\a".repeat(170_000);
        let commands = "rm a;".repeat(60_000);
        for (literal, call) in [
            (&escaped, "os.remove(x,x,x,x,x,x)\n"),
            (&escaped, "os.remove(x+x,a=x)\n"),
            (&commands, "os.system(x)\n"),
        ] {
            let code = format!("x=\"{literal}\"\n{}", call.repeat((400 << 10) / call.len()));
            let begun = std::time::Instant::now();
            let all = inspect("python", &code);
            assert!(begun.elapsed().as_secs() < 10, "{:?} {call}", begun.elapsed());
            assert_eq!(all.seen, Seen::Beginning, "{call}");
        }
    }

    #[test]
    fn literals_that_are_named_a_few_times_are_looked_at() {
        let code = format!("x='rm -rf /{}'\n{}", "a".repeat(10 << 10), "os.system(x)\n".repeat(20));
        let all = inspect("python", &code);
        assert_eq!((all.found.len(), all.seen), (20, Seen::Whole));
        // What stands in a call itself is not lost by others that were named too often.
        let often =
            format!("x='{}'\n{}os.system('rm -rf /')\n", "a".repeat(1 << 20), "os.remove(x)\n".repeat(9));
        assert_eq!(inspect("python", &often).found.len(), 10);
    }
}
