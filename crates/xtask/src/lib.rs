//! The work around the house: check it, test it, measure it.
//!
//! `cargo xtask check` asks whether every line knows its room; `cargo xtask test` asks everything, and is what CI
//! runs; `cargo xtask generate` writes the reference; `cargo xtask bench` measures; `cargo xtask faults` breaks things;
//! `cargo xtask fuzz` and `cargo xtask properties` look for inputs that do; `cargo xtask corpus` runs programs that
//! nobody here wrote. Every path in this crate is relative to the root of the repository, which [`main`] makes the
//! current folder. Judgement (`check/`, `generate/page.rs`, `test/counts.rs`, `bench/summary.rs`) is pure and takes
//! text; `command.rs`, `tree.rs` and `clock.rs` are the hands; `say.rs` is the only voice.
//!
//! Start reading at [`check::CHECKS`] and [`test::STEPS`]: both are tables of [`step::Step`].

pub mod bench;
pub mod check;
pub mod clock;
pub mod command;
pub mod corpus;
pub mod error;
pub mod faults;
pub mod finding;
pub mod fuzz;
pub mod generate;
pub mod properties;
pub mod say;
pub mod step;
pub mod test;
pub mod tree;

use std::process::ExitCode;

use error::Error;
use step::Pace;

const HELP: &str = "\
cargo xtask: the work around the house

usage:
  cargo xtask check            layers, accents, words, documents, dependencies, format, clippy, reference
  cargo xtask test [--fast]    every check and every test; the last line counts them
                               --fast: install nothing, no release build, no documentation tests
  cargo xtask generate         write what in docs/reference follows from the code
  cargo xtask bench NAME       measure; without NAME, list what can be measured
  cargo xtask faults [NAME] [--count N] [--seed N]
                               kill, cut the power, fail calls, fill the disk, flip bits while a ledger is written
  cargo xtask fuzz [NAME] [--time SECONDS]
                               hostile inputs for every target under fuzz/, a minute each
  cargo xtask properties [--cases N]
                               many new inputs for what must hold for any
  cargo xtask corpus [--set bigcodebench|small|answers] [--samples FOLDER] [--from N] [--count N] [--only ID|CLASS]
                     [--jobs N] [--binary FILE] [--json FILE]
                               run samples through `actum run`; --json keeps each result, and the next round goes on
  cargo xtask help             this text";

/// Does what the arguments ask, from the root of the repository.
pub fn main(arguments: &[String]) -> ExitCode {
    match go(arguments) {
        Ok(Held::Yes) => ExitCode::SUCCESS,
        Ok(Held::No) => ExitCode::FAILURE,
        Err(error) => {
            say::error(&error);
            ExitCode::FAILURE
        }
    }
}

/// Whether everything that was asked held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    Yes,
    No,
}

fn go(arguments: &[String]) -> Result<Held, Error> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let [] | ["help" | "--help" | "-h"] = words[..] {
        say::line(HELP);
        return Ok(Held::Yes);
    }
    tree::enter_root()?;
    match words[..] {
        ["check"] => check::check(),
        ["test"] => test::test(Pace::Full),
        ["test", "--fast"] => test::test(Pace::Quick),
        ["generate"] => generate::generate(),
        ["bench", ..] => bench::bench(&arguments[1..]),
        ["faults", ..] => faults::faults(&arguments[1..]),
        ["fuzz", ..] => fuzz::fuzz(&arguments[1..]),
        ["properties", ..] => properties::properties(&arguments[1..]),
        ["corpus", ..] => corpus::corpus(&arguments[1..]),
        _ => Err(Error::Arguments { given: arguments.join(" ") }),
    }
}
