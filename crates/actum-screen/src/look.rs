//! How things are shown on stderr: with colour or without, how wide, and how much.

use actum_model::Outcome;
use rustix::fd::AsFd;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};

/// How things are shown. Read once at the door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub colour: Colour,
    /// Columns of a line; what is longer is cut.
    pub width: usize,
    pub detail: Detail,
    /// Whether something that moves may be drawn.
    pub motion: Motion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Coloured,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What is read in ten seconds.
    Brief,
    /// Everything that the report holds about walls, limits and surroundings.
    Verbose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Still,
    Moving,
}

/// What is done to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Faint,
    Good,
    Bad,
    Doubtful,
}

impl Tone {
    /// How an outcome is told.
    pub fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Success => Tone::Good,
            Outcome::Failure | Outcome::Error | Outcome::Timeout => Tone::Bad,
            Outcome::Cancelled | Outcome::Skipped | Outcome::Lost => Tone::Doubtful,
        }
    }
}

/// Nobody's terminal is that wide, and a line of a megabyte is nobody's wish either.
const WIDEST: usize = 400;
/// Of a terminal that does not tell. A line that moves must not be longer, or it could not be erased.
const USUAL: usize = 80;
/// Below this a cut line says nothing any more; better let the terminal wrap it.
const NARROWEST: usize = 40;

/// Every sequence that [`Look::paint`] writes.
pub(super) const OWN_SEQUENCES: [&str; 5] =
    ["\u{1b}[0m", "\u{1b}[2m", "\u{1b}[1;32m", "\u{1b}[1;31m", "\u{1b}[1;33m"];

impl Look {
    /// Of our stderr, with the caller's variables.
    pub fn of_stderr(variables: &[(OsString, OsString)], detail: Detail) -> Self {
        Self::of(&io::stderr(), variables, detail)
    }

    /// Of our stdout, where what is shown is what was asked for.
    pub fn of_stdout(variables: &[(OsString, OsString)], detail: Detail) -> Self {
        Self::of(&io::stdout(), variables, detail)
    }

    fn of(stream: &(impl IsTerminal + AsFd), variables: &[(OsString, OsString)], detail: Detail) -> Self {
        let terminal = stream.is_terminal();
        let columns = rustix::termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col));
        let is_dumb = value(variables, "TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        Self {
            colour: colour(variables, terminal),
            width: width(columns.filter(|_| terminal)),
            detail,
            motion: if terminal && !is_dumb { Motion::Moving } else { Motion::Still },
        }
    }

    /// As into a file, for tests.
    #[cfg(test)]
    pub fn plain(detail: Detail) -> Self {
        Self { colour: Colour::Plain, width: WIDEST, detail, motion: Motion::Still }
    }

    /// The same, with nothing that moves: for `--quiet`, `--json` and `--events`.
    pub fn still(self) -> Self {
        Self { motion: Motion::Still, ..self }
    }

    pub fn paint(&self, tone: Tone, text: &str) -> String {
        let code = match (self.colour, tone) {
            (Colour::Plain, _) | (Colour::Coloured, Tone::Plain) => return text.to_owned(),
            (Colour::Coloured, Tone::Faint) => "2",
            (Colour::Coloured, Tone::Good) => "1;32",
            (Colour::Coloured, Tone::Bad) => "1;31",
            (Colour::Coloured, Tone::Doubtful) => "1;33",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// Of a terminal with so many columns, or of something that is none.
fn width(columns: Option<usize>) -> usize {
    match columns {
        None => WIDEST,
        Some(0) => USUAL,
        Some(columns) => columns.clamp(NARROWEST, WIDEST),
    }
}

/// `NO_COLOR` forbids, `CLICOLOR_FORCE` demands, and otherwise a terminal that is not dumb decides.
fn colour(variables: &[(OsString, OsString)], terminal: bool) -> Colour {
    let is_set = |name: &str| value(variables, name).is_some_and(|value| !value.is_empty());
    let is_forced = is_set("CLICOLOR_FORCE") && value(variables, "CLICOLOR_FORCE") != Some(OsStr::new("0"));
    let is_dumb = value(variables, "TERM") == Some(OsStr::new("dumb"));
    if is_set("NO_COLOR") || !(is_forced || terminal && !is_dumb) { Colour::Plain } else { Colour::Coloured }
}

fn value<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_os_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_decide_about_colour() {
        let (on, off) = (Colour::Coloured, Colour::Plain);
        for (words, on_a_terminal, in_a_pipe) in [
            ("", on, off),
            ("TERM=xterm-256color", on, off),
            ("TERM=dumb", off, off),
            ("NO_COLOR=1", off, off),
            ("NO_COLOR=", on, off),
            ("CLICOLOR_FORCE=1", on, on),
            ("CLICOLOR_FORCE=0", on, off),
            ("CLICOLOR_FORCE=1 TERM=dumb", on, on),
            ("CLICOLOR_FORCE=1 NO_COLOR=1", off, off),
        ] {
            let pairs = words.split_whitespace().filter_map(|word| word.split_once('='));
            let variables: Vec<_> = pairs.map(|(name, value)| (name.into(), value.into())).collect();
            assert_eq!(colour(&variables, true), on_a_terminal, "{words} on a terminal");
            assert_eq!(colour(&variables, false), in_a_pipe, "{words} in a pipe");
        }
    }

    #[test]
    fn a_terminal_that_does_not_tell_has_eighty_columns() {
        let widths = [None, Some(0), Some(3), Some(132), Some(9999)].map(width);
        assert_eq!(widths, [WIDEST, 80, NARROWEST, 132, WIDEST]);
    }

    #[test]
    fn without_colour_nothing_is_added() {
        let plain = Look::plain(Detail::Brief);
        assert_eq!(plain.paint(Tone::Bad, "x"), "x");
        let coloured = Look { colour: Colour::Coloured, ..plain };
        assert_eq!(coloured.paint(Tone::Bad, "x"), "\u{1b}[1;31mx\u{1b}[0m");
        assert_eq!(coloured.paint(Tone::Plain, "x"), "x");
    }
}
