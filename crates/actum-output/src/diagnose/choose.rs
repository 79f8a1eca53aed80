//! Chooses the row: what really happened, then the exception that ended the program, then its text.

use super::Failed;
use super::facts;
use super::pattern::Present;
use super::python::{Link, Raised};
use super::scene::Scene;
use super::subject::{captured, sentence};
use super::table::{Callee, Mark, Row, Taxonomy};
use crate::analyse::{Lines, NAME, shown};
use actum_model::{Class, Completeness, Diagnosis, Ending, Frame, Matched, Whose};
use std::cell::Cell;

/// 96 patterns are tried on a text at most: failures that really happen meet a handful, and a text that was written to
/// meet them all must not take longer.
const MOST_TRIED: usize = 96;
/// 40 lines from the end: what a shell's last commands said.
const LAST_LINES: usize = 40;
/// 600 times a pattern is held against an exception at most, for the same reason.
const MOST_HELD: u32 = 600;
/// 16 lines that hold a pattern's word, from either end; 200 where it has no word.
const LINES_OF_WORD: usize = 16;
const LINES_WITHOUT: usize = 200;
/// 2 KiB of a line are held against a pattern; no message needs more before it says what it is about.
const LONGEST: usize = 2048;

/// A row that fits, and where it was seen.
struct Found<'a> {
    row: &'a Row,
    subject: Vec<String>,
    matched: Option<Matched>,
    raised: Option<&'a Raised>,
}

pub(super) fn choose(taxonomy: &Taxonomy, failed: &Failed<'_>) -> Option<Diagnosis> {
    let scene = Scene::of(failed, taxonomy);
    let judge =
        Judge { taxonomy, scene: &scene, candidates: candidates(taxonomy, &scene), held: Cell::new(0) };
    let found = judge.judge()?;
    let row = found.row;
    let neutral = |frame: &Frame| Frame {
        function: frame.function.as_deref().map(|function| shown(function, NAME)),
        file: shown(failed.asked.relative(&frame.file), NAME),
        ..frame.clone()
    };
    Some(Diagnosis {
        row: row.id.clone(),
        taxonomy: taxonomy.version,
        class: row.class,
        priority: row.priority,
        cause: sentence(&row.cause, &found.subject),
        subject: found.subject.into_iter().filter(|subject| !subject.is_empty()).collect(),
        touches: row.touches,
        mode: row.mode,
        matched: found.matched,
        frame: found.raised.and_then(|raised| raised.own.as_ref()).map(neutral),
        raised_in: found.raised.and_then(|raised| raised.raised_in),
    })
}

struct Judge<'a> {
    taxonomy: &'a Taxonomy,
    scene: &'a Scene<'a>,
    /// Marks that a line alone can show, in the order of their rows.
    candidates: Vec<Candidate<'a>>,
    /// How often a pattern was held against an exception.
    held: Cell<u32>,
}

impl<'a> Judge<'a> {
    fn judge(&self) -> Option<Found<'a>> {
        let happened = self.happened(|row| row.rank == 0);
        let found = happened.or_else(|| match self.scene.failed.ending {
            Ending::TimedOut { .. } => self.while_waiting().or_else(|| self.happened(|_| true)),
            Ending::OutOfMemory { .. } | Ending::OverLimit { .. } => self.happened(|_| true),
            Ending::Exited { .. } | Ending::Signalled { .. } | Ending::NotStarted { .. } => self.failed(),
            Ending::Cancelled => None,
        });
        self.or_left_out(found)
    }

    /// What was left out of a program explains why it goes wrong by itself.
    fn or_left_out(&self, found: Option<Found<'a>>) -> Option<Found<'a>> {
        let complete = self.scene.failed.reading.map(|reading| &reading.complete);
        let is_elided = matches!(complete, Some(Completeness::Elided { .. }));
        let is_own_doing =
            found.as_ref().is_none_or(|found| matches!(found.row.class, Class::Logic | Class::Truncated));
        if !is_elided || !is_own_doing {
            return found;
        }
        let row = self.taxonomy.row("elided-code")?;
        let subject = facts::subject(self.scene.failed);
        Some(Found { row, subject, matched: None, raised: None })
    }

    /// Rows that the facts alone decide, and those that the facts allow the text to decide.
    fn happened(&self, is_meant: impl Fn(&Row) -> bool) -> Option<Found<'a>> {
        let failed = self.scene.failed;
        self.rows().filter(|row| is_meant(row) && row.id != "elided-code").find_map(|row| {
            if row.when.iter().any(|when| when.holds(failed)) {
                return Some(self.by_facts(row));
            }
            let is_allowed = row.only.as_ref().is_some_and(|only| only.holds(failed));
            is_allowed.then(|| self.in_output(row, Where::All)).flatten()
        })
    }

    fn by_facts(&self, row: &'a Row) -> Found<'a> {
        Found { row, subject: facts::subject(self.scene.failed), matched: None, raised: None }
    }

    /// A program that waits until its time is over waits for something that it may have named.
    fn while_waiting(&self) -> Option<Found<'a>> {
        if !facts::is_waiting(self.scene.failed) {
            return None;
        }
        let is_awaited = |row: &&Row| {
            matches!(row.class, Class::Network | Class::Interactive | Class::Service) && row.only.is_none()
        };
        self.rows().filter(is_awaited).find_map(|row| self.in_output(row, Where::All))
    }

    fn failed(&self) -> Option<Found<'a>> {
        if self.scene.raised.is_empty() {
            return self.by_text();
        }
        let special = self.by_exceptions(1..=2);
        let around = || self.ranked(1..=2).find_map(|row| self.by_fact_or(row, Where::Around));
        let last_resort = || self.by_exceptions(3..=3);
        special
            .or_else(around)
            .or_else(last_resort)
            .or_else(|| self.ranked(3..=3).find_map(|row| self.by_fact(row)))
    }

    /// No exception was read: the output as it is. A shell's commands fail one after the other, and the last one decides.
    fn by_text(&self) -> Option<Found<'a>> {
        if self.scene.is_of_shell() {
            let is_of_text = |row: &&Row| matches!(row.class, Class::Notebook | Class::Encoding);
            let of_text =
                || self.ranked(1..=2).filter(is_of_text).find_map(|row| self.in_output(row, Where::Around));
            let special = self.ranked(1..=2).find_map(|row| self.by_fact(row));
            let last_resort = || self.ranked(3..=3).find_map(|row| self.by_fact(row));
            return special.or_else(of_text).or_else(|| self.last_line()).or_else(last_resort);
        }
        self.rows().filter(|row| row.rank > 0).find_map(|row| self.by_fact_or(row, Where::All))
    }

    fn by_fact(&self, row: &'a Row) -> Option<Found<'a>> {
        let holds = row.id != "elided-code" && row.when.iter().any(|when| when.holds(self.scene.failed));
        holds.then(|| self.by_facts(row))
    }

    fn by_fact_or(&self, row: &'a Row, place: Where) -> Option<Found<'a>> {
        self.by_fact(row).or_else(|| self.in_output(row, place))
    }

    fn rows(&self) -> impl Iterator<Item = &'a Row> {
        self.taxonomy.rows.iter().filter(|row| row.speaks(&self.scene.languages))
    }

    fn ranked(&self, ranks: std::ops::RangeInclusive<u8>) -> impl Iterator<Item = &'a Row> {
        self.rows().filter(move |row| ranks.contains(&row.rank))
    }

    /// From the last line upwards: the best row of the first line that has one.
    fn last_line(&self) -> Option<Found<'a>> {
        let candidates = || self.candidates.iter().filter(|(row, _)| row.rank > 0 && row.only.is_none());
        self.scene.streams.iter().find_map(|lines| {
            let from = lines.len().saturating_sub(LAST_LINES);
            let of_line =
                |index: usize| candidates().find_map(|(row, mark)| in_line(row, mark, lines, index));
            (from..lines.len()).rev().find_map(of_line)
        })
    }

    fn in_output(&self, row: &'a Row, place: Where) -> Option<Found<'a>> {
        let is_meant = |mark: &Mark| place == Where::All || mark.anywhere;
        let marks = || self.candidates.iter().filter(|(of, mark)| std::ptr::eq(*of, row) && is_meant(mark));
        marks().next()?;
        self.scene.streams.iter().find_map(|lines| {
            let from = self.scene.first_line(lines);
            let of_mark = |mark: &Mark| {
                lines_to_try(mark, lines, from).into_iter().find_map(|index| in_line(row, mark, lines, index))
            };
            marks().find_map(|(_, mark)| of_mark(mark))
        })
    }

    /// Of several the most fundamental; among equals the first.
    fn by_exceptions(&self, ranks: std::ops::RangeInclusive<u8>) -> Option<Found<'a>> {
        let found = self.scene.raised.iter().filter_map(|raised| self.by_exception(raised, ranks.clone()));
        found.min_by_key(|found| depth(found.row.class))
    }

    fn by_exception(&self, raised: &'a Raised, ranks: std::ops::RangeInclusive<u8>) -> Option<Found<'a>> {
        let of = |raised: &'a Raised| {
            let said: Vec<&str> = raised.said.iter().map(|(_, line)| bounded(line)).collect();
            let present = self.taxonomy.prefilter().present(&said);
            self.ranked(ranks.clone()).find_map(|row| self.raised_as(row, raised, &present))
        };
        of(raised).or_else(|| {
            raised.causes.iter().find_map(|cause| {
                let found = of(&cause.raised)?;
                let is_named = || found.subject.first().is_some_and(|subject| says(raised, subject));
                let is_reason = found.row.class != Class::Logic && (cause.link == Link::Caused || is_named());
                is_reason.then_some(found)
            })
        })
    }

    fn raised_as(&self, row: &'a Row, raised: &'a Raised, present: &Present) -> Option<Found<'a>> {
        if row.only.is_some() {
            return None;
        }
        row.marks.iter().filter(|mark| self.fits(mark, raised)).find_map(|mark| {
            let Some(pattern) = &mark.pattern else {
                return Some(self.found_in(row, raised, 0, Vec::new()));
            };
            if !present.may_match(pattern) || self.held.get() >= MOST_HELD {
                return None;
            }
            self.held.set(self.held.get() + 1);
            raised.said.iter().enumerate().find_map(|(index, (_, line))| {
                let subject = captured(&pattern.captures(bounded(line))?);
                let is_ours = || is_own(self.scene.failed, &subject, raised);
                (mark.callee != Some(Callee::Foreign) || !is_ours())
                    .then(|| self.found_in(row, raised, index, subject))
            })
        })
    }

    fn found_in(&self, row: &'a Row, raised: &'a Raised, index: usize, subject: Vec<String>) -> Found<'a> {
        let line = raised.said.get(index).map(|(line, _)| *line);
        let matched = raised.stream.zip(line).map(|(stream, line)| Matched { stream, line });
        Found { row, subject, matched, raised: Some(raised) }
    }

    fn fits(&self, mark: &Mark, raised: &Raised) -> bool {
        let innermost = || {
            let frame = raised.innermost.as_ref();
            frame.map(|frame| format!("{} {}", frame.file, frame.function.as_deref().unwrap_or_default()))
        };
        exits_like(self.scene, mark)
            && (mark.kinds.is_empty() || mark.kinds.contains(&raised.kind))
            && (mark.raised_in.is_empty()
                || raised.raised_in.is_some_and(|whose| mark.raised_in.contains(&whose)))
            && mark.source.as_ref().is_none_or(|source| source.is_in(bounded(&raised.source)))
            && mark
                .innermost
                .as_ref()
                .is_none_or(|wanted| innermost().is_some_and(|frame| wanted.is_in(&frame)))
    }
}

type Candidate<'a> = (&'a Row, &'a Mark);

/// The marks whose words occur at all, and not too many of them.
fn candidates<'a>(taxonomy: &'a Taxonomy, scene: &Scene<'_>) -> Vec<Candidate<'a>> {
    let rows = taxonomy.rows.iter().filter(|row| row.speaks(&scene.languages));
    let marks = rows.flat_map(|row| row.marks.iter().map(move |mark| (row, mark)));
    let may_match =
        |mark: &Mark| mark.pattern.as_ref().is_some_and(|pattern| scene.present.may_match(pattern));
    let is_worth =
        |(_, mark): &Candidate<'_>| !mark.is_of_exceptions() && may_match(mark) && exits_like(scene, mark);
    marks.filter(is_worth).take(MOST_TRIED).collect()
}

fn exits_like(scene: &Scene<'_>, mark: &Mark) -> bool {
    let code = facts::exit(scene.failed.ending);
    mark.exit.is_empty() || code.is_some_and(|code| mark.exit.contains(&code))
}

/// Where a mark may be: the lines that hold its word.
fn lines_to_try(mark: &Mark, lines: &Lines, from: usize) -> Vec<usize> {
    match mark.pattern.as_ref().map_or("", |pattern| pattern.word()) {
        "" => {
            let (first, last) = (from + LINES_WITHOUT, lines.len().saturating_sub(LINES_WITHOUT));
            (from..lines.len()).filter(|index| *index < first || *index >= last).collect()
        }
        word => lines.holding(word, from, LINES_OF_WORD),
    }
}

fn in_line<'a>(row: &'a Row, mark: &Mark, lines: &Lines, index: usize) -> Option<Found<'a>> {
    let captures = mark.pattern.as_ref()?.captures(bounded(lines.at(index)))?;
    let matched = Matched { stream: lines.stream, line: lines.number(index) };
    Some(Found { row, subject: captured(&captures), matched: Some(matched), raised: None })
}

/// Which lines of the output are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    All,
    /// Around an exception: only what cannot be said in passing.
    Around,
}

/// What is missing around a program comes before what it does: as long as a module is missing its checks say nothing.
fn depth(class: Class) -> u8 {
    match class {
        Class::Import
        | Class::Version
        | Class::Syslib
        | Class::Toolchain
        | Class::Encoding
        | Class::Gpu
        | Class::Display
        | Class::Legacy
        | Class::Notebook
        | Class::Async
        | Class::Truncated => 0,
        Class::Path
        | Class::Permission
        | Class::Sandbox
        | Class::Network
        | Class::Port
        | Class::Service
        | Class::Interactive => 1,
        Class::Resource | Class::Performance => 2,
        Class::Logic => 3,
    }
}

/// Whether an exception's own words name a subject.
fn says(raised: &Raised, subject: &str) -> bool {
    !subject.is_empty() && raised.said.iter().any(|(_, line)| line.contains(subject))
}

/// Whether the function or class that a message names is the program's own. What nobody read may be: then only an error
/// that was raised inside a package is taken for the package's.
fn is_own(failed: &Failed<'_>, subject: &[String], raised: &Raised) -> bool {
    if raised.raised_in == Some(Whose::Package) {
        return false;
    }
    let Some(reading) = failed.reading else { return true };
    let said = raised.said.first().map_or("", |(_, line)| line.as_str());
    let mut names = called(said).chain(subject.iter().map(String::as_str)).chain(called(&raised.source));
    names.any(|name| reading.defines.iter().any(|defined| name.split('.').any(|part| part == defined)))
}

/// Names that are followed by an opening bracket.
fn called(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.match_indices('(').filter_map(move |(at, _)| {
        let before = &text[..at];
        let start = before
            .rfind(|c: char| !is_name(c))
            .map_or(0, |index| index + before[index..].chars().next().map_or(1, char::len_utf8));
        Some(&before[start..]).filter(|name| !name.is_empty())
    })
}

fn bounded(line: &str) -> &str {
    let end = (0..=LONGEST.min(line.len())).rev().find(|end| line.is_char_boundary(*end));
    &line[..end.unwrap_or(0)]
}
