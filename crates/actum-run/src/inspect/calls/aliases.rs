//! Names that stand for others: imports, plain assignments, and variables that hold a literal.
//!
//! One level deep and without scopes. What a program computes or hands around is not followed.

use super::Language;
use crate::inspect::tokens::{Kind, Token};
use std::collections::HashMap;

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
                let mut path = self.resolve(first.text).to_owned();
                // 12: six names; more are no alias of anything that has a rule.
                while value < at + 12 && tokens.get(value + 1).is_some_and(|token| token.is_sign('.')) {
                    let Some(next) = tokens.get(value + 2).filter(|token| token.kind == Kind::Word) else {
                        break;
                    };
                    path.push('.');
                    path.push_str(next.text);
                    value += 2;
                }
                let called = tokens.get(value + 1).is_some_and(|token| token.is_sign('('));
                self.literals.remove(name);
                if path.contains('.') && !called {
                    self.names.insert(name, path);
                } else if called && matches!(path.as_str(), "promisify" | "util.promisify") {
                    let inner = tokens.get(value + 2).map(|token| self.resolve(token.text).to_owned());
                    inner.into_iter().for_each(|inner| {
                        self.names.insert(name, inner);
                    });
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
                self.names.insert(known.text, format!("{module}.{}", token.text));
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
                self.names.insert(name.text, module);
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
                self.names.insert(token.text, module.to_owned());
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
                self.names.insert(known.text, format!("{module}.{}", token.text));
            }
        }
    }
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
