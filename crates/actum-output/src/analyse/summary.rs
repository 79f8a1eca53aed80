//! The one line that a person reads first.
//!
//! The most telling thing that is known comes first: a limit that was met, then tests, then the error that ended the
//! run, then what the program said last. The table of cases in the tests is the specification.

use super::asked::{Asked, is_inline};
use super::collect::{Found, Picked};
use super::explain::explain;
use super::lines::Lines;
use super::query;
use super::shown::{SUMMARY, counted, grouped, shown};
use super::sight::Phase;
use super::text::Text;
use actum_model::{Counted, Ending, Failure, Limit, Span, Tests};

/// Everything that the sentence is made from.
pub(super) struct Known<'a> {
    pub(super) asked: &'a Asked<'a>,
    pub(super) ending: &'a Ending,
    pub(super) wall: Span,
    pub(super) texts: [&'a Text; 2],
    pub(super) lines: [&'a Lines; 2],
    pub(super) found: &'a Found,
    pub(super) tests: Option<&'a Tests>,
}

pub(super) fn summary(known: &Known<'_>) -> String {
    match known.ending {
        Ending::Exited { code: 0 } => went_well(known),
        Ending::Exited { code } => exited(known, *code),
        Ending::Signalled { signal } => signalled(known, *signal),
        Ending::TimedOut { max, .. } => format!("timed out after {max}{}", doing(known)),
        Ending::OutOfMemory { max, .. } => format!("out of memory: limit {max}"),
        Ending::OverLimit { limit, max, .. } => format!("exceeded the limit on {}: {max}", named(*limit)),
        Ending::Cancelled => format!("cancelled after {}{}", seconds(known.wall), doing(known)),
        Ending::NotStarted { reason, .. } => format!("did not start: {}", shown(reason, SUMMARY)),
    }
}

fn went_well(known: &Known<'_>) -> String {
    let told = match known.tests {
        Some(tests) => tested(tests, known.found),
        None => asks_a_database(known.asked)
            .then(|| query::told(known.lines[0]))
            .flatten()
            .unwrap_or_else(|| printed(known)),
    };
    // An error that did not end the program (in a thread, logged) is easily overlooked.
    let tests_tell = known.tests.is_some_and(|tests| tests.failed > 0);
    match known.found.failures.items.last().filter(|_| !tests_tell) {
        Some(picked) => format!("{told}; reported {}", placed(&picked.failure)),
        None => told,
    }
}

fn exited(known: &Known<'_>, code: i32) -> String {
    if let Some(tests) = known.tests.filter(|tests| tests.failed > 0 || tests.total == 0) {
        return tested(tests, known.found);
    }
    if let Some(told) = failed(known.found) {
        return told;
    }
    let signal = match code - 128 {
        signal @ 1..=64 => format!(" ({})", signal_name(signal)),
        _ => String::new(),
    };
    // `go run` and others repeat what we say ourselves.
    let said = known.lines.into_iter().rev().find_map(|lines| lines.last_words_but("exit status "));
    let after = seconds(known.wall);
    match said {
        Some(said) => format!("exited {code}{signal} after {after}: {}", shown(said, SUMMARY)),
        None => format!("exited {code}{signal} after {after} and printed nothing"),
    }
}

fn signalled(known: &Known<'_>, signal: i32) -> String {
    let ended = format!("killed by signal {signal} ({})", signal_name(signal));
    match failed(known.found) {
        Some(told) => format!("{ended}: {told}"),
        None => ended,
    }
}

/// The failure that tells most: of run-time errors the last, of compile errors the first.
fn failed(found: &Found) -> Option<String> {
    let failures = &found.failures.items;
    let of = |phase: Phase| failures.iter().filter(move |picked| picked.phase == phase);
    if let Some(Picked { failure, .. }) = of(Phase::Running).next_back() {
        return Some(explain(failure).unwrap_or_else(|| placed(failure)));
    }
    let first = &of(Phase::Compiling).next()?.failure;
    let others = (failures.len() - 1) as u64 + found.failures.left_out;
    let more = if others > 0 { format!(", and {}", counted(others, "more error")) } else { String::new() };
    Some(format!("did not compile: {}{more}", placed(first)))
}

/// `ZeroDivisionError: division by zero at stats.py line 12, in mean`.
fn placed(failure: &Failure) -> String {
    let function = failure.frame.as_ref().and_then(|frame| frame.function.as_deref());
    let function = function.filter(|name| !is_top_level(name)).map(|name| format!(", in {name}"));
    format!("{}{}{}", shown(&failure.one_line(), SUMMARY), place(failure), function.unwrap_or_default())
}

/// ` at stats.py line 12`; code that has no file is named by its line.
pub(super) fn place(failure: &Failure) -> String {
    let is_shown = |file: &&str| !is_inline(file) && !file.starts_with('<') && !file.starts_with("node:");
    match (failure.file.as_deref().filter(is_shown), failure.line) {
        (Some(file), Some(line)) => format!(" at {file} line {line}"),
        (Some(file), None) => format!(" at {file}"),
        (None, Some(line)) if failure.file.as_deref().is_some_and(is_inline) => format!(" at line {line}"),
        (None, _) => String::new(),
    }
}

fn is_top_level(function: &str) -> bool {
    ["<module>", "<main>", "Object.<anonymous>", "main chunk", "{main}", "<top (required)>"]
        .contains(&function)
}

/// `3 tests passed in UserService`, `2 of 14 tests failed: test_add, test_sub`.
fn tested(tests: &Tests, found: &Found) -> String {
    let noun = match tests.counted {
        Counted::Tests => "test",
        Counted::Packages => "package",
    };
    if tests.total == 0 {
        return "no tests ran".to_owned();
    }
    if tests.failed > 0 {
        let names = names(tests);
        let why = match found.failures.items.as_slice() {
            [only] if tests.failed == 1 => format!(" ({})", shown(&only.failure.one_line(), SUMMARY)),
            _ => String::new(),
        };
        return format!("{} of {} failed{names}{why}", grouped(tests.failed), counted(tests.total, noun));
    }
    let skipped =
        if tests.skipped > 0 { format!(", {} skipped", grouped(tests.skipped)) } else { String::new() };
    let within = match tests.suites.as_slice() {
        [suite] => format!(" in {suite}"),
        _ => String::new(),
    };
    match tests.passed {
        0 if tests.skipped == tests.total => {
            format!("all {} skipped{within}", counted(tests.skipped, noun))
        }
        0 => format!("0 of {} passed, 0 failed{within}", counted(tests.total, noun)),
        passed => format!("{} passed{within}{skipped}", counted(passed, noun)),
    }
}

/// The same by the counts alone, where no words are to be told.
pub(super) fn counted_only(tests: &Tests) -> String {
    let bare =
        Tests { failed_names: Vec::new(), failed_names_left_out: 0, suites: Vec::new(), ..tests.clone() };
    tested(&bare, &Found::default())
}

/// The first names, without the file that pytest puts before them.
fn names(tests: &Tests) -> String {
    // 3: the line stays a line; the report has all of them.
    let shown_names: Vec<&str> = tests.failed_names.iter().take(3).map(|name| short(name)).collect();
    if shown_names.is_empty() {
        return String::new();
    }
    let rest = (tests.failed_names.len() - shown_names.len()) as u64 + tests.failed_names_left_out;
    let more = if rest > 0 { format!(" and {} more", grouped(rest)) } else { String::new() };
    format!(": {}{more}", shown_names.join(", "))
}

fn short(name: &str) -> &str {
    name.split_once(".py::").map_or(name, |(_, test)| test)
}

fn asks_a_database(asked: &Asked<'_>) -> bool {
    let first = asked.command.split_whitespace().next().unwrap_or_default();
    let program = first.rsplit('/').next().unwrap_or(first);
    asked.speaks(&["sql", "sqlite", "postgresql"]) || ["psql", "sqlite3"].contains(&program)
}

/// `printed 1 line: hello`, `printed 3,120 lines`, `ran in 0.1s and printed nothing`.
fn printed(known: &Known<'_>) -> String {
    let [stdout, stderr] = known.texts;
    let warnings = &known.found.warnings;
    let (text, lines, to) = match (stdout.bytes(), stderr.bytes()) {
        (0, _) if !warnings.items.is_empty() => {
            let number = counted(warnings.items.len() as u64 + warnings.left_out, "warning");
            return format!(
                "ran in {} with {number}: {}",
                seconds(known.wall),
                shown(&warnings.items[0], SUMMARY)
            );
        }
        (0, 0) => return format!("ran in {} and printed nothing", seconds(known.wall)),
        (0, _) => (stderr, known.lines[1], " to stderr"),
        (_, _) => (stdout, known.lines[0], ""),
    };
    if text.beginning().contains(&0) {
        return format!("printed {} that are not text{to}", counted(text.bytes(), "byte"));
    }
    match (text.lines(), lines.last_words()) {
        (1, Some(line)) => format!("printed 1 line{to}: {}", shown(line, SUMMARY)),
        (number, _) => format!("printed {}{to}", counted(number, "line")),
    }
}

/// Its last line of output when it was stopped.
fn doing(known: &Known<'_>) -> String {
    let said = known.lines[0].last_words().or_else(|| known.lines[1].last_words());
    said.map_or_else(
        || " without output".to_owned(),
        |said| format!("; last output: {}", shown(said, SUMMARY)),
    )
}

/// `0.2s`, `12s`, `3m 20s`: as exact as a person wants it.
pub(super) fn seconds(wall: Span) -> String {
    let tenths = (wall.0.as_millis() + 50) / 100;
    match tenths {
        0 => format!("{}ms", wall.0.as_millis()),
        1..=99 => format!("{}.{}s", tenths / 10, tenths % 10),
        100..=1199 => format!("{}s", (tenths + 5) / 10),
        _ => format!("{}m {}s", tenths / 600, tenths % 600 / 10),
    }
}

fn named(limit: Limit) -> &'static str {
    match limit {
        Limit::Wall => "time",
        Limit::Cpu => "CPU time",
        Limit::Memory => "memory",
        Limit::Processes => "processes",
        Limit::Descriptors => "open files",
        Limit::FileSize => "file size",
        Limit::Disk => "disk",
        Limit::Output => "output",
    }
}

/// The signals of Linux that end programs, in words.
fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => "hangup",
        2 => "interrupt",
        3 => "quit",
        4 => "illegal instruction",
        5 => "trace trap",
        6 => "aborted",
        7 => "bus error",
        8 => "arithmetic error",
        9 => "killed",
        11 => "segmentation fault",
        13 => "broken pipe",
        14 => "alarm",
        15 => "terminated",
        24 => "CPU time limit",
        25 => "file size limit",
        31 => "forbidden system call",
        _ => "a signal",
    }
}
