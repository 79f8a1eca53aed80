//! The name of one piece of evidence.

use crate::{RunId, Stream};
use std::{fmt, str::FromStr};

/// `actum:<run>` and, behind `#`, which piece of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// As it was written: whole, or the beginning or end of a run's name, or `last`.
    pub run: String,
    pub piece: Piece,
}

/// A piece of evidence of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The record itself.
    Whole,
    Exit,
    Command,
    /// A stream, or lines of it: first and last, counted from 1.
    Output(Stream, Option<[u64; 2]>),
    Metric {
        name: String,
        step: Option<u64>,
    },
    /// By its path in the workspace, as [`path_text`](crate::path_text) shows it.
    File(String),
    Test(String),
    Git,
    Environment,
    /// A piece of one attempt, counted from 1: `exit`, `cmd`.
    Attempt(u32, AttemptPiece),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptPiece {
    Whole,
    Exit,
    Command,
}

/// Why a text is no anchor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an anchor such as actum:<run>#stdout:L3-L9")]
pub struct AnchorError(String);

impl Anchor {
    /// An anchor of a run whose name is known.
    pub fn of(run: RunId, piece: Piece) -> Self {
        Self { run: run.to_string(), piece }
    }
}

impl FromStr for Anchor {
    type Err = AnchorError;

    fn from_str(text: &str) -> Result<Self, AnchorError> {
        let refused = || AnchorError(text.chars().take(80).collect());
        let rest = text.strip_prefix("actum:").unwrap_or(text);
        let (run, piece) = rest.split_once('#').map_or((rest, None), |(run, piece)| (run, Some(piece)));
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if run.is_empty() || !run.bytes().all(is_name) {
            return Err(refused());
        }
        let piece = piece.map_or(Some(Piece::Whole), read_piece).ok_or_else(refused)?;
        Ok(Self { run: run.to_owned(), piece })
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "actum:{}", self.run)?;
        if self.piece == Piece::Whole { Ok(()) } else { write!(f, "#{}", self.piece) }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Whole => Ok(()),
            Piece::Exit => f.write_str("exit"),
            Piece::Command => f.write_str("cmd"),
            Piece::Output(stream, None) => write!(f, "{stream}"),
            Piece::Output(stream, Some([first, last])) => write!(f, "{stream}:L{first}-L{last}"),
            Piece::Metric { name, step: None } => write!(f, "metric/{name}"),
            Piece::Metric { name, step: Some(step) } => write!(f, "metric/{name}@{step}"),
            Piece::File(path) => write!(f, "file/{path}"),
            Piece::Test(name) => write!(f, "test/{name}"),
            Piece::Git => f.write_str("git"),
            Piece::Environment => f.write_str("env"),
            Piece::Attempt(number, AttemptPiece::Whole) => write!(f, "attempt/{number}"),
            Piece::Attempt(number, AttemptPiece::Exit) => write!(f, "attempt/{number}/exit"),
            Piece::Attempt(number, AttemptPiece::Command) => write!(f, "attempt/{number}/cmd"),
        }
    }
}

fn read_piece(text: &str) -> Option<Piece> {
    let (word, rest) = text.split_once('/').map_or((text, None), |(word, rest)| (word, Some(rest)));
    match (word, rest.filter(|rest| !rest.is_empty())) {
        ("exit", None) if text == word => Some(Piece::Exit),
        ("cmd", None) if text == word => Some(Piece::Command),
        ("git", None) if text == word => Some(Piece::Git),
        ("env", None) if text == word => Some(Piece::Environment),
        ("metric", Some(rest)) => Some(read_metric(rest)),
        ("file", Some(rest)) => Some(Piece::File(rest.to_owned())),
        ("test", Some(rest)) => Some(Piece::Test(rest.to_owned())),
        ("attempt", Some(rest)) => read_attempt(rest),
        (_, None) if text == word => read_output(text),
        (_, _) => None,
    }
}

fn read_metric(text: &str) -> Piece {
    let stepped = text.rsplit_once('@').and_then(|(name, step)| Some((name, step.parse().ok()?)));
    match stepped.filter(|(name, _)| !name.is_empty()) {
        Some((name, step)) => Piece::Metric { name: name.to_owned(), step: Some(step) },
        None => Piece::Metric { name: text.to_owned(), step: None },
    }
}

fn read_attempt(text: &str) -> Option<Piece> {
    let (number, piece) = text.split_once('/').map_or((text, ""), |both| both);
    let number = number.parse().ok().filter(|number| *number > 0)?;
    let piece = match piece {
        "" => AttemptPiece::Whole,
        "exit" => AttemptPiece::Exit,
        "cmd" => AttemptPiece::Command,
        _ => return None,
    };
    Some(Piece::Attempt(number, piece))
}

fn read_output(text: &str) -> Option<Piece> {
    let (name, lines) = text.split_once(':').map_or((text, None), |(name, lines)| (name, Some(lines)));
    let stream = Stream::ALL.into_iter().find(|stream| stream.name() == name)?;
    let Some(lines) = lines else { return Some(Piece::Output(stream, None)) };
    let line = |text: &str| text.strip_prefix('L')?.parse::<u64>().ok().filter(|line| *line > 0);
    let (first, last) = match lines.split_once('-') {
        Some((first, last)) => (line(first)?, line(last)?),
        None => (line(lines)?, line(lines)?),
    };
    (first <= last).then_some(Piece::Output(stream, Some([first, last])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_it_writes() {
        for text in [
            "actum:3f9a",
            "actum:last#exit",
            "actum:3f9a#cmd",
            "actum:3f9a#stdout",
            "actum:3f9a#stderr:L3-L9",
            "actum:3f9a#metric/val/accuracy",
            "actum:3f9a#metric/loss@12",
            "actum:3f9a#file/out/a b#c.csv",
            "actum:3f9a#test/tests/a.py::test_x[1/2]",
            "actum:3f9a#git",
            "actum:3f9a#env",
            "actum:3f9a#attempt/2",
            "actum:3f9a#attempt/2/exit",
        ] {
            assert_eq!(text.parse::<Anchor>().map(|anchor| anchor.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("last#stdout:L4".parse::<Anchor>().unwrap().to_string(), "actum:last#stdout:L4-L4");
    }

    #[test]
    fn what_is_no_anchor_is_refused() {
        for text in [
            "",
            "actum:",
            "actum:#exit",
            "actum:a b",
            "actum:../x#exit",
            "actum:3f#",
            "actum:3f#exit/",
            "actum:3f#stdout:3-4",
            "actum:3f#stdout:L0",
            "actum:3f#stdout:L9-L3",
            "actum:3f#file/",
            "actum:3f#attempt/0",
            "actum:3f#attempt/1/x",
            "actum:3f#other",
        ] {
            assert!(text.parse::<Anchor>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_is_stable(text in "(actum:)?[a-z0-9]{1,4}#?[a-z/@:L0-9-]{0,20}") {
            if let Ok(anchor) = text.parse::<Anchor>() {
                prop_assert_eq!(anchor.to_string().parse::<Anchor>(), Ok(anchor));
            }
        }
    }
}
