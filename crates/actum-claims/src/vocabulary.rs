//! The lists of words in `data/vocabulary.toml`.

use actum_commands::programs::WordList;
use serde::Deserialize;
use std::sync::LazyLock;

/// Every list, by its name in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vocabulary {
    pub(crate) aliases: Vec<WordList>,
    pub(crate) metric_heads: WordList,
    pub(crate) metric_qualifiers: WordList,
    pub(crate) metric_fillers: WordList,
    pub(crate) metric_units: WordList,
    pub(crate) lower_is_better: WordList,
    pub(crate) fractions: WordList,
    pub(crate) connecting: WordList,
    pub(crate) neutral: WordList,
    pub(crate) packages: WordList,
    pub(crate) not_packages: WordList,
    pub(crate) rows: WordList,
    pub(crate) producing: WordList,
    pub(crate) auxiliary: WordList,
    pub(crate) own_programs: WordList,
    pub(crate) about: WordList,
    pub(crate) at_least: WordList,
    pub(crate) at_most: WordList,
    pub(crate) over: WordList,
    pub(crate) under: WordList,
    pub(crate) value_columns: WordList,
    pub(crate) before_columns: WordList,
    pub(crate) after_columns: WordList,
    pub(crate) change_columns: WordList,
    pub(crate) other_columns: WordList,
    pub(crate) test_columns: WordList,
    pub(crate) programs: WordList,
    pub(crate) building: WordList,
}

pub(crate) static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    toml::from_str(include_str!("../data/vocabulary.toml")).expect("a test reads the built-in vocabulary")
});

#[cfg(test)]
mod tests {
    use super::VOCABULARY;

    #[test]
    fn lists_are_read() {
        assert_eq!(VOCABULARY.aliases[0].iter().next(), Some("accuracy"));
        assert!(VOCABULARY.metric_heads.contains("error rate") && VOCABULARY.connecting.contains("reached"));
    }
}
