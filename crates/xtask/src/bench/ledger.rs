//! What the ledger costs: records a second with 512 in flight and how long each waits, beside two peers on the same disk; what
//! evidence adds to one run; how long a million records take to open and to verify.
//!
//! The measuring is done by a program of the testkit, below the target folder, which is on a real disk. What was measured of many
//! records at once is shown for one of them.

use std::time::Duration;

use serde_json::Value;

use super::{Report, Series, Summary, measurer, table};
use crate::Held;
use crate::check::metadata;
use crate::command::Command;
use crate::error::Error;
use crate::say;

/// Parts of the measurement, how often each is repeated, and which series it has, the one that others are compared with first.
const PARTS: [(&str, u64, &[&str]); 3] = [
    (
        "write",
        5,
        &[
            "ledger, 512 in flight",
            "SQLite, a transaction each",
            "plain file, a wait each",
            "ledger, whole runs, 512 in flight",
            "acknowledged",
            "acknowledged, start of a run",
        ],
    ),
    (
        "single",
        200,
        &[
            "one run, all evidence",
            "one wait for the disk",
            "one run, open",
            "one run, announced",
            "one run, sealed",
            "one run, signed",
            "one run, closed",
            "one run, before its process",
            "one run, behind its process",
        ],
    ),
    (
        "large",
        3,
        &[
            "open a million",
            "verify a million, log and tables",
            "verify a million, everything",
            "verify whole runs, everything",
        ],
    ),
];

/// A promise: a series, which figure of it, and the most that it may be, in nanoseconds.
struct Promise {
    series: &'static str,
    figure: &'static str,
    of: fn(&Summary) -> Duration,
    most: Duration,
    words: &'static str,
}

const PROMISES: [Promise; 5] = [
    Promise {
        series: "ledger, 512 in flight",
        figure: "p50",
        of: |summary| summary.p50,
        most: Duration::from_micros(50),
        words: "at least 20,000 durable records a second with 512 in flight",
    },
    Promise {
        series: "acknowledged",
        figure: "p99",
        of: |summary| summary.p99,
        most: Duration::from_millis(40),
        words: "an acknowledgement within 40 ms in 99 of 100",
    },
    Promise {
        series: "one run, all evidence",
        figure: "p50",
        of: |summary| summary.p50,
        most: Duration::from_millis(3),
        words: "evidence adds at most 3 ms to a run",
    },
    Promise {
        series: "open a million",
        figure: "p99",
        of: |summary| summary.p99,
        most: Duration::from_secs(3),
        words: "a million records open within 3 s",
    },
    Promise {
        series: "verify a million, log and tables",
        figure: "p50",
        of: |summary| summary.p50,
        most: Duration::from_micros(5),
        words: "at least 200,000 records a second are verified on one core",
    },
];

/// `cargo xtask bench ledger [PART]`
pub fn run(arguments: &[String]) -> Result<Held, Error> {
    let wanted = arguments.first();
    let parts: Vec<_> = PARTS.iter().filter(|part| wanted.is_none_or(|wanted| wanted == part.0)).collect();
    if parts.is_empty() || arguments.len() > 1 {
        return Err(Error::Arguments { given: format!("bench ledger {}", arguments.join(" ")) });
    }
    if !measurer::build("actum-testkit", "bench-ledger")? {
        return Ok(Held::No);
    }
    let mut all = Vec::new();
    for (part, rounds, names) in parts {
        let series = measure(part, *rounds, names)?;
        say::line(&format!("\n{part}"));
        say::line(table::render(&series).trim_end());
        all.extend(series);
    }
    say::line("");
    let held = judge(&all);
    say::line(&format!("kept in {}", Report::now("ledger", all)?.write()?));
    Ok(held)
}

fn measure(part: &str, rounds: u64, names: &[&str]) -> Result<Vec<Series>, Error> {
    let target = metadata::target_folder()?;
    let folder = format!("{target}/bench-ledger");
    let program = format!("{target}/release/bench-ledger");
    let told = Command::new(&program, &[&folder, part, &rounds.to_string()]).output();
    let _ = std::fs::remove_dir_all(&folder);
    let told = told?;
    let measured: Vec<(String, Duration)> = told.lines().filter_map(read).collect();
    let series = names.iter().filter_map(|name| {
        let own = measured.iter().filter(|one| one.0 == *name).map(|one| one.1);
        Some(Series { name: (*name).to_owned(), summary: Summary::of(own.collect())? })
    });
    Ok(series.collect())
}

/// How long one took, of however many.
fn read(line: &str) -> Option<(String, Duration)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let count = value["records"].as_u64().unwrap_or(1).max(1);
    Some((value["series"].as_str()?.to_owned(), Duration::from_nanos(value["ns"].as_u64()? / count)))
}

fn judge(series: &[Series]) -> Held {
    let mut held = Held::Yes;
    for promise in PROMISES {
        let Some(one) = series.iter().find(|one| one.name == promise.series) else { continue };
        let took = (promise.of)(&one.summary);
        let word = if took <= promise.most { "held" } else { "missed" };
        if took > promise.most {
            held = Held::No;
        }
        say::line(&format!(
            "{word}: {}: {} of `{}` is {:.3} ms (at most {:.3} ms)",
            promise.words,
            promise.figure,
            promise.series,
            took.as_secs_f64() * 1000.0,
            promise.most.as_secs_f64() * 1000.0
        ));
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_records_are_told_for_one() {
        let line = "{\"series\":\"a\",\"records\":4,\"ns\":800}";
        assert_eq!(read(line), Some(("a".to_owned(), Duration::from_nanos(200))));
        assert_eq!(read("{\"series\":\"a\",\"ns\":7}"), Some(("a".to_owned(), Duration::from_nanos(7))));
        assert_eq!(read("{\"series\":\"on disk\",\"bytes\":7}"), None);
    }

    #[test]
    fn every_promise_is_about_a_series_that_is_measured() {
        for promise in PROMISES {
            assert!(PARTS.iter().any(|part| part.2.contains(&promise.series)), "{}", promise.series);
        }
        let of = |took| Series {
            name: "acknowledged".to_owned(),
            summary: Summary::of(vec![Duration::from_millis(took)]).unwrap(),
        };
        assert_eq!((judge(&[of(40)]), judge(&[of(41)])), (Held::Yes, Held::No));
    }
}
