//! Looks for shown lines among printed ones, in time that grows with both and not with their product.

use std::borrow::Cow;
use std::cell::Cell;

/// Printed text by its lines, without the blanks at their ends.
pub(super) struct Lines<'t> {
    text: Cow<'t, str>,
    /// Where each begins and ends. No text that is judged has 4 GiB.
    places: Vec<[u32; 2]>,
}

impl<'t> Lines<'t> {
    /// `kept` gives the beginning of a line that counts.
    pub(super) fn of(text: Cow<'t, str>, kept: impl Fn(&str) -> &str) -> Self {
        let count = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let mut places = Vec::with_capacity(count);
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let end = at + kept(line).trim_end().len();
            places.push([at as u32, end as u32]);
            at += line.len();
        }
        Self { text, places }
    }

    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    pub(super) fn get(&self, number: usize) -> Option<&str> {
        let [begin, end] = *self.places.get(number)?;
        self.text.get(begin as usize..end as usize)
    }
}

/// What may still be compared, for all that an answer shows. A unit takes some nanoseconds.
pub(super) struct Fuel(Cell<u64>);

impl Default for Fuel {
    fn default() -> Self {
        Self(Cell::new(100_000_000))
    }
}

impl Fuel {
    fn spend(&self, units: usize) -> Option<()> {
        self.0.set(self.0.get().checked_sub(units as u64)?);
        Some(())
    }

    /// Whether two lines are the same; none where there is no fuel left to tell.
    fn same(&self, one: &str, other: &str) -> Option<bool> {
        let is_as_long = one.len() == other.len();
        self.spend(if is_as_long { 1 + one.len() / 32 } else { 1 })?;
        Some(is_as_long && one == other)
    }

    fn like(&self, shown: &str, printed: &str) -> Option<bool> {
        self.spend(16 + (shown.len() + printed.len()) / 4)?;
        Some(like(shown, printed))
    }
}

/// The lines that are shown, without what is empty or left out around them.
pub(super) fn wanted(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let says = |line: &&str| !line.is_empty() && !is_ellipsis(line);
    let first = lines.iter().position(&says).unwrap_or(lines.len());
    let last = lines.iter().rposition(says).map_or(first, |last| last + 1);
    lines[first..last].to_vec()
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found<'w> {
    /// From this line up to that one.
    At(usize, usize),
    /// The longest beginning that stands there ends before this line.
    Differs { wanted: &'w str, line: Option<usize> },
}

/// Looks for the lines behind `from`: what stands between two ellipses in one piece, each where it first stands behind the one
/// before. None where that takes too long to tell.
pub(super) fn find<'w>(wanted: &[&'w str], lines: &Lines<'_>, from: usize, fuel: &Fuel) -> Option<Found<'w>> {
    let (mut begin, mut at, mut before) = (None, from, 0);
    for piece in wanted.split(|line| is_ellipsis(line)) {
        if !piece.is_empty() {
            match Sought::new(piece, fuel)?.stands(lines, at, fuel)? {
                Stands::From(start) => {
                    begin.get_or_insert(start);
                    at = start + piece.len();
                }
                Stands::UpTo { matched, line } => {
                    // Where not even the first line stands, the first that was printed is the one to compare.
                    let is_there = before + matched > 0 || line < lines.count();
                    let line = Some(line).filter(|_| is_there);
                    return Some(Found::Differs { wanted: piece[matched], line });
                }
            }
        }
        before += piece.len() + 1;
    }
    Some(Found::At(begin.unwrap_or(from), at))
}

enum Stands {
    From(usize),
    /// The most lines of its beginning that stand anywhere, and the line behind them.
    UpTo {
        matched: usize,
        line: usize,
    },
}

/// Lines that are looked for in one piece.
struct Sought<'p> {
    piece: &'p [&'p str],
    /// For each line whether something in it is left out.
    has_holes: Vec<bool>,
    /// For each beginning the longest shorter one that it ends with, as Knuth, Morris and Pratt have it; none where lines have
    /// holes, since then two that are like a third need not be like each other.
    borders: Option<Vec<usize>>,
}

impl<'p> Sought<'p> {
    fn new(piece: &'p [&'p str], fuel: &Fuel) -> Option<Self> {
        let has_holes: Vec<bool> = piece.iter().map(|line| line.contains("...")).collect();
        let borders = if has_holes.contains(&true) { None } else { Some(borders(piece, fuel)?) };
        Some(Self { piece, has_holes, borders })
    }

    /// The first place at or behind a line where it stands.
    fn stands(&self, lines: &Lines<'_>, from: usize, fuel: &Fuel) -> Option<Stands> {
        let (mut at, mut matched) = (from, 0);
        let mut furthest = (0, from);
        while matched < self.piece.len() {
            let there = lines.get(at);
            if let Some(there) = there
                && self.fits(matched, there, fuel)?
            {
                (at, matched) = (at + 1, matched + 1);
                continue;
            }
            if matched > furthest.0 {
                furthest = (matched, at);
            }
            if there.is_none() {
                return Some(Stands::UpTo { matched: furthest.0, line: furthest.1 });
            }
            (at, matched) = self.onwards(at, matched);
        }
        Some(Stands::From(at - matched))
    }

    fn fits(&self, number: usize, there: &str, fuel: &Fuel) -> Option<bool> {
        let line = self.piece[number];
        if self.has_holes[number] { fuel.like(line, there) } else { fuel.same(line, there) }
    }

    /// Where to go on when the line behind those that matched does not.
    fn onwards(&self, at: usize, matched: usize) -> (usize, usize) {
        match (&self.borders, matched) {
            (_, 0) => (at + 1, 0),
            (Some(borders), _) => (at, borders[matched - 1]),
            (None, _) => (at - matched + 1, 0),
        }
    }
}

fn borders(piece: &[&str], fuel: &Fuel) -> Option<Vec<usize>> {
    let mut borders = vec![0; piece.len()];
    let mut length = 0;
    for at in 1..piece.len() {
        while length > 0 && !fuel.same(piece[length], piece[at])? {
            length = borders[length - 1];
        }
        length += usize::from(fuel.same(piece[length], piece[at])?);
        borders[at] = length;
    }
    Some(borders)
}

fn is_ellipsis(line: &str) -> bool {
    matches!(line.trim(), "..." | "…" | "[...]" | "[…]")
}

/// Whether a printed line is what is shown, where `...` stands for anything.
fn like(shown: &str, printed: &str) -> bool {
    let mut pieces = shown.split("...");
    let Some(mut rest) = pieces.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(printed: &str) -> Lines<'_> {
        Lines::of(printed.into(), |line| line)
    }

    fn found<'w>(shown: &'w str, printed: &str) -> Found<'w> {
        find(&wanted(shown), &lines(printed), 0, &Fuel::default()).unwrap()
    }

    #[test]
    fn what_is_shown_stands_in_what_was_printed() {
        for (shown, printed, lines) in [
            ("a\nb\n", "a\nb\n", (0, 2)),
            ("\na  \n\n", "x\na\ny\n", (1, 2)),
            ("a\n...\nd\n", "a\nb\nc\nd\n", (0, 4)),
            ("took 0.3... s", "took 0.3127 s\n", (0, 1)),
            ("...", "anything\n", (0, 0)),
            ("...\nb\n...\n", "a\nb\nc\n", (1, 2)),
            ("a\n...\nc", "a\nx\na\nb\nc\n", (0, 5)),
            ("b", "a\na\nb\n", (2, 3)),
            ("a\n...\nc\nd", "a\nc\nx\nc\nd\n", (0, 5)),
            ("a\na\nb", "a\na\na\nb\n", (1, 4)),
            ("a...\na...\nb", "a1\na2\na3\nb\n", (1, 4)),
            ("a\n\n...\n...\nb", "a\r\n \nb", (0, 3)),
        ] {
            assert_eq!(found(shown, printed), Found::At(lines.0, lines.1), "{shown:?} in {printed:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_told_by_the_line_that_differs() {
        for (shown, printed, wanted, line) in [
            ("a\nb\n", "a\nc\n", "b", Some(1)),
            ("a\nb\n", "a\n", "b", Some(1)),
            ("a", "", "a", None),
            ("a", "z\n", "a", Some(0)),
            ("a\na\nb\nc", "a\na\na\nb\nx\na\n", "c", Some(4)),
            ("a\n...\nb\nc", "a\nx\nb\nb\nz\n", "c", Some(3)),
            ("a\n...\nb", "a\nx\n", "b", Some(1)),
            ("a\n...\nb", "a\n", "b", Some(1)),
            ("total: 430", "total: 431", "total: 430", Some(0)),
        ] {
            assert_eq!(found(shown, printed), Found::Differs { wanted, line }, "{shown:?}");
        }
    }

    #[test]
    fn an_ellipsis_in_a_line_is_anything() {
        for (shown, printed, is_like) in [
            ("a...c", "abbc", true),
            ("a...c", "abbd", false),
            ("...", "x", true),
            ("a...b...c", "a1b2c", true),
            ("a...a", "a", false),
        ] {
            assert_eq!(like(shown, printed), is_like, "{shown} {printed}");
        }
    }
    /// As [`find`], with every line tried as the first.
    fn plainly(wanted: &[&str], lines: &[&str]) -> Option<usize> {
        (0..lines.len()).find(|start| lines[*start..].starts_with(wanted))
    }

    proptest! {
        #[test]
        fn it_is_found_where_it_first_stands(shown in "([ab]\n){1,5}", printed in "([ab]\n){0,12}") {
            let all: Vec<&str> = printed.lines().collect();
            let shown = wanted(&shown);
            let expected = plainly(&shown, &all);
            let found = find(&shown, &lines(&printed), 0, &Fuel::default()).unwrap();
            let longest = (0..=shown.len()).rev().find(|length| plainly(&shown[..*length], &all).is_some());
            match (found, expected) {
                (Found::At(from, to), Some(start)) => prop_assert_eq!((from, to), (start, start + shown.len())),
                (Found::Differs { line, .. }, None) => {
                    let length = longest.unwrap_or_default();
                    let first = plainly(&shown[..length], &all).map(|start| start + length);
                    prop_assert_eq!(line, first.filter(|line| length > 0 || *line < all.len()));
                }
                (found, expected) => prop_assert!(false, "{found:?}, and not {expected:?}"),
            }
        }
    }

    #[test]
    fn lines_that_repeat_are_compared_a_few_times_each() {
        let count = 20_000;
        let shown = "a\n".repeat(count) + "b\n";
        let printed = "a\n".repeat(2 * count);
        let shown = wanted(&shown);
        let printed = lines(&printed);
        let fuel = Fuel(Cell::new(8 * count as u64));
        let expected = Found::Differs { wanted: "b", line: Some(count) };
        assert_eq!(find(&shown, &printed, 0, &fuel), Some(expected));
        let apart: Vec<&str> = ["a", "..."].into_iter().chain(shown).collect();
        let fuel = Fuel(Cell::new(8 * count as u64));
        assert!(matches!(find(&apart, &printed, 0, &fuel), Some(Found::Differs { wanted: "b", .. })));
    }

    #[test]
    fn what_takes_too_long_is_not_decided() {
        let shown = "a...\n".repeat(20_000) + "b\n";
        let printed = "a\n".repeat(40_000);
        let fuel = Fuel(Cell::new(1_000_000));
        assert_eq!(find(&wanted(&shown), &lines(&printed), 0, &fuel), None);
        // All blocks of an answer share it.
        assert!((0..2_000_000).any(|_| find(&["b"], &lines("a\n"), 0, &fuel).is_none()));
    }
}
