//! RSpec: `4 examples, 2 failures, 1 pending`.

use super::{Lines, Tally, counts, duration};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let (last, line) = lines.iter().rev().find(|(_, line)| is_closing(line))?;
    let mut tally = Tally { first: last, last, ..Tally::new() };
    let mut total = 0;
    for (number, words) in counts(line) {
        match words {
            "example" | "examples" => total = number,
            "failure" | "failures" => tally.failed += number,
            "pending" => tally.skipped += number,
            // `1 error occurred outside of examples`: a file that could not be loaded.
            words if words.starts_with("error") => {
                tally.failed += number;
                total += number;
            }
            _ => {}
        }
    }
    tally.passed = total.saturating_sub(tally.failed).saturating_sub(tally.skipped);
    let finished = (last.saturating_sub(3)..last).find(|index| lines.at(*index).starts_with("Finished in "));
    if let Some(index) = finished {
        tally.first = index;
        tally.duration = duration(lines.at(index).trim_start_matches("Finished in "));
    }
    groups(lines, tally.first, &mut tally);
    for (_, line) in lines.iter().skip(last) {
        let Some((_, name)) = line.strip_prefix("rspec ").and_then(|rest| rest.split_once(" # ")) else {
            continue;
        };
        tally.name(name);
    }
    Some(tally)
}

fn is_closing(line: &str) -> bool {
    let (Some(examples), Some(failures)) = (line.find(" example"), line.find(" failure")) else {
        return false;
    };
    line.starts_with(|c: char| c.is_ascii_digit()) && examples < failures
}

/// In the documentation format a group stands at the margin, with its examples two spaces deeper.
fn groups(lines: &Lines, end: usize, tally: &mut Tally) {
    for index in 0..end {
        let (line, below) = (lines.at(index), lines.at(index + 1));
        if line == "Failures:" || line.starts_with("Pending:") {
            break;
        }
        let deeper =
            below.strip_prefix("  ").is_some_and(|name| name.starts_with(|c: char| c.is_alphanumeric()));
        let above = index == 0 || lines.at(index - 1).is_empty();
        if deeper && above && line.starts_with(|c: char| c.is_alphanumeric()) {
            tally.suites.add(line);
        }
    }
}
