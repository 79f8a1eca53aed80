//! Programs by what they do: the lists in `data/programs.toml`.

use serde::Deserialize;
use std::sync::LazyLock;

/// Every list, by its name in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Programs {
    pub test_runners: WordList,
    pub test_selectors: WordList,
    pub linters: WordList,
    pub type_checkers: WordList,
    pub formatters: WordList,
    pub examiners: WordList,
    pub recipes: WordList,
    pub builders: WordList,
    pub compilers: WordList,
    pub other_targets: WordList,
    pub starters: WordList,
    pub carriers: WordList,
    pub programs: WordList,
    pub source_endings: WordList,
    pub subcommands: WordList,
}

pub static PROGRAMS: LazyLock<Programs> = LazyLock::new(|| {
    toml::from_str(include_str!("../data/programs.toml")).expect("a test reads the built-in lists")
});

/// Words and phrases between commas, in the order of their file.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub struct WordList(Vec<String>);

impl WordList {
    pub fn contains(&self, word: &str) -> bool {
        self.0.iter().any(|one| one == word)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// The first two words that follow each other and are a phrase of the list.
    pub fn find_pair(&self, words: &[&str]) -> Option<usize> {
        words.windows(2).position(|pair| self.contains(&pair.join(" ")))
    }
}

impl From<String> for WordList {
    fn from(text: String) -> Self {
        let phrase = |phrase: &str| phrase.split_whitespace().collect::<Vec<_>>().join(" ");
        Self(text.split(',').map(phrase).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::PROGRAMS;

    #[test]
    fn lists_are_read() {
        assert!(PROGRAMS.test_runners.contains("pytest") && PROGRAMS.test_runners.contains("cargo test"));
        assert_eq!(PROGRAMS.test_runners.find_pair(&["timeout", "60", "go", "test"]), Some(2));
        assert!(PROGRAMS.recipes.iter().all(|word| !PROGRAMS.programs.contains(word)));
    }
}
