//! Experiments: everything that is needed to repeat a run is kept, and a repetition says how far it came out the same.

use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Trains nothing, and depends on all that usually drifts: its own text, a module, data, random numbers, the order of a set.
const TRAIN: &str = r#"
import argparse, json, os, random
import helper
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default=0.5)
parser.add_argument("--data", default="data.txt")
args = parser.parse_args()
data = [float(line) for line in open(args.data)]
weight = random.random() * helper.SCALE
for epoch in range(args.epochs):
    weight -= args.lr * sum(weight - value for value in data) / len(data)
    print(f"epoch {epoch} loss={sum((weight - value) ** 2 for value in data):.6f}", flush=True)
names = list({"alpha", "beta", "gamma", "delta"})
with open(os.path.join(os.environ["ACTUM_OUTPUT"], "model.json"), "w") as file:
    json.dump({"weight": weight, "names": names}, file)
"#;

fn git(folder: &Path, words: &[&str]) {
    let own = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "safe.directory=*"];
    let done = Command::new("git").args(own).args(words).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with one commit, one edit of it, and a module that git does not know.
fn project(world: &World) {
    let at = |name: &str| world.workspace().join(name);
    world.make_file(&at("train.py"), "print('the first version')\n");
    world.make_file(&at("data.txt"), "1\n2\n3\n");
    git(&world.workspace(), &["init", "-q", "."]);
    git(&world.workspace(), &["add", "train.py"]);
    git(&world.workspace(), &["commit", "-q", "-m", "first"]);
    world.make_file(&at("train.py"), TRAIN);
    world.make_file(&at("helper.py"), "SCALE = 2\n");
    let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(at("train.py")).unwrap());
    let chown =
        Command::new("chown").arg("-R").arg(owner.to_string()).arg(world.workspace()).status().unwrap();
    assert!(chown.success());
}

fn experiment(world: &World, words: &[&str]) -> Done {
    let all: Vec<&str> =
        ["experiment", "run", "--yes", "--json"].into_iter().chain(words.iter().copied()).collect();
    world.actum_with(&all).without_report().go()
}

fn json(done: &Done) -> Value {
    serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"))
}

fn short(run: &Value) -> String {
    run["run"].as_str().unwrap().rsplit('-').next().unwrap().to_owned()
}

#[test]
fn what_drifts_after_a_run_is_as_it_was_when_it_is_repeated() {
    for world in World::each() {
        project(&world);
        let ran = json(&experiment(&world, &["--", "python3", "train.py", "--lr", "0.25"]).expect(0));
        let manifest = &ran["manifest"];
        assert_eq!(manifest["git"]["dirty"], true, "{manifest:#}");
        assert_eq!(manifest["git"]["untracked"], serde_json::json!(["data.txt", "helper.py"]));
        assert_eq!(manifest["seed"], serde_json::json!({"value": 42, "origin": "default"}));
        let parameters: Vec<String> = manifest["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                format!(
                    "{}={} {}",
                    one["name"].as_str().unwrap(),
                    one["value"],
                    one["origin"]["from"].as_str().unwrap()
                )
            })
            .collect();
        assert_eq!(parameters, ["epochs=3 default", "lr=0.25 command-line", "data=\"data.txt\" default"]);
        let output = world.workspace().join(manifest["output"].as_str().unwrap());
        for name in ["manifest.json", "results.json", "curves.jsonl", "log.jsonl", "stdout.log", "model.json"]
        {
            assert!(output.join(name).is_file(), "{name}");
        }
        assert_eq!(ran["metrics"][0]["name"], "loss");
        assert_eq!(ran["metrics"][0]["count"], 3);
        // All of it drifts: the edit, the module, the data.
        for (name, text) in
            [("train.py", "print('later')\n"), ("helper.py", "SCALE = 3\n"), ("data.txt", "9\n")]
        {
            world.make_file(&world.workspace().join(name), text);
        }
        let again = world.actum_with(&["reproduce", &short(&ran), "--json"]).without_report().go().expect(0);
        let again = json(&again);
        assert_eq!(again["grade"], "R0", "{again:#}");
        assert_eq!(again["drifted"].as_array().unwrap().len(), 3, "{again:#}");
        assert_eq!(again["missing"], serde_json::json!([]));
        // The user's files are as they were left.
        assert_eq!(std::fs::read_to_string(world.workspace().join("data.txt")).unwrap(), "9\n");
    }
}

#[test]
fn what_makes_a_difference_is_found() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    project(&world);
    let ran = json(&experiment(&world, &["--", "python3", "train.py"]).expect(0));
    // A comment changes nothing.
    world.make_file(&world.workspace().join("helper.py"), "SCALE = 2  # as before\n");
    world.make_file(&world.workspace().join("data.txt"), "1\n2\n4\n");
    let again =
        world.actum_with(&["reproduce", &short(&ran), "--bisect", "--json"]).without_report().go().expect(0);
    let again = json(&again);
    let tried: Vec<(String, bool)> = again["bisected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (one["ingredients"][0]["path"].as_str().unwrap().to_owned(), one["is_cause"].as_bool().unwrap())
        })
        .collect();
    assert_eq!(tried.len(), 2, "{again:#}");
    assert!(tried.contains(&("helper.py".to_owned(), false)), "{tried:?}");
    assert!(tried.contains(&("data.txt".to_owned(), true)), "{tried:?}");
}

#[test]
fn another_seed_is_another_result_and_the_same_one_is_the_same() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    project(&world);
    let model = |seed: &str| {
        let ran = json(&experiment(&world, &["--seed", seed, "--", "python3", "train.py"]).expect(0));
        let output = world.workspace().join(ran["manifest"]["output"].as_str().unwrap());
        std::fs::read_to_string(output.join("model.json")).unwrap()
    };
    let (one, again, other) = (model("7"), model("7"), model("8"));
    assert_eq!(one, again);
    assert_ne!(one, other);
}

#[test]
fn metrics_come_from_wherever_a_program_writes_them() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let program = r#"
import json, os, urllib.request
out = os.environ["ACTUM_OUTPUT"]
print("accuracy: 0.5")
with open(os.path.join(out, "metrics.jsonl"), "w") as file:
    for step in range(5):
        file.write(json.dumps({"step": step, "val_loss": 1 / (step + 1)}) + "\n")
with open(os.path.join(out, "metrics.csv"), "w") as file:
    file.write("epoch,f1\n0,0.25\n1,0.75\n")
uri = os.environ["MLFLOW_TRACKING_URI"] + "/api/2.0/mlflow/"
def post(path, body):
    request = urllib.request.Request(uri + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))
run = post("runs/create", {"experiment_id": "0", "start_time": 1})["run"]["info"]["run_id"]
post("runs/log-metric", {"run_id": run, "key": "auc", "value": 0.875, "timestamp": 2, "step": 3})
post("runs/log-parameter", {"run_id": run, "key": "depth", "value": "4"})
"#;
    world.make_file(&world.workspace().join("eval.py"), program);
    let ran = json(&experiment(&world, &["--", "python3", "eval.py"]).expect(0));
    let last = |name: &str| {
        let all = ran["metrics"].as_array().unwrap();
        let found = all.iter().find(|one| one["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {all:#?}"))["last"].as_f64().unwrap()
    };
    assert_eq!([last("accuracy"), last("val_loss"), last("f1"), last("auc")], [0.5, 0.2, 0.75, 0.875]);
    let parameters = ran["manifest"]["parameters"].as_array().unwrap();
    assert!(parameters.iter().any(|one| one["name"] == "depth"), "{parameters:?}");
    assert!(ran["manifest"].get("git").is_none());
    let best = world
        .actum_with(&["experiment", "best", "--metric", "auc", "--json"])
        .without_report()
        .go()
        .expect(0);
    assert_eq!(json(&best)["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn a_configuration_is_changed_in_a_copy() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let program = r#"
import argparse, json
parser = argparse.ArgumentParser()
parser.add_argument("--config")
config = json.load(open(parser.parse_args().config))
print("rate:", config["optimizer"]["lr"])
"#;
    world.make_file(&world.workspace().join("train.py"), program);
    let config = world.workspace().join("base.json");
    world.make_file(&config, "{\"optimizer\": {\"lr\": 0.5}}\n");
    let words = ["--set", "optimizer.lr=0.125", "--", "python3", "train.py", "--config", "base.json"];
    let ran = experiment(&world, &words).expect(0);
    let ran = json(&ran);
    assert_eq!(ran["result"]["stdout"], "rate: 0.125\n", "{ran:#}");
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "{\"optimizer\": {\"lr\": 0.5}}\n");
    let copy = world.workspace().join(ran["manifest"]["configs"][0]["copy"].as_str().unwrap());
    assert!(std::fs::read_to_string(copy).unwrap().contains("0.125"));
    let wrong = experiment(
        &world,
        &["--set", "optimizer.rl=1", "--", "python3", "train.py", "--config", "base.json"],
    );
    let wrong = wrong.expect(125);
    assert!(wrong.err().contains("optimizer.lr"), "{wrong}");
}

#[test]
fn a_loss_that_is_no_number_stops_the_run_if_that_is_wanted() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let program = "import time\nprint('loss: nan', flush=True)\ntime.sleep(60)\n";
    world.make_file(&world.workspace().join("train.py"), program);
    let ran = experiment(&world, &["--on-alarm", "stop", "--", "python3", "train.py"]).expect(130);
    let ran = json(&ran);
    assert_eq!(ran["outcome"], "cancelled");
    assert!(ran["experiment"]["alarms"][0].as_str().unwrap().contains("loss is NaN"), "{ran:#}");
}

#[test]
fn what_cannot_be_an_experiment_is_refused_in_words() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    project(&world);
    let refused = |words: &[&str], code: i32, said: &str| {
        let done = experiment(&world, words).expect(code);
        assert!(done.err().contains(said), "{words:?}: {}", done.err());
    };
    refused(&["--seed", "much", "--", "true"], 125, "is not a whole number");
    refused(&["--profile", "loose", "--", "true"], 125, "no determinism profile `loose`");
    refused(&["--require-clean", "--", "true"], 120, "uncommitted changes");
    refused(
        &["--profile", "strict", "--net", "example.org", "--", "true"],
        125,
        "cannot be used with network access",
    );
    refused(&["--output", "../elsewhere", "--", "true"], 125, "is not a pattern for output folders");
    refused(&["--config", "none.yaml", "--", "true"], 125, "none.yaml");
    refused(&["--smoke", "--", "true"], 125, "cannot make a smoke run");
    for name in ["train_a.sh", "train_b.sh"] {
        world.make_file(&world.workspace().join("scripts").join(name), "echo\n");
    }
    world.run(&["true"]).go().expect(0);
    let done = world.actum_with(&["reproduce", "last"]).without_report().go().expect(125);
    assert!(done.err().contains("is not an experiment"), "{done}");
}

#[test]
fn output_never_makes_a_repository_dirty() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    project(&world);
    git(&world.workspace(), &["add", "."]);
    git(&world.workspace(), &["commit", "-q", "-m", "second"]);
    let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(world.workspace()).unwrap());
    Command::new("chown").arg("-R").arg(owner.to_string()).arg(world.workspace()).status().unwrap();
    for _ in 0..2 {
        let words = [
            "--require-clean",
            "--no-prepare",
            "--env",
            "PYTHONDONTWRITEBYTECODE=1",
            "--",
            "python3",
            "train.py",
        ];
        let ran = json(&experiment(&world, &words).expect(0));
        assert_eq!(ran["manifest"]["git"]["dirty"], false, "{:#}", ran["manifest"]["git"]);
    }
}
