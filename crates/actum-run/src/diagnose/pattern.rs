//! Regular expressions over one line, made when they are first needed, and the words that say which may be needed.

use regex::bytes::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::{Deserialize, Deserializer};
use std::sync::OnceLock;

/// One expression. It is compiled when a text holds its longest plain word, which few texts do.
#[derive(Debug)]
pub(super) struct Pattern {
    text: String,
    /// Its place in the prefilter; absent when it has no plain word that every match holds.
    word: Option<usize>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Absent when the expression is none; a test sees to it that each is one.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let compile = || RegexBuilder::new(&self.text).unicode(false).build().ok();
        self.compiled.get_or_init(compile).as_ref()
    }

    pub(super) fn captures<'t>(&self, line: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(line.as_bytes())
    }

    pub(super) fn is_in(&self, line: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(line.as_bytes()))
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self { text, word: None, compiled: OnceLock::new() })
    }
}

/// The plain words of many patterns, looked for in one pass.
#[derive(Debug)]
pub(super) struct Prefilter {
    words: Vec<String>,
    set: OnceLock<Option<RegexSet>>,
}

/// Which words a text holds.
#[derive(Debug)]
pub(super) struct Present(Vec<bool>);

impl Prefilter {
    pub(super) fn over<'p>(patterns: impl Iterator<Item = &'p mut Pattern>) -> Self {
        let mut words: Vec<String> = Vec::new();
        for pattern in patterns {
            let word = longest_word(&pattern.text);
            // 3: shorter ones are in every text.
            if word.len() < 3 {
                continue;
            }
            let known = words.iter().position(|known| *known == word);
            pattern.word = Some(known.unwrap_or(words.len()));
            if known.is_none() {
                words.push(word);
            }
        }
        Self { words, set: OnceLock::new() }
    }

    pub(super) fn present(&self, texts: &[&str]) -> Present {
        let escaped = || self.words.iter().map(|word| regex::escape(word));
        let set = self.set.get_or_init(|| RegexSetBuilder::new(escaped()).unicode(false).build().ok());
        let Some(set) = set else { return Present(vec![true; self.words.len()]) };
        let mut present = vec![false; self.words.len()];
        for text in texts {
            for index in &set.matches(text.as_bytes()) {
                present[index] = true;
            }
        }
        Present(present)
    }
}

impl Present {
    pub(super) fn may_match(&self, pattern: &Pattern) -> bool {
        pattern.word.is_none_or(|word| self.0[word])
    }
}

/// The longest run of plain characters that every match of an expression holds; empty when there is none.
pub(super) fn longest_word(pattern: &str) -> String {
    // With another case every word has many forms.
    if pattern.contains("(?i") {
        return String::new();
    }
    let mut reader = Reader::default();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => reader.escaped(characters.next()),
            '[' => reader.skip_class(&mut characters),
            '(' => reader.open(),
            ')' => reader.close(),
            // A choice at the top has no word that every match holds.
            '|' if reader.depth == 0 => return String::new(),
            '?' | '*' => reader.may_be_absent(),
            '{' => {
                reader.may_be_absent();
                characters.by_ref().find(|character| *character == '}');
            }
            '.' | '^' | '$' | '|' | '+' => reader.end(),
            plain => reader.plain(plain),
        }
    }
    reader.end();
    reader.longest
}

#[derive(Default)]
struct Reader {
    depth: usize,
    run: String,
    longest: String,
}

impl Reader {
    fn plain(&mut self, character: char) {
        if self.depth == 0 {
            self.run.push(character);
        }
    }

    /// `\d` is a class, `\.` a plain dot.
    fn escaped(&mut self, character: Option<char>) {
        match character {
            Some(plain) if !plain.is_ascii_alphanumeric() => self.plain(plain),
            Some(_) | None => self.end(),
        }
    }

    fn skip_class(&mut self, characters: &mut std::str::Chars<'_>) {
        self.end();
        let mut is_first = true;
        while let Some(character) = characters.next() {
            match character {
                '\\' => drop(characters.next()),
                ']' if !is_first => return,
                '^' if is_first => continue,
                _ => {}
            }
            is_first = false;
        }
    }

    fn open(&mut self) {
        self.end();
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// What stands before a `?` or `*` is not in every match.
    fn may_be_absent(&mut self) {
        self.run.pop();
        self.end();
    }

    fn end(&mut self) {
        if self.depth == 0 && self.run.len() > self.longest.len() {
            self.longest = std::mem::take(&mut self.run);
        }
        self.run.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_every_match_holds() {
        for (pattern, word) in [
            (r"No module named '([A-Za-z]+)'", "No module named '"),
            (r"\[Errno 2\] No such", "[Errno 2] No such"),
            (r"colou?r table", "r table"),
            (r"ab+cd", "ab"),
            (r"a|bcd", ""),
            (r"(?i)abcd", ""),
            (r"(?:abc|def) is gone", " is gone"),
            (r"x{3}abc", "abc"),
            (r"[]x]abc[^]y]d", "abc"),
            (r"\$'([^']*)\\r'", r"\r'"),
        ] {
            assert_eq!(longest_word(pattern), word, "{pattern}");
        }
    }
}
