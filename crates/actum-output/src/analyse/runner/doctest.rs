//! doctest with `-v`: `5 tests in 3 items.`, `5 passed and 0 failed.`, then `Test passed.` or `***Test Failed*** 1 failures.`
//!
//! Without `-v` it tells only what failed, and nothing where nothing did: then it is not known how many examples there are, and
//! nothing is counted.

use super::{Lines, Tally, whole};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let (first, total) = lines.iter().rev().find_map(|(index, line)| Some((index, in_items(line)?)))?;
    let (passed, failed) = sums(lines.at(first + 1))?;
    let last = first + 2;
    let is_verdict =
        ["Test passed.", "***Test Failed***"].iter().any(|word| lines.at(last).starts_with(word));
    let skipped = total.checked_sub(passed)?.checked_sub(failed)?;
    if !is_verdict {
        return None;
    }
    let mut tally = Tally { passed, failed, skipped, first, last, ..Tally::new() };
    lines.iter().take(first).for_each(|(_, line)| item(line, &mut tally));
    Some(tally)
}

/// `5 tests in 3 items.`
fn in_items(line: &str) -> Option<u64> {
    let (total, rest) = line.split_once(" test")?;
    let (_, items) = rest.trim_start_matches('s').strip_prefix(" in ")?.split_once(" item")?;
    ["s.", "."].contains(&items).then(|| whole(total))?
}

/// `4 passed and 1 failed.`; since Python 3.13 those that none failed of say `5 passed.`
fn sums(line: &str) -> Option<(u64, u64)> {
    let (mut passed, mut failed) = (None, 0);
    for part in line.strip_suffix('.')?.split(" and ") {
        match part.split_once(' ')? {
            (number, "passed") => passed = Some(whole(number)?),
            (number, "failed") => failed = whole(number)?,
            (number, "skipped") => drop(whole(number)?),
            (_, _) => return None,
        }
    }
    Some((passed?, failed))
}

/// `   2 tests in slug.slugify`, `   1 of   2 in slug.slugify`.
fn item(line: &str, tally: &mut Tally) {
    let Some((before, name)) = line.rsplit_once(" in ").filter(|_| line.starts_with("  ")) else { return };
    let words: Vec<&str> = before.split_whitespace().collect();
    let is_number = |word: &str| whole(word).is_some();
    if let [failed, "of", all] = words[..]
        && is_number(failed)
        && is_number(all)
    {
        tally.name(name);
        tally.suites.add(name);
    } else if let [all, "tests" | "test"] = words[..]
        && is_number(all)
    {
        tally.suites.add(name);
    }
}
