//! minitest: `4 runs, 1 assertions, 1 failures, 1 errors, 1 skips`.

use super::{Lines, Tally, counts, duration};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let closing = |line: &str| {
        line.contains(" runs, ") && line.contains(" assertions, ") && line.contains(" failures, ")
    };
    let (last, line) = lines.iter().rev().find(|(_, line)| closing(line))?;
    let mut tally = Tally { first: last, last, ..Tally::new() };
    let mut total = 0;
    for (number, word) in counts(line) {
        match word {
            "runs" => total = number,
            "failures" | "errors" => tally.failed += number,
            "skips" => tally.skipped += number,
            _ => {}
        }
    }
    tally.passed = total.saturating_sub(tally.failed).saturating_sub(tally.skipped);
    for index in 0..last {
        let line = lines.at(index);
        if let Some(time) = line.strip_prefix("Finished in ") {
            tally.first = index;
            tally.duration = duration(time);
        } else if line.ends_with(") Failure:") || line.ends_with(") Error:") {
            // `CartTest#test_adds [mini.rb:3]:`
            let named = lines.at(index + 1).trim_end_matches(':');
            tally.name(named.split(" [").next().unwrap_or(named));
        }
    }
    let classes: Vec<String> = tally
        .failed_names
        .items
        .iter()
        .filter_map(|name| name.split_once('#'))
        .map(|(class, _)| class.to_owned())
        .collect();
    classes.iter().for_each(|class| tally.suites.add(class));
    for (_, line) in lines.iter().take(last) {
        // `CartTest#test_adds = 0.00 s = F`
        if let Some((class, _)) =
            line.split_once('#').filter(|(class, rest)| rest.contains(" s = ") && !class.contains(' '))
        {
            tally.suites.add(class);
        }
    }
    Some(tally)
}
