//! What recording costs: a trivial script and one of a second, bare, under `actum run` and `actum experiment run`, beside other trackers.
//!
//! Peers are measured if they are installed: `--peers FOLDER` names a virtual environment with mlflow, guildai, dvc or sacred in it. All series are
//! interleaved, and each command counts as a whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::measurer;
use super::{Report, Series, Summary, table};
use crate::Held;
use crate::check::metadata;
use crate::clock::Stopwatch;
use crate::command::Command;
use crate::error::Error;
use crate::say;

const TRIVIAL: &str = "print('loss: 0.5')\n";
const SECOND: &str = "import time\ntime.sleep(1)\nprint('loss: 0.5')\n";
const PYTHON: &str = "/usr/bin/python3";
/// The promises: a trivial script, at most so much above bare, and one of a second at most so many times bare.
const ADDED: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(40)];
const RATIO: f64 = 1.05;

/// One way to run a script.
struct Way {
    name: String,
    /// A line for the shell, in the project's folder. `SCRIPT` stands for the script.
    line: String,
}

/// `cargo xtask bench record [ROUNDS] [--peers FOLDER]`
pub fn run(arguments: &[String]) -> Result<Held, Error> {
    let wrong = || Error::Arguments { given: format!("bench record {}", arguments.join(" ")) };
    let (mut rounds, mut peers) = (40_usize, None);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--peers" => peers = Some(PathBuf::from(rest.next().ok_or_else(wrong)?)),
            number => rounds = number.parse().map_err(|_| wrong())?,
        }
    }
    if !measurer::build("actum", "actum")? {
        return Ok(Held::No);
    }
    let target = metadata::target_folder()?;
    let place = Place::make(Path::new(&target))?;
    let ways = ways(&target, peers.as_deref());
    let mut series = Vec::new();
    for (script, rounds) in [("trivial.py", rounds), ("second.py", (rounds / 8).max(3))] {
        let mut took: Vec<Vec<Duration>> = ways.iter().map(|_| Vec::new()).collect();
        for round in 0..=rounds {
            for (way, took) in ways.iter().zip(&mut took) {
                let one = place.time(&way.line.replace("SCRIPT", script))?;
                // The first time everything is made that is kept afterwards.
                if round > 0 {
                    took.push(one);
                }
            }
        }
        let summaries = ways.iter().zip(took).filter_map(|(way, took)| {
            let summary = Summary::of(took)?;
            Some(Series { name: format!("{script} {}", way.name), summary })
        });
        series.extend(summaries);
    }
    say::line(table::render(&series).trim_end());
    let held = judge(&series);
    say::line(&format!("kept in {}", Report::now("record", series)?.write()?));
    Ok(held)
}

fn ways(target: &str, peers: Option<&Path>) -> Vec<Way> {
    let actum = format!("{target}/release/actum");
    let way = |name: &str, line: String| Way { name: name.to_owned(), line };
    let mut ways = vec![
        way("bare", format!("{PYTHON} SCRIPT")),
        way("actum run", format!("{actum} run -q -- {PYTHON} SCRIPT")),
        way("actum experiment", format!("{actum} experiment run -q --yes -- {PYTHON} SCRIPT")),
    ];
    let Some(peers) = peers else { return ways };
    let bin = peers.join("bin");
    let python = bin.join("python").display().to_string();
    let has = |name: &str| bin.join(name).exists();
    if has("guild") {
        ways.push(way("guild run", format!("{} run -y SCRIPT", bin.join("guild").display())));
    }
    if has("dvc") {
        let line = format!("{} exp run -f -q STAGE", bin.join("dvc").display());
        ways.push(way("dvc exp run", line.replace("STAGE", "$(basename SCRIPT .py)")));
    }
    if has("mlflow") {
        let code = "import mlflow, runpy, sys; mlflow.start_run(); runpy.run_path(sys.argv[1]); mlflow.log_metric('loss', 0.5); mlflow.end_run()";
        ways.push(way("mlflow in code", format!("{python} -c \"{code}\" SCRIPT")));
    }
    if peers.join("lib").exists() && has("sacred") {
        ways.push(way("sacred", format!("{python} sacred_SCRIPT -F sacred_runs")));
    }
    ways
}

/// A repository with the scripts, and a home of its own.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn make(target: &Path) -> Result<Self, Error> {
        let folder = target.join("bench-record");
        let _ = fs::remove_dir_all(&folder);
        let project = folder.join("project");
        let cannot_write = |source| Error::Write { path: project.display().to_string(), source };
        fs::create_dir_all(&project).map_err(cannot_write)?;
        for (name, text) in [("trivial.py", TRIVIAL), ("second.py", SECOND)] {
            fs::write(project.join(name), text).map_err(cannot_write)?;
        }
        let place = Self { folder };
        let own = "-c user.name=a -c user.email=a@example.org";
        place.shell(&format!("git init -q . && git add . && git {own} commit -q -m first"))?;
        Ok(place)
    }

    fn shell(&self, line: &str) -> Result<String, Error> {
        let at = |name: &str| self.folder.join(name).display().to_string();
        let line = format!("cd {} && {line}", at("project"));
        Command::new("sh", &["-c", &line])
            .with("HOME", &at("home"))
            .with("XDG_CACHE_HOME", &at("cache"))
            .with("ACTUM_STORE", &at("store"))
            .output()
    }

    fn time(&self, line: &str) -> Result<Duration, Error> {
        let watch = Stopwatch::start();
        self.shell(&format!("{line} > /dev/null 2> /dev/null"))?;
        Ok(watch.elapsed())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn judge(series: &[Series]) -> Held {
    let find = |script: &str, way: &str| series.iter().find(|one| one.name == format!("{script} {way}"));
    let pair = |script: &str| Some((find(script, "bare")?, find(script, "actum experiment")?));
    let (Some((bare, ours)), Some((bare_second, ours_second))) = (pair("trivial.py"), pair("second.py"))
    else {
        return Held::No;
    };
    let added = [
        ours.summary.p50.saturating_sub(bare.summary.p50),
        ours.summary.p99.saturating_sub(bare.summary.p99),
    ];
    let ratio = ours_second.summary.p50.as_secs_f64() / bare_second.summary.p50.as_secs_f64();
    say::line(&format!(
        "an experiment adds {:.1} ms at p50 (promised {}), {:.1} ms at p99 (promised {}); a second takes {ratio:.3} times as long (promised {RATIO})",
        added[0].as_secs_f64() * 1000.0,
        ADDED[0].as_millis(),
        added[1].as_secs_f64() * 1000.0,
        ADDED[1].as_millis()
    ));
    if added[0] <= ADDED[0] && added[1] <= ADDED[1] && ratio <= RATIO { Held::Yes } else { Held::No }
}
