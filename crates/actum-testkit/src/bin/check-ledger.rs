//! Holds a ledger to what was acknowledged: nothing lost, nothing twice, everything intact.
//!
//! `check-ledger STORE KEYS FILE…`: the files hold what `write-ledger` said on stdout. Opens the store as the next run would,
//! which declares the lost, verifies it wholly against the keys and what they remember, and then looks every acknowledgement up.
//! One line on stdout says what there is; each thing that is wrong is one more line, and the end is then 1.

#![allow(clippy::print_stdout)]

use actum_model::{Entry, Moment, RunId};
use actum_store::{Against, Filter, Keyring, Ledger, Reader, Store, verify};
use actum_testkit::runs;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [store, keys, files @ ..] = words.as_slice() else {
        println!("check-ledger takes STORE KEYS FILE…");
        return ExitCode::FAILURE;
    };
    match check(&Store::at(Path::new(store)), &Keyring::at(Path::new(keys)), files) {
        Ok(wrong) if wrong.is_empty() => ExitCode::SUCCESS,
        Ok(wrong) => {
            wrong.iter().for_each(|line| println!("{line}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("the store cannot be opened: {error}: {:?}", error.source().map(ToString::to_string));
            ExitCode::FAILURE
        }
    }
}

/// What was acknowledged.
#[derive(Default)]
struct Acknowledged {
    started: BTreeMap<RunId, u64>,
    sealed: BTreeMap<RunId, u64>,
    signed: u64,
}

fn check(store: &Store, keys: &Keyring, files: &[String]) -> Result<Vec<String>, Box<dyn Error>> {
    let mut wrong = Vec::new();
    let acknowledged = read(files, &mut wrong)?;
    if acknowledged.started.is_empty() && !store.ledger_file().exists() {
        println!("nothing was acknowledged, and there is no ledger");
        return Ok(wrong);
    }
    let ledger = Ledger::open(store, Moment(1))?;
    let reader = ledger.reader()?;
    let remembered = keys.remembered(ledger.origin()).and_then(|note| note.checkpoint().ok());
    let against =
        Against { keys: keys.own()?, outside: remembered.into_iter().collect(), ..Against::default() };
    let found = verify(&reader, &against);
    wrong.extend(found.problems.iter().map(ToString::to_string));
    let ended = look(&reader, &acknowledged, &mut wrong)?;
    // The signature itself may be lost with the power, and is then made again; what it is over is not.
    if found.entries < acknowledged.signed {
        wrong.push(format!("{} entries were signed, and {} are there", acknowledged.signed, found.entries));
    }
    println!(
        "{} entries, {} runs, {} acknowledged as sealed, {} sealed, {} lost, {} contents, {} signatures",
        found.entries,
        found.runs,
        acknowledged.sealed.len(),
        ended.sealed,
        ended.lost,
        found.blobs,
        found.checkpoints
    );
    Ok(wrong)
}

fn read(files: &[String], wrong: &mut Vec<String>) -> Result<Acknowledged, Box<dyn Error>> {
    let mut all = Acknowledged::default();
    for file in files {
        let text = std::fs::read_to_string(file)?;
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let before = match words[..] {
                ["started", run, seq] => all.started.insert(run.parse()?, seq.parse()?),
                ["sealed", run, seq] => all.sealed.insert(run.parse()?, seq.parse()?),
                ["signed", size] => {
                    all.signed = all.signed.max(size.parse()?);
                    None
                }
                _ => return Err(format!("{file} holds no acknowledgement: {line}").into()),
            };
            if before.is_some() {
                wrong.push(format!("acknowledged twice: {line}"));
            }
        }
    }
    Ok(all)
}

/// How many runs ended how.
#[derive(Default)]
struct Ended {
    sealed: u64,
    lost: u64,
}

/// Looks up every run that is there, and every acknowledgement.
fn look(
    reader: &Reader,
    acknowledged: &Acknowledged,
    wrong: &mut Vec<String>,
) -> Result<Ended, Box<dyn Error>> {
    let mut ended = Ended::default();
    let mut places: BTreeMap<RunId, (Option<u64>, Option<u64>)> = BTreeMap::new();
    for listed in reader.list(&Filter::default())? {
        let entries = reader.entries(listed.run)?;
        let of = |is: fn(&Entry) -> bool| entries.iter().filter(move |(_, entry)| is(entry)).map(|one| one.0);
        let starts: Vec<u64> = of(|entry| matches!(entry, Entry::Started(_))).collect();
        let seals: Vec<u64> = of(|entry| matches!(entry, Entry::Ended(_))).collect();
        let losses = of(|entry| matches!(entry, Entry::Lost(_))).count();
        if starts.len() != 1 || seals.len() + losses != 1 || listed.outcome.is_none() {
            wrong.push(format!(
                "run {} has {} starts, {} records, {losses} losses",
                listed.run,
                starts.len(),
                seals.len()
            ));
        }
        ended.sealed += seals.len() as u64;
        ended.lost += losses as u64;
        places.insert(listed.run, (starts.first().copied(), seals.first().copied()));
    }
    for (run, seq) in &acknowledged.started {
        if places.get(run).and_then(|place| place.0) != Some(*seq) {
            wrong.push(format!("the start of run {run}, acknowledged as entry {seq}, is lost"));
        }
    }
    for (run, seq) in &acknowledged.sealed {
        if places.get(run).and_then(|place| place.1) != Some(*seq)
            || printed(reader, *run)? != runs::printed(*run)
        {
            wrong.push(format!("the record of run {run}, acknowledged as entry {seq}, is lost"));
        }
    }
    Ok(ended)
}

fn printed(reader: &Reader, run: RunId) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    if let Some(sealed) = reader.sealed(run)? {
        reader.blob(&sealed.record.stdout.sha256)?.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
