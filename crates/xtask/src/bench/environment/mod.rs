//! What an environment costs: starting with one that is there, building one, importing from it; beside uv, in the same rounds.
//!
//! Everything happens in a folder of its own: its caches are filled before anything is counted, and no run of the user's is
//! in the way. The packages are numpy and pandas, so the first round needs an index.

mod place;

use super::{Report, Series, Summary, table};
use crate::Held;
use crate::error::Error;
use crate::say;
use place::Place;
use std::time::Duration;

const BARE: &str = "bare python";
const TRIVIAL: &str = "actum run";
const CACHED: &str = "actum run, numpy and pandas";
const SCRIPT: &str = "uv run --script";
const WITH: &str = "uv run --with";
/// In the order in which a round goes through them.
const STARTS: [&str; 5] = [BARE, TRIVIAL, CACHED, SCRIPT, WITH];

const BUILD_UV: &str = "uv venv, uv pip sync";
const BUILD_COMPILE: &str = "compileall";
const BUILD: &str = "actum run, environment built";
const BUILDS: [&str; 3] = [BUILD_UV, BUILD_COMPILE, BUILD];

const IMPORT_COMPILED: &str = "import, as prepared (processor)";
const IMPORT_PLAIN: &str = "import, without byte code (processor)";
const IMPORTS: [&str; 2] = [IMPORT_COMPILED, IMPORT_PLAIN];

/// An environment that is there adds at most this to a start.
const ADDED: Duration = Duration::from_millis(5);
/// A warm run of a trivial script costs at most this over bare Python.
const OVER_BARE: Duration = Duration::from_millis(80);
/// Building costs at most this many times what uv takes from its warm cache, byte code apart.
const OVER_UV: f64 = 1.1;
/// Building takes seconds; medians of five are steady enough.
const MOST_BUILDS: usize = 5;

/// `cargo xtask bench environment [ROUNDS]`
pub fn run(arguments: &[String]) -> Result<Held, Error> {
    let refused = || Error::Arguments { given: format!("bench environment {}", arguments.join(" ")) };
    let rounds: usize = match arguments {
        [] => 40,
        [rounds] => rounds.parse().map_err(|_| refused())?,
        [_, _, ..] => return Err(refused()),
    };
    let Some(place) = Place::make()? else { return Ok(Held::No) };
    let mut measured: Vec<(&'static str, Duration)> = Vec::new();
    for _ in 0..rounds {
        for name in STARTS {
            measured.push((name, place.start(name)?));
        }
    }
    for _ in 0..rounds.min(MOST_BUILDS) {
        for name in BUILDS {
            measured.push((name, place.build(name)?));
        }
        for name in IMPORTS {
            measured.push((name, place.import(name)?));
        }
    }
    let mut all = Vec::new();
    for (title, names) in [("starting", &STARTS[..]), ("building", &BUILDS), ("importing", &IMPORTS)] {
        let series: Vec<Series> = names.iter().filter_map(|name| reduce(&measured, name)).collect();
        say::line(&format!("\n{title}\n{}", table::render(&series).trim_end()));
        all.extend(series);
    }
    let held = judge(&all);
    let report = Report::now("environment", all)?;
    say::line(&format!("kept in {}", report.write()?));
    Ok(held)
}

fn reduce(measured: &[(&'static str, Duration)], name: &str) -> Option<Series> {
    let own = measured.iter().filter(|(series, _)| *series == name).map(|(_, took)| *took);
    Some(Series { name: name.to_owned(), summary: Summary::of(own.collect())? })
}

/// Holds the medians to what was promised, one sentence each.
fn judge(series: &[Series]) -> Held {
    let promises = promises(series);
    for (sentence, kept) in &promises {
        say::line(&format!("{}: {sentence}", if *kept == Held::Yes { "held" } else { "missed" }));
    }
    if promises.iter().all(|(_, kept)| *kept == Held::Yes) { Held::Yes } else { Held::No }
}

fn promises(series: &[Series]) -> Vec<(String, Held)> {
    let median = |name: &str| series.iter().find(|one| one.name == name).map(|one| one.summary.p50);
    let held = |kept: bool| if kept { Held::Yes } else { Held::No };
    let mut said = Vec::new();
    if let (Some(cached), Some(trivial)) = (median(CACHED), median(TRIVIAL)) {
        let added = cached.saturating_sub(trivial);
        let sentence = format!("an environment that is there adds {added:.1?} (promised: at most {ADDED:?})");
        said.push((sentence, held(added <= ADDED)));
    }
    if let (Some(trivial), Some(bare)) = (median(TRIVIAL), median(BARE)) {
        let over = trivial.saturating_sub(bare);
        let sentence =
            format!("a warm run costs {over:.1?} over bare Python (promised: at most {OVER_BARE:?})");
        said.push((sentence, held(over <= OVER_BARE)));
    }
    let builds = (median(BUILD), median(BUILD_UV), median(BUILD_COMPILE), median(TRIVIAL));
    if let (Some(build), Some(uv), Some(compile), Some(start)) = builds {
        let own = build.saturating_sub(start);
        let allowed = uv.mul_f64(OVER_UV) + compile;
        let sentence = format!(
            "building takes {own:.1?} (promised: at most {OVER_UV} x uv and byte code, {allowed:.1?})"
        );
        said.push((sentence, held(own <= allowed)));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(list: &[(&'static str, u64)]) -> Vec<Series> {
        let took: Vec<(&'static str, Duration)> =
            list.iter().map(|(name, took)| (*name, Duration::from_millis(*took))).collect();
        list.iter().filter_map(|(name, _)| reduce(&took, name)).collect()
    }

    #[test]
    fn promises_are_held_by_medians() {
        let kept = |list: &[(&'static str, u64)]| {
            promises(&series(list)).into_iter().map(|(_, held)| held).collect::<Vec<_>>()
        };
        let starts = [(BARE, 20), (TRIVIAL, 60), (CACHED, 64)];
        assert_eq!(kept(&starts), [Held::Yes, Held::Yes]);
        assert_eq!(kept(&[(BARE, 20), (TRIVIAL, 160), (CACHED, 170)]), [Held::No, Held::No]);
        let builds = [(TRIVIAL, 60), (BUILD_UV, 1000), (BUILD_COMPILE, 3000)];
        assert_eq!(kept(&[&builds[..], &[(BUILD, 4160)]].concat()), [Held::Yes]);
        assert_eq!(kept(&[&builds[..], &[(BUILD, 4161)]].concat()), [Held::No]);
        assert_eq!(kept(&[]), []);
    }
}
