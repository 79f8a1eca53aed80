//! What evidence costs one run: opening the ledger, announcing the run, sealing its record, having the log signed.
//!
//! Each as a run of `actum` has it: a store that is there already, opened anew each time, and a signer that waits. What a run does
//! beside it is left out: between the announcement and the seal there is its process.

use super::{run, tell};
use actum_model::{Entry, Moment};
use actum_store::signer::{Signer, serve};
use actum_store::{Content, Keyring, Ledger, Store};
use actum_testkit::runs::{self, Numbers};
use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a program takes that does nothing: waits for the disk are not back to back.
const PROCESS: Duration = Duration::from_millis(8);

pub fn measure(folder: &Path, rounds: u64) -> Result<(), Box<dyn Error>> {
    let mut numbers = Numbers::from(9);
    let store = Store::at(&folder.join("single"));
    let disk = Disk::at(&folder.join("disk"))?;
    for number in 0..rounds + 10 {
        let (ours, theirs) = UnixStream::pair()?;
        let keys = Keyring::at(&folder.join("keys"));
        std::thread::spawn(move || serve(theirs, &keys, None));
        let mut run = run(&mut numbers, number);
        while runs::printed(run).len() > 60_000 {
            run = super::run(&mut numbers, number);
        }
        let took = one(&store, run, ours)?;
        if number >= 10 {
            for (series, took) in ["open", "announced", "sealed", "signed", "closed"].iter().zip(took) {
                tell(&format!("one run, {series}"), took);
            }
            tell("one wait for the disk", disk.wait(number)?);
            tell("one run, before its process", took[0] + took[1]);
            tell("one run, behind its process", took[2] + took[3] + took[4]);
            tell("one run, all evidence", took.iter().sum());
        }
    }
    Ok(())
}

fn one(store: &Store, run: actum_model::RunId, signer: UnixStream) -> Result<[Duration; 5], Box<dyn Error>> {
    let mut watch = Watch(Instant::now());
    let ledger = Ledger::open(store, Moment(1))?;
    let open = watch.lap();
    store.begin(run)?;
    let _held = store.hold(run)?;
    let _ = watch.lap();
    ledger.append(&Entry::Started(runs::started(run)))?.wait()?;
    let announced = watch.lap();
    std::thread::sleep(PROCESS);
    let (record, contents) = runs::record(run);
    let contents = contents.into_iter().map(Content::Bytes).collect();
    let _ = watch.lap();
    ledger.seal(record, contents)?.wait()?;
    let sealed = watch.lap();
    Signer::greet(signer)?.signer()?.seal(&ledger, &ledger.reader()?)?;
    let signed = watch.lap();
    drop(ledger);
    Ok([open, announced, sealed, signed, watch.lap()])
}

/// A file that does not grow: what a wait for this disk takes, whoever waits. Two of them are in each run.
struct Disk(File);

impl Disk {
    const BLOCKS: u64 = 64;

    fn at(path: &Path) -> std::io::Result<Self> {
        let file = File::create(path)?;
        file.write_all_at(&[0; 4096 * Self::BLOCKS as usize], 0)?;
        file.sync_all()?;
        Ok(Self(file))
    }

    fn wait(&self, number: u64) -> std::io::Result<Duration> {
        self.0.write_all_at(&[1; 4096], number % Self::BLOCKS * 4096)?;
        let begun = Instant::now();
        self.0.sync_data()?;
        Ok(begun.elapsed())
    }
}

struct Watch(Instant);

impl Watch {
    fn lap(&mut self) -> Duration {
        let took = self.0.elapsed();
        self.0 = Instant::now();
        took
    }
}
