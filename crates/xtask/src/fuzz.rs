//! `cargo xtask fuzz [NAME] [--time SECONDS]`: every door that hostile text comes through, for ten seconds each.
//!
//! The targets are in `fuzz/`, a workspace of its own. LLVM's fuzzer needs only that the compiler counts which code is reached, which a
//! stable one does when it is told by name; so neither `cargo fuzz` nor a nightly compiler is needed, and memory errors are not looked for:
//! the rooms that are fuzzed have no `unsafe`.
//!
//! `cargo xtask fuzz` counts in every crate, also those of others, and builds them all for that. `cargo xtask test` counts in ours alone and
//! uses what was built for the binary otherwise: that takes a third of the time, and what a change of ours broke is found as well.

use std::fs;
use std::thread;

use crate::Held;
use crate::binary;
use crate::check::metadata;
use crate::command::Command;
use crate::error::Error;
use crate::say;
use crate::step::{Outcome, Session};
use crate::test::counts::Counts;

const FOLDER: &str = "fuzz";
/// Long enough to find what a change broke, short enough for every change. Before a release each target runs for ten minutes.
const SECONDS: u64 = 10;
/// Each uses one processor, and the smallest machines that build this have two.
const AT_ONCE: usize = 2;
/// What `cargo fuzz --sanitizer none` hands to the compiler.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Added where only our own crates are built for this, with the optimisation of the profile `ci`: cheaper, and as strict as a debug build.
const OWN_FLAGS: &str = "-Copt-level=1 -Cdebug-assertions=on -Coverflow-checks=on";
/// Calls the compiler with the flags for our crates, and as it is for all others.
const INSTRUMENT: &str = "fuzz/instrument";

const NO_COMPILER: &str = "there is no compiler of C++ (c++), which the fuzzer itself is built by";

/// Runs the targets that were asked for.
pub fn fuzz(arguments: &[String]) -> Result<Held, Error> {
    let asked = Asked::read(arguments)?;
    let targets: Vec<String> =
        targets()?.into_iter().filter(|name| asked.name.as_ref().is_none_or(|asked| asked == name)).collect();
    if targets.is_empty() {
        return Err(Error::Arguments { given: format!("fuzz {}", arguments.join(" ")) });
    }
    match all(&targets, asked.seconds, Scope::All)? {
        Outcome::Skipped(why) => say::line(&format!("skipped: {why}")),
        Outcome::Tested { succeeded: true, .. } | Outcome::Held => {}
        Outcome::Tested { .. } | Outcome::Refused { .. } | Outcome::Found(_) => return Ok(Held::No),
    }
    Ok(Held::Yes)
}

/// The step of `cargo xtask test`: every target for a few seconds, which counts as one test each.
pub fn step(session: &mut Session) -> Result<Outcome, Error> {
    let scope = if session.binary.is_some() { Scope::Own } else { Scope::All };
    all(&targets()?, SECONDS, scope)
}

/// In which crates it is counted which code is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    Own,
}

/// A check: the targets are a workspace of their own, which a change elsewhere breaks unseen. It shares what is built for the rest.
pub fn compiles(session: &mut Session) -> Result<Outcome, Error> {
    if session.binary.is_some() {
        return Ok(Outcome::Skipped("the step `fuzz` builds them".to_owned()));
    }
    if !has_compiler_of_cpp() {
        return Ok(Outcome::Skipped(NO_COMPILER.to_owned()));
    }
    let check = ["check", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target"];
    if Command::cargo(&check).live()? {
        return Ok(Outcome::Held);
    }
    Ok(Outcome::Refused { advice: "fix the compiler errors above".to_owned() })
}

/// Builds the targets and says where they are; nothing where that failed.
fn build(scope: Scope) -> Result<Option<String>, Error> {
    let (built, folder) = match scope {
        Scope::All => {
            // Named, so that the flags are for the targets and not for the programs that build them.
            let machine = machine()?;
            let words = ["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", &machine];
            let built = Command::cargo(&words).with("RUSTFLAGS", FLAGS).live()?;
            (built, format!("{FOLDER}/target/{machine}/release"))
        }
        Scope::Own => {
            let target = metadata::target_folder()?;
            let root =
                std::env::current_dir().map_err(|source| Error::Read { path: ".".to_owned(), source })?;
            let words = ["build", "--profile", binary::PROFILE, "--manifest-path", "fuzz/Cargo.toml"];
            let built = Command::cargo(&[&words[..], &["--target-dir", &target]].concat())
                .with("RUSTC_WRAPPER", &root.join(INSTRUMENT).to_string_lossy())
                .with("FUZZ_FLAGS", &format!("{FLAGS} {OWN_FLAGS}"))
                .live()?;
            (built, binary::folder()?)
        }
    };
    Ok(built.then_some(folder))
}

/// Builds the targets and runs them, a few at once.
fn all(targets: &[String], seconds: u64, scope: Scope) -> Result<Outcome, Error> {
    if !has_compiler_of_cpp() {
        return Ok(Outcome::Skipped(NO_COMPILER.to_owned()));
    }
    let Some(programs) = build(scope)? else {
        return Ok(Outcome::Refused { advice: "fix the compiler errors above".to_owned() });
    };
    let mut counts = Counts::default();
    for few in targets.chunks(AT_ONCE) {
        for (name, held) in few.iter().zip(run_at_once(few, &programs, seconds)) {
            let held = held?;
            if !held {
                say::line(&format!(
                    "{name}: an input made it fail; the input is in {FOLDER}/artifacts/{name}"
                ));
            }
            let (passed, failed) = (usize::from(held), usize::from(!held));
            counts = counts + Counts { passed, failed, ..Counts::default() };
        }
    }
    Ok(Outcome::Tested { counts, succeeded: counts.failed == 0 })
}

fn run_at_once(names: &[String], programs: &str, seconds: u64) -> Vec<Result<bool, Error>> {
    thread::scope(|scope| {
        let started: Vec<_> =
            names.iter().map(|name| scope.spawn(move || run(name, programs, seconds))).collect();
        started.into_iter().map(|thread| thread.join().expect("a run answers and does not panic")).collect()
    })
}

/// True when nothing broke the target; then only its figures are said, otherwise everything.
fn run(name: &str, programs: &str, seconds: u64) -> Result<bool, Error> {
    let corpus = format!("{FOLDER}/corpus/{name}");
    let artifacts = format!("{FOLDER}/artifacts/{name}/");
    for path in [&corpus, &artifacts] {
        fs::create_dir_all(path).map_err(|source| Error::Write { path: path.clone(), source })?;
    }
    let time = format!("-max_total_time={seconds}");
    let kept = format!("-artifact_prefix={artifacts}");
    // An input that takes ten seconds is one that takes more than linear time; none of them is long.
    let words = [
        time.as_str(),
        &kept,
        "-timeout=10",
        "-max_len=65536",
        "-print_final_stats=1",
        "-verbosity=0",
        &corpus,
    ];
    let command = Command::new(&format!("{programs}/{name}"), &words);
    let told = command.told()?;
    let is_worth_saying = |line: &&str| !told.succeeded || line.starts_with("stat::");
    let lines: Vec<&str> = told.stderr.lines().filter(is_worth_saying).collect();
    say::line(&format!("$ {}\n{}", command.shown(), lines.join("\n")));
    Ok(told.succeeded)
}

/// What the compiler calls this kind of machine.
fn machine() -> Result<String, Error> {
    let said = Command::new("rustc", &["-vV"]).output()?;
    let name = said.lines().find_map(|line| line.strip_prefix("host: "));
    name.map(str::to_owned).ok_or_else(|| Error::Malformed {
        what: "`rustc -vV`".to_owned(),
        reason: "it names no host".to_owned(),
    })
}

/// The names of the files in `fuzz/fuzz_targets`, in order.
fn targets() -> Result<Vec<String>, Error> {
    let path = format!("{FOLDER}/fuzz_targets");
    let failed = |source| Error::Read { path: path.clone(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(&path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".rs").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

fn has_compiler_of_cpp() -> bool {
    Command::new("c++", &["--version"]).output().is_ok()
}

/// What to run, and how long.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    name: Option<String>,
    seconds: u64,
}

impl Asked {
    fn read(arguments: &[String]) -> Result<Self, Error> {
        let mut asked = Self { name: None, seconds: SECONDS };
        let wrong = || Error::Arguments { given: format!("fuzz {}", arguments.join(" ")) };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--time" => {
                    asked.seconds = words.next().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
                }
                name if !name.starts_with('-') && asked.name.is_none() => asked.name = Some(name.to_owned()),
                _ => return Err(wrong()),
            }
        }
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Option<Asked> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Asked::read(&words).ok()
    }

    #[test]
    fn what_is_asked() {
        assert_eq!(asked(""), Some(Asked { name: None, seconds: 10 }));
        assert_eq!(asked("answers --time 5"), Some(Asked { name: Some("answers".to_owned()), seconds: 5 }));
        for wrong in ["--time", "--time x", "a b", "--fast"] {
            assert_eq!(asked(wrong), None, "{wrong}");
        }
    }
}
