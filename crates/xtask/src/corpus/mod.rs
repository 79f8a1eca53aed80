//! `cargo xtask corpus`: programs that nobody here wrote, run through the real `actum run`.
//!
//! The samples lie outside of the repository: they are other people's, and test data only. Each program gets a fresh folder,
//! the network of its policy (none), and no word of help; what is counted is whether it ran at once, ran after recovery, or
//! what it lacked, and whether a program that is wrong or cut off was passed off as working. Nothing may change the program.
//!
//! Reading samples (`sample`), judging an answer (`judge`) and the table (`tally`) are pure; `attempt` and `bare` start programs, `kept`
//! remembers what was done, so that an interrupted round goes on where it stopped.

mod asked;
mod attempt;
mod bare;
mod judge;
mod kept;
mod sample;
mod tally;

use crate::Held;
use crate::bench::measurer;
use crate::check::metadata;
use crate::error::Error;
use crate::say;
use asked::Asked;
use attempt::Bench;
use kept::Kept;
use sample::Sample;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use tally::Row;

/// Runs the samples that were asked for, and tells.
pub fn corpus(arguments: &[String]) -> Result<Held, Error> {
    let asked = Asked::read(arguments)?;
    let samples = asked.choose(sample::read(&asked.samples, asked.set)?);
    let Some(actum) = binary(&asked)? else { return Ok(Held::No) };
    let bench = Bench::new(&actum)?;
    let mut kept = Kept::open(asked.results.as_deref())?;
    let (done, todo): (Vec<Sample>, Vec<Sample>) =
        samples.into_iter().partition(|sample| kept.has(&sample.id));
    if !done.is_empty() {
        say::line(&format!("{} are known from before", done.len()));
    }
    run_all(&bench, todo, asked.jobs, &mut kept)?;
    let rows = kept.of(done.iter().map(|sample| &sample.id));
    say::line(&tally::table(&rows));
    let (share, held) = tally::judge(&rows, asked.set);
    say::line(&share);
    if asked.is_whole() {
        say::line(&format!("kept in {}", kept::keep(asked.set, &rows)?));
    }
    Ok(held)
}

/// The program to try, built unless another was named. None where building failed.
fn binary(asked: &Asked) -> Result<Option<String>, Error> {
    if let Some(binary) = &asked.binary {
        return Ok(Some(binary.clone()));
    }
    let built = measurer::build("actum", "actum")?;
    Ok(if built { Some(format!("{}/release/actum", metadata::target_folder()?)) } else { None })
}

/// Several at a time; each is told and remembered as it ends.
fn run_all(bench: &Bench, todo: Vec<Sample>, jobs: usize, kept: &mut Kept) -> Result<(), Error> {
    let count = todo.len();
    let queue = Mutex::new(VecDeque::from(todo));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let (tell, told) = mpsc::channel::<Result<Row, Error>>();
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let tell = tell.clone();
            scope.spawn(move || {
                while let Some(sample) = next() {
                    let row = bench.attempt(&sample).map(|told| judge::row(&sample, &told));
                    if tell.send(row).is_err() {
                        return;
                    }
                }
            });
        }
        drop(tell);
        for (number, row) in told.iter().enumerate() {
            let row = row?;
            say::line(&format!("{:>4}/{count} {}", number + 1, row.line()));
            kept.add(row)?;
        }
        Ok(())
    })
}
