//! Measures whole commands, as somebody who types them meets them: bare, under bubblewrap, under `actum run`.
//!
//! `bench-cli ROUNDS ACTUM`: one line of JSON for each measurement on stdout. `cargo xtask bench cli` builds and reads it.
//! What counts is the time from before the command is started until its parent has waited for it.

#![allow(clippy::print_stdout)]

use actum_testkit::BUBBLEWRAP;
use std::error::Error;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is started inside.
const PROGRAM: &str = "/bin/true";
/// These only warm caches.
const WARMING: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(rounds), Some(actum)) = (words.next(), words.next()) else {
        return Err("bench-cli takes ROUNDS and the path of actum".into());
    };
    let rounds: usize = rounds.parse()?;
    // Empty, so that nothing of the caller's folder is measured.
    let folder = std::env::temp_dir().join(format!("actum-bench-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let outcome = measure(rounds, &actum, &folder);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn measure(rounds: usize, actum: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let bubblewrap = Command::new("bwrap").arg("--version").stdout(Stdio::null()).status().is_ok();
    let confined: Vec<&str> = ["bwrap"].iter().chain(BUBBLEWRAP).chain(&[PROGRAM]).copied().collect();
    let mut commands: Vec<(&str, Vec<&str>)> = vec![("bare", vec![PROGRAM])];
    if bubblewrap {
        commands.push(("bubblewrap", confined));
    }
    commands.push(("actum run --quiet", vec![actum, "run", "--quiet", "--", PROGRAM]));
    commands.push(("actum run", vec![actum, "run", "--", PROGRAM]));
    for round in 0..rounds + WARMING {
        // The kernel takes a sandbox down after its end: whoever comes next pays, so everybody comes next in turn.
        for turn in 0..commands.len() {
            let (series, words) = &commands[(round + turn) % commands.len()];
            let took = whole(words, folder)?;
            if round >= WARMING {
                println!("{{\"series\":\"{series}\",\"ns\":{}}}", took.as_nanos());
            }
        }
    }
    Ok(())
}

/// A command that fails has measured nothing.
fn whole(words: &[&str], folder: &Path) -> io::Result<Duration> {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let status = command.status()?;
    let took = begun.elapsed();
    match status.success() {
        true => Ok(took),
        false => Err(io::Error::other(format!("{} ended with {status}", words.join(" ")))),
    }
}
