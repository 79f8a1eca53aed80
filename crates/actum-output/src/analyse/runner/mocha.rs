//! mocha: `  1 passing (8ms)`, `  1 pending`, `  2 failing`, then the failures numbered.

use super::{Lines, Tally, duration, whole};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let (at, passed, time) = lines.iter().rev().find_map(|(index, line)| {
        let (number, time) = line.strip_prefix("  ")?.split_once(" passing (")?;
        Some((index, whole(number)?, time.strip_suffix(')')?))
    })?;
    let mut tally = Tally { passed, first: at, last: at, duration: duration(time), ..Tally::new() };
    for index in at + 1..at + 3 {
        let Some((number, word)) = lines.at(index).trim().split_once(' ') else { break };
        let Some(number) = whole(number) else { break };
        match word {
            "pending" => tally.skipped = number,
            "failing" => tally.failed = number,
            _ => break,
        }
        tally.last = index;
    }
    for (_, line) in lines.iter().take(at) {
        let group = line.strip_prefix("  ").filter(|name| name.starts_with(|c: char| c.is_alphanumeric()));
        if let Some(group) = group.filter(|name| !is_numbered(name)) {
            tally.suites.add(group);
        }
    }
    if tally.failed > 0 {
        name(lines, &mut tally);
    }
    Some(tally)
}

/// `  1) Cart`, and below it deeper and deeper the names, until one ends with a colon.
fn name(lines: &Lines, tally: &mut Tally) {
    let mut path: Option<Vec<&str>> = None;
    for (_, line) in lines.iter().skip(tally.last + 1) {
        let numbered = line.strip_prefix("  ").filter(|rest| is_numbered(rest));
        if let Some((_, group)) = numbered.and_then(|rest| rest.split_once(") ")) {
            path = Some(vec![group]);
        } else if let Some(names) = path.as_mut() {
            names.push(line.trim());
        }
        let Some(names) = &path else { continue };
        let closed = names.last().and_then(|name| name.strip_suffix(':'));
        match closed {
            Some(name) => {
                let groups = &names[..names.len() - 1];
                tally.name(&groups.iter().copied().chain([name]).collect::<Vec<_>>().join(" › "));
                path = None;
            }
            // 16: nobody nests deeper, and what follows is not a name.
            None if names.len() > 16 => path = None,
            None => {}
        }
    }
}

fn is_numbered(text: &str) -> bool {
    text.split_once(") ").is_some_and(|(number, _)| number.parse::<u64>().is_ok())
}
