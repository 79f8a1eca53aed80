//! The Nth call of a kind fails, by `strace --inject`: for each kind, each error, a new store and one that is there already.
//!
//! Whatever fails, the program says so in one line or does everything that it was asked; it acknowledges nothing more when the disk
//! could not promise to keep something; and the next one finds everything that was acknowledged.

use std::fs;
use std::process::{Command as Process, Output, Stdio};

use super::place::Place;
use super::writers::{Writers, program};
use super::{Asked, Found};
use crate::command;
use crate::error::Error;

const KINDS: [&str; 6] =
    ["pwrite64", "write", "fsync,fdatasync", "openat", "rename,renameat,renameat2", "ftruncate"];
const ERRORS: [&str; 3] = ["EIO", "ENOSPC", "EMFILE"];
/// What the log of calls shows.
const TRACED: &str = "pwrite64,write,fsync,fdatasync,openat,rename,renameat,renameat2,ftruncate";
/// Larger than any count, and the largest that strace takes.
const NEVER: u64 = 65_535;
/// Few, with two large outputs among them and two signatures.
const RUNS: u64 = 5;
const SEED: u64 = 11;

/// What the writer meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Store {
    New,
    Old,
}

/// One call that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Call {
    store: Store,
    kind: &'static str,
    error: &'static str,
    number: u64,
}

pub fn inject(asked: Asked) -> Result<Found, Error> {
    if !command::is_on_path("strace") {
        return Ok(Found::Skipped("strace is not installed".to_owned()));
    }
    let place = Place::make("calls")?;
    let trial = Trial { place, runs: RUNS };
    trial.prepare()?;
    let untouched = Call { store: Store::New, kind: "ftruncate", error: "EIO", number: NEVER };
    if let (_, Injected::Refused(why)) = trial.run(untouched)? {
        return Ok(Found::Skipped(format!("strace does not work here: {why}")));
    }
    let mut plan = trial.plan()?;
    let all = plan.len() as u64;
    let step = (all / asked.count.max(1)).max(1);
    plan = plan.into_iter().skip((asked.seed % step) as usize).step_by(step as usize).collect();
    let (mut injected, mut surfaced, mut wrong) = (0, 0, Vec::new());
    for mut call in plan {
        // The last of each kind goes on until no call fails any more: a failure can make calls that were not counted.
        loop {
            let (problems, outcome) = trial.run(call)?;
            let told = |line: String| {
                format!("{} call {} of {} on {:?}: {line}", call.error, call.number, call.kind, call.store)
            };
            wrong.extend(problems.into_iter().map(told));
            match outcome {
                Injected::Yes { said } => {
                    injected += 1;
                    surfaced += u64::from(said);
                }
                Injected::No | Injected::Refused(_) => break,
            }
            if step > 1 || !trial.is_last(call)? {
                break;
            }
            call.number += 1;
        }
    }
    let seen = format!(
        "{surfaced} reported in one line, {} recovered; {all} calls were counted",
        injected - surfaced
    );
    Ok(Found::Tried { injected, seen, wrong })
}

/// Whether a call failed, and whether the program said so.
enum Injected {
    Yes { said: bool },
    No,
    Refused(String),
}

struct Trial {
    place: Place,
    runs: u64,
}

impl Trial {
    /// A store that is there already, with a run in it whose process is gone.
    fn prepare(&self) -> Result<(), Error> {
        let mut writers = self.writers("old")?;
        let mut killed = writers.start(1, 5)?;
        while writers.acknowledged()? < 20 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        killed.kill();
        Ok(())
    }

    fn writers(&self, name: &str) -> Result<Writers, Error> {
        let path = |part: &str| self.place.path(&format!("{name}/{part}"));
        Writers::of(path("store"), path("keys"), path("said"))
    }

    /// Every call that an untouched writer makes, with each error. Calls are counted for each thread, as strace does.
    fn plan(&self) -> Result<Vec<Call>, Error> {
        let mut plan = Vec::new();
        for store in [Store::New, Store::Old] {
            for kind in KINDS {
                let most = self.most(store, kind)?;
                for error in ERRORS {
                    plan.extend((1..=most).map(|number| Call { store, kind, error, number }));
                }
            }
        }
        Ok(plan)
    }

    /// The most calls of a kind that one thread makes.
    fn most(&self, store: Store, kind: &'static str) -> Result<u64, Error> {
        self.run(Call { store, kind, error: "EIO", number: NEVER })?;
        Ok(most_of_a_thread(&self.log()?, kind))
    }

    fn is_last(&self, call: Call) -> Result<bool, Error> {
        Ok(most_of_a_thread(&self.log()?, call.kind) <= call.number)
    }

    fn log(&self) -> Result<String, Error> {
        // Where strace itself refused there is none.
        Ok(fs::read_to_string(self.place.path("log")).unwrap_or_default())
    }

    /// Writes while a call fails, then without, and looks at what is there.
    fn run(&self, call: Call) -> Result<(Vec<String>, Injected), Error> {
        let mut writers = self.writers("now")?;
        writers.anew()?;
        if call.store == Store::Old {
            self.copy_old()?;
        }
        let ended = self.strace(&writers, call)?;
        self.keep(&writers, "first", &ended)?;
        let log = self.log()?;
        let mut wrong = judge(&ended, &log, &writers.store, call.store, self.runs);
        let said = !ended.status.success();
        let after = start(&program("write-ledger")?, &writers.words(1, 1, SEED + 1))?;
        self.keep(&writers, "second", &after)?;
        if !after.status.success() {
            wrong.push(format!("the next one failed: {}", String::from_utf8_lossy(&after.stderr).trim()));
        }
        wrong.extend(writers.check()?.1);
        let injected = match log.contains("(INJECTED)") {
            true => Injected::Yes { said },
            false if log.is_empty() => Injected::Refused(String::from_utf8_lossy(&ended.stderr).into_owned()),
            false => Injected::No,
        };
        Ok((wrong, injected))
    }

    fn strace(&self, writers: &Writers, call: Call) -> Result<Output, Error> {
        let inject = format!("inject={}:error={}:when={}", call.kind, call.error, call.number);
        let trace = format!("trace={TRACED}");
        let log = self.place.path("log");
        let own = program("write-ledger")?;
        let mut words: Vec<String> = [
            "-f",
            "-y",
            "-qq",
            "-s",
            "12",
            "-e",
            "signal=none",
            "-o",
            &log,
            "-e",
            &trace,
            "-e",
            &inject,
            &own,
        ]
        .map(str::to_owned)
        .to_vec();
        words.extend(writers.words(self.runs, 1, SEED));
        start("strace", &words)
    }

    fn copy_old(&self) -> Result<(), Error> {
        let script = "rm -rf \"$1\" && cp -a \"$0\" \"$1\"";
        let (from, to) = (self.place.path("old"), self.place.path("now"));
        crate::command::Command::new("sh", &["-c", script, &from, &to]).output().map(drop)
    }

    /// What was acknowledged is held against the store.
    fn keep(&self, writers: &Writers, name: &str, ended: &Output) -> Result<(), Error> {
        let path = format!("{}/{name}", writers.said);
        fs::write(&path, &ended.stdout).map_err(|source| Error::Write { path, source })
    }
}

fn start(name: &str, words: &[String]) -> Result<Output, Error> {
    let ended = Process::new(name).args(words).stdin(Stdio::null()).output();
    ended.map_err(|source| Error::Start { command: name.to_owned(), source })
}

/// The most lines of one thread that name a call of this kind. The log begins each line with the thread.
fn most_of_a_thread(log: &str, kind: &str) -> u64 {
    let mut counts = std::collections::BTreeMap::new();
    for line in log.lines() {
        let (thread, call) = line.split_once(' ').unwrap_or((line, ""));
        let name = call.trim_start().split('(').next().unwrap_or_default();
        if kind.split(',').any(|kind| kind == name) {
            *counts.entry(thread).or_insert(0) += 1;
        }
    }
    counts.into_values().max().unwrap_or(0)
}

/// What is wrong with how the writer took it.
fn judge(ended: &Output, log: &str, root: &str, store: Store, runs: u64) -> Vec<String> {
    let mut wrong = Vec::new();
    let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    let sealed = out.lines().filter(|line| line.starts_with("sealed ")).count() as u64;
    match ended.status.code() {
        Some(0) if sealed == runs => {}
        Some(0) => wrong.push(format!("it ended well, and {sealed} of {runs} runs were sealed")),
        None => wrong.push(format!("it was ended by a signal: {}", ended.status)),
        Some(_) if err.contains("panicked") => wrong.push(format!("it panicked: {err}")),
        // Where the line itself could not be written there is nothing to read.
        Some(_) if log.lines().any(|line| line.contains("write(2<") && line.contains("(INJECTED)")) => {}
        Some(_) if err.lines().count() == 1 => {}
        Some(code) => wrong.push(format!("it ended with {code} and said: {err}")),
    }
    if let Some(line) = acknowledged_after_failed_sync(log, root, store) {
        wrong.push(line);
    }
    wrong
}

/// What the disk could not promise to keep is followed by no acknowledgement. SQLite makes the folder of its log durable
/// without looking at the answer: where the log is new, we do so again ourselves before anything is acknowledged, and look.
fn acknowledged_after_failed_sync(log: &str, root: &str, store: Store) -> Option<String> {
    let lines: Vec<&str> = log.lines().collect();
    let is_sync = |line: &str| line.contains(" fsync(") || line.contains(" fdatasync(");
    for (at, line) in lines.iter().enumerate() {
        let Some(path) = line.split_once('<').and_then(|(_, rest)| rest.split_once('>')) else { continue };
        if !is_sync(line) || !line.contains("(INJECTED)") || !path.0.starts_with(root) {
            continue;
        }
        let rest = &lines[at + 1..];
        let first = rest.iter().position(|line| line.contains("write(1<") && !line.contains(" = -1 "));
        let Some(first) = first else { continue };
        let folder = format!("<{root}>");
        let again = |line: &&str| is_sync(line) && line.contains(&folder) && line.ends_with(" = 0");
        let is_made_up_for =
            line.contains(&folder) && (store == Store::Old || rest[..first].iter().any(again));
        if !is_made_up_for {
            return Some(format!("acknowledged after a sync of {} had failed: {}", path.0, rest[first]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
7 openat(AT_FDCWD</x>, \"a\") = 3
8 fsync(3</s/ledger.db-wal>) = 0
7 write(1</said>, \"sealed a 1\\n\", 11) = 11
8 fsync(3</s/ledger.db-wal>) = -1 EIO (Input/output error) (INJECTED)
8 fsync(3</s/ledger.db-wal>) = 0
";

    #[test]
    fn calls_are_counted_for_each_thread() {
        assert_eq!(most_of_a_thread(LOG, "fsync,fdatasync"), 3);
        assert_eq!(most_of_a_thread(LOG, "openat"), 1);
        assert_eq!(most_of_a_thread(LOG, "rename"), 0);
    }

    #[test]
    fn an_acknowledgement_after_a_failed_sync_is_found() {
        assert_eq!(acknowledged_after_failed_sync(LOG, "/s", Store::New), None);
        let more = format!("{LOG}7 write(1</said>, \"sealed b 3\\n\", 11) = 11\n");
        assert!(acknowledged_after_failed_sync(&more, "/s", Store::New).is_some());
        assert_eq!(acknowledged_after_failed_sync(&more, "/elsewhere", Store::New), None);
        let folder = more.replace("fsync(3</s/ledger.db-wal>) = -1", "fsync(3</s>) = -1");
        assert!(acknowledged_after_failed_sync(&folder, "/s", Store::New).is_some());
        assert_eq!(acknowledged_after_failed_sync(&folder, "/s", Store::Old), None);
        let again =
            folder.replace("8 fsync(3</s/ledger.db-wal>) = 0\n7 write", "8 fsync(4</s>) = 0\n7 write");
        assert_eq!(acknowledged_after_failed_sync(&again, "/s", Store::New), None);
    }
}
