//! What one run costs a process that makes many of them through the engine, beside bubblewrap.
//!
//! The measuring program is an example of `actum-engine`: an engine is embedded the way any server would do it. Every run is
//! recorded and signed. It asks for a home of its own in the folder for temporary files.

use super::cli::{reduce, series_in};
use super::measurer::Asked;
use super::{Report, Series, table};
use crate::Held;
use crate::command::Command;
use crate::error::Error;
use crate::say;

const SERIES: [&str; 3] = ["bubblewrap", "engine", "engine, 8 at once"];
/// The promise: a run of the engine takes at most so many times bubblewrap's time.
const PROMISED: f64 = 0.6;
/// The last series is a share of a whole that includes waiting for others, so only the second is promised.
const JUDGED: usize = 1;

/// `cargo xtask bench engine [ROUNDS]`
pub fn run(arguments: &[String]) -> Result<Held, Error> {
    let Asked { rounds, user } = Asked::read("engine", arguments)?;
    if user.is_some() {
        return Err(Error::Arguments { given: format!("bench engine {}", arguments.join(" ")) });
    }
    let example = ["--release", "--package", "actum-engine", "--example", "bench_engine"];
    if !Command::cargo(&[&["build"], &example[..]].concat()).live()? {
        return Ok(Held::No);
    }
    let told = Command::cargo(&[&["run", "--quiet"], &example[..], &["--", &rounds]].concat()).output()?;
    let measured = series_in(&told)?;
    let series: Vec<Series> = SERIES.iter().filter_map(|series| reduce(&measured, series)).collect();
    say::line(table::render(&series).trim_end());
    let held = judge(&series);
    say::line(&format!("kept in {}", Report::now("engine", series)?.write()?));
    Ok(held)
}

fn judge(series: &[Series]) -> Held {
    let find = |name: &str| series.iter().find(|one| one.name == name);
    let (Some(ours), Some(theirs)) = (find(SERIES[JUDGED]), find(SERIES[0])) else { return Held::Yes };
    let Some(ratio) = ours.summary.ratio_to(&theirs.summary) else { return Held::Yes };
    let (word, held) = if ratio <= PROMISED { ("held", Held::Yes) } else { ("missed", Held::No) };
    say::line(&format!("{word}: a run takes {ratio:.2} x {} (promised: at most {PROMISED})", theirs.name));
    held
}
