//! What starting a command costs: bare, under bubblewrap, and under Actum cold and from its pool.
//!
//! The measuring is done by a program of its own, because the first act of a process that starts sandboxes is to fork
//! its warden. It tells one line of JSON a measurement; here they are reduced, compared and kept.

use std::time::Duration;

use serde_json::Value;

use super::measurer::{self, Asked};
use super::{Report, Series, Summary, table};
use crate::Held;
use crate::command;
use crate::error::Error;
use crate::say;

/// The promises: which series, against which, at most how many times as long.
const PROMISES: [(&str, &str, &str, f64); 3] = [
    ("true", "actum cold", "bubblewrap", 0.6),
    ("true", "actum warm", "bubblewrap", 0.3),
    ("python", "actum warm", "bare", 1.05),
];

const PAYLOADS: [&str; 2] = ["true", "python"];
const SERIES: [&str; 4] = ["bare", "bubblewrap", "actum cold", "actum warm"];

/// One thing measured, in nanoseconds since the request.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Measured {
    payload: String,
    series: String,
    answered: u64,
    /// Until init existed, until everything was mounted, until nothing was left.
    phases: Option<[u64; 3]>,
}

/// `cargo xtask bench start [ROUNDS] [--user NAME]`
pub fn run(arguments: &[String]) -> Result<Held, Error> {
    let Asked { rounds, user } = Asked::read("start", arguments)?;
    if !measurer::build("actum-testkit", "bench-start")? {
        return Ok(Held::No);
    }
    if !command::is_on_path("bwrap") {
        say::line(
            "bubblewrap is not installed, so there is nothing to compare with: apt-get install bubblewrap",
        );
    }
    let told = measurer::tell("bench-start", &rounds, None, user.as_deref())?;
    let measured: Vec<Measured> = told.lines().map(read).collect::<Result<_, _>>()?;
    let name = user.map_or("start".to_owned(), |_| "start-user".to_owned());
    show(&name, &measured)
}

fn read(line: &str) -> Result<Measured, Error> {
    let malformed = |reason: String| Error::Malformed { what: "a measurement".to_owned(), reason };
    let value: Value = serde_json::from_str(line).map_err(|error| malformed(error.to_string()))?;
    let text =
        |name: &str| value[name].as_str().map(str::to_owned).ok_or_else(|| malformed(format!("no {name}")));
    let number = |name: &str| value[name].as_u64();
    let phases = match (number("cast"), number("ready"), number("gone")) {
        (Some(cast), Some(ready), Some(gone)) => Some([cast, ready, gone]),
        _ => None,
    };
    let answered = number("ns").ok_or_else(|| malformed("no ns".to_owned()))?;
    Ok(Measured { payload: text("payload")?, series: text("series")?, answered, phases })
}

fn show(name: &str, measured: &[Measured]) -> Result<Held, Error> {
    let mut kept = Vec::new();
    for payload in PAYLOADS {
        let series: Vec<Series> =
            SERIES.iter().filter_map(|series| reduce(measured, payload, series)).collect();
        say::line(&format!("\n{payload}"));
        say::line(table::render(&series).trim_end());
        kept.extend(series.into_iter().map(|one| Series { name: format!("{payload}, {}", one.name), ..one }));
    }
    say::line(
        "\nwhere the time goes (medians): until init exists, everything is mounted, the answer, nothing is left",
    );
    for payload in PAYLOADS {
        for series in &SERIES[2..] {
            say::line(&format!("  {payload:<8}{series:<12}{}", breakdown(measured, payload, series)));
        }
    }
    say::line("");
    let mut held = Held::Yes;
    for (payload, series, against, most) in PROMISES {
        let Some(ratio) = ratio(measured, payload, series, against) else { continue };
        let word = if ratio <= most { "held" } else { "missed" };
        if ratio > most {
            held = Held::No;
        }
        say::line(&format!(
            "{word}: {payload}, {series} is {ratio:.2} x {against} (promised: at most {most})"
        ));
    }
    let report = Report::now(name, kept)?;
    say::line(&format!("kept in {}", report.write()?));
    Ok(held)
}

fn reduce(measured: &[Measured], payload: &str, series: &str) -> Option<Series> {
    let own = measured.iter().filter(|one| one.payload == payload && one.series == series);
    let summary = Summary::of(own.map(|one| Duration::from_nanos(one.answered)).collect())?;
    Some(Series { name: series.to_owned(), summary })
}

fn ratio(measured: &[Measured], payload: &str, series: &str, against: &str) -> Option<f64> {
    let baseline = reduce(measured, payload, against)?;
    reduce(measured, payload, series)?.summary.ratio_to(&baseline.summary)
}

fn breakdown(measured: &[Measured], payload: &str, series: &str) -> String {
    let own: Vec<&Measured> =
        measured.iter().filter(|one| one.payload == payload && one.series == series).collect();
    let median = |pick: &dyn Fn(&Measured) -> Option<u64>| {
        let all = own.iter().filter_map(|one| pick(one)).map(Duration::from_nanos).collect();
        Summary::of(all).map_or(0.0, |summary| summary.p50.as_secs_f64() * 1000.0)
    };
    let phase = |index: usize| move |one: &Measured| one.phases.map(|phases| phases[index]);
    format!(
        "{:6.2} {:6.2} {:6.2} {:6.2} ms",
        median(&phase(0)),
        median(&phase(1)),
        median(&|one| Some(one.answered)),
        median(&phase(2))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_with_and_without_phases() {
        let bare = read("{\"payload\":\"true\",\"series\":\"bare\",\"ns\":700000}").unwrap();
        assert_eq!((bare.answered, bare.phases), (700_000, None));
        let cold = read(
            "{\"payload\":\"true\",\"series\":\"actum cold\",\"ns\":9,\"cast\":1,\"ready\":2,\"gone\":12}",
        );
        assert_eq!(cold.unwrap().phases, Some([1, 2, 12]));
        assert!(read("{}").is_err() && read("x").is_err());
    }

    #[test]
    fn ratios_are_of_medians() {
        let one = |series: &str, answered| Measured {
            payload: "true".to_owned(),
            series: series.to_owned(),
            answered,
            phases: None,
        };
        let measured = [one("bare", 8), one("bare", 8), one("bare", 900), one("actum warm", 16)];
        assert_eq!(ratio(&measured, "true", "actum warm", "bare"), Some(2.0));
        assert_eq!(ratio(&measured, "true", "actum cold", "bare"), None);
    }
}
