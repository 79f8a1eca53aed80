//! Tables of text that travel inside the program: lines in the order of their bytes, fields with tabs between them.
//!
//! A large one is kept compressed and is opened once, when somebody first asks. Nothing is built from it: a key is found
//! by halving the text, so the first question costs the opening and nothing more.

use std::cmp::Ordering;
use std::sync::OnceLock;

/// A table that is compressed until it is needed.
pub(crate) struct Packed {
    bytes: &'static [u8],
    text: OnceLock<String>,
}

impl Packed {
    pub(crate) const fn new(bytes: &'static [u8]) -> Self {
        Packed { bytes, text: OnceLock::new() }
    }

    pub(crate) fn table(&'static self) -> Table {
        Table(self.text.get_or_init(|| open(self.bytes)))
    }
}

fn open(bytes: &[u8]) -> String {
    let plain =
        zstd::decode_all(bytes).expect("BUG: an embedded table was compressed by us and checked since");
    String::from_utf8(plain).expect("BUG: the sources of embedded tables are text")
}

/// Lines in the order of their bytes.
#[derive(Clone, Copy)]
pub(crate) struct Table(&'static str);

impl Table {
    pub(crate) const fn new(text: &'static str) -> Self {
        Table(text)
    }

    /// The row with this key, or the first of several.
    pub(crate) fn find(self, key: &str) -> Option<Row> {
        self.all(key).next()
    }

    /// Every row with this key, in order.
    pub(crate) fn all(self, key: &str) -> impl Iterator<Item = Row> + use<'_> {
        let rest = &self.0[self.first_not_below(key)..];
        rest.lines().map(Row).take_while(move |row| row.key() == key)
    }

    /// The rows from this key on.
    pub(crate) fn from(self, key: &str) -> impl Iterator<Item = Row> + use<> {
        self.0[self.first_not_below(key)..].lines().map(Row)
    }

    pub(crate) fn rows(self) -> impl Iterator<Item = Row> {
        self.0.lines().map(Row)
    }

    /// Whether any key begins with this text.
    pub(crate) fn has_prefix(self, prefix: &str) -> bool {
        self.0[self.first_not_below(prefix)..].starts_with(prefix)
    }

    /// Where the first line begins whose key does not come before this one.
    fn first_not_below(self, key: &str) -> usize {
        let (mut low, mut high) = (0, self.0.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let start = low + self.before(low, middle).rfind('\n').map_or(0, |at| at + 1);
            let line = self.0[start..].lines().next().unwrap_or_default();
            match Row(line).key().as_bytes().cmp(key.as_bytes()) {
                Ordering::Less => low = (start + line.len() + 1).min(high),
                Ordering::Equal | Ordering::Greater => high = start,
            }
        }
        low
    }

    /// The text between two places, where the second may lie within a character.
    fn before(self, low: usize, middle: usize) -> &'static str {
        let end = (low..=middle).rev().find(|at| self.0.is_char_boundary(*at)).unwrap_or(low);
        &self.0[low..end]
    }
}

/// One line of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(&'static str);

impl Row {
    pub(crate) fn key(self) -> &'static str {
        self.field(0)
    }

    /// The field at this place, empty where the line is shorter.
    pub(crate) fn field(self, at: usize) -> &'static str {
        self.0.split('\t').nth(at).unwrap_or_default()
    }

    /// The same, where a dash stands for nothing.
    pub(crate) fn given(self, at: usize) -> Option<&'static str> {
        Some(self.field(at)).filter(|text| !text.is_empty() && *text != "-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_are_found_or_not() {
        let table = Table::new("a\t1\nb\t2\nb\t3\nbé\t4\nc\n");
        for (key, expected) in [("a", "1"), ("b", "2"), ("bé", "4"), ("c", "")] {
            assert_eq!(table.find(key).map(|row| row.field(1)), Some(expected), "{key}");
        }
        for key in ["", "A", "ab", "bb", "d", "\t"] {
            assert_eq!(table.find(key), None, "{key:?}");
        }
        assert_eq!(table.all("b").count(), 2);
        assert!(table.has_prefix("b") && table.has_prefix("bé") && !table.has_prefix("bx"));
    }

    /// What `cargo xtask generate` writes is what the sources say.
    #[test]
    fn what_is_packed_is_current() {
        let packed: [(&str, &[u8], &str); 4] = [
            (
                "imports",
                include_bytes!("../data/python/imports.tsv.zst"),
                include_str!("../data/python/imports.tsv"),
            ),
            (
                "removals",
                include_bytes!("../data/python/removals.tsv.zst"),
                include_str!("../data/python/removals.tsv"),
            ),
            (
                "sonames",
                include_bytes!("../data/debian/sonames.tsv.zst"),
                include_str!("../data/debian/sonames.tsv"),
            ),
            (
                "commands",
                include_bytes!("../data/debian/commands.tsv.zst"),
                include_str!("../data/debian/commands.tsv"),
            ),
        ];
        for (name, bytes, source) in packed {
            assert!(open(bytes) == source, "{name} is not current: run `cargo xtask generate`");
        }
    }

    #[test]
    fn an_empty_table_answers() {
        assert_eq!(Table::new("").find("a"), None);
        assert!(!Table::new("").has_prefix("a"));
    }

    proptest! {
        /// Halving finds what looking at every line finds.
        #[test]
        fn halving_is_looking(keys in prop::collection::btree_set("[a-cé_.]{1,4}", 0..40), asked in "[a-cé_.]{0,4}") {
            let mut sorted: Vec<&str> = keys.iter().map(String::as_str).collect();
            sorted.sort_by_key(|key| key.as_bytes());
            let text: String = sorted.iter().map(|key| format!("{key}\tx\n")).collect();
            let table = Table::new(Box::leak(text.into_boxed_str()));
            prop_assert_eq!(table.find(&asked).is_some(), keys.contains(&asked));
            let expected = asked.is_empty() || keys.iter().any(|key| key.starts_with(&asked));
            prop_assert_eq!(table.has_prefix(&asked), expected);
        }
    }
}
