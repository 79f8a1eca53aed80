//! Regular expressions over one line, made when they are first needed, and the words that say which may be needed.

use regex::bytes::{Captures, Regex, RegexBuilder};
use serde::{Deserialize, Deserializer};
use std::collections::HashMap;
use std::sync::OnceLock;

/// 3 bytes.
const SHORTEST: usize = 3;

/// One expression. It is compiled when a text holds its longest plain word, which few texts do.
#[derive(Debug)]
pub(super) struct Pattern {
    text: String,
    /// A plain word that every match holds; empty when there is none.
    word: String,
    /// Its place in the prefilter; absent when it has no such word.
    place: Option<usize>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn word(&self) -> &str {
        &self.word
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
        // Shorter ones are in every text.
        let word = Some(longest_word(&text)).filter(|word| word.len() >= SHORTEST).unwrap_or_default();
        Ok(Self { text, word, place: None, compiled: OnceLock::new() })
    }
}

/// The plain words of many patterns, looked for in one pass. A set of expressions would do the same and took longer to
/// make than all the rest of a diagnosis.
#[derive(Debug)]
pub(super) struct Prefilter {
    words: Vec<String>,
    /// Which words begin with these three bytes.
    beginnings: HashMap<[u8; SHORTEST], Vec<usize>>,
    /// Whether any word begins with these two.
    pairs: Vec<bool>,
}

/// Which words a text holds.
#[derive(Debug)]
pub(super) struct Present(Vec<bool>);

impl Prefilter {
    pub(super) fn over<'p>(patterns: impl Iterator<Item = &'p mut Pattern>) -> Self {
        let mut filter = Self { words: Vec::new(), beginnings: HashMap::new(), pairs: vec![false; 1 << 16] };
        let mut known: HashMap<String, usize> = HashMap::new();
        for pattern in patterns {
            if let Some(beginning) = beginning(pattern.word.as_bytes()) {
                let place = *known
                    .entry(pattern.word.clone())
                    .or_insert_with(|| filter.add(&pattern.word, beginning));
                pattern.place = Some(place);
            }
        }
        filter
    }

    fn add(&mut self, word: &str, beginning: [u8; SHORTEST]) -> usize {
        let place = self.words.len();
        self.words.push(word.to_owned());
        self.beginnings.entry(beginning).or_default().push(place);
        self.pairs[pair(&beginning)] = true;
        place
    }

    pub(super) fn present(&self, texts: &[&str]) -> Present {
        let mut present = Present(vec![false; self.words.len()]);
        texts.iter().for_each(|text| self.look(text.as_bytes(), &mut present));
        present
    }

    fn look(&self, text: &[u8], present: &mut Present) {
        for at in 0..text.len() {
            let rest = &text[at..];
            let Some(beginning) = beginning(rest) else { return };
            if !self.pairs[pair(&beginning)] {
                continue;
            }
            for place in self.beginnings.get(&beginning).into_iter().flatten() {
                present.0[*place] = present.0[*place] || rest.starts_with(self.words[*place].as_bytes());
            }
        }
    }
}

fn beginning(bytes: &[u8]) -> Option<[u8; SHORTEST]> {
    bytes.first_chunk().copied()
}

fn pair([first, second, _]: &[u8; SHORTEST]) -> usize {
    usize::from(*first) << 8 | usize::from(*second)
}

impl Present {
    pub(super) fn may_match(&self, pattern: &Pattern) -> bool {
        pattern.place.is_none_or(|place| self.0[place])
    }
}

/// The longest run of plain characters that every match of an expression holds; empty when there is none.
fn longest_word(pattern: &str) -> String {
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
