//! `cargo xtask faults [NAME] [--count N] [--seed N]`: what can fail while a ledger is written, done to it on purpose.
//!
//! A fault is one file here and one row in [`FAULTS`]. The programs that write, check and flip are in the testkit; here they are
//! started, killed, starved and held to what they acknowledged. `cargo xtask test` injects the smaller count of each.

pub mod calls;
pub mod checkpoints;
pub mod flips;
pub mod full;
pub mod kill;
pub mod numbers;
pub mod place;
pub mod power;
pub mod swaps;
pub mod writers;

use crate::Held;
use crate::binary;
use crate::clock::Stopwatch;
use crate::error::Error;
use crate::say;
use crate::step::{Outcome, Session};
use crate::test::counts::Counts;

/// One kind of fault.
pub struct Fault {
    pub name: &'static str,
    pub about: &'static str,
    /// How many when nobody says otherwise, and how many in `cargo xtask test`.
    pub full: u64,
    pub few: u64,
    pub inject: fn(Asked) -> Result<Found, Error>,
}

/// How many faults, and where the numbers begin that choose them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    pub count: u64,
    pub seed: u64,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// How many faults there were, what was seen, and each thing that is wrong in a line.
    Tried {
        injected: u64,
        seen: String,
        wrong: Vec<String>,
    },
    Skipped(String),
}

pub const FAULTS: &[Fault] = &[
    Fault {
        name: "kill",
        about: "eight writing processes, killed at random moments",
        full: 2_000,
        few: 100,
        inject: kill::inject,
    },
    Fault {
        name: "power",
        about: "power loss: a separate file system is shut down under its writers",
        full: 1_000,
        few: 30,
        inject: power::inject,
    },
    Fault {
        name: "calls",
        about: "the Nth call of each kind fails, with each error, until none fails any more",
        full: u64::MAX,
        few: 120,
        inject: calls::inject,
    },
    Fault {
        name: "full",
        about: "a small file system is really full",
        full: 40,
        few: 8,
        inject: full::inject,
    },
    Fault {
        name: "flips",
        about: "single bits of database, log of writes, contents and bundles are flipped",
        full: 10_000,
        few: 1_000,
        inject: flips::inject,
    },
    Fault {
        name: "swaps",
        about: "another process renames, replaces and links files in a workspace while runs are made, applied and undone in it",
        full: 5_000,
        few: 60,
        inject: swaps::inject,
    },
    Fault {
        name: "checkpoints",
        about: "runs that write checkpoints are killed, or lose their power; what was durable is applied",
        full: 40,
        few: 2,
        inject: checkpoints::inject,
    },
];

/// Where the numbers begin when nobody says otherwise: the same faults each time.
const SEED: u64 = 4;

/// `cargo xtask faults [NAME] [--count N] [--seed N]`
pub fn faults(arguments: &[String]) -> Result<Held, Error> {
    let (name, count, seed) = read(arguments)?;
    let chosen: Vec<&Fault> =
        FAULTS.iter().filter(|fault| name.as_deref().is_none_or(|name| name == fault.name)).collect();
    if chosen.is_empty() {
        return Err(Error::Arguments { given: format!("faults {}", arguments.join(" ")) });
    }
    // A binary that is named is tried as it is.
    let is_named = std::env::var_os(swaps::BINARY).is_some();
    let starts_binary = |fault: &&Fault| matches!(fault.name, "swaps" | "checkpoints");
    let needs_build = !is_named || !chosen.iter().all(starts_binary);
    if needs_build && !binary::build()? {
        return Ok(Held::No);
    }
    let mut held = Held::Yes;
    for fault in chosen {
        let asked = Asked { count: count.unwrap_or(fault.full), seed: seed.unwrap_or(SEED) };
        if told(fault, asked)?.failed > 0 {
            held = Held::No;
        }
    }
    Ok(held)
}

/// The step of `cargo xtask test`: the smaller count of each, which counts as one test.
///
/// The step that built the binary built the programs with it.
pub fn step(session: &mut Session) -> Result<Outcome, Error> {
    if session.binary.is_none() && !binary::build()? {
        return Ok(Outcome::Refused { advice: "fix the compiler errors above".to_owned() });
    }
    let mut counts = Counts::default();
    for fault in FAULTS {
        counts = counts + told(fault, Asked { count: fault.few, seed: SEED })?;
    }
    Ok(Outcome::Tested { counts, succeeded: counts.failed == 0 })
}

/// As many are shown: who reads more knows enough.
const SHOWN: usize = 20;

fn told(fault: &Fault, asked: Asked) -> Result<Counts, Error> {
    say::line(&format!("\n{}: {}", fault.name, fault.about));
    let watch = Stopwatch::start();
    let none = Counts::default();
    match (fault.inject)(asked)? {
        Found::Skipped(reason) => {
            say::line(&format!("  skipped: {reason}"));
            Ok(Counts { skipped: 1, ..none })
        }
        Found::Tried { injected, seen, wrong } => {
            wrong.iter().take(SHOWN).for_each(|line| say::line(&format!("  wrong: {line}")));
            let word = if wrong.is_empty() { "held" } else { "FAILED" };
            let took = watch.elapsed().as_secs_f64();
            say::line(&format!("  {word}: {injected} faults in {took:.1} s; {seen}; {} wrong", wrong.len()));
            let passed = usize::from(wrong.is_empty());
            Ok(Counts { passed, failed: 1 - passed, ..none })
        }
    }
}

/// A name, a count and a seed, each where it was given.
type Words = (Option<String>, Option<u64>, Option<u64>);

fn read(arguments: &[String]) -> Result<Words, Error> {
    let wrong = || Error::Arguments { given: format!("faults {}", arguments.join(" ")) };
    let (mut name, mut count, mut seed) = (None, None, None);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong);
        match word.as_str() {
            "--count" => count = Some(number()?),
            "--seed" => seed = Some(number()?),
            flag if flag.starts_with('-') => return Err(wrong()),
            _ if name.is_some() => return Err(wrong()),
            _ => name = Some(word.clone()),
        }
    }
    Ok((name, count, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_a_name_a_count_and_a_seed() {
        let given = |text: &str| read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(given("").unwrap(), (None, None, None));
        assert_eq!(given("kill --count 7 --seed 9").unwrap(), (Some("kill".to_owned()), Some(7), Some(9)));
        for wrong in ["kill power", "--count", "--count x", "--often"] {
            assert!(given(wrong).is_err(), "{wrong}");
        }
    }
}
