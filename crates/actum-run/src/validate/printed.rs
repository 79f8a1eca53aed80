//! Whether the programs of an answer print what the answer shows as their output.
//!
//! People and models shorten: a line of `...` stands for any lines, `...` within a line for anything in it, and blanks at
//! the end of a line are nothing. What is shown has to stand in the output line for line, in order; more may stand around it.
//! What does not stand on stdout may stand on stderr: a terminal shows both.

mod find;

use super::Matter;
use super::contents::Kept;
use crate::answer::Printed;
use crate::course::Done;
use crate::together::without_mark;
use actum_model::{Anchor, Check, Piece, Stream};
use actum_output::analyse::shown;
use find::{Found, Fuel, Lines, find, wanted};
use std::collections::HashMap;

/// What the parts printed on each stream, taken apart once for all that is looked for in it.
#[derive(Default)]
struct Printouts<'k> {
    by_part: HashMap<(u32, usize), Result<Lines<'k>, String>>,
    fuel: Fuel,
}

impl<'k> Printouts<'k> {
    /// The lines of a part's stream, read when they are first asked for, and what may be spent on them.
    fn of(
        &mut self,
        part: u32,
        stream: Stream,
        read: impl FnOnce() -> Result<Lines<'k>, String>,
    ) -> (Result<&Lines<'k>, &String>, &Fuel) {
        let lines = self.by_part.entry((part, stream.index())).or_insert_with(read);
        (lines.as_ref(), &self.fuel)
    }
}

impl Matter<'_> {
    /// A check for each output that the answer shows, of the parts that were run.
    pub(super) fn printed(&self, kept: &Kept<'_>) -> Vec<Check> {
        let mut part = 0;
        let mut from = [0, 0];
        let mut checks = Vec::new();
        let mut printouts = Printouts::default();
        for said in self.printed {
            let Some(done) = self.outcome.programs.done.get(said.part as usize - 1) else { continue };
            if part != said.part {
                (part, from) = (said.part, [0, 0]);
            }
            let mut look = |stream: Stream| {
                let printed = printouts.of(said.part, stream, || self.lines(kept, done, stream));
                self.held(printed, (done, stream), said, from[stream.index()])
            };
            let out = look(Stream::Stdout);
            // People show what a terminal shows, and that is both streams.
            let instead = if out.0.held { None } else { Some(look(Stream::Stderr)).filter(|err| err.0.held) };
            let stream = if instead.is_some() { Stream::Stderr } else { Stream::Stdout };
            let (check, behind) = instead.unwrap_or(out);
            from[stream.index()] = behind;
            checks.push(check);
        }
        checks
    }

    /// What a part printed on a stream.
    fn lines<'k>(&self, kept: &'k Kept<'_>, done: &Done, stream: Stream) -> Result<Lines<'k>, String> {
        let at = stream.index();
        let begin = self.outcome.stretch[0][at];
        let (start, end) = (done.from[at].bytes - begin.bytes, done.to[at].bytes - begin.bytes);
        let printed = kept.stream(stream)?.get(start as usize..end as usize).unwrap_or_default();
        let line: fn(&str) -> &str =
            if self.outcome.subject.request.together.is_some() { without_mark } else { |line| line };
        Ok(Lines::of(String::from_utf8_lossy(printed), line))
    }

    /// Whether what is shown stands in what a part printed on a stream, and behind which line of that the next one is looked for.
    fn held(
        &self,
        (lines, fuel): (Result<&Lines<'_>, &String>, &Fuel),
        (done, stream): (&Done, Stream),
        said: &Printed,
        from: usize,
    ) -> (Check, usize) {
        let undecided = |why: &str| (Check { undecided: Some(why.to_owned()), ..check(said) }, from);
        let lines = match lines {
            Ok(lines) => lines,
            Err(why) => return undecided(why),
        };
        let Some(found) = find(&wanted(&said.text), lines, from, fuel) else {
            return undecided("searching for these lines takes too long");
        };
        let told = tell(found, lines);
        let before = done.from[stream.index()].line_ends;
        let place = told.place.map(|lines| lines.map(|line| line as u64 + before));
        let anchor = Anchor::of(self.house.run, Piece::Output(stream, place)).to_string();
        let Told { held, found, quote, behind, .. } = told;
        (Check { held, found, quote, anchor: Some(anchor), ..check(said) }, behind.unwrap_or(from))
    }
}

/// What a look came to, in words.
struct Told {
    held: bool,
    found: String,
    quote: Option<String>,
    /// First and last line, counted from 1.
    place: Option<[usize; 2]>,
    behind: Option<usize>,
}

fn tell(found: Found, lines: &Lines<'_>) -> Told {
    match found {
        Found::At(first, behind) => Told {
            held: true,
            found: "these lines".to_owned(),
            quote: None,
            place: Some([first + 1, behind.max(first + 1)]),
            behind: Some(behind),
        },
        Found::Differs { wanted, line } => {
            let there = line.and_then(|line| lines.get(line));
            let wanted = shown(wanted, LONGEST);
            let found = match there {
                Some(_) => format!("another line where it shows `{wanted}`"),
                None if lines.count() == 0 => "nothing at all".to_owned(),
                None => format!("no line `{wanted}`"),
            };
            let quote = there.map(|line| shown(beginning(line), LONGEST));
            Told { held: false, found, quote, place: line.map(|line| [line + 1; 2]), behind: None }
        }
    }
}

fn check(said: &Printed) -> Check {
    let [first, last] = said.lines;
    let count = wanted(&said.text).len();
    Check {
        name: "output".to_owned(),
        expected: if count == 1 {
            "the line that the answer shows".to_owned()
        } else {
            format!("the {count} lines that the answer shows")
        },
        origin: Some(format!("the answer's lines {first} to {last}")),
        ..Check::default()
    }
}

/// A line is told up to here.
const LONGEST: usize = 80;

/// As much of a line as is told, and the blanks before it: a line may be all that was printed, and differ from a thousand others.
fn beginning(line: &str) -> &str {
    &line[..line.floor_char_boundary(1 << 10)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_part_printed_is_taken_apart_once() {
        let mut printouts = Printouts::default();
        let mut count = 0;
        // However parts alternate.
        for (part, stream) in [(1, Stream::Stdout), (2, Stream::Stdout), (1, Stream::Stderr)].repeat(1_000) {
            let read = || {
                count += 1;
                if part == 2 { Err("gone".to_owned()) } else { Ok(Lines::of("a\nb\n".into(), |line| line)) }
            };
            let (lines, fuel) = printouts.of(part, stream, read);
            let found = lines.ok().and_then(|lines| find(&["b"], lines, 0, fuel));
            assert_eq!(found, (part == 1).then_some(Found::At(1, 2)));
        }
        assert_eq!(count, 3);
    }

    #[test]
    fn a_line_that_is_all_that_was_printed_is_quoted_as_far_as_it_is_told() {
        let long = "é".repeat(1 << 20);
        let lines = Lines::of(long.as_str().into(), |line| line);
        let told = tell(Found::Differs { wanted: "x", line: Some(0) }, &lines);
        assert_eq!(told.quote, Some(shown(&long, LONGEST)));
        assert_eq!(told.found, "another line where it shows `x`");
    }
}
