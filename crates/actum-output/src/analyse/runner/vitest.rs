//! vitest: `      Tests  2 failed | 3 passed | 1 skipped | 1 todo (7)`. The failures stand on stderr, the counts on stdout.

use super::{Lines, Suites, Tally, counts, duration};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let (at, numbers) = lines.iter().rev().find_map(|(index, line)| {
        let numbers = line.trim_start().strip_prefix("Tests  ")?;
        let files = index
            .checked_sub(1)
            .is_some_and(|above| lines.at(above).trim_start().starts_with("Test Files  "));
        files.then_some((index, numbers))
    })?;
    let mut tally = Tally { first: at - 1, last: at, ..Tally::new() };
    for (number, word) in counts(numbers) {
        match word {
            "passed" => tally.passed += number,
            "failed" => tally.failed += number,
            "skipped" => tally.skipped += number,
            "todo" => tally.todo += number,
            _ => {}
        }
    }
    let time = (at + 1..at + 4).find(|index| lines.at(*index).trim_start().starts_with("Duration  "));
    tally.duration =
        time.and_then(|index| duration(lines.at(index).trim_start().trim_start_matches("Duration")));
    tally.last = time.unwrap_or(at);
    let mut files = Suites::default();
    for index in 0..at {
        read(lines.at(index), &mut tally.suites, &mut files);
    }
    if tally.suites.names.is_empty() {
        tally.suites = files;
    }
    name_failed(lines, &mut tally);
    Some(tally)
}

/// ` Test Files  1 failed (1)` of a file that could not be loaded, `     Errors  1 error` of what no test threw.
pub(super) fn ends_with_failure(lines: &Lines) -> bool {
    lines.iter().any(|(_, line)| {
        let line = line.trim_start();
        let files = line.strip_prefix("Test Files  ").map(|numbers| (numbers, "failed"));
        let errors = line.strip_prefix("Errors  ").map(|numbers| (numbers, "error"));
        files.or(errors).is_some_and(|(numbers, bad)| counts(numbers).any(|(_, word)| word.starts_with(bad)))
    })
}

/// ` ✓ user.test.js (2 tests) 3ms`, and with more words ` ✓ user.test.js > UserService > creates 1ms`.
fn read(line: &str, describes: &mut Suites, files: &mut Suites) {
    let line = line.strip_prefix(' ').unwrap_or(line);
    let Some(rest) = ["✓ ", "× ", "❯ ", "↓ "].iter().find_map(|mark| line.strip_prefix(mark)) else {
        return;
    };
    let mut path = rest.split(" > ");
    let file = path.next().unwrap_or(rest).split(" (").next().unwrap_or(rest);
    if !file.contains('.') || file.contains(' ') {
        return;
    }
    files.add(file.rsplit('/').next().unwrap_or(file));
    if let (Some(describe), Some(_)) = (path.next(), path.next()) {
        describes.add(describe);
    }
}

/// ` FAIL  mixed.test.js > Cart > adds`; a file that could not be loaded is ` FAIL  x.test.js [ x.test.js ]`.
pub(super) fn name_failed(lines: &Lines, tally: &mut Tally) {
    for (_, line) in lines.iter() {
        let Some(failed) = line.trim_start().strip_prefix("FAIL  ") else { continue };
        let before = tally.failed_names.items.len();
        match failed.split_once(" > ") {
            Some((_, name)) => tally.name(&name.replace(" > ", " › ")),
            None => {
                tally.name(failed.split(" [").next().unwrap_or(failed));
                tally.failed += u64::from(tally.failed_names.items.len() > before);
            }
        }
    }
}
