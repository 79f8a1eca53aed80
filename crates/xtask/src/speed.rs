//! `cargo xtask speed`: what `actum run -- true` costs, held to a table.
//!
//! System calls are counted by strace: they are the same on every machine and each time, so their bound is hard. Time is compared with
//! bubblewrap, which starts in turn with it on the same machine: the ratio of the least of forty rounds may miss its bound by 30 %.
//! `cargo xtask bench cli` measures the same with percentiles, for release.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::PathBuf;
use std::time::Duration;

use crate::Held;
use crate::bench::cli;
use crate::binary;
use crate::command::{self, Command};
use crate::error::Error;
use crate::say;
use crate::step::{Outcome, Session};
use crate::test::counts::Counts;

/// What one command may cost, for one kind of caller.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    caller: Caller,
    /// Of `actum run --quiet -- true` with a store that is there, by all its processes.
    calls: u64,
    /// The time of `actum run -- true` divided by that of bubblewrap.
    ratio: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    Root,
    /// Ourselves, or somebody who owns nothing where we are root.
    User,
}

const BOUNDS: [Bound; 2] = [
    Bound { caller: Caller::Root, calls: 2_000, ratio: 2.1 },
    Bound { caller: Caller::User, calls: 2_000, ratio: 2.1 },
];

/// By how much the ratio may miss its bound: two machines differ by less, and noise in the least of forty rounds as well.
const SLACK: f64 = 1.3;
const ROUNDS: &str = "40";
/// The first makes the store; the least of the others counts, as a survey that is out of date is made again now and then.
const COUNTED: usize = 4;

/// `cargo xtask speed`
pub fn speed() -> Result<Held, Error> {
    if !binary::build()? {
        return Ok(Held::No);
    }
    Ok(if measure()?.failed == 0 { Held::Yes } else { Held::No })
}

/// The step of `cargo xtask test`: each bound counts as two tests.
pub fn step(session: &mut Session) -> Result<Outcome, Error> {
    if session.binary.is_none() {
        return Ok(Outcome::Skipped("there is no binary to measure".to_owned()));
    }
    let counts = measure()?;
    Ok(Outcome::Tested { counts, succeeded: counts.failed == 0 })
}

fn measure() -> Result<Counts, Error> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let mut counts = Counts::default();
    for bound in BOUNDS.iter().filter(|bound| is_root || bound.caller == Caller::User) {
        let user = (is_root && bound.caller == Caller::User).then_some(cli::ORDINARY_USER);
        let ground = Ground::make(user)?;
        let (calls, ratio) = (ground.calls()?, ground.ratio()?);
        counts = counts + show(judge_calls(bound, calls)) + show(judge_ratio(bound, ratio));
    }
    Ok(counts)
}

/// A value, or why there is none.
type Measured<T> = Result<T, String>;

/// What is said about one figure, and whether it held; nothing where there is no figure.
type Judged = (String, Option<bool>);

fn judge_calls(bound: &Bound, calls: Measured<u64>) -> Judged {
    let Bound { caller, calls: most, .. } = *bound;
    match calls {
        Ok(calls) => (format!("{caller:?}: {calls} system calls (at most {most})"), Some(calls <= most)),
        Err(reason) => (format!("{caller:?}: system calls are not counted: {reason}"), None),
    }
}

fn judge_ratio(bound: &Bound, ratio: Measured<f64>) -> Judged {
    let (caller, most) = (bound.caller, bound.ratio * SLACK);
    match ratio {
        Ok(ratio) => {
            let line =
                format!("{caller:?}: {ratio:.2} x bubblewrap (bound {}, fails above {most:.2})", bound.ratio);
            (line, Some(ratio <= most))
        }
        Err(reason) => (format!("{caller:?}: time is not compared: {reason}"), None),
    }
}

fn show((line, held): Judged) -> Counts {
    let (word, counts) = match held {
        Some(true) => ("held", Counts { passed: 1, ..Counts::default() }),
        Some(false) => ("FAILED", Counts { failed: 1, ..Counts::default() }),
        None => ("skipped", Counts { skipped: 1, ..Counts::default() }),
    };
    say::line(&format!("  {word}: {line}"));
    counts
}

/// A folder with copies of the programs, a home, and a workspace, all of which the caller owns. Gone when it is dropped.
struct Ground {
    folder: PathBuf,
    user: Option<&'static str>,
}

impl Ground {
    fn make(user: Option<&'static str>) -> Result<Ground, Error> {
        let folder = std::env::temp_dir().join(format!("actum-speed-{}", std::process::id()));
        let ground = Ground { folder, user };
        let from = binary::folder()?;
        let make = || -> std::io::Result<()> {
            fs::create_dir(&ground.folder)?;
            fs::set_permissions(&ground.folder, fs::Permissions::from_mode(0o755))?;
            for name in ["actum", "bench-cli"] {
                fs::copy(format!("{from}/{name}"), ground.folder.join(name))?;
            }
            for name in ["home", "work"] {
                fs::create_dir(ground.folder.join(name))?;
            }
            Ok(())
        };
        make().map_err(|source| Error::Write { path: ground.folder.display().to_string(), source })?;
        ground.give()?;
        Ok(ground)
    }

    /// To the caller.
    fn give(&self) -> Result<(), Error> {
        let Some(user) = self.user else { return Ok(()) };
        let id = |flag| Command::new("id", &[flag, user]).output();
        let number = |text: String| text.trim().parse::<u32>().ok();
        let (owner, group) = (number(id("-u")?), number(id("-g")?));
        for name in ["home", "work"] {
            let path = self.folder.join(name);
            let given = chown(&path, owner, group);
            given.map_err(|source| Error::Write { path: path.display().to_string(), source })?;
        }
        Ok(())
    }

    /// Runs in the workspace as the caller, with nothing of ours in its variables but where programs are.
    fn output(&self, words: &[&str]) -> Result<String, Error> {
        let (home, work) = (format!("HOME={}", self.path("home")), self.path("work"));
        let search = format!("PATH={}", std::env::var("PATH").unwrap_or_default());
        let mut all: Vec<&str> = self.user.map_or_else(Vec::new, |user| vec!["runuser", "-u", user, "--"]);
        all.extend(["env", "--ignore-environment", "-C", &work, &home, &search]);
        all.extend(words);
        Command::new(all[0], &all[1..]).output()
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn calls(&self) -> Result<Measured<u64>, Error> {
        if !command::is_on_path("strace") {
            return Ok(Err("strace is not here".to_owned()));
        }
        let log = self.path("work/calls.txt");
        let strace = ["strace", "-f", "-c", "-U", "calls,name", "-o", &log];
        if let Err(error) = self.output(&[&strace[..], &["true"]].concat()) {
            return Ok(Err(format!("strace does not work here: {error}")));
        }
        let actum = self.path("actum");
        let words = [&strace[..], &[&actum, "run", "--quiet", "--", "true"]].concat();
        let mut counted = Vec::new();
        for _ in 0..COUNTED {
            self.output(&words)?;
            let text = fs::read_to_string(&log);
            let text = text.map_err(|source| Error::Read { path: log.clone(), source })?;
            counted.push(total(&text).ok_or_else(|| malformed("a count of system calls", &text))?);
        }
        Ok(counted.into_iter().skip(1).min().ok_or_else(|| "nothing was counted".to_owned()))
    }

    fn ratio(&self) -> Result<Measured<f64>, Error> {
        if !command::is_on_path("bwrap") {
            return Ok(Err("bubblewrap is not here".to_owned()));
        }
        let told = self.output(&[&self.path("bench-cli"), ROUNDS, &self.path("actum")])?;
        let least = |series: &str| -> Result<Duration, Error> {
            let measured: Vec<(String, u64)> = told.lines().map(cli::read).collect::<Result<_, _>>()?;
            let reduced = cli::reduce(&measured, series);
            Ok(reduced.ok_or_else(|| malformed("a measurement", &told))?.summary.min)
        };
        let [theirs, .., ours] = cli::SERIES;
        Ok(Ok(least(ours)?.as_secs_f64() / least(theirs)?.as_secs_f64()))
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The last line of strace's summary with the columns `calls` and `name`: `1958 total`.
fn total(summary: &str) -> Option<u64> {
    let (calls, name) = summary.trim_end().lines().last()?.trim().split_once(' ')?;
    calls.parse().ok().filter(|_| name.trim() == "total")
}

fn malformed(what: &str, text: &str) -> Error {
    Error::Malformed { what: what.to_owned(), reason: text.chars().take(200).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Bound = Bound { caller: Caller::Root, calls: 2_000, ratio: 2.0 };

    #[test]
    fn calls_are_a_hard_bound_and_time_has_slack() {
        assert_eq!(judge_calls(&BOUND, Ok(2_000)).1, Some(true));
        assert_eq!(judge_calls(&BOUND, Ok(2_001)).1, Some(false));
        assert_eq!(judge_ratio(&BOUND, Ok(2.59)).1, Some(true));
        assert_eq!(judge_ratio(&BOUND, Ok(2.61)).1, Some(false));
    }

    #[test]
    fn what_is_not_measured_is_skipped_with_its_reason() {
        let (line, held) = judge_calls(&BOUND, Err("strace is not here".to_owned()));
        assert!(held.is_none() && line.ends_with("strace is not here"), "{line}");
        assert_eq!(show((line, held)).skipped, 1);
    }

    #[test]
    fn totals_of_strace_are_read() {
        assert_eq!(
            total("    calls syscall\n------- -----\n      758 read\n------- ----\n     2916 total\n"),
            Some(2916)
        );
        assert_eq!(total("     2916 read\n"), None);
        assert_eq!(total(""), None);
    }
}
