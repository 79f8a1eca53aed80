//! Which of several blocks is meant: the corrected one, not the wrong one; the first way, not each of them.

use super::{Case, variants};
use std::collections::HashSet;

/// Words before a block that is offered in the place of another.
const OTHERWISE: [&str; 19] = [
    "alternatively",
    "or, if",
    "or if you",
    "another way",
    "another option",
    "another approach",
    "as an alternative",
    "if you prefer",
    "if you'd rather",
    "if you would rather",
    "instead, you",
    "you can also use",
    "you could also",
    "equivalently",
    "the same in ",
    "the same with ",
    "the same thing in",
    "or simply",
    "the equivalent",
];
/// Beginnings of a sentence before such a block. In the middle of one they speak of something else: "… which runs on Windows too".
const BEGINNING: [&str; 14] = [
    "or ",
    "or, ",
    "or:",
    "if you use ",
    "if you're using ",
    "if you are using ",
    "if you are on",
    "if you're on",
    "on windows",
    "for windows",
    "on macos",
    "on mac ",
    "for macos",
    "for mac ",
];
/// Headings of several ways, of which the first one is taken.
const WAYS: [&str; 8] =
    ["option", "method", "approach", "solution", "alternative", "way", "variant", "version"];
/// Words before a block that puts another right.
const RIGHT: [&str; 24] = [
    "corrected",
    "correct version",
    "correct code",
    "fixed version",
    "fixed code",
    "here's the fix",
    "here is the fix",
    "the fix:",
    "should be:",
    "should instead",
    "the right way",
    "correct way",
    "updated version",
    "improved version",
    "revised version",
    "fixed it",
    "more efficient version",
    "optimized version",
    "optimised version",
    "better version",
    "cleaner version",
    "refactored version",
    "final version",
    "complete version",
];
/// Words before a block that is wrong.
const WRONG: [&str; 16] = [
    "wrong",
    "incorrect",
    "broken",
    "buggy",
    "the error is",
    "has an error",
    "has a bug",
    "this fails",
    "does not work",
    "doesn't work",
    "your code",
    "original code",
    "bad:",
    "don't do",
    "do not do",
    "❌",
];

/// Settles what is wrong, replaced or offered beside.
pub(super) fn judge(cases: &mut [Case<'_>]) {
    corrections(cases);
    variants::judge(cases);
    alternatives(cases);
}

fn corrections(cases: &mut [Case<'_>]) {
    for index in 1..cases.len() {
        let is_right = cases[index].is_program() && says(&cases[index], &RIGHT);
        if !is_right {
            continue;
        }
        let (before, rest) = cases.split_at_mut(index);
        let right = &rest[0];
        let names: HashSet<&String> = right.reading.iter().flat_map(|reading| &reading.defines).collect();
        let same =
            |case: &&mut Case<'_>| case.reading.is_some() && case.block.language == right.block.language;
        // The last ones only: what stands far before is another matter, and the walk stays linear.
        for (distance, wrong) in before.iter_mut().rev().take(8).filter(same).enumerate() {
            let shares =
                wrong.reading.iter().flat_map(|reading| &reading.defines).any(|name| names.contains(name));
            if distance == 0 || shares || says(wrong, &WRONG) {
                wrong.block.instead_of = Some(right.block.index);
                if wrong.is_program() {
                    wrong.skip(format!("block {} corrects it", right.block.index));
                }
            }
        }
    }
    for case in cases.iter_mut().filter(|case| case.is_program()) {
        let lower = case.piece.before.text.to_lowercase();
        let is_bad = ["wrong:", "incorrect:", "bad:", "don't do this", "do not do this", "❌", "this fails"];
        if is_bad.iter().any(|word| lower.contains(word)) {
            case.skip("the answer says that it is wrong");
        }
    }
}

fn alternatives(cases: &mut [Case<'_>]) {
    // The last block that is taken, under the heading of the first way or before.
    let mut taken: Option<(u32, String)> = None;
    for case in cases.iter_mut() {
        let heading = case.piece.before.heading.to_lowercase();
        let is_other = is_later_way(&heading) || is_later_way(&case.piece.before.text.to_lowercase());
        if !case.is_program() {
            continue;
        }
        let first =
            taken.as_ref().filter(|(_, below)| is_other || (is_offered(case) && !is_bound(case, below)));
        match first {
            Some((number, _)) => {
                case.block.instead_of = Some(*number);
                let number = *number;
                case.skip(format!("it is an alternative to block {number}, and the first one is used"));
            }
            None => taken = Some((case.block.index, heading)),
        }
    }
}

/// Whether the words before a block offer it in the place of another.
fn is_offered(case: &Case<'_>) -> bool {
    let line = case.piece.before.text.trim().rsplit('\n').next().unwrap_or_default().to_lowercase();
    let sentence = line.rsplit(". ").next().unwrap_or_default().trim_start_matches(['*', '_', '#', ' ', '>']);
    let is_bare = sentence.trim_end_matches([':', '*', '_', ' ', '.', '…', ',']) == "or";
    is_bare || BEGINNING.iter().any(|words| sentence.starts_with(words)) || says(case, &OTHERWISE)
}

/// A step of its own under a heading of its own is no other way.
fn is_bound(case: &Case<'_>, below: &str) -> bool {
    let heading = case.piece.before.heading.to_lowercase();
    heading != below && heading.contains("step")
}

/// `Option 2`, `Method B:`, `Alternative`: not the first of several ways.
fn is_later_way(heading: &str) -> bool {
    let heading = heading.trim_start_matches(['*', '#', ' ']);
    let words: Vec<&str> = heading
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(6)
        .collect();
    let at = words.iter().position(|word| WAYS.contains(word));
    let Some(at) = at.filter(|at| *at <= 2) else { return false };
    matches!(
        words.get(at + 1).copied().unwrap_or_default(),
        "2" | "3" | "4" | "5" | "b" | "c" | "d" | "two" | "three"
    ) || (words[at] == "alternative" && at == 0)
}

fn says(case: &Case<'_>, words: &[&str]) -> bool {
    let lower = case.piece.before.text.to_lowercase();
    words.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_later_ways() {
        for heading in
            ["option 2: pandas", "method b", "alternative", "the second approach 2", "solution two"]
        {
            assert!(is_later_way(heading), "{heading}");
        }
        for heading in ["option 1", "method a: plain", "step 2", "version control", "", "a way to do it"] {
            assert!(!is_later_way(heading), "{heading}");
        }
    }
}
