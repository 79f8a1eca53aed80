//! Two expectations that cannot both hold: told before the run, since nothing that it does could satisfy both.

use crate::text;
use actum_model::{Expectation, Expected, FileTest, NumberTest, TextTest};
use std::collections::HashMap;

/// A pair that cannot both hold, in the order in which they were read.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction<'a> {
    pub one: &'a Expected,
    pub other: &'a Expected,
}

/// As many pairs are compared, far more than anybody writes about one subject. What is left is judged after the run like the rest.
const MOST_PAIRS: usize = 10_000;

/// The first pair that cannot both hold. Only those about the same subject are compared.
pub fn contradiction(all: &[Expected]) -> Option<Contradiction<'_>> {
    let mut before: HashMap<String, Vec<&Expected>> = HashMap::new();
    let mut left = MOST_PAIRS;
    for other in all {
        let same = before.entry(subject(&other.what)).or_default();
        let tried = same.len().min(left);
        left -= tried;
        if let Some(one) = same[..tried].iter().find(|one| contradict(&one.what, &other.what)) {
            return Some(Contradiction { one, other });
        }
        if left == 0 {
            return None;
        }
        same.push(other);
    }
    None
}

/// What an expectation is about.
fn subject(what: &Expectation) -> String {
    match what {
        Expectation::Exit { .. } => "exit".to_owned(),
        Expectation::Stream { stream, .. } => format!("stream {stream:?}"),
        Expectation::File { path, .. } => format!("file {path}"),
        Expectation::Numbers { series, .. } => format!("numbers {series:?}"),
        Expectation::Duration { .. } => "duration".to_owned(),
        Expectation::Memory { .. } => "memory".to_owned(),
    }
}

fn contradict(one: &Expectation, other: &Expectation) -> bool {
    match (one, other) {
        (Expectation::Exit { code }, Expectation::Exit { code: other }) => code != other,
        (Expectation::Stream { stream, test }, Expectation::Stream { stream: another, test: other }) => {
            stream == another && (texts(test, other) || texts(other, test))
        }
        (Expectation::File { path, test }, Expectation::File { path: another, test: other }) => {
            path == another && (files(test, other) || files(other, test))
        }
        (Expectation::Numbers { series, test }, Expectation::Numbers { series: another, test: other }) => {
            series == another && numbers(test, other)
        }
        (Expectation::Duration { within }, Expectation::Duration { within: other })
        | (Expectation::Memory { within }, Expectation::Memory { within: other }) => !within.meets(other),
        (
            Expectation::Exit { .. }
            | Expectation::Stream { .. }
            | Expectation::File { .. }
            | Expectation::Numbers { .. }
            | Expectation::Duration { .. }
            | Expectation::Memory { .. },
            _,
        ) => false,
    }
}

/// A longer text is not searched for a pattern before the run.
const LONGEST_TRIED: usize = 4 << 10;

/// One way round: what a whole text is settles what is in it.
fn texts(one: &TextTest, other: &TextTest) -> bool {
    match (one, other) {
        (TextTest::Json { value, tolerance: 0.0 }, TextTest::Json { value: other, tolerance: 0.0 }) => {
            value != other
        }
        (TextTest::Equals { text }, TextTest::Matches { pattern }) => {
            text.len() <= LONGEST_TRIED && !text::matches(pattern, text.as_bytes()).held
        }
        (TextTest::Equals { text }, other) => {
            text::judge(other, text.as_bytes()).is_some_and(|finding| !finding.held)
        }
        (TextTest::Json { .. } | TextTest::Contains { .. } | TextTest::Matches { .. }, _) => false,
    }
}

fn files(one: &FileTest, other: &FileTest) -> bool {
    match (one, other) {
        (FileTest::Absent, other) => *other != FileTest::Absent,
        (FileTest::Size { within }, FileTest::Size { within: other })
        | (FileTest::Rows { within }, FileTest::Rows { within: other }) => !within.meets(other),
        (FileTest::Sha256 { .. }, FileTest::Sha256 { .. })
        | (FileTest::Columns { .. }, FileTest::Columns { .. })
        | (FileTest::Image { .. }, FileTest::Image { .. })
        | (FileTest::Json { tolerance: 0.0, .. }, FileTest::Json { tolerance: 0.0, .. }) => one != other,
        (
            FileTest::Exists
            | FileTest::Readable
            | FileTest::Size { .. }
            | FileTest::Sha256 { .. }
            | FileTest::Json { .. }
            | FileTest::Schema { .. }
            | FileTest::Columns { .. }
            | FileTest::Rows { .. }
            | FileTest::Image { .. }
            | FileTest::Parquet { .. },
            _,
        ) => false,
    }
}

fn numbers(one: &NumberTest, other: &NumberTest) -> bool {
    match (one, other) {
        (NumberTest::Sum { within }, NumberTest::Sum { within: other }) => !within.meets(other),
        (NumberTest::Each { within } | NumberTest::Last { within }, NumberTest::Each { within: other })
        | (NumberTest::Each { within } | NumberTest::Last { within }, NumberTest::Last { within: other }) => {
            !within.meets(other)
        }
        (
            NumberTest::Each { .. }
            | NumberTest::Last { .. }
            | NumberTest::Sum { .. }
            | NumberTest::Finite
            | NumberTest::Monotone { .. },
            _,
        ) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Settings, line};
    use actum_model::Origin;

    fn all(lines: &[&str]) -> Vec<Expected> {
        let expected = |text: &&str| Expected {
            what: line(text, &Settings::default()).unwrap().unwrap(),
            origin: Origin::File((*text).to_owned()),
        };
        lines.iter().map(expected).collect()
    }

    #[test]
    fn what_cannot_both_hold_is_found() {
        for (one, other) in [
            ("exit=0", "exit=1"),
            ("stdout=a", "stdout=b"),
            ("stdout=abc", "stdout-contains=d"),
            ("stdout-matches=^x", "stdout=abc"),
            ("stdout-json=1", "stdout-json=2"),
            ("file=a", "absent=a"),
            ("absent=a", "rows:a=3.."),
            ("size:a=..10", "size:a=11.."),
            ("rows:a=1", "rows:a=2"),
            ("image:a=1x1", "image:a=2x1"),
            ("columns:a=x", "columns:a=y"),
            ("metric:loss=..1", "metric:loss=2.."),
            ("number:a.csv#x=..1", "last:a.csv#x=2"),
            ("sum:a.csv#x=1", "sum:a.csv#x=2"),
            ("duration=..1s", "duration=2s.."),
        ] {
            for pair in [[one, other], [other, one]] {
                let all = all(&pair);
                let found = contradiction(&all).unwrap_or_else(|| panic!("{pair:?}"));
                assert_eq!(found.one.origin, Origin::File(pair[0].to_owned()));
            }
        }
    }

    #[test]
    fn many_take_no_longer_than_they_are_many() {
        let about = |name: fn(usize) -> String| {
            let expected = |at: usize| Expected {
                what: Expectation::File { path: name(at), test: FileTest::Exists },
                origin: Origin::File(at.to_string()),
            };
            (0..100_000).map(expected).collect::<Vec<_>>()
        };
        let began = std::time::Instant::now();
        assert_eq!(contradiction(&about(|at| at.to_string())), None);
        assert_eq!(contradiction(&about(|_| "a".to_owned())), None);
        assert!(began.elapsed() < std::time::Duration::from_secs(20));
    }

    #[test]
    fn what_can_both_hold_is_left_alone() {
        let fine = [
            "exit=0",
            "exit=0",
            "stdout=a\n",
            "stdout=a",
            "stdout-contains=a",
            "stdout-matches=^a$",
            "stderr=b",
            "file=a",
            "size:a=1..5",
            "size:a=5..9",
            "absent=b",
            "metric:loss=..1",
            "metric:accuracy=2..",
            "sum:a.csv#x=9",
            "number:a.csv#x=..1",
            "duration=1s..2s",
            "memory=..1MiB",
            "finite=stdout",
            "monotone:metric#loss=down",
        ];
        assert_eq!(contradiction(&all(&fine)), None);
    }
}
