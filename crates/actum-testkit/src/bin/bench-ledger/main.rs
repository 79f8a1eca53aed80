//! Measures the ledger: how many records a second become durable, what evidence costs one run, how long a large one takes to
//! open and to verify.
//!
//! `bench-ledger FOLDER PART ROUNDS`: PART is `write`, `single` or `large`; one line of JSON for each measurement on stdout.
//! `cargo xtask bench ledger` builds and reads it. Everything is on a real disk, in FOLDER, and each wait for it is a real one.

#![allow(clippy::print_stdout)]

mod large;
mod single;
mod write;

use actum_model::{Entry, Fact, Moment, RunId};
use actum_testkit::runs::{self, Numbers};
use std::error::Error;
use std::path::Path;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, part, rounds] = words.as_slice() else {
        return Err("bench-ledger takes FOLDER PART ROUNDS".into());
    };
    let (folder, rounds) = (Path::new(folder), rounds.parse()?);
    std::fs::create_dir_all(folder)?;
    match part.as_str() {
        "write" => write::measure(folder, rounds),
        "single" => single::measure(folder, rounds),
        "large" => large::measure(folder, rounds),
        other => Err(format!("nothing is called {other}").into()),
    }
}

/// One measurement.
fn tell(series: &str, took: Duration) {
    println!("{{\"series\":\"{series}\",\"ns\":{}}}", took.as_nanos());
}

/// One of a number of records.
fn tell_many(series: &str, records: u64, took: Duration) {
    println!("{{\"series\":\"{series}\",\"records\":{records},\"ns\":{}}}", took.as_nanos());
}

/// An entry of about 300 bytes: what a task of a flow keeps, or what was observed of a command.
fn fact(run: RunId, number: u64) -> Entry {
    let data = serde_json::json!({
        "task": format!("train/{number}"), "agent": "local", "try": 1, "command": "python train.py --epochs 3",
        "folder": "/home/u/project", "sha256": "5f1d3b".repeat(8),
    });
    Entry::Fact(Fact {
        v: 1,
        run: Some(run),
        at: Moment(1_000_000 + number),
        name: "task.started".to_owned(),
        data,
    })
}

fn run(numbers: &mut Numbers, number: u64) -> RunId {
    runs::run(1_000_000 + number, numbers)
}
