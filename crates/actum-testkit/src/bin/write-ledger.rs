//! Writes a ledger until it is done, is killed, or its disk fails: the program that faults are injected into.
//!
//! `write-ledger STORE KEYS RUNS THREADS SEED`: each thread writes its share of runs, start and record, and has the log
//! signed after every fourth. A line on stdout, `started RUN SEQ`, `sealed RUN SEQ` or `signed SIZE`, is written only when
//! that, or what was signed, is durable: it is the acknowledgement that `check-ledger` holds the store to. On the first error it says so on stderr
//! and goes on trying, so that an acknowledgement after a failure would be seen; it then ends with 1.

#![allow(clippy::print_stderr)]

use actum_model::{Entry, Moment, RunId};
use actum_store::signer::{Signer, serve};
use actum_store::{Content, Keyring, Ledger, Store};
use actum_testkit::runs::{self, Numbers};
use std::error::Error;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

type Failed = Box<dyn Error + Send + Sync>;

/// A signature now and then, as the keeper has them after each run.
const SIGNED_EVERY: u64 = 4;

struct Asked {
    store: Store,
    keys: Keyring,
    runs: u64,
    threads: u64,
    seed: u64,
}

fn main() -> ExitCode {
    match asked().and_then(|asked| write(&asked)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            tell(error.as_ref());
            ExitCode::FAILURE
        }
    }
}

fn asked() -> Result<Asked, Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [store, keys, runs, threads, seed] = words.as_slice() else {
        return Err("write-ledger takes STORE KEYS RUNS THREADS SEED".into());
    };
    Ok(Asked {
        store: Store::at(Path::new(store)),
        keys: Keyring::at(Path::new(keys)),
        runs: runs.parse()?,
        threads: threads.parse()?,
        seed: seed.parse()?,
    })
}

/// How many runs could not be written.
fn write(asked: &Asked) -> Result<u64, Failed> {
    let ledger = Ledger::open(&asked.store, now())?;
    let failures = AtomicU64::new(0);
    let share = |thread: u64| {
        let mut numbers = Numbers::from(asked.seed.wrapping_add(thread << 32));
        let mut signer = None;
        for number in 0..asked.runs / asked.threads {
            let run = runs::run(now().milliseconds(), &mut numbers);
            let mut all = one(&asked.store, &ledger, run);
            if all.is_ok() && number % SIGNED_EVERY == 0 {
                all = sign(&asked.keys, &ledger, &mut signer);
            }
            if let Err(error) = all
                && failures.fetch_add(1, Ordering::Relaxed) == 0
            {
                tell(error.as_ref());
            }
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..asked.threads {
            scope.spawn(move || share(thread));
        }
    });
    Ok(failures.into_inner())
}

/// One run from its announcement to its seal.
fn one(store: &Store, ledger: &Ledger, run: RunId) -> Result<(), Failed> {
    let place = store.begin(run)?;
    let _going_on = store.hold(run)?;
    let places = ledger.append(&Entry::Started(runs::started(run)))?.wait()?;
    acknowledge(&format!("started {run} {}\n", places[0]))?;
    let (record, contents) = runs::record(run);
    let places = ledger.seal(record, contents.into_iter().map(Content::Bytes).collect())?.wait()?;
    acknowledge(&format!("sealed {run} {}\n", places[0]))?;
    // Folders of runs are not what is tested here.
    let _ = std::fs::remove_dir(place.folder);
    Ok(())
}

fn sign(keys: &Keyring, ledger: &Ledger, signer: &mut Option<Signer>) -> Result<(), Failed> {
    let signer = match signer {
        Some(signer) => signer,
        none => {
            let (ours, theirs) = UnixStream::pair()?;
            let keys = keys.clone();
            std::thread::Builder::new().spawn(move || serve(theirs, &keys, None))?;
            none.insert(Signer::greet(ours)?.signer()?)
        }
    };
    let size = signer.seal(ledger, &ledger.reader()?)?.checkpoint()?.size;
    acknowledge(&format!("signed {size}\n"))
}

/// One write of one whole line: who is killed in between has acknowledged or has not.
fn acknowledge(line: &str) -> Result<(), Failed> {
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes())?;
    Ok(out.flush()?)
}

fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(u64::try_from(since.as_micros()).unwrap_or_default())
}

fn tell(error: &(dyn Error + Send + Sync)) {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        line.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    eprintln!("{line}");
}
