//! `cargo xtask bench NAME`: what can be measured, and how figures are kept and shown.
//!
//! A measurement is one file here and one row in [`BENCHES`]. It collects durations, reduces each series to a
//! [`Summary`], shows them with [`table::render`] and keeps them with [`Report::write`].

pub mod capture;
pub mod cli;
pub mod engine;
pub mod environment;
pub mod extract;
pub mod ledger;
pub mod measurer;
pub mod record;
pub mod report;
pub mod start;
pub mod summary;
pub mod table;

pub use report::{Report, Series};
pub use summary::Summary;

use crate::Held;
use crate::error::Error;
use crate::say;

/// One thing that can be measured.
pub struct Bench {
    pub name: &'static str,
    pub about: &'static str,
    /// Takes the arguments after the name.
    pub run: fn(&[String]) -> Result<Held, Error>,
}

/// Measurements go here, one file each beside this one.
pub const BENCHES: &[Bench] = &[
    Bench {
        name: "start",
        about: "what starting a command costs: bare, bubblewrap, Actum cold and warm",
        run: start::run,
    },
    Bench {
        name: "capture",
        about: "what capturing a gigabyte costs: the same pipe with Actum in it and without",
        run: capture::run,
    },
    Bench {
        name: "ledger",
        about: "records a second, what evidence adds to a run, opening and verifying a million",
        run: ledger::run,
    },
    Bench {
        name: "environment",
        about: "what an environment costs: starting with one, building one, importing from it, beside uv",
        run: environment::run,
    },
    Bench {
        name: "extract",
        about: "what ten megabytes cost that mean harm: `actum extract` on every shape that made a parser slow",
        run: extract::run,
    },
    Bench { name: "cli", about: "what one whole command costs: bare, bubblewrap, actum run", run: cli::run },
    Bench {
        name: "record",
        about: "what an experiment costs: bare, actum run, actum experiment run, beside other trackers",
        run: record::run,
    },
    Bench {
        name: "engine",
        about: "what one of many runs costs in a process that embeds the engine, beside bubblewrap",
        run: engine::run,
    },
];

pub fn bench(arguments: &[String]) -> Result<Held, Error> {
    let Some((name, rest)) = arguments.split_first() else {
        list();
        return Ok(Held::Yes);
    };
    match BENCHES.iter().find(|bench| bench.name == name) {
        Some(bench) => (bench.run)(rest),
        None => Err(Error::Arguments { given: format!("bench {}", arguments.join(" ")) }),
    }
}

fn list() {
    for bench in BENCHES {
        say::line(&format!("  {:<12} {}", bench.name, bench.about));
    }
}
