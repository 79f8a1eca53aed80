//! Records a second, and how long each waits, with 512 in flight; beside it two peers on the same disk: SQLite with a transaction
//! for each record, and a plain file with a wait for the disk for each.

use super::{fact, run, tell, tell_many};
use actum_model::{Entry, Moment};
use actum_store::{Content, Ledger, Store, Ticket};
use actum_testkit::runs::{self, Numbers};
use std::collections::VecDeque;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const IN_FLIGHT: usize = 512;
const RECORDS: u64 = 20_000;
/// Runs from start to seal, each with its output and its report.
const RUNS: u64 = 2_000;
/// The peers are slow; fewer tell the same.
const SINGLE: u64 = 200;

pub fn measure(folder: &Path, rounds: u64) -> Result<(), Box<dyn Error>> {
    let mut numbers = Numbers::from(7);
    let store = Store::at(&folder.join("write"));
    let ledger = Ledger::open(&store, Moment(1))?;
    for round in 0..rounds {
        let entries: Vec<Entry> =
            (0..RECORDS).map(|number| fact(run(&mut numbers, number), round * RECORDS + number)).collect();
        let took = Instant::now();
        in_flight("acknowledged", entries.iter(), |entry| Ok(ledger.append(entry)?))?;
        tell_many("ledger, 512 in flight", RECORDS, took.elapsed());
        sqlite(folder, &entries)?;
        plain(folder, &entries)?;
        whole_runs(&ledger, &mut numbers)?;
    }
    Ok(())
}

/// Asks for the next as soon as the oldest of 512 is durable.
fn in_flight<T>(
    series: &str,
    all: impl Iterator<Item = T>,
    ask: impl Fn(T) -> Result<Ticket, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let mut waiting: VecDeque<(Instant, Ticket)> = VecDeque::new();
    let finish = |waiting: &mut VecDeque<(Instant, Ticket)>| -> Result<(), Box<dyn Error>> {
        if let Some((asked, ticket)) = waiting.pop_front() {
            ticket.wait()?;
            tell(series, asked.elapsed());
        }
        Ok(())
    };
    for one in all {
        if waiting.len() == IN_FLIGHT {
            finish(&mut waiting)?;
        }
        waiting.push_back((Instant::now(), ask(one)?));
    }
    while !waiting.is_empty() {
        finish(&mut waiting)?;
    }
    Ok(())
}

/// What a run really writes: its start, its record, and what it printed.
fn whole_runs(ledger: &Ledger, numbers: &mut Numbers) -> Result<(), Box<dyn Error>> {
    let all: Vec<_> = (0..RUNS)
        .map(|number| run(numbers, number))
        .filter(|run| runs::printed(*run).len() < 60_000)
        .collect();
    let count = all.len() as u64;
    let begun = Instant::now();
    in_flight("acknowledged, start of a run", all.iter(), |run| {
        Ok(ledger.append(&Entry::Started(runs::started(*run)))?)
    })?;
    let sealings = all.chunks(IN_FLIGHT).try_for_each(|some| -> Result<(), Box<dyn Error>> {
        let sealings = some.iter().map(|run| {
            let (record, contents) = runs::record(*run);
            ledger.seal(record, contents.into_iter().map(Content::Bytes).collect())
        });
        for sealing in sealings.collect::<Result<Vec<_>, _>>()? {
            sealing.wait()?;
        }
        Ok(())
    });
    sealings?;
    tell_many("ledger, whole runs, 512 in flight", count, begun.elapsed());
    Ok(())
}

fn sqlite(folder: &Path, entries: &[Entry]) -> Result<(), Box<dyn Error>> {
    let connection = rusqlite::Connection::open(folder.join("peer.db"))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection
        .execute_batch("CREATE TABLE IF NOT EXISTS entry (seq INTEGER PRIMARY KEY, bytes BLOB) STRICT")?;
    let begun = Instant::now();
    for entry in entries.iter().take(usize::try_from(SINGLE)?) {
        let bytes = serde_json::to_vec(entry)?;
        connection.prepare_cached("INSERT INTO entry (bytes) VALUES (?1)")?.execute([bytes])?;
    }
    tell_many("SQLite, a transaction each", SINGLE, begun.elapsed());
    Ok(())
}

fn plain(folder: &Path, entries: &[Entry]) -> Result<(), Box<dyn Error>> {
    let mut file = File::options().create(true).append(true).open(folder.join("peer.jsonl"))?;
    let begun = Instant::now();
    for entry in entries.iter().take(usize::try_from(SINGLE)?) {
        let mut bytes = serde_json::to_vec(entry)?;
        bytes.push(b'\n');
        file.write_all(&bytes)?;
        file.sync_data()?;
    }
    tell_many("plain file, a wait each", SINGLE, begun.elapsed());
    Ok(())
}
