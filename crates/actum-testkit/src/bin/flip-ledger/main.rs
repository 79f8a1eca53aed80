//! Flips single bits of a ledger and asks whether anybody could be misled by it.
//!
//! `flip-ledger FOLDER COUNT SEED`: makes a ledger below FOLDER, reads everything that it gives back, and has a process of its
//! own flip one bit after the other. After each, what is given back is as before, or is refused, or verifying finds it, or the
//! last signature is gone and verifying says so; everything else is a line `wrong: …`. A process that dies or hangs is one too.
//! The last line is an account in JSON. `flip-ledger --from N …` is that process.

#![allow(clippy::print_stdout)]

mod judge;
mod sample;

use judge::{Judge, Verdict};
use sample::Sample;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A flip is judged in some milliseconds.
const HANGS: Duration = Duration::from_secs(60);

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [from, first, folder, count, seed] if from == "--from" => {
            let judge = Judge::of(Sample::at(Path::new(folder)), seed.parse()?)?;
            (first.parse()?..count.parse()?).try_for_each(|number| {
                println!("{}", judge.flip(number)?.line());
                Ok(())
            })
        }
        [folder, count, seed] => {
            Sample::at(Path::new(folder)).make()?;
            let account = Account::of(&words, count.parse()?, seed)?;
            println!("{}", account.json());
            Ok(())
        }
        _ => Err("flip-ledger takes FOLDER COUNT SEED".into()),
    }
}

/// How many flips came to what.
#[derive(Default)]
struct Account {
    flips: u64,
    verdicts: BTreeMap<&'static str, u64>,
    /// Flips that changed something, by the kind of file, and how many of them SQLite finds alone.
    changing: BTreeMap<&'static str, (u64, u64)>,
}

impl Account {
    fn of(words: &[String], count: u64, seed: &str) -> Result<Self, Box<dyn Error>> {
        let mut account = Self::default();
        while account.flips < count {
            let (mut child, lines) = begin(words, account.flips)?;
            while let Ok(line) = lines.recv_timeout(HANGS) {
                account.take(&line, seed);
            }
            let is_over = account.flips >= count;
            if !is_over {
                println!(
                    "wrong: flip {} of seed {seed} killed its process, or kept it for long",
                    account.flips
                );
                account.flips += 1;
            }
            let _ = child.kill();
            let _ = child.wait();
        }
        Ok(account)
    }

    fn take(&mut self, line: &str, seed: &str) {
        let Some(verdict) = Verdict::read(line) else {
            println!("wrong: flip {} of seed {seed}: {line}", self.flips);
            self.flips += 1;
            return;
        };
        *self.verdicts.entry(verdict.word).or_default() += 1;
        if verdict.word != "harmless" {
            let (all, found) = self.changing.entry(verdict.place).or_default();
            *all += 1;
            *found += u64::from(verdict.is_found_by_sqlite);
        }
        if verdict.word == "missed" {
            println!("wrong: flip {} of seed {seed}: {line}", self.flips);
        }
        self.flips += 1;
    }

    fn json(&self) -> serde_json::Value {
        let of = |word: &str| self.verdicts.get(word).copied().unwrap_or(0);
        let changing = |place: &str| self.changing.get(place).copied().unwrap_or_default();
        let (database, log) = (changing("database"), changing("log"));
        serde_json::json!({
            "flips": self.flips, "harmless": of("harmless"), "refused": of("refused"), "found": of("found"),
            "unsigned": of("unsigned"), "missed": of("missed"),
            "in_database": database.0, "in_database_by_sqlite": database.1,
            "in_log": log.0, "in_log_by_sqlite": log.1,
        })
    }
}

/// A process that flips from here on, and the lines that it says.
fn begin(words: &[String], first: u64) -> Result<(Child, Receiver<String>), Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--from").arg(first.to_string()).args(words).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let out = child.stdout.take().ok_or("its stdout was piped just above")?;
    let (say, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if say.send(line).is_err() {
                return;
            }
        }
    });
    Ok((child, lines))
}
