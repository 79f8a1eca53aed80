//! TAP: a plan `1..3`, then `ok 1 - name` and `not ok 2 - name`.

use super::{Lines, Tally};

pub(super) fn count(lines: &Lines) -> Option<Tally> {
    let is_plan = |line: &str| {
        line.strip_prefix("1..")
            .is_some_and(|n| n.split(' ').next().is_some_and(|n| n.parse::<u64>().is_ok()))
    };
    let plan = lines.iter().find(|(_, line)| is_plan(line)).map(|(index, _)| index)?;
    let mut tally = Tally { first: plan, last: plan, ..Tally::new() };
    let mut points = 0;
    for (index, line) in lines.iter() {
        let Some(point) = Point::read(line).filter(|point| point.indent == 0) else { continue };
        points += 1;
        tally.first = tally.first.min(index);
        tally.last = tally.last.max(index);
        match (point.directive, point.verdict) {
            (true, _) => tally.skipped += 1,
            (false, Verdict::Held) => tally.passed += 1,
            (false, Verdict::Failed) => tally.failed += 1,
        }
    }
    name(lines, &mut tally);
    let skipped_all = lines.at(plan).starts_with("1..0");
    (points > 0 || skipped_all).then_some(tally)
}

/// `Result: FAIL` of `prove`.
pub(super) fn ends_with_failure(lines: &Lines) -> bool {
    lines.iter().any(|(_, line)| line == "Result: FAIL")
}

/// Names of the failed. A subtest stands before its parent and deeper; the parent that failed by it is its group.
pub(super) fn name(lines: &Lines, tally: &mut Tally) {
    let mut open: Vec<(usize, String)> = Vec::new();
    for (index, line) in lines.iter() {
        // A test alone is announced in the same way; a group has something deeper right below.
        let group = line.strip_prefix("# Subtest: ").filter(|_| lines.at(index + 1).starts_with("    "));
        if let Some(group) = group {
            tally.suites.add(group);
        }
        let Some(point) =
            Point::read(line).filter(|point| point.verdict == Verdict::Failed && !point.directive)
        else {
            continue;
        };
        let below = open.iter().rposition(|(indent, _)| *indent <= point.indent).map_or(0, |at| at + 1);
        if below == open.len() {
            open.push((point.indent, point.name.to_owned()));
        } else {
            for (indent, name) in &mut open[below..] {
                (*indent, *name) = (point.indent, format!("{} › {name}", point.name));
            }
        }
        // Finished groups are handed on, so that what is open stays short.
        if point.indent == 0 || open.len() > 100 {
            open.drain(..).for_each(|(_, name)| tally.name(&name));
        }
    }
    open.drain(..).for_each(|(_, name)| tally.name(&name));
}

#[derive(Debug, PartialEq, Eq)]
struct Point<'a> {
    indent: usize,
    verdict: Verdict,
    name: &'a str,
    /// `# SKIP` or `# TODO`.
    directive: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Held,
    Failed,
}

impl<'a> Point<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let trimmed = line.trim_start_matches(' ');
        let (verdict, rest) = match trimmed.strip_prefix("not ok") {
            Some(rest) => (Verdict::Failed, rest),
            None => (Verdict::Held, trimmed.strip_prefix("ok")?),
        };
        if !(rest.is_empty() || rest.starts_with(' ')) {
            return None;
        }
        let rest = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let rest = rest.strip_prefix("- ").unwrap_or(rest);
        let (name, directive) = match rest.rsplit_once(" # ").or_else(|| Some(("", rest.strip_prefix("# ")?)))
        {
            Some((name, word)) => (name, word),
            None => (rest, ""),
        };
        let directive = ["skip", "todo"].iter().any(|word| directive.to_ascii_lowercase().starts_with(word));
        Some(Self { indent: line.len() - trimmed.len(), verdict, name, directive })
    }
}
