//! Measures runs in one process, beside bubblewrap: one after the other, and several at once.
//!
//! `bench_engine ROUNDS`: one line of JSON for each measurement on stdout. `cargo xtask bench engine` builds and reads it.
//! A run of the engine is recorded, signed and verified like any other; what counts is the time from the request until its result.

#![allow(clippy::print_stdout)]

use actum_engine::{Engine, EngineConfig, HelperProgram, NoSink, Request, Surroundings, run_helper};
use actum_testkit::BUBBLEWRAP;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What is started inside.
const PROGRAM: &str = "/bin/true";
/// These only warm caches.
const WARMING: usize = 5;
/// How many callers ask at once in the last series.
const CALLERS: usize = 8;

fn main() -> ExitCode {
    if let Some(code) = run_helper() {
        return code;
    }
    let Some(rounds) = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()) else {
        return actum_model::ExitCode::OWN_ERROR.into();
    };
    match measure(rounds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => panic!("{error}"),
    }
}

fn measure(rounds: usize) -> Result<(), Box<dyn Error>> {
    let (home, workspace) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let config = EngineConfig::new(Surroundings::below(home.path()), HelperProgram::itself()?);
    let engine = Engine::new(config)?;
    for round in 0..rounds + WARMING {
        let theirs = bubblewrap(workspace.path())?;
        let ours = once(&engine, workspace.path())?;
        if round >= WARMING {
            tell("bubblewrap", theirs);
            tell("engine", ours);
        }
    }
    // All of them together, each with its share of the time.
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < rounds {
                    once(&engine, workspace.path()).expect("it ran before");
                }
            });
        }
    });
    tell("engine, 8 at once", begun.elapsed() / u32::try_from(rounds)?);
    Ok(())
}

fn once(engine: &Engine, workspace: &Path) -> Result<Duration, Box<dyn Error>> {
    let begun = Instant::now();
    let request = engine.request(Request::builder().command([PROGRAM]).workspace(workspace))?;
    let result = engine.run(&request, &mut NoSink)?;
    let took = begun.elapsed();
    // A run that failed or has no signature has measured nothing.
    let signed = result.report.evidence.is_some_and(|evidence| evidence.signer.is_some());
    if signed && result.report.exit_code.is_success() {
        Ok(took)
    } else {
        Err("a run failed or is not signed".into())
    }
}

fn bubblewrap(folder: &Path) -> Result<Duration, Box<dyn Error>> {
    let mut command = Command::new("bwrap");
    command.args(BUBBLEWRAP).arg(PROGRAM).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let status = command.status()?;
    if status.success() { Ok(begun.elapsed()) } else { Err("bubblewrap failed".into()) }
}

fn tell(series: &str, took: Duration) {
    println!("{{\"series\":\"{series}\",\"ns\":{}}}", took.as_nanos());
}
