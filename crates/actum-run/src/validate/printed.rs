//! Whether the programs of an answer print what the answer shows as their output.
//!
//! People and models shorten: a line of `...` stands for any lines, `...` within a line for anything in it, and blanks at
//! the end of a line are nothing. What is shown has to stand in the output line for line, in order; more may stand around it.
//! What does not stand on stdout may stand on stderr: a terminal shows both.

use super::Matter;
use super::contents::Kept;
use crate::analyse::shown;
use crate::answer::Printed;
use crate::course::Done;
use crate::together::without_mark;
use actum_model::{Anchor, Check, Piece, Stream};

impl Matter<'_> {
    /// A check for each output that the answer shows, of the parts that were run.
    pub(super) fn printed(&self, kept: &Kept<'_>) -> Vec<Check> {
        let mut part = 0;
        let mut from = [0, 0];
        let mut checks = Vec::new();
        for said in self.printed {
            let Some(done) = self.done.get(said.part as usize - 1) else { continue };
            if part != said.part {
                (part, from) = (said.part, [0, 0]);
            }
            let look = |stream: Stream| self.held(kept, (done, stream), said, from[stream.index()]);
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

    /// Whether what is shown stands in what a part printed on a stream, and behind which line of that the next one is looked for.
    fn held(
        &self,
        kept: &Kept<'_>,
        (done, stream): (&Done, Stream),
        said: &Printed,
        from: usize,
    ) -> (Check, usize) {
        let at = stream.index();
        let begin = self.stretch[0][at];
        let (start, end) = (done.from[at].bytes - begin.bytes, done.to[at].bytes - begin.bytes);
        let printed = match kept.stream(stream) {
            Ok(all) => String::from_utf8_lossy(all.get(start as usize..end as usize).unwrap_or_default()),
            Err(why) => return (Check { undecided: Some(why), ..check(said) }, from),
        };
        let line = |line| if self.request.together.is_some() { without_mark(line) } else { line };
        let lines: Vec<&str> = printed.lines().map(line).collect();
        let told = tell(find(&wanted(&said.text), &lines, from), &lines);
        let before = done.from[at].line_ends;
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

fn tell(found: Found, lines: &[&str]) -> Told {
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
            let found = match there {
                Some(_) => format!("another line where it shows `{wanted}`"),
                None if lines.is_empty() => "nothing at all".to_owned(),
                None => format!("no line `{wanted}`"),
            };
            let quote = there.map(|line| shown(line, LONGEST));
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

/// The lines that are shown, without what is empty or left out around them.
fn wanted(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let says = |line: &&str| !line.is_empty() && !is_ellipsis(line);
    let first = lines.iter().position(&says).unwrap_or(lines.len());
    let last = lines.iter().rposition(says).map_or(first, |last| last + 1);
    lines[first..last].to_vec()
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// From this line up to that one.
    At(usize, usize),
    /// The longest beginning that stands there ends before this line.
    Differs { wanted: String, line: Option<usize> },
}

/// Looks for the lines behind `from`.
fn find(wanted: &[&str], lines: &[&str], from: usize) -> Found {
    let Some(first) = wanted.first() else { return Found::At(from, from) };
    let mut furthest = (0, None);
    for start in from..lines.len() {
        match stands(wanted, &lines[start..]) {
            Ok(length) => return Found::At(start, start + length),
            Err(missed) => {
                if missed.matched > furthest.0 {
                    furthest = (missed.matched, Some(start + missed.at));
                }
                // What stands nowhere behind this line stands nowhere behind a later one.
                if missed.is_final {
                    break;
                }
            }
        }
    }
    let (matched, line) = furthest;
    // Where not even the first line stands, the first that was printed is the one to compare.
    let line = if matched == 0 { lines.get(from).map(|_| from) } else { line };
    Found::Differs { wanted: shown(wanted.get(matched).unwrap_or(first), LONGEST), line }
}

/// A line is told up to here.
const LONGEST: usize = 80;

/// How far lines stood where they were looked for.
struct Missed {
    matched: usize,
    /// The line that is another, counted from where they were looked for.
    at: usize,
    is_final: bool,
}

/// How many lines they take up. An ellipsis is given as few as will do.
fn stands(wanted: &[&str], lines: &[&str]) -> Result<usize, Missed> {
    let (mut at, mut is_open) = (0, false);
    for (matched, line) in wanted.iter().enumerate() {
        if is_ellipsis(line) {
            is_open = true;
            continue;
        }
        let ahead = if is_open { &lines[at..] } else { &lines[at..lines.len().min(at + 1)] };
        let away = ahead.iter().position(|there| like(line, there.trim_end()));
        at += away.ok_or(Missed { matched, at, is_final: is_open })? + 1;
        is_open = false;
    }
    Ok(at)
}

fn is_ellipsis(line: &str) -> bool {
    matches!(line.trim(), "..." | "…" | "[...]" | "[…]")
}

/// Whether a printed line is what is shown, where `...` stands for anything.
fn like(shown: &str, printed: &str) -> bool {
    let mut pieces = shown.split("...");
    let Some(mut rest) = pieces.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(shown: &str, printed: &str) -> Found {
        find(&wanted(shown), &printed.lines().collect::<Vec<_>>(), 0)
    }

    #[test]
    fn what_is_shown_stands_in_what_was_printed() {
        for (shown, printed, lines) in [
            ("a\nb\n", "a\nb\n", (0, 2)),
            ("\na  \n\n", "x\na\ny\n", (1, 2)),
            ("a\n...\nd\n", "a\nb\nc\nd\n", (0, 4)),
            ("took 0.3... s", "took 0.3127 s\n", (0, 1)),
            ("...", "anything\n", (0, 0)),
            ("...\nb\n...\n", "a\nb\nc\n", (1, 2)),
            ("a\n...\nc", "a\nx\na\nb\nc\n", (0, 5)),
            ("b", "a\na\nb\n", (2, 3)),
        ] {
            assert_eq!(found(shown, printed), Found::At(lines.0, lines.1), "{shown:?} in {printed:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_told_by_the_line_that_differs() {
        for (shown, printed, wanted, line) in [
            ("a\nb\n", "a\nc\n", "b", Some(1)),
            ("a\nb\n", "a\n", "b", Some(1)),
            ("a", "", "a", None),
            ("a", "z\n", "a", Some(0)),
            ("total: 430", "total: 431", "total: 430", Some(0)),
        ] {
            assert_eq!(
                found(shown, printed),
                Found::Differs { wanted: wanted.to_owned(), line },
                "{shown:?}"
            );
        }
    }

    #[test]
    fn an_ellipsis_in_a_line_is_anything() {
        for (shown, printed, is_like) in [
            ("a...c", "abbc", true),
            ("a...c", "abbd", false),
            ("...", "x", true),
            ("a...b...c", "a1b2c", true),
            ("a...a", "a", false),
        ] {
            assert_eq!(like(shown, printed), is_like, "{shown} {printed}");
        }
    }
}
