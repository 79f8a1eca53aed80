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
pub mod binary;
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
pub mod speed;
pub mod step;
pub mod test;
pub mod tree;

use std::process::ExitCode;

use error::Error;
use step::Pace;

const HELP: &str = "\
cargo xtask: checks, tests and tools for development

usage:
  cargo xtask check            check layers, APIs, words, documents, dependencies, format, clippy, reference
  cargo xtask test [--fast]    run all checks and tests; the last line counts them
                               --fast: no installations, optimised build or doc tests
  cargo xtask generate         generate docs/reference from the code
  cargo xtask bench NAME       run a benchmark; without NAME, list them
  cargo xtask faults [NAME] [--count N] [--seed N]
                               inject faults while a ledger is written: kills, power loss, failed calls, full disk, flipped bits
  cargo xtask fuzz [NAME] [--time SECONDS]
                               run every fuzz target under fuzz/ for one minute each
  cargo xtask properties [--cases N]
                               run property tests with many new inputs
  cargo xtask speed            system calls and time of `actum run -- true`, compared with bubblewrap
  cargo xtask corpus [--set bigcodebench|small|answers] [--samples FOLDER] [--from N] [--count N] [--only ID|CLASS]
                     [--jobs N] [--binary FILE] [--json FILE]
                               run samples through `actum run`; --json stores results and continues from earlier ones
  cargo xtask help             print this help";

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
        ["speed"] => speed::speed(),
        ["corpus", ..] => corpus::corpus(&arguments[1..]),
        _ => Err(Error::Arguments { given: arguments.join(" ") }),
    }
}
