//! A run that writes checkpoints is lost: its supervisor is killed, or the power goes. What was durable by then comes back.
//!
//! A checkpoint counts as durable when what is saved of the run says so at that moment, or when it is older than [`BOUND`]. Half of
//! the faults are kills, half are power cuts: the home, the store and the workspace of a run lie on a disk of its own, which is shut
//! down as in `power`. Several runs go on at once; each meets its fault at a moment of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use super::numbers::Numbers;
use super::place::{Loop, Mount, Place, obstacle};
use super::swaps::BINARY;
use super::{Asked, Found};
use crate::binary;
use crate::clock;
use crate::command::{self, Command};
use crate::error::Error;

/// Runs that go on at once.
const AT_ONCE: u64 = 5;
const IMAGE: u64 = 256 << 20;
/// The run would take a minute; its fault comes in the second half.
const EARLIEST: u64 = 30;
const LATEST: u64 = 60;
/// A checkpoint that has been there for this many seconds is durable. Saving begins after ten and is done every five; the rest is for a
/// machine that has much to do.
const BOUND: f64 = 20.0;
/// Writes one every half second, and says when each was there.
const PROGRAM: &str = "import os, time
for i in range(1, 121):
    with open('tmp', 'w') as f: f.write(f'{i} ' * 20000)
    os.rename('tmp', f'ckpt-{i}')
    print(i, time.time(), flush=True)
    time.sleep(0.5)";
/// `FS_IOC_SHUTDOWN` without writing the journal.
const CUT: &str = "import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))";

/// What is done to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Kill,
    PowerCut,
}

/// What came of one.
struct Tried {
    durable: u64,
    back: u64,
    wrong: Option<String>,
}

pub fn inject(asked: Asked) -> Result<Found, Error> {
    if let Some(reason) = obstacle()? {
        return Ok(Found::Skipped(reason));
    }
    if let Some(needed) = ["mkfs.ext4", "python3"].iter().find(|needed| !command::is_on_path(needed)) {
        return Ok(Found::Skipped(format!("{needed} is not installed")));
    }
    let place = Place::make("checkpoints")?;
    let mut numbers = Numbers::from(asked.seed);
    let (mut tried, mut wrong) = (Vec::new(), Vec::new());
    while (tried.len() as u64) < asked.count && wrong.is_empty() {
        let left = asked.count - tried.len() as u64;
        let batch: Vec<(String, How, Duration)> = (0..left.min(AT_ONCE))
            .map(|number| {
                let number = tried.len() as u64 + number;
                let how = if number.is_multiple_of(2) { How::Kill } else { How::PowerCut };
                let after =
                    Duration::from_millis(1000 * EARLIEST + numbers.below(1000 * (LATEST - EARLIEST)));
                (place.path(&number.to_string()), how, after)
            })
            .collect();
        let batch = std::thread::scope(|scope| {
            let one = |(at, how, after): &(String, How, Duration)| {
                let (at, how, after) = (PathBuf::from(at), *how, *after);
                scope.spawn(move || one(&at, how, after))
            };
            let threads: Vec<_> = batch.iter().map(one).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("a try does not panic"))
                .collect::<Result<Vec<_>, _>>()
        })?;
        wrong.extend(batch.iter().filter_map(|one| one.wrong.clone()));
        tried.extend(batch);
    }
    let all = |count: fn(&Tried) -> u64| tried.iter().map(count).sum::<u64>();
    let seen = format!("{} durable checkpoints, {} came back", all(|one| one.durable), all(|one| one.back));
    Ok(Found::Tried { injected: tried.len() as u64, seen, wrong })
}

/// One run on a disk of its own.
fn one(at: &Path, how: How, after: Duration) -> Result<Tried, Error> {
    let cannot_write = |source| Error::Write { path: at.display().to_string(), source };
    fs::create_dir_all(at).map_err(cannot_write)?;
    let image = at.join("image").display().to_string();
    File::create(&image).and_then(|file| file.set_len(IMAGE)).map_err(cannot_write)?;
    Command::new("mkfs.ext4", &["-q", "-F", &image]).output()?;
    let device = Loop::over(&image)?;
    let disk_at = at.join("disk").display().to_string();
    let mount = || Mount::make(&["-t", "ext4", &device.path], &disk_at);
    let disk = mount()?;
    let world = World { disk: disk_at.clone().into(), said: at.join("said") };
    for folder in ["home", "work"] {
        fs::create_dir_all(world.disk.join(folder)).map_err(cannot_write)?;
    }
    // Whoever has used Actum before has a store and keys that are durable.
    let first = world.actum(&["run", "--quiet", "--", "true"])?.output();
    first.map_err(|source| Error::Start { command: "actum".to_owned(), source })?;
    Command::new("sync", &["--file-system", &disk_at]).output()?;
    let mut run = world.start()?;
    std::thread::sleep(after);
    let durable = world.durable()?;
    if how == How::PowerCut {
        Command::new("python3", &["-c", CUT, &disk_at]).output()?;
    }
    let _ = run.kill();
    let _ = run.wait();
    let disk = match how {
        How::Kill => disk,
        How::PowerCut => {
            drop(disk);
            device.wait_until_free();
            mount()?
        }
    };
    let tried = world.check(durable, (how, after));
    drop(disk);
    drop(device);
    let _ = fs::remove_dir_all(at);
    tried
}

/// Where a run lives.
struct World {
    disk: PathBuf,
    /// What the run printed; not on its disk.
    said: PathBuf,
}

impl World {
    fn actum(&self, words: &[&str]) -> Result<Process, Error> {
        let binary = match std::env::var(BINARY) {
            Ok(named) => named,
            Err(_) => binary::path("actum")?,
        };
        let mut actum = Process::new(binary);
        let home = self.disk.join("home");
        actum.args(words).current_dir(self.disk.join("work")).stdin(Stdio::null());
        actum.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home);
        Ok(actum)
    }

    fn start(&self) -> Result<Child, Error> {
        let cannot_write = |source| Error::Write { path: self.said.display().to_string(), source };
        let said = File::create(&self.said).map_err(cannot_write)?;
        let run = self.actum(&["run", "--quiet", "--", "python3", "-c", PROGRAM])?.stdout(said).spawn();
        run.map_err(|source| Error::Start { command: "actum run".to_owned(), source })
    }

    /// The newest checkpoint that has to come back.
    fn durable(&self) -> Result<u64, Error> {
        let now = clock::seconds_since_1970();
        let said = fs::read_to_string(&self.said);
        let said = said.map_err(|source| Error::Read { path: self.said.display().to_string(), source })?;
        let old = said.lines().filter_map(|line| {
            let (number, time) = line.split_once(' ')?;
            let (number, time): (u64, f64) = (number.parse().ok()?, time.parse().ok()?);
            (now - time > BOUND).then_some(number)
        });
        Ok(old.max().unwrap_or(0).max(self.saved()))
    }

    /// The newest that is saved. What was saved before goes when the next is durable, so the first of two is; of the very first
    /// nobody knows.
    fn saved(&self) -> u64 {
        let below =
            |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let runs = self.disk.join("home/.local/share/actum/runs");
        let number =
            |path: &Path, prefix: &str| path.file_name()?.to_str()?.strip_prefix(prefix)?.parse::<u64>().ok();
        let generations =
            below(runs).flat_map(below).filter_map(|path| Some((number(&path, "saved-")?, path)));
        let Some((generation, path)) = generations.min_by_key(|(generation, _)| *generation) else {
            return 0;
        };
        let newest = below(path.join("changes")).filter_map(|file| number(&file, "ckpt-")).max();
        newest.filter(|_| generation > 1).unwrap_or(0)
    }

    fn check(&self, durable: u64, (how, after): (How, Duration)) -> Result<Tried, Error> {
        let cannot_start = |source| Error::Start { command: "actum apply".to_owned(), source };
        let applied = self.actum(&["apply", "last"])?.output().map_err(cannot_start)?;
        let text = |number: u64| fs::read_to_string(self.disk.join(format!("work/ckpt-{number}")));
        let is_back =
            |number: &u64| text(*number).is_ok_and(|text| text == format!("{number} ").repeat(20_000));
        let back = (1..=120).filter(is_back).count() as u64;
        let missing = (1..=durable).find(|number| !is_back(number));
        let said = String::from_utf8_lossy(&applied.stderr).into_owned();
        let wrong = match (applied.status.success(), missing) {
            (true, None) => None,
            (false, _) => Some(format!("{how:?} after {after:?}: actum apply: {said}")),
            (true, Some(missing)) => Some(format!(
                "{how:?} after {after:?}: checkpoint {missing} of {durable} durable ones is not back"
            )),
        };
        Ok(Tried { durable, back, wrong })
    }
}
