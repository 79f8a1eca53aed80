//! What capturing costs a program that prints without end: the same pipe with Actum in it and without.
//!
//! Two readers: one that digests, as somebody does who checks that nothing was lost, and one that does nothing, which is
//! the harder comparison. The digest is compared each time.

use std::time::Duration;

use super::measurer;
use super::{Report, Series, Summary, table};
use crate::Held;
use crate::check::metadata;
use crate::clock::Stopwatch;
use crate::command::Command;
use crate::error::Error;
use crate::say;

const PRINTS: &str = "yes | head -c 1G";
/// The promise is about the pipe whose reader digests.
const PROMISED: f64 = 0.7;

/// `cargo xtask bench capture [ROUNDS]`
pub fn run(arguments: &[String]) -> Result<Held, Error> {
    let rounds: usize = match arguments {
        [] => 5,
        [rounds] => {
            rounds.parse().map_err(|_| Error::Arguments { given: format!("bench capture {rounds}") })?
        }
        more => return Err(Error::Arguments { given: format!("bench capture {}", more.join(" ")) }),
    };
    if !measurer::build("actum", "actum")? {
        return Ok(Held::No);
    }
    let target = metadata::target_folder()?;
    let (actum, store) = (format!("{target}/release/actum"), format!("{target}/bench-store"));
    let through = format!("{actum} run --quiet --limit output=2GiB --shell -- '{PRINTS}'");
    let pipes = [
        ("bare, digested", format!("sh -c '{PRINTS}' | sha256sum")),
        ("actum, digested", format!("{through} | sha256sum")),
        ("bare, read", format!("sh -c '{PRINTS}' | cat > /dev/null")),
        ("actum, read", format!("{through} | cat > /dev/null")),
    ];
    let mut took: Vec<Vec<Duration>> = vec![Vec::new(); pipes.len()];
    let mut digests = Vec::new();
    for _ in 0..rounds {
        for ((_, pipe), took) in pipes.iter().zip(&mut took) {
            let watch = Stopwatch::start();
            digests.push(Command::new("sh", &["-c", pipe]).with("ACTUM_STORE", &store).output()?);
            took.push(watch.elapsed());
            // A gigabyte each time; the next one should not find the disk busy with it.
            let _ = std::fs::remove_dir_all(&store);
        }
    }
    digests.retain(|digest| !digest.is_empty());
    digests.dedup();
    let series: Vec<Series> = pipes
        .iter()
        .zip(took)
        .filter_map(|((name, _), took)| {
            Some(Series { name: (*name).to_owned(), summary: Summary::of(took)? })
        })
        .collect();
    say::line(table::render(&series).trim_end());
    let held = judge(&series, digests.len());
    say::line(&format!("kept in {}", Report::now("capture", series)?.write()?));
    Ok(held)
}

fn judge(series: &[Series], digests: usize) -> Held {
    let find = |name: &str| series.iter().find(|one| one.name == name);
    let throughput = |ours: &str, bare: &str| find(bare)?.summary.ratio_to(&find(ours)?.summary);
    let digested = throughput("actum, digested", "bare, digested");
    for (reader, throughput) in [("digested", digested), ("read", throughput("actum, read", "bare, read"))] {
        if let Some(throughput) = throughput {
            say::line(&format!("{reader}: {throughput:.2} x the throughput of the same pipe without Actum"));
        }
    }
    let held = digests == 1 && digested.is_some_and(|throughput| throughput >= PROMISED);
    let word = if held { "held" } else { "missed" };
    say::line(&format!("{word}: at least {PROMISED} where the reader digests, and every digest the same"));
    if held { Held::Yes } else { Held::No }
}
