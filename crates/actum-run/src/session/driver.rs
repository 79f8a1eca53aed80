//! What the holder and a driver say to each other, and how a driver is started. Judgement only.
//!
//! Text with lengths, because a shell has to read it. The driver runs beside code that nobody trusts: what it says is
//! read as if that code had said it.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt;

/// The interpreters that can stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    Python,
    Bash,
}

/// What is shown of a value that nobody asked to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Echo {
    /// The value of a last expression, as at a prompt. Python only: what a shell has is printed anyway.
    LastValue,
    Nothing,
}

/// What a driver said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Ready,
    Done { call: u64, status: u8 },
}

/// Something that no driver of ours says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Nonsense;

/// Longer than any line of ours.
const LONGEST: usize = 64;

/// Puts lines together from what comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Listener {
    waiting: Vec<u8>,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::Python, Language::Bash];

    pub fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Bash => "bash",
        }
    }

    /// The interpreter with its driver.
    pub(super) fn command(self, interpreter: &[OsString]) -> Vec<OsString> {
        let words: &[&str] = match self {
            Language::Python => &["-c", include_str!("python.py")],
            Language::Bash => &["--norc", "--noprofile", "-c", include_str!("bash.sh"), "session"],
        };
        interpreter.iter().cloned().chain(words.iter().map(OsString::from)).collect()
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Asks for one call. `parts` are the code, its file name, the arguments.
pub(super) fn ask(call: u64, echo: Echo, parts: &[&[u8]]) -> Vec<u8> {
    let keep = match echo {
        Echo::LastValue => "value",
        Echo::Nothing => "nothing",
    };
    let mut asked = format!("call {call} {keep} {}", parts.len());
    for part in parts {
        asked.push_str(&format!(" {}", part.len()));
    }
    asked.push('\n');
    let mut asked = asked.into_bytes();
    parts.iter().for_each(|part| asked.extend_from_slice(part));
    asked
}

impl Listener {
    /// Takes a piece; gives every line that is now whole.
    pub(super) fn hear(&mut self, piece: &[u8]) -> Result<Vec<Said>, Nonsense> {
        let mut heard = Vec::new();
        for byte in piece {
            if *byte == b'\n' {
                heard.push(understand(&std::mem::take(&mut self.waiting))?);
            } else if self.waiting.len() < LONGEST {
                self.waiting.push(*byte);
            } else {
                return Err(Nonsense);
            }
        }
        Ok(heard)
    }
}

fn understand(line: &[u8]) -> Result<Said, Nonsense> {
    let text = std::str::from_utf8(line).map_err(|_| Nonsense)?;
    let words: Vec<&str> = text.split(' ').collect();
    match words.as_slice() {
        ["ready"] => Ok(Said::Ready),
        ["done", call, status] => Ok(Said::Done {
            call: call.parse().map_err(|_| Nonsense)?,
            status: status.parse().map_err(|_| Nonsense)?,
        }),
        _ => Err(Nonsense),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_call_says_its_lengths() {
        let asked = ask(7, Echo::LastValue, &[b"1+1\n", b"<x>", b"", "ü".as_bytes()]);
        assert_eq!(asked, "call 7 value 4 4 3 0 2\n1+1\n<x>ü".as_bytes());
    }

    proptest! {
        #[test]
        fn lines_are_heard_however_they_are_cut(
            calls in prop::collection::vec((any::<u64>(), any::<u8>()), 0..20),
            cut in 1..30_usize,
        ) {
            let mut text = b"ready\n".to_vec();
            calls.iter().for_each(|(call, status)| text.extend(format!("done {call} {status}\n").bytes()));
            let mut listener = Listener::default();
            let mut heard = Vec::new();
            for piece in text.chunks(cut) {
                heard.extend(listener.hear(piece).unwrap());
            }
            let mut expected = vec![Said::Ready];
            expected.extend(calls.iter().map(|(call, status)| Said::Done { call: *call, status: *status }));
            prop_assert_eq!(heard, expected);
        }

        #[test]
        fn nothing_that_is_said_makes_it_panic_or_grow(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
            let mut listener = Listener::default();
            let _ = listener.hear(&bytes);
            prop_assert!(listener.waiting.len() <= LONGEST);
        }
    }

    #[test]
    fn other_words_are_nonsense() {
        for line in ["", "done", "done 1", "done 1 256", "done -1 0", "ready now", "done 1 0 0", "DONE 1 0"] {
            assert_eq!(understand(line.as_bytes()), Err(Nonsense), "{line}");
        }
    }
}
