//! What one command costs the person who types it: bare, under bubblewrap with the same namespaces, under `actum run`.
//!
//! Unlike [`super::start`] everything counts that a single command pays: its own start, breaking ground, taking it down.
//! As root it is measured twice, the second time as an ordinary user: the two have different machines to work with.

use std::time::Duration;

use serde_json::Value;

use super::measurer::{self, Asked};
use super::{Report, Series, Summary, table};
use crate::Held;
use crate::command::{self, Command};
use crate::error::Error;
use crate::say;

pub const SERIES: [&str; 4] = ["bubblewrap", "bare", "actum run --quiet", "actum run"];
/// The promise: the last series, at most so many times the first.
const PROMISED: f64 = 1.6;
/// Owns nothing and is on every machine.
pub const ORDINARY_USER: &str = "nobody";

/// `cargo xtask bench cli [ROUNDS] [--user NAME]`
pub fn run(arguments: &[String]) -> Result<Held, Error> {
    let Asked { rounds, user } = Asked::read("cli", arguments)?;
    if !measurer::build("actum", "actum")? || !measurer::build("actum-testkit", "bench-cli")? {
        return Ok(Held::No);
    }
    if !command::is_on_path("bwrap") {
        say::line(
            "bubblewrap is not installed, so there is nothing to compare with: apt-get install bubblewrap",
        );
    }
    let is_root = Command::new("id", &["-u"]).output()?.trim() == "0";
    let mut held = Held::Yes;
    for user in whom(is_root, user) {
        let told = measurer::tell("bench-cli", &rounds, Some("actum"), user.as_deref())?;
        let measured = series_in(&told)?;
        let (name, title) = match (&user, is_root) {
            (None, true) => ("cli", "as root".to_owned()),
            (None, false) => ("cli-user", "as an ordinary user".to_owned()),
            (Some(user), _) => ("cli-user", format!("as {user}")),
        };
        if show(name, &title, &measured)? == Held::No {
            held = Held::No;
        }
    }
    Ok(held)
}

/// As whom to measure; nobody named is ourselves.
fn whom(is_root: bool, user: Option<String>) -> Vec<Option<String>> {
    match (user, is_root) {
        (Some(user), _) => vec![Some(user)],
        (None, true) => vec![None, Some(ORDINARY_USER.to_owned())],
        (None, false) => vec![None],
    }
}

/// The series and nanoseconds that a measuring program printed, a line of JSON each.
pub fn series_in(told: &str) -> Result<Vec<(String, u64)>, Error> {
    told.lines().map(read).collect()
}

pub fn read(line: &str) -> Result<(String, u64), Error> {
    let malformed = |reason: String| Error::Malformed { what: "a measurement".to_owned(), reason };
    let value: Value = serde_json::from_str(line).map_err(|error| malformed(error.to_string()))?;
    let series = value["series"].as_str().ok_or_else(|| malformed("no series".to_owned()))?;
    Ok((series.to_owned(), value["ns"].as_u64().ok_or_else(|| malformed("no ns".to_owned()))?))
}

fn show(name: &str, title: &str, measured: &[(String, u64)]) -> Result<Held, Error> {
    let series: Vec<Series> = SERIES.iter().filter_map(|series| reduce(measured, series)).collect();
    say::line(&format!("\n{title}"));
    say::line(table::render(&series).trim_end());
    let held = judge(&series);
    let report = Report::now(name, series)?;
    say::line(&format!("kept in {}", report.write()?));
    Ok(held)
}

pub fn reduce(measured: &[(String, u64)], series: &str) -> Option<Series> {
    let own = measured.iter().filter(|(name, _)| name == series);
    let summary = Summary::of(own.map(|(_, took)| Duration::from_nanos(*took)).collect())?;
    Some(Series { name: series.to_owned(), summary })
}

/// Without bubblewrap there is nothing to judge.
fn judge(series: &[Series]) -> Held {
    let find = |name: &str| series.iter().find(|one| one.name == name);
    let (Some(ours), Some(theirs)) = (find(SERIES[3]), find(SERIES[0])) else { return Held::Yes };
    let Some(ratio) = ours.summary.ratio_to(&theirs.summary) else { return Held::Yes };
    let (word, held) = if ratio <= PROMISED { ("held", Held::Yes) } else { ("missed", Held::No) };
    say::line(&format!(
        "{word}: {} is {ratio:.2} x {} (promised: at most {PROMISED})",
        ours.name, theirs.name
    ));
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_series() {
        let line = "{\"series\":\"actum run\",\"ns\":7000000}";
        assert_eq!(read(line).unwrap(), ("actum run".to_owned(), 7_000_000));
        assert!(read("{}").is_err() && read("x").is_err());
    }

    #[test]
    fn root_measures_as_somebody_else_too() {
        assert_eq!(whom(true, None), [None, Some("nobody".to_owned())]);
        assert_eq!(whom(false, None), [None]);
        assert_eq!(whom(true, Some("me".to_owned())), [Some("me".to_owned())]);
    }

    #[test]
    fn the_promise_is_about_medians() {
        let one = |name: &str, took: &[u64]| {
            let measured: Vec<(String, u64)> = took.iter().map(|took| (name.to_owned(), *took)).collect();
            reduce(&measured, name).unwrap()
        };
        let theirs = one("bubblewrap", &[10, 10, 900]);
        assert_eq!(judge(&[theirs.clone(), one("actum run", &[16, 16, 999])]), Held::Yes);
        assert_eq!(judge(&[theirs, one("actum run", &[17, 17, 17])]), Held::No);
        assert_eq!(judge(&[one("actum run", &[17])]), Held::Yes);
    }
}
