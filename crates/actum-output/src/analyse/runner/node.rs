//! node --test: `ℹ tests 4`, `ℹ pass 2`, `ℹ fail 1`; as TAP the same with `#`.

use super::{Lines, Tally, duration, tap, whole};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let value = |line: &str, name: &str| {
        let rest = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# "))?;
        rest.strip_prefix(name)?.strip_prefix(' ').map(str::to_owned)
    };
    let find = |name: &str| lines.iter().rev().find_map(|(index, line)| Some((index, value(line, name)?)));
    let (first, _) = find("tests")?;
    let number = |name: &str| find(name).and_then(|(_, value)| whole(&value));
    let mut tally =
        Tally { first, last: find("duration_ms").map_or(first, |(last, _)| last), ..Tally::new() };
    tally.passed = number("pass")?;
    tally.failed = number("fail")?.saturating_add(number("cancelled").unwrap_or(0));
    tally.skipped = number("skipped").unwrap_or(0);
    tally.todo = number("todo").unwrap_or(0);
    tally.duration = find("duration_ms").and_then(|(_, value)| duration(&format!("{value}ms")));
    if lines.at(first).starts_with('#') {
        tap::name(lines, &mut tally);
    } else {
        name(lines, first, &mut tally);
    }
    Some(tally)
}

/// `▶ Cart` opens a suite; after `✖ failing tests:` each failure stands with `✖`.
fn name(lines: &Lines, end: usize, tally: &mut Tally) {
    for (index, line) in lines.iter() {
        if let Some(suite) = line.strip_prefix("▶ ").filter(|_| index < end) {
            tally.suites.add(suite);
        }
        if let Some(failed) = line.strip_prefix("✖ ").filter(|_| index > end && line != "✖ failing tests:")
        {
            tally.name(failed.rsplit_once(" (").map_or(failed, |(name, _)| name));
        }
    }
}
