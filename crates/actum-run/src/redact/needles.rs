//! Forms of known values. A file of the workspace can name thousands that all begin alike, and a program can print what they begin
//! with at every place: so they are in order, and one search tells which of them begin a text.

use std::ops::Range;

/// Byte strings in order.
#[derive(Debug, Default)]
pub(super) struct Needles {
    all: Vec<Vec<u8>>,
    /// For each one the longest other that it begins with.
    shorter: Vec<Option<usize>>,
}

/// What begins at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Begun {
    /// The length of the longest one that is there whole. Shorter ones lie inside it.
    pub(super) whole: Option<usize>,
    /// All that is there is the beginning of a longer one.
    pub(super) may_go_on: bool,
}

impl Needles {
    /// Takes them in order.
    pub(super) fn new(all: Vec<Vec<u8>>) -> Self {
        let mut shorter: Vec<Option<usize>> = Vec::with_capacity(all.len());
        for (at, needle) in all.iter().enumerate() {
            let mut other = at.checked_sub(1);
            while let Some(one) = other.filter(|one| !needle.starts_with(&all[*one])) {
                other = shorter[one];
            }
            shorter.push(other);
        }
        Self { all, shorter }
    }

    /// Which of some neighbours begin a text.
    pub(super) fn at(&self, range: Range<usize>, text: &[u8]) -> Begun {
        let behind = range.start + self.all[range.clone()].partition_point(|one| one.as_slice() <= text);
        let may_go_on = self.all[behind..range.end].first().is_some_and(|one| one.starts_with(text));
        // Whatever begins the text is the one before that place, or begins that one.
        let mut one = behind.checked_sub(1).filter(|one| *one >= range.start);
        let common = one.map_or(0, |one| common(&self.all[one], text));
        while let Some(longer) = one.filter(|one| self.all[*one].len() > common) {
            one = self.shorter[longer].filter(|one| *one >= range.start);
        }
        Begun { whole: one.map(|one| self.all[one].len()), may_go_on }
    }
}

/// How many bytes two texts begin with in common.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_is_found() {
        let needles = Needles::new(["aaa", "aaab", "aab", "b"].map(|one| one.as_bytes().to_vec()).into());
        for (text, whole, may_go_on) in [
            ("aaab", Some(4), false),
            ("aaac", Some(3), false),
            ("aaaa", Some(3), false),
            ("aaa", Some(3), true),
            ("aa", None, true),
            ("ac", None, false),
        ] {
            assert_eq!(needles.at(0..4, text.as_bytes()), Begun { whole, may_go_on }, "{text}");
        }
        assert_eq!(needles.at(2..3, b"aaab").whole, None);
    }

    proptest! {
        #[test]
        fn as_if_each_was_compared(all in proptest::collection::btree_set("[ab]{1,6}", 0..30), text in "[ab]{0,8}") {
            let all: Vec<Vec<u8>> = all.into_iter().map(String::into_bytes).collect();
            let text = text.as_bytes();
            let whole = all.iter().filter(|one| text.starts_with(one)).map(Vec::len).max();
            let may_go_on = all.iter().any(|one| one.len() > text.len() && one.starts_with(text));
            let count = all.len();
            prop_assert_eq!(Needles::new(all).at(0..count, text), Begun { whole, may_go_on });
        }
    }
}
