//! A ledger of a million records of about 300 bytes, and one of whole runs: how long they take to open and to verify.
//!
//! Of each four of the million one is the start of a run and one its end, whose rows in the tables are held against them; two are
//! facts about it. The end is the shortest that there is: the run was lost.

use super::{fact, run, tell, tell_many};
use actum_model::{Entry, Lost, Moment};
use actum_store::{Against, Content, Depth, Ledger, Reader, Store, verify};
use actum_testkit::runs::{self, Numbers};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

const RECORDS: u64 = 1_000_000;
const RUNS: u64 = 20_000;
/// As many are asked for before the oldest is waited for.
const IN_FLIGHT: usize = 2048;

pub fn measure(folder: &Path, rounds: u64) -> Result<(), Box<dyn Error>> {
    let small = Store::at(&folder.join("large"));
    write_small(&small)?;
    let whole = Store::at(&folder.join("whole"));
    write_whole(&whole)?;
    for _ in 0..rounds {
        let begun = Instant::now();
        let ledger = Ledger::open(&small, Moment(1))?;
        let size = ledger.reader()?.head()?.size;
        tell("open a million", begun.elapsed());
        drop(ledger);
        for (series, store, depth) in [
            ("verify a million, log and tables", &small, Depth::Log),
            ("verify a million, everything", &small, Depth::Everything),
            ("verify whole runs, everything", &whole, Depth::Everything),
        ] {
            let begun = Instant::now();
            let found = verify(&Reader::open(store)?, &Against { depth, ..Against::default() });
            let took = begun.elapsed();
            if !found.is_intact() || found.entries > size {
                return Err(format!("{series}: {found:?}").into());
            }
            tell_many(series, found.entries, took);
        }
    }
    println!("{{\"series\":\"a million, on disk\",\"bytes\":{}}}", small.ledger_file().metadata()?.len());
    println!("{{\"series\":\"whole runs, on disk\",\"bytes\":{}}}", whole.ledger_file().metadata()?.len());
    Ok(())
}

fn write_small(store: &Store) -> Result<(), Box<dyn Error>> {
    let mut numbers = Numbers::from(3);
    let ledger = Ledger::open(store, Moment(1))?;
    let mut tickets = std::collections::VecDeque::new();
    for number in 0..RECORDS / 4 {
        let run = run(&mut numbers, number);
        let lost = Lost { v: 1, run, found_at: Moment(7) };
        for entry in
            [Entry::Started(runs::started(run)), fact(run, number), fact(run, number), Entry::Lost(lost)]
        {
            tickets.push_back(ledger.append(&entry)?);
        }
        while tickets.len() > IN_FLIGHT {
            if let Some(ticket) = tickets.pop_front() {
                ticket.wait()?;
            }
        }
    }
    for ticket in tickets {
        ticket.wait()?;
    }
    Ok(())
}

fn write_whole(store: &Store) -> Result<(), Box<dyn Error>> {
    let mut numbers = Numbers::from(5);
    let ledger = Ledger::open(store, Moment(1))?;
    let mut waiting = Vec::new();
    for number in 0..RUNS {
        let run = run(&mut numbers, number);
        if runs::printed(run).len() > 60_000 {
            continue;
        }
        let started = ledger.append(&Entry::Started(runs::started(run)))?;
        let (record, contents) = runs::record(run);
        waiting.push((started, ledger.seal(record, contents.into_iter().map(Content::Bytes).collect())?));
        if waiting.len() > IN_FLIGHT {
            waiting
                .drain(..)
                .try_for_each(|(started, sealing)| started.wait().and(sealing.wait()).map(drop))?;
        }
    }
    Ok(waiting.drain(..).try_for_each(|(started, sealing)| started.wait().and(sealing.wait()).map(drop))?)
}
