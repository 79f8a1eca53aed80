//! The suite against itself: the attempts are real, and nothing of them is left behind.
//!
//! Needs `bwrap` for its half; says so and passes where there is none. One suite at a time: they measure the machine.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "everything in here is a test")]

mod left_behind;
mod reality;

use actum_attacks::{Matrix, Options, Runner, Verdict};
use std::sync::{Mutex, MutexGuard};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Runs the whole suite, prints the matrix, and checks that nothing of it is left.
fn whole_suite(runner: Runner) -> Matrix {
    let _alone = alone();
    let matrix = left_behind::run_without_traces(Options::new(runner.clone()));
    for row in &matrix.rows {
        if let Verdict::Achieved { evidence } = &row.verdict {
            println!("{:28} {evidence}", row.id);
        }
    }
    let counts = (matrix.achieved().count(), matrix.held().count(), matrix.skipped().count());
    println!("{runner:?}: achieved {}, held {}, skipped {}", counts.0, counts.1, counts.2);
    let not_started: Vec<_> = matrix.not_started().collect();
    assert!(not_started.is_empty(), "{not_started:?}");
    matrix
}

#[test]
fn no_file_of_these_tests_is_forgotten() {
    let map = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let room = name.trim_end_matches(".rs");
        assert!(room == "main" || map.contains(&format!("mod {room};")), "{name} is not in the map");
    }
}
