//! Looks for the few bytes that a secret begins with, over everything that is printed. The only part that sees every byte.
//!
//! Eight places are looked at together, without a branch between them. Keys are dealt into 64 lots, neighbours in the alphabet
//! into the same; for each of the first three bytes a small table tells which lots have a key with that byte there. Where
//! a lot is in all three something may begin, and only then it is compared. Over text this is several times faster than an
//! automaton of as many strings. The figures are in docs/design/redaction.md.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// A set of byte strings of at least three bytes, none of which begins with another.
#[derive(Default)]
pub(super) struct Anchors {
    /// In order.
    keys: Vec<Vec<u8>>,
    lots: Lots,
    /// Which keys begin with these bytes.
    heads: HashMap<[u8; HEAD], Range<usize>>,
    /// Everything that a key begins with and goes on from.
    beginnings: HashSet<Vec<u8>>,
    longest: usize,
}

const HEAD: usize = 3;

/// As many places as are looked at before anything is decided.
const BLOCK: usize = 8;

/// For each of the first bytes of a key, which lots have it there: 6 KiB, which the processor keeps at hand.
struct Lots(Box<[[u64; 256]; HEAD]>);

impl Anchors {
    /// Gives each set of things that is looked for by the same anchor its number. What begins with another's anchor is found by
    /// that one.
    pub(super) fn new<T>(mut wanted: Vec<(Vec<u8>, T)>) -> (Self, Vec<Vec<T>>) {
        let mut groups: BTreeMap<Vec<u8>, Vec<T>> = BTreeMap::new();
        wanted.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (anchor, what) in wanted {
            // Sorted, so that what it begins with came just before it.
            match groups.last_entry() {
                Some(mut last) if anchor.starts_with(last.key()) => last.get_mut().push(what),
                Some(_) | None => groups.entry(anchor).or_default().push(what),
            }
        }
        let (keys, groups): (Vec<Vec<u8>>, Vec<Vec<T>>) = groups.into_iter().unzip();
        (Self::of(keys), groups)
    }

    fn of(keys: Vec<Vec<u8>>) -> Self {
        let mut lots = Lots::default();
        let mut heads = HashMap::<_, Range<usize>>::new();
        for (at, key) in keys.iter().enumerate() {
            let Some(head) = key.first_chunk::<HEAD>() else { continue };
            let lot = at * 64 / keys.len();
            (0..HEAD).for_each(|place| lots.0[place][usize::from(head[place])] |= 1 << lot);
            heads.entry(*head).or_insert(at..at).end = at + 1;
        }
        let beginnings = keys.iter().flat_map(|key| (1..key.len()).map(|end| key[..end].to_vec())).collect();
        let longest = keys.iter().map(Vec::len).max().unwrap_or(0);
        Self { keys, lots, heads, beginnings, longest }
    }

    /// The next place where one begins, and whose it is.
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let mut at = from;
        while let Some(block) = text[at..].first_chunk() {
            if self.lots.may_begin(block)
                && let Some(found) = self.find_in(text, at..at + BLOCK)
            {
                return Some(found);
            }
            at += BLOCK;
        }
        self.find_in(text, at..text.len())
    }

    fn find_in(&self, text: &[u8], mut places: Range<usize>) -> Option<(usize, usize)> {
        places.find_map(|place| Some((place, self.key_at(&text[place..])?)))
    }

    fn key_at(&self, text: &[u8]) -> Option<usize> {
        let head = text.first_chunk::<HEAD>()?;
        if self.lots.of(*head) == 0 {
            return None;
        }
        let range = self.heads.get(head)?.clone();
        // None begins with another, so only the last one that is not behind the text can begin it. Keys are many where a
        // file of the workspace says so.
        let behind = self.keys[range.clone()].partition_point(|key| key.as_slice() <= text);
        let key = range.start + behind.checked_sub(1)?;
        text.starts_with(&self.keys[key]).then_some(key)
    }

    /// How many bytes at the end may be the beginning of one.
    pub(super) fn begun(&self, text: &[u8]) -> usize {
        let most = text.len().min(self.longest.saturating_sub(1));
        (1..=most).rev().find(|length| self.beginnings.contains(&text[text.len() - length..])).unwrap_or(0)
    }
}

impl Lots {
    /// Which lots may have a key that begins with these bytes.
    fn of(&self, head: [u8; HEAD]) -> u64 {
        let [first, second, third] = head.map(usize::from);
        self.0[0][first] & self.0[1][second] & self.0[2][third]
    }

    /// Whether one may begin at one of the places of a block.
    fn may_begin(&self, block: &[u8; BLOCK + HEAD - 1]) -> bool {
        let mut any = 0;
        for at in 0..BLOCK {
            any |= self.of([block[at], block[at + 1], block[at + 2]]);
        }
        any != 0
    }
}

impl Default for Lots {
    fn default() -> Self {
        Self(Box::new([[0; 256]; HEAD]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(words: &[&str], text: &str) -> Vec<(usize, Vec<usize>)> {
        let wanted =
            words.iter().enumerate().map(|(number, word)| (word.as_bytes().to_vec(), number)).collect();
        let (anchors, groups) = Anchors::new(wanted);
        let mut found = Vec::new();
        let mut at = 0;
        while let Some((start, group)) = anchors.find(text.as_bytes(), at) {
            found.push((start, groups[group].clone()));
            at = start + 1;
        }
        found
    }

    #[test]
    fn every_place_is_found_also_inside_another() {
        assert_eq!(all(&["abcd", "bcx", "cdab"], "abcdabcd"), [(0, vec![0]), (2, vec![2]), (4, vec![0])]);
        assert_eq!(all(&["abcdef", "abc", "abcd"], "xabcz"), [(1, vec![1, 2, 0])]);
        let many: Vec<String> = (0..500).map(|number| format!("{number:04}x")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(all(&many, "0007x0499x"), [(0, vec![7]), (5, vec![499])]);
        assert_eq!(all(&[], "anything"), []);
    }

    #[test]
    fn what_may_go_on_is_told() {
        let (anchors, _) = Anchors::new(vec![(b"abcd".to_vec(), ()), (b"bcx".to_vec(), ())]);
        for (text, begun) in [("", 0), ("zzz", 0), ("za", 1), ("zabc", 3), ("zbc", 2), ("abcd", 0), ("c", 0)]
        {
            assert_eq!(anchors.begun(text.as_bytes()), begun, "{text}");
        }
    }
}
