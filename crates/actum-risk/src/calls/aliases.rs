//! Names that stand for others: imports, plain assignments, and variables that hold a literal.
//!
//! One level deep and without scopes. What a program computes or hands around is not followed.

use super::Language;
use crate::tokens::{Kind, Token};
use std::collections::HashMap;

/// Of longer names the last parts are kept: those are in the rules. An alias of an alias would grow without an end.
const LONGEST_NAME: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Aliases<'a> {
    names: HashMap<&'a str, String>,
    literals: HashMap<&'a str, Token<'a>>,
}

impl<'a> Aliases<'a> {
    /// The full name behind a name, or the name itself.
    pub(super) fn resolve<'s>(&'s self, name: &'s str) -> &'s str {
        self.names.get(name).map_or(name, String::as_str)
    }

    pub(super) fn literal(&self, name: &str) -> Option<&Token<'a>> {
        self.literals.get(name)
    }

    fn name(&mut self, name: &'a str, path: &str) {
        self.names.insert(name, ending(path).to_owned());
    }

    /// A member of a module.
    fn member(&mut self, name: &'a str, module: &str, member: &str) {
        self.name(name, &format!("{}.{}", ending(module), ending(member)));
    }

    /// Learns from an import or an assignment at `at`; gives the token after what holds no call.
    pub(super) fn learn(&mut self, language: Language, tokens: &[Token<'a>], at: usize) -> Option<usize> {
        match (language, tokens[at].text) {
            (Language::Python, "from") => self.python_from(tokens, at),
            (Language::Python, "import") => Some(self.python_import(tokens, at)),
            (Language::JavaScript, "import") => self.javascript_import(tokens, at),
            (Language::JavaScript, "const" | "let" | "var") => self.javascript_require(tokens, at),
            _ => {
                self.assignment(tokens, at);
                None
            }
        }
    }

    /// `name = "literal"` and `name = other.name`.
    fn assignment(&mut self, tokens: &[Token<'a>], at: usize) {
        let is = |offset: usize, sign: char| tokens.get(at + offset).is_some_and(|token| token.is_sign(sign));
        let mut value = match () {
            () if is(1, '=') && !is(2, '=') && !is(2, '>') => at + 2,
            () if (is(1, ':') && is(2, '=')) || (is(1, '<') && is(2, '-')) => at + 3,
            () => return,
        };
        let name = tokens[at].text;
        let Some(first) = tokens.get(value) else { return };
        match first.kind {
            Kind::Text => {
                self.literals.insert(name, *first);
            }
            Kind::Word => {
                let mut path = ending(self.resolve(first.text)).to_owned();
                // 12: six names; more are no alias of anything that has a rule.
                while value < at + 12 && tokens.get(value + 1).is_some_and(|token| token.is_sign('.')) {
                    let Some(next) = tokens.get(value + 2).filter(|token| token.kind == Kind::Word) else {
                        break;
                    };
                    path.push('.');
                    path.push_str(ending(next.text));
                    value += 2;
                }
                let called = tokens.get(value + 1).is_some_and(|token| token.is_sign('('));
                self.literals.remove(name);
                if path.contains('.') && !called {
                    self.name(name, &path);
                } else if called && matches!(path.as_str(), "promisify" | "util.promisify") {
                    let inner = tokens.get(value + 2).map(|token| self.resolve(token.text).to_owned());
                    inner.into_iter().for_each(|inner| self.name(name, &inner));
                }
            }
            Kind::Sign(_) | Kind::Command => {
                self.literals.remove(name);
            }
        }
    }

    /// `from a.b import c, d as e`.
    fn python_from(&mut self, tokens: &[Token<'a>], at: usize) -> Option<usize> {
        let (module, mut index) = dotted(tokens, at + 1)?;
        if tokens.get(index)?.text != "import" {
            return None;
        }
        index += 1;
        let mut closing = false;
        let line = tokens[at].line;
        while let Some(token) = tokens.get(index) {
            if token.is_sign('(') {
                closing = true;
            } else if token.is_sign(')') || (token.line != line && !closing) || token.is_sign(';') {
                break;
            } else if token.kind == Kind::Word {
                let renamed = tokens.get(index + 1).is_some_and(|next| next.text == "as");
                let known = if renamed { tokens.get(index + 2).unwrap_or(token) } else { token };
                self.member(known.text, &module, token.text);
                index += if renamed { 2 } else { 0 };
            }
            index += 1;
        }
        Some(index)
    }

    /// `import a.b as c`; without `as` the name is its own.
    fn python_import(&mut self, tokens: &[Token<'a>], at: usize) -> usize {
        let mut index = at + 1;
        while let Some((module, after)) = dotted(tokens, index) {
            index = after;
            if let (Some(word), Some(name)) = (tokens.get(index), tokens.get(index + 1))
                && word.text == "as"
            {
                self.name(name.text, &module);
                index += 2;
            }
            if !tokens.get(index).is_some_and(|token| token.is_sign(',')) {
                break;
            }
            index += 1;
        }
        index
    }

    /// `import { rm as remove } from 'fs'`, `import fs from 'fs'`, `import * as fs from 'fs'`.
    fn javascript_import(&mut self, tokens: &[Token<'a>], at: usize) -> Option<usize> {
        let from = (at + 1..tokens.len().min(at + 64)).find(|index| tokens[*index].text == "from")?;
        let module = module_name(tokens.get(from + 1)?);
        self.bind(&tokens[at + 1..from], &module);
        Some(from + 2)
    }

    /// `const { exec: run } = require('child_process')`, `const fs = require('fs')`; or an ordinary assignment.
    fn javascript_require(&mut self, tokens: &[Token<'a>], at: usize) -> Option<usize> {
        let equals = (at + 1..tokens.len().min(at + 48)).find(|index| tokens[*index].is_sign('='))?;
        let value = equals + 1;
        let awaited = usize::from(tokens.get(value).is_some_and(|token| token.text == "await"));
        let function = tokens.get(value + awaited)?;
        if !matches!(function.text, "require" | "import") {
            // A destructured module: `const { rm } = fs.promises`.
            if tokens.get(at + 1)?.is_sign('{') && function.kind == Kind::Word {
                let module = self.resolve(function.text).to_owned();
                self.bind(&tokens[at + 1..equals], &module);
                return Some(value);
            }
            return None;
        }
        let module = module_name(tokens.get(value + awaited + 2)?);
        self.bind(&tokens[at + 1..equals], &module);
        Some(value + awaited + 3)
    }

    fn bind(&mut self, names: &[Token<'a>], module: &str) {
        let braces = names.iter().any(|token| token.is_sign('{'));
        let words: Vec<&Token<'a>> = names.iter().filter(|token| !matches!(token.kind, Kind::Text)).collect();
        if !braces {
            words.iter().filter(|token| token.kind == Kind::Word && token.text != "as").for_each(|token| {
                self.name(token.text, module);
            });
            return;
        }
        for (index, token) in
            words.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word && token.text != "as")
        {
            let next = |offset: usize| words.get(index + offset);
            let renamed = next(1).is_some_and(|next| next.text == "as" || next.is_sign(':'));
            let target = index > 0 && (words[index - 1].text == "as" || words[index - 1].is_sign(':'));
            if !target {
                let known = next(2).filter(|_| renamed).unwrap_or(token);
                self.member(known.text, module, token.text);
            }
        }
    }
}

/// The last parts of a name, with the dot before them where others are left out.
fn ending(path: &str) -> &str {
    if path.len() <= LONGEST_NAME {
        return path;
    }
    let end = &path[path.ceil_char_boundary(path.len() - LONGEST_NAME)..];
    end.find('.').map_or(end, |dot| &end[dot..])
}

/// A dotted name at `at`, and the token after it.
fn dotted(tokens: &[Token<'_>], at: usize) -> Option<(String, usize)> {
    let first = tokens.get(at).filter(|token| token.kind == Kind::Word)?;
    let (mut path, mut index) = (first.text.to_owned(), at + 1);
    while tokens.get(index).is_some_and(|token| token.is_sign('.')) {
        let Some(next) = tokens.get(index + 1).filter(|token| token.kind == Kind::Word) else { break };
        path.push('.');
        path.push_str(next.text);
        index += 2;
    }
    Some((path, index))
}

/// `node:fs/promises` is `fs` for the rules.
fn module_name(token: &Token<'_>) -> String {
    let name = token.text.trim_start_matches("node:");
    name.trim_end_matches("/promises").replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_name_is_kept() {
        let long = format!("{}.os.remove", "ab.".repeat(200));
        let kept = ending(&long);
        assert!(
            kept.len() <= LONGEST_NAME && kept.starts_with('.') && kept.ends_with(".os.remove"),
            "{kept}"
        );
        assert_eq!(ending("os.remove"), "os.remove");
        assert!(ending(&"é".repeat(300)).len() <= LONGEST_NAME);
    }

    #[test]
    fn names_do_not_grow() {
        let deep = format!("a=b.c\n{}a=a.os.remove\na(x)\n", "a=a.b\n".repeat(1000));
        let found = crate::inspect("python", &deep).found;
        assert_eq!(found.iter().map(|one| one.line).collect::<Vec<_>>(), [1003]);
        let long = "b.".repeat(64 << 10);
        let names: String = (0..20_000).map(|at| format!("a{at},")).collect();
        for code in [
            "a=a.b\n".repeat(180_000),
            format!("from {long}c import {names}z"),
            format!("import {long}c as a\n{}", "a()\n".repeat(60_000)),
        ] {
            let begun = std::time::Instant::now();
            crate::inspect("python", &code);
            assert!(begun.elapsed().as_secs() < 10, "{:?} {}", begun.elapsed(), &code[..20]);
        }
    }
}
