//! Reads what a program needs out of its text.
//!
//! [`read`] takes bytes and the name of a language and gives a [`Reading`]: from a syntax tree, never by running anything.
//! It touches nothing: no files, no variables, and of the clock only whether a grammar has taken too long. The bytes are
//! hostile: whatever they are, it ends, and says what it did not read. A grammar is other people's C code all the same, and
//! one was seen to hang; so the house calls this room only inside a sandbox that it can end, as `actum internal read`.
//!
//! One language, one file, Python a folder. Start reading at [`read`], then at `python/mod.rs`.

mod clock;
mod command_line;
mod elision;
mod grammar;
mod languages;
mod perl;
mod python;
mod text;
mod tree;

use actum_model::{Completeness, Reading};
use grammar::Grammar;
use text::Text;

/// 4 MiB: longer than any program that somebody wrote. What is longer holds data, and a tree of it needs a hundred times
/// its size in memory.
const LONGEST: usize = 4 << 20;

/// Trees are walked by recursion in places, to a depth that is bounded before; 64 MiB carries that bound in a build
/// without optimisation. Only what is touched is ever taken.
const STACK: usize = 64 << 20;

/// Reads one program, on a stack that is deep enough for it. `language` is any of the names and extensions that the language has.
pub fn read(language: &str, code: &[u8]) -> Reading {
    deep(|| read_here(language, code)).unwrap_or_else(|_| {
        let why = "there is not enough memory to parse it".to_owned();
        Reading { complete: Completeness::Unread { why }, ..Reading::of(language) }
    })
}

/// Does something on a stack that is deep enough to read programs on. To make one takes longer than to read a short program, so
/// who has many reads them all on one.
pub fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        worker.join().or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Reads one program on the stack that there is: see [`deep`].
pub fn read_here(language: &str, code: &[u8]) -> Reading {
    let Some(known) = Known::of(language) else {
        let complete = Completeness::Unread { why: "there is no parser for its language".to_owned() };
        return Reading { complete, ..Reading::of("") };
    };
    if code.len() > LONGEST {
        let why = format!("it is longer than {} MiB", LONGEST >> 20);
        return Reading { complete: Completeness::Unread { why }, ..Reading::of(known.name()) };
    }
    read_known(known, code)
}

fn read_known(known: Known, code: &[u8]) -> Reading {
    let text = Text::decode(code);
    let mut reading = Reading { layout: text.layout.clone(), ..Reading::of(known.name()) };
    match known {
        Known::Python => python::read(&text.text, &mut reading),
        Known::Perl => perl::read(&text.text, &mut reading),
        Known::Grammar(grammar) => languages::read(grammar, &text.text, &mut reading),
    }
    reading
}

/// A language that has a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Python,
    Perl,
    Grammar(Grammar),
}

impl Known {
    fn of(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().trim_start_matches('.') {
            "python" | "python3" | "python2" | "py" | "py3" | "ipython" | "pyw" => Known::Python,
            "perl" | "pl" | "pm" => Known::Perl,
            other => Known::Grammar(Grammar::called(other)?),
        })
    }

    fn name(self) -> &'static str {
        match self {
            Known::Python => "python",
            Known::Perl => "perl",
            Known::Grammar(grammar) => grammar.name(),
        }
    }
}

#[cfg(test)]
mod tests;
