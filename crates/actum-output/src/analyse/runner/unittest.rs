//! unittest: `Ran 6 tests in 0.001s`, then `OK` or `FAILED (failures=2, errors=1, skipped=1)`.

use super::{Lines, Tally, duration, whole};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let (ran, total, time) = lines.iter().rev().find_map(|(index, line)| {
        let (number, time) = line.strip_prefix("Ran ")?.split_once(" test")?;
        let time = time.trim_start_matches('s').strip_prefix(" in ")?;
        Some((index, whole(number)?, time))
    })?;
    let is_verdict = |line: &str| ["OK", "FAILED", "NO TESTS RAN"].iter().any(|word| line.starts_with(word));
    let last = (ran + 1..ran + 4).find(|index| is_verdict(lines.at(*index)))?;
    let mut tally = Tally { first: ran, last, duration: duration(time), ..Tally::new() };
    let verdict = lines.at(last);
    let inside = verdict.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or_default();
    for (word, number) in inside.split(", ").filter_map(|part| part.split_once('=')) {
        let number = whole(number).unwrap_or(0);
        match word {
            "failures" | "errors" | "unexpected successes" => tally.failed += number,
            "skipped" => tally.skipped += number,
            "expected failures" => tally.expected_failures += number,
            _ => {}
        }
    }
    let others = [tally.failed, tally.skipped, tally.expected_failures];
    tally.passed = others.into_iter().fold(total, u64::saturating_sub);
    for index in 0..ran {
        read(lines, index, &mut tally);
    }
    Some(tally)
}

/// `FAIL: test_add (u.Calc.test_add)` under its line of `=`, `test_a (ug.UserService.test_a) ... ok`.
fn read(lines: &Lines, index: usize, tally: &mut Tally) {
    let line = lines.at(index);
    let failed = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
    let ruled = index > 0 && lines.at(index - 1).starts_with("=====");
    if let Some(described) = failed.filter(|_| ruled) {
        let (class, name) = class_and_name(described).unwrap_or(("", described));
        tally.suites.add(class);
        let parameters = described.rsplit_once(") (").map(|(_, parameters)| format!(" ({parameters}"));
        let class = if class.is_empty() { String::new() } else { format!("{class}.") };
        tally.name(&format!("{class}{name}{}", parameters.unwrap_or_default()));
    } else if let Some((class, _)) = line.split_once(" ... ").and_then(|(test, _)| class_and_name(test)) {
        tally.suites.add(class);
    }
}

/// `test_add (u.Calc.test_add)`, before Python 3.11 `test_add (u.Calc)`.
fn class_and_name(described: &str) -> Option<(&str, &str)> {
    let (name, rest) = described.split_once(" (")?;
    let path = rest.split_once(')').map_or(rest, |(path, _)| path);
    if name.contains(' ') || path.contains(' ') {
        return None;
    }
    let path = path.strip_suffix(name).and_then(|path| path.strip_suffix('.')).unwrap_or(path);
    Some((path.rsplit_once('.').map_or(path, |(_, class)| class), name))
}
