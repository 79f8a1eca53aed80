//! A really full file system: a writer meets its end, says so once and acknowledges nothing that is not there; when there is
//! room again the same process goes on, and so does the next.

use std::fs;
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use super::numbers::Numbers;
use super::place::{Mount, Place, obstacle};
use super::writers::{Writers, program};
use super::{Asked, Found};
use crate::clock::Stopwatch;
use crate::command::Command;
use crate::error::Error;

/// How long a writer has to meet the end, and to go on behind it.
const PATIENCE: Duration = Duration::from_secs(20);

pub fn inject(asked: Asked) -> Result<Found, Error> {
    if let Some(reason) = obstacle()? {
        return Ok(Found::Skipped(reason));
    }
    let place = Place::make("full")?;
    let mut numbers = Numbers::from(asked.seed);
    let mut writers = Writers::of(place.path("disk/store"), place.path("keys"), place.path("said"))?;
    let (mut wrong, mut seen, mut acknowledged) = (Vec::new(), String::new(), 0);
    for round in 1..=asked.count {
        writers.anew()?;
        // Between what an empty ledger takes and a few hundred runs.
        let kilobytes = 300 + numbers.below(6_000);
        let size = format!("size={kilobytes}k");
        let disk = Mount::make(&["-t", "tmpfs", "-o", &size, "none"], &place.path("disk"))?;
        let checked = one(&mut writers, &disk, &place.path("err"))?;
        acknowledged += writers.acknowledged()?;
        seen = checked.0;
        wrong.extend(checked.1.into_iter().map(|line| format!("round {round}, {kilobytes} KiB: {line}")));
    }
    let seen = format!("{acknowledged} acknowledgements; the last store: {seen}");
    Ok(Found::Tried { injected: asked.count, seen, wrong })
}

fn one(writers: &mut Writers, disk: &Mount, errors: &str) -> Result<(String, Vec<String>), Error> {
    let mut wrong = Vec::new();
    let said = format!("{}/first", writers.said);
    let mut child = start(writers, &said, errors)?;
    let is_told = || fs::read_to_string(errors).is_ok_and(|text| text.ends_with('\n'));
    if !wait(is_told) {
        wrong.push("the disk is full, but no error was reported".to_owned());
    }
    let ended = child.try_wait().ok().flatten();
    let before = writers.acknowledged()?;
    Command::new("mount", &["-o", "remount,size=64m", &disk.at]).output()?;
    // One that could not even open the ledger has ended; all others go on where they are.
    if ended.is_none() && !wait(|| writers.acknowledged().is_ok_and(|now| now > before)) {
        wrong.push("space was freed, but the same process does not continue".to_owned());
    }
    let _ = child.kill();
    let _ = child.wait();
    let text = fs::read_to_string(errors).unwrap_or_default();
    if text.lines().count() != 1 || !is_about_room(&text) {
        wrong.push(format!("a full disk is reported as: {text}"));
    }
    let mut next = Process::new(program("write-ledger")?);
    let next = next.args(writers.words(3, 1, 9)).stdin(Stdio::null()).output();
    let next = next.map_err(|source| Error::Start { command: "write-ledger".to_owned(), source })?;
    if !next.status.success() {
        wrong.push(format!("the next one failed: {}", String::from_utf8_lossy(&next.stderr).trim()));
    }
    let path = format!("{}/second", writers.said);
    fs::write(&path, next.stdout).map_err(|source| Error::Write { path, source })?;
    let checked = writers.check()?;
    wrong.extend(checked.1);
    Ok((checked.0, wrong))
}

fn start(writers: &Writers, said: &str, errors: &str) -> Result<Child, Error> {
    let create =
        |path: &str| fs::File::create(path).map_err(|source| Error::Write { path: path.to_owned(), source });
    Process::new(program("write-ledger")?)
        .args(writers.words(10_000_000, 1, 7))
        .stdin(Stdio::null())
        .stdout(create(said)?)
        .stderr(create(errors)?)
        .spawn()
        .map_err(|source| Error::Start { command: "write-ledger".to_owned(), source })
}

/// By SQLite or by the system.
fn is_about_room(text: &str) -> bool {
    ["disk is full", "No space left", "os error 28"].iter().any(|words| text.contains(words))
}

fn wait(mut until: impl FnMut() -> bool) -> bool {
    let watch = Stopwatch::start();
    while watch.elapsed() < PATIENCE {
        if until() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}
