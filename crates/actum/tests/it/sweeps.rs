//! Sweeps: the same trials with one worker and with sixteen, after kills as without, none lost and none doubled; driven by another
//! program, and stopped early at the same trial.

use crate::leftovers::kill;
use crate::run::{Done, Run};
use crate::world::{Caller, PATH, World};
use rustix::process::Signal;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

/// What a trial computes is a function of its words and its seed.
const TRAIN: &str = "#!/bin/sh\n\
    lr=${1#--lr=}; layers=${2#--layers=}\n\
    case \"$layers\" in 9) echo broken >&2; exit 3;; esac\n\
    sleep ${PAUSE:-0}\n\
    echo \"$ACTUM_SEED\" > \"$ACTUM_OUTPUT/seed\"\n\
    printf '{\"step\": 1, \"loss\": %s}\\n' \"0.$lr$layers\" > \"$ACTUM_OUTPUT/metrics.jsonl\"\n";
const COMMAND: [&str; 4] = ["--", "./train.sh", "--lr={lr}", "--layers={layers}"];
const SPACE: [&str; 4] = ["--param", "lr=1,2,3", "--param", "layers=1..2"];
const PATIENCE: Duration = Duration::from_secs(240);

/// A place with the program.
fn world() -> Option<World> {
    world_of(Caller::Ordinary)
}

fn world_of(caller: Caller) -> Option<World> {
    let world = World::new(caller)?;
    world.make_program(&world.workspace().join("train.sh"), TRAIN);
    Some(world)
}

fn sweep<'a>(world: &'a World, words: &[&str]) -> Run<'a> {
    let all: Vec<&str> = ["sweep"].into_iter().chain(words.iter().copied()).collect();
    world.actum_with(&all).without_report().patience(PATIENCE)
}

fn started<'a>(world: &'a World, flags: &[&str]) -> Run<'a> {
    sweep(world, &[flags, &SPACE, &COMMAND].concat())
}

fn account(done: &Done) -> Value {
    serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"))
}

/// Everything of a trial that must not depend on workers and kills.
fn trials(account: &Value) -> BTreeSet<String> {
    let rows = account["trials"].as_array().unwrap();
    let facts = ["index", "rung", "parameters", "seed", "split", "id", "outcome", "value"];
    let all: BTreeSet<String> =
        rows.iter().map(|row| facts.map(|fact| row[fact].to_string()).join(" ")).collect();
    assert_eq!(all.len(), rows.len(), "a trial is there twice: {account:#}");
    all
}

/// Each run belongs to one trial, and the seed that its program saw is the trial's.
fn check_runs(world: &World, account: &Value) {
    let rows = account["trials"].as_array().unwrap();
    let runs: BTreeSet<&str> = rows.iter().map(|row| row["run"].as_str().unwrap()).collect();
    assert_eq!(runs.len(), rows.len());
    for row in rows {
        let folder = world.workspace().join(row["output"].as_str().unwrap());
        let seed = std::fs::read_to_string(folder.join("seed")).unwrap();
        assert_eq!(seed.trim(), row["seed"].to_string());
    }
}

#[test]
fn one_four_and_sixteen_workers_run_the_same_trials() {
    let Some(world) = world() else { return };
    let mut seen = Vec::new();
    for workers in ["1", "4", "16"] {
        let done = started(&world, &["--json", "--seeds", "2", "--workers", workers]).go().expect(0);
        let account = account(&done);
        assert_eq!(account["done"]["done"], "complete", "{done}");
        assert_eq!(account["total"], 12, "{done}");
        check_runs(&world, &account);
        seen.push((trials(&account), account["summary"].clone()));
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
    assert_eq!(seen[0].1["best"]["value"], 0.11);
    assert_eq!(seen[0].1["points"][0]["all"]["count"], 2);
}

/// xorshift64*: moments that differ between kills, and the machine adds enough chance.
fn random(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33
}

/// `ACTUM_SWEEP_KILLS` sets how many there are.
#[test]
fn after_kills_no_trial_is_lost_and_none_is_doubled() {
    let Some(world) = world() else { return };
    let kills: u32 = std::env::var("ACTUM_SWEEP_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let flags = ["--json", "--seeds", "2", "--workers", "2", "--env", "PAUSE=0.2"];
    let whole = started(&world, &[&flags[..], &["--name", "whole"]].concat()).go().expect(0);
    let expected = account(&whole);
    let mut going = started(&world, &[&flags[..], &["--name", "killed"]].concat()).start();
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let (mut cut_off, mut begun) = (0, false);
    for _ in 0..kills {
        let until = Instant::now() + whole.took.mul_f64(0.1 + random(&mut state) as f64 % 100.0 / 250.0);
        while going.child.try_wait().unwrap().is_none() && (Instant::now() < until || !begun) {
            begun = begun || sweep(&world, &["show", "killed", "--json"]).go().code() == 0;
            std::thread::sleep(Duration::from_millis(5));
        }
        cut_off += u32::from(going.child.try_wait().unwrap().is_none());
        kill(going.child.id() as i32, Signal::KILL);
        going.finish();
        going = sweep(&world, &["resume", "killed", "--json", "--workers", "2"]).start();
    }
    let done = going.finish().expect(0);
    let found = account(&done);
    assert!(cut_off > 0, "no kill met the sweep");
    assert_eq!(trials(&found), trials(&expected), "{done}");
    assert_eq!(found["summary"], expected["summary"], "{done}");
    check_runs(&world, &found);
    // Of each trial one run succeeded, and no more.
    let folder = world.workspace().join(found["folder"].as_str().unwrap());
    let journal = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap();
    let finished = journal.lines().filter(|line| line.contains("\"fact\":\"finished\"")).count();
    assert_eq!(finished, 12, "{journal}");
}

/// The end of a trial is lost from the journal, as by a kill between its record and its line.
#[test]
fn a_run_whose_end_was_not_written_is_found_by_its_record() {
    let Some(world) = world() else { return };
    let done = started(&world, &["--json"]).go().expect(0);
    let before = account(&done);
    let journal = world.workspace().join(before["folder"].as_str().unwrap()).join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    assert!(text[last..].contains("finished"), "{text}");
    // Half a line stays, as a kill may leave it.
    std::fs::write(&journal, &text[..last + 20]).unwrap();
    let again = sweep(&world, &["resume", "last"]).go().expect(0);
    assert!(again.err().contains("1 trials had ended"), "{again}");
    let after = account(&sweep(&world, &["show", "last", "--json"]).go().expect(0));
    assert_eq!((&after["trials"], &after["summary"]), (&before["trials"], &before["summary"]));
}

#[test]
fn interrupted_it_ends_its_trials_and_can_be_gone_on_with() {
    let Some(world) = world() else { return };
    let mut going = started(&world, &["--workers", "2", "--env", "PAUSE=1"]).start();
    let runs = world.workspace().join("runs");
    let begun = crate::run::within(Duration::from_secs(20), || {
        let folders = std::fs::read_dir(&runs).into_iter().flatten().flatten();
        folders.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap()).count() > 4
    });
    assert!(begun && going.child.try_wait().unwrap().is_none());
    kill(going.child.id() as i32, Signal::INT);
    let done = going.finish().expect(130);
    assert!(done.err().contains("actum sweep resume"), "{done}");
    let busy = account(&sweep(&world, &["resume", "last", "--json"]).go().expect(0));
    assert_eq!(trials(&busy).len(), 6);
}

#[test]
fn two_processes_do_not_drive_one_sweep() {
    let Some(world) = world() else { return };
    let mut going = started(&world, &["--env", "PAUSE=1"]).start();
    let runs = world.workspace().join("runs");
    let has_begun = || {
        let folders = std::fs::read_dir(&runs).into_iter().flatten().flatten();
        folders
            .map(|folder| folder.path().join("journal.jsonl"))
            .any(|file| file.metadata().is_ok_and(|file| file.len() > 0))
    };
    assert!(crate::run::within(Duration::from_secs(20), has_begun));
    let second = sweep(&world, &["resume", "last"]).go().expect(125);
    assert!(second.err().contains("another process drives"), "{second}");
    kill(going.child.id() as i32, Signal::KILL);
    let _ = going.child.wait();
}

#[test]
fn it_stops_at_the_same_trial_with_any_number_of_workers() {
    let Some(world) = world() else { return };
    let mut summaries = Vec::new();
    for workers in ["1", "4"] {
        let flags = ["--json", "--stop-at", "0.12", "--goal", "min", "--workers", workers];
        let words = [&flags[..], &["--param", "lr=3,2,1", "--param", "layers=2,1"], &COMMAND].concat();
        let account = account(&sweep(&world, &words).go().expect(0));
        assert_eq!(account["done"]["done"], "target", "{account:#}");
        assert_eq!(account["done"]["index"], 4);
        let mut summary = account["summary"].clone();
        summary.as_object_mut().unwrap().remove("surplus");
        summaries.push(summary);
    }
    assert_eq!(summaries[0], summaries[1]);
}

#[test]
fn halving_gives_the_best_points_larger_budgets() {
    let Some(world) = world() else { return };
    let flags = ["--json", "--halving", "1..4", "--eta", "2", "--budget", "layers", "--workers", "3"];
    let words = [&flags[..], &["--param", "lr=1,2,3,4"], &COMMAND].concat();
    let account = account(&sweep(&world, &words).go().expect(0));
    let rungs: Vec<String> = account["trials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{}:{}", row["parameters"]["lr"], row["budget"]))
        .collect();
    assert_eq!(rungs, ["1:1", "2:1", "3:1", "4:1", "1:2", "2:2", "1:4"]);
}

#[test]
fn programs_that_fail_are_results_and_a_sweep_of_them_ends() {
    let Some(world) = world() else { return };
    let words = [&["--param", "lr=1,2", "--param", "layers=1,9"], &COMMAND[..]].concat();
    let done = sweep(&world, &words).go().expect(0);
    assert!(done.err().contains("trial 1 failed") && done.err().contains("stderr.log"), "{done}");
    let flags = ["--stop-if-failed", "2", "--param", "lr=1..9", "--param", "layers=9"];
    let done = sweep(&world, &[&flags[..], &COMMAND].concat()).go().expect(1);
    assert!(done.err().contains("the first 2 trials all failed"), "{done}");
}

#[test]
fn what_cannot_be_a_sweep_is_said_before_anything_runs() {
    let Some(world) = world() else { return };
    world.make_file(
        &world.workspace().join("train.py"),
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', type=float, default=0.1)\nprint(parser.parse_args())\n",
    );
    for (words, expected) in [
        (&["--", "./train.sh"][..], "no parameters"),
        (&["--param", "lr=", "--", "./train.sh"], "lr"),
        (&["--param", "lr=1..x", "--", "./train.sh"], "range"),
        (&["--param", "lr=log(1e-5,1)", "--", "./train.sh", "{lr}"], "grid"),
        (&["--param", "nothing=1,2", "--", "python3", "train.py"], "nothing"),
        (&["--metric", "what", "--param", "lr=1", "--", "./train.sh", "{lr}"], "--goal"),
        (&["resume", "nowhere"], "nowhere"),
    ] {
        let done = sweep(&world, words).go().expect(125);
        assert!(done.err().contains(expected), "{expected}: {done}");
    }
    let runs = world.workspace().join("runs");
    assert!(!runs.exists() || std::fs::read_dir(runs).unwrap().count() == 0);
}

#[test]
fn another_program_drives_a_sweep() {
    let Some(world) = world() else { return };
    sweep(&world, &[&["--outside", "--name", "study"], &COMMAND[..]].concat()).go().expect(0);
    let ask =
        |lr: u32| format!("{{\"ask\":{{\"parameters\":{{\"lr\":{lr},\"layers\":1}},\"by\":\"me\"}}}}\n");
    let text = [ask(2), ask(1), ask(2), "nonsense\n".to_owned()].concat();
    let done = sweep(&world, &["drive", "study"]).stdin(text.as_bytes()).go().expect(0);
    let replies: Vec<Value> = done.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let values: Vec<&Value> = replies.iter().map(|reply| &reply["known"]["settled"]["value"]).collect();
    assert_eq!(values[..3], [0.21, 0.11, 0.21], "{done}");
    assert!(replies[3]["refused"]["error"].is_string(), "{done}");
    let account = account(&sweep(&world, &["show", "study", "--json"]).go().expect(0));
    assert_eq!(account["trials"].as_array().unwrap().len(), 2, "{account:#}");
    assert_eq!(account["summary"]["best"]["trial"]["origin"]["outside"], "me");
}

/// Its own sampler chooses; Actum runs and remembers.
const OPTUNA: &str = r#"
import json, subprocess, sys
import optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
drive = subprocess.Popen([sys.argv[1], "sweep", "drive", "optuna"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=7))
for _ in range(10):
    trial = study.ask()
    parameters = {"lr": trial.suggest_int("lr", 1, 9), "layers": trial.suggest_int("layers", 1, 8)}
    drive.stdin.write(json.dumps({"ask": {"parameters": parameters, "by": "optuna"}}) + "\n")
    drive.stdin.flush()
    settled = json.loads(drive.stdout.readline())["known"]["settled"]
    study.tell(trial, settled["value"])
drive.stdin.close()
assert drive.wait() == 0
print(json.dumps({"best": study.best_value, "trials": [t.params for t in study.trials]}))
"#;

/// A Python that has Optuna: what `ACTUM_OPTUNA` names, else one that is made with the machine's own client of its package index.
fn python_with_optuna(world: &World) -> Option<String> {
    let has = |python: &str| {
        Command::new(python).args(["-c", "import optuna"]).output().is_ok_and(|done| done.status.success())
    };
    if let Ok(python) = std::env::var("ACTUM_OPTUNA") {
        return has(&python).then_some(python);
    }
    let folder = world.path("optuna");
    let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).output().ok()?;
    let python = folder.join("bin/python").to_string_lossy().into_owned();
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "optuna"];
    let installed = made.status.success()
        && Command::new(&python).args(install).output().is_ok_and(|done| done.status.success());
    (installed && has(&python)).then_some(python)
}

#[test]
fn optuna_drives_a_sweep() {
    // The Python that is found may be root's own.
    let own = if rustix::process::geteuid().is_root() { Caller::Root } else { Caller::Ordinary };
    let Some(world) = world_of(own) else { return };
    let Some(python) = python_with_optuna(&world) else {
        return actum_testkit::skip("Optuna cannot be installed here");
    };
    sweep(&world, &[&["--outside", "--name", "optuna"], &COMMAND[..]].concat()).go().expect(0);
    let mut command = Command::new(&python);
    command.args(["-c", OPTUNA]).arg(world.actum()).current_dir(world.workspace()).env_clear();
    command.env("PATH", PATH).env("HOME", world.path("home")).env("XDG_CACHE_HOME", world.path("cache"));
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    let account = account(&sweep(&world, &["show", "optuna", "--json"]).go().expect(0));
    // Optuna may ask for the same parameters twice: they are run once.
    let asked: BTreeSet<String> = told["trials"].as_array().unwrap().iter().map(canonical).collect();
    let ran: BTreeSet<String> =
        account["trials"].as_array().unwrap().iter().map(|row| canonical(&row["parameters"])).collect();
    assert_eq!(told["trials"].as_array().unwrap().len(), 10);
    assert_eq!(asked, ran);
    assert_eq!(account["summary"]["best"]["value"], told["best"]);
}

fn canonical(parameters: &Value) -> String {
    format!("{} {}", parameters["lr"], parameters["layers"])
}
