//! Experiments that are killed and continued: the result is that of one that was not, and its curve has every step once.

use crate::leftovers::{kill, marked};
use crate::run::{Done, within};
use crate::world::{Caller, World};
use rustix::process::Signal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const STEPS: u64 = 60;

/// Saves its state with that of its generator after every step, whole or not at all.
const TRAIN: &str = r#"
import argparse, json, os, pickle, random, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--out", required=True)
parser.add_argument("--pause", type=float, default=0.05)
parser.add_argument("--fail-at", type=int, default=-1)
parser.add_argument("--RESUME", default=None, help="checkpoint to continue from")
options = parser.parse_args()
random.seed(int(os.environ["ACTUM_SEED"]))
first, weight, moment = 0, 1.0, 0.0
if options.RESUME_NAME:
    with open(options.RESUME_NAME, "rb") as file:
        first, weight, moment, state = pickle.load(file)
    random.setstate(state)
for step in range(first, options.steps):
    slope = 2 * (weight - 0.25) + random.gauss(0, 0.1)
    moment = 0.9 * moment + slope
    weight -= 0.01 * moment
    loss = (weight - 0.25) ** 2 + random.random() * 0.01
    print(f"step {step} accuracy: {1 - loss!r}", flush=True)
    with open(os.path.join(options.out, "metrics.jsonl"), "a") as file:
        file.write(json.dumps({"step": step, "weight": weight, "loss": loss}) + "\n")
    path = os.path.join(options.out, f"checkpoint-{step}.pkl")
    with open(path + ".tmp", "wb") as file:
        pickle.dump((step + 1, weight, moment, random.getstate()), file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)
    if step == options.fail_at and not options.RESUME_NAME:
        sys.exit("the machine is on fire")
    time.sleep(options.pause)
"#;

/// The program, with this option for continuing.
fn train(option: &str) -> String {
    let name = option.trim_start_matches('-').replace('-', "_");
    TRAIN.replace("RESUME_NAME", &name).replace("--RESUME", option)
}

/// xorshift64*: other moments each time would be other tests; the machine adds enough chance.
fn random(seed: u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for _ in 0..3 {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
    }
    state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Every point of the curves in a folder: for each metric its values by step, all of them.
fn curves(folder: &Path) -> BTreeMap<(String, u64), Vec<String>> {
    let text = std::fs::read_to_string(folder.join("curves.jsonl")).unwrap();
    let mut curves: BTreeMap<(String, u64), Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        let point: Value = serde_json::from_str(line).unwrap();
        let key = (point["key"].as_str().unwrap().to_owned(), point["step"].as_u64().unwrap());
        curves.entry(key).or_default().push(point["value"].to_string());
    }
    curves
}

/// Metrics of files, as the result has them.
fn metrics(folder: &Path) -> Vec<Value> {
    let all = read_json(&folder.join("results.json"))["metrics"].as_array().unwrap().clone();
    all.into_iter().filter(|metric| metric["name"] != "accuracy").collect()
}

fn checkpoints(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder).map(|entries| {
        entries.filter(|entry| {
            let name = entry.as_ref().unwrap().file_name().into_string().unwrap();
            name.starts_with("checkpoint-") && !name.ends_with(".tmp")
        })
    });
    names.map_or(0, Iterator::count)
}

/// A program whose every word is known, uninterrupted and with kills, in the same workspace.
struct Trial<'a> {
    world: &'a World,
    patience: Duration,
}

impl Trial<'_> {
    fn say(&self, words: &[&str]) -> Done {
        self.world.actum_with(words).patience(self.patience).go()
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.world.workspace().join(name)
    }

    /// Begins an experiment, and kills it and what continues it until it ends by itself. Gives how often it was killed.
    fn run_with_kills(&self, words: &[&str], folder: &Path, most: u64) -> u64 {
        let mut kills = 0;
        let resume = ["experiment", "resume", "last", "--yes"];
        loop {
            let words = if kills == 0 { words } else { &resume };
            let before = checkpoints(folder);
            let mut going = self.world.actum_with(words).patience(self.patience).start();
            let is_further = || checkpoints(folder) > before || going.child.try_wait().unwrap().is_some();
            assert!(within(self.patience, is_further), "nothing was saved after {kills} kills");
            if kills == most || going.child.try_wait().unwrap().is_some() {
                going.finish().expect(0);
                return kills;
            }
            std::thread::sleep(Duration::from_millis(random(kills + 7) % 200));
            if going.child.try_wait().unwrap().is_some() {
                going.finish().expect(0);
                return kills;
            }
            kill(going.child.id() as i32, Signal::KILL);
            going.finish();
            kills += 1;
            let actum = self.world.actum();
            let gone = within(Duration::from_secs(10), || marked(actum.to_str().unwrap()).is_empty());
            assert!(gone, "something of the killed run still lives");
        }
    }
}

#[test]
fn killed_and_continued_it_comes_to_the_same() {
    for world in World::each() {
        world.make_file(&world.workspace().join("train.py"), &train("--resume"));
        let trial = Trial { world: &world, patience: Duration::from_secs(60) };
        let command = |folder: &str| {
            let words = [
                "experiment",
                "run",
                "--yes",
                "--output",
                folder,
                "--",
                "python3",
                "train.py",
                "--out",
                "{output}",
            ];
            words.map(str::to_owned)
        };
        let whole = command("runs/whole");
        trial.say(&whole.each_ref().map(String::as_str)).expect(0);
        let (whole, parts) = (trial.folder("runs/whole"), trial.folder("runs/parts"));
        let kills = trial.run_with_kills(&command("runs/parts").each_ref().map(String::as_str), &parts, 5);
        assert!(kills >= 3, "killed {kills} times only: the moments are badly chosen");
        let (expected, mut found) = (curves(&whole), curves(&parts));
        assert!(found.values().all(|values| values.len() == 1), "{found:?}");
        // What was in the pipe when its reader was killed is gone: one line each time at most. Nothing of a file is.
        let mut missing = expected.clone();
        missing.retain(|key, _| !found.contains_key(key));
        assert!(
            missing.len() as u64 <= kills && missing.keys().all(|(key, _)| key == "accuracy"),
            "{missing:?}"
        );
        found.extend(missing);
        assert_eq!(found.len() as u64, 3 * STEPS, "{:?}", found.keys());
        assert_eq!(expected, found);
        assert_eq!(metrics(&whole), metrics(&parts));
        let manifest = read_json(&parts.join("manifest.json"));
        assert_eq!(manifest["purpose"]["kind"], "resume");
        assert_eq!(manifest["attempts"].as_array().unwrap().len() as u64, kills, "{manifest:#}");
        let words = manifest["command"]["words"].as_array().unwrap();
        assert_eq!(words.iter().filter(|word| *word == "--resume").count(), 1, "{words:?}");
        // The record has the same curve, and nothing of the run is left in the store.
        let exported = world.path("reports/crate");
        trial.say(&["experiment", "export", "last", "--crate", exported.to_str().unwrap()]).expect(0);
        let kept = std::fs::read_to_string(exported.join("metrics.jsonl")).unwrap();
        assert_eq!(kept, std::fs::read_to_string(parts.join("curves.jsonl")).unwrap());
        assert!(
            !is_manifest_left(&world, manifest["run"].as_str().unwrap()),
            "a manifest was left in the store"
        );
    }
}

/// Whether the store still has what only a run that goes on needs.
fn is_manifest_left(world: &World, run: &str) -> bool {
    world.path("home/.local/share/actum/runs").join(run).join("manifest.json").exists()
}

#[test]
fn a_failed_experiment_goes_on_where_it_failed() {
    let Some(world) = World::each().pop() else { return };
    let trial = Trial { world: &world, patience: Duration::from_secs(60) };
    let program = world.workspace().join("train.py");
    world.make_file(&program, &train("--resume-from-checkpoint"));
    let run =
        ["experiment", "run", "--yes", "--output", "out", "--", "python3", "train.py", "--out", "{output}"];
    let run: Vec<&str> =
        run.iter().copied().chain(["--fail-at", "4", "--pause", "0", "--steps", "9"]).collect();
    trial.say(&run).expect(1);
    let planned = trial.say(&["experiment", "resume", "last", "--dry-run", "--json"]).expect(0);
    let planned: Value = serde_json::from_str(&planned.out()).unwrap();
    assert_eq!(planned["purpose"]["checkpoint"], "out/checkpoint-4.pkl");
    assert!(trial.folder("out").join("checkpoint-4.pkl").exists(), "a plan removed what was there");
    // What is not as it was is said.
    let changed = std::fs::read_to_string(&program).unwrap() + "# another line\n";
    world.make_file(&program, &changed);
    let resumed = trial.say(&["experiment", "resume", "last"]).expect(0);
    assert!(resumed.err().contains("train.py has changed"), "{resumed}");
    let found = curves(&trial.folder("out"));
    assert_eq!(found.len(), 27, "{:?}", found.keys());
    assert!(found.values().all(|values| values.len() == 1), "{found:?}");
    // One that succeeded is continued only when that is asked for.
    let refused = trial.say(&["experiment", "resume", "last"]).expect(125);
    assert!(refused.err().contains("--again"), "{refused}");
    let earlier = ["experiment", "resume", "last", "--again", "--checkpoint", "checkpoint-6.pkl"];
    trial.say(&earlier).expect(0);
    assert_eq!(curves(&trial.folder("out")).len(), 27);
}

#[test]
fn without_a_checkpoint_or_a_way_it_says_what_was_looked_for() {
    let Some(world) = World::each().pop() else { return };
    let trial = Trial { world: &world, patience: Duration::from_secs(60) };
    world.make_file(&world.workspace().join("none.py"), "raise SystemExit(3)\n");
    trial.say(&["experiment", "run", "--yes", "--output", "none", "--", "python3", "none.py"]).expect(3);
    let refused = trial.say(&["experiment", "resume", "last"]).expect(125);
    assert!(refused.err().contains("no checkpoint") && refused.err().contains("none"), "{refused}");
    let odd = "import os, sys\nout = os.environ['ACTUM_OUTPUT']\n\
               if len(sys.argv) > 2: print('from', sys.argv[2]); raise SystemExit(0)\n\
               open(out + '/last.ckpt', 'w').write('1')\nraise SystemExit(4)\n";
    world.make_file(&world.workspace().join("odd.py"), odd);
    trial.say(&["experiment", "run", "--yes", "--output", "odd", "--", "python3", "odd.py"]).expect(4);
    let refused = trial.say(&["experiment", "resume", "last"]);
    assert_eq!(refused.code(), 125, "{refused}");
    assert!(refused.err().contains("[experiment] resume"), "{refused}");
    let settings = world.path("home/.config/actum/config.toml");
    world.make_file(&settings, "[experiment]\nresume = \"--warm {checkpoint}\"\n");
    let failed = read_json(&trial.folder("odd").join("manifest.json"))["run"].as_str().unwrap().to_owned();
    let resumed = trial.say(&["experiment", "resume", &failed]).expect(0);
    assert!(resumed.out().contains("from odd/last.ckpt"), "{resumed}");
}

/// Only its `--help` tells how it continues: the option is made where no reader of its text finds it.
#[test]
fn the_way_is_found_in_the_help_of_the_program() {
    let Some(world) = World::each().pop() else { return };
    let trial = Trial { world: &world, patience: Duration::from_secs(60) };
    let program = "#!/bin/sh\ncase \"$1\" in --help) echo 'usage: train [--resume FILE]'; echo; echo 'options:'; \
                   echo '  --resume FILE  continue from FILE';; \
                   --resume) echo \"from $2\";; *) echo 1 > \"$ACTUM_OUTPUT/last.ckpt\"; exit 5;; esac\n";
    world.make_program(&world.workspace().join("train"), program);
    trial.say(&["experiment", "run", "--yes", "--output", "out", "--", "./train"]).expect(5);
    let run = read_json(&trial.folder("out").join("manifest.json"))["run"].as_str().unwrap().to_owned();
    let resumed = trial.say(&["experiment", "resume", &run]).expect(0);
    assert!(resumed.out().contains("from out/last.ckpt"), "{resumed}");
}

/// A real training: model, optimiser and the generator's state, in the format of PyTorch.
const TORCH: &str = r#"
import argparse, json, os, time, torch
parser = argparse.ArgumentParser()
parser.add_argument("--out", required=True)
parser.add_argument("--resume", default=None)
options = parser.parse_args()
torch.manual_seed(int(os.environ["ACTUM_SEED"]))
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.2), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
first = 0
if options.resume:
    state = torch.load(options.resume)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"])
    first = state["step"]
for step in range(first, 120):
    inputs = torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with open(os.path.join(options.out, "metrics.jsonl"), "a") as file:
        file.write(json.dumps({"step": step, "loss": loss.item()}) + "\n")
    path = os.path.join(options.out, f"checkpoint-{step}.pt")
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "random": torch.get_rng_state(), "step": step + 1}
    torch.save(state, path + ".tmp")
    os.replace(path + ".tmp", path)
    time.sleep(0.05)
"#;

/// Two kills, or as many as `ACTUM_TORCH_KILLS` says.
#[test]
fn a_training_with_pytorch_is_killed_and_continued() {
    let Some(world) = World::new(Caller::Root).or_else(|| World::new(Caller::Ordinary)) else { return };
    let python = std::env::var("ACTUM_TORCH_PYTHON").unwrap_or_else(|_| "/usr/bin/python3".to_owned());
    let has_torch =
        Command::new(&python).args(["-c", "import torch"]).output().is_ok_and(|done| done.status.success());
    if !has_torch {
        return actum_testkit::skip("python3-torch is not installed");
    }
    let most = std::env::var("ACTUM_TORCH_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    world.make_file(&world.workspace().join("train.py"), TORCH);
    let trial = Trial { world: &world, patience: Duration::from_secs(300) };
    let input = Path::new(&python).ancestors().nth(2).unwrap().to_str().unwrap();
    let command = |folder| {
        [
            "experiment",
            "run",
            "--yes",
            "--no-prepare",
            "--input",
            input,
            "--output",
            folder,
            "--",
            &python,
            "train.py",
            "--out",
            "{output}",
        ]
    };
    trial.say(&command("whole")).expect(0);
    let kills = trial.run_with_kills(&command("parts"), &trial.folder("parts"), most);
    assert!(kills > 0, "it was never killed");
    let found = curves(&trial.folder("parts"));
    assert_eq!(found.len(), 120, "{:?}", found.keys());
    assert_eq!(curves(&trial.folder("whole")), found);
    assert_eq!(metrics(&trial.folder("whole")), metrics(&trial.folder("parts")));
}
