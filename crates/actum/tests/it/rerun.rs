//! Runs that are started again as they were asked for, and experiments that are exported.

use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn world() -> Option<World> {
    World::new(Caller::Ordinary).or_else(|| World::new(Caller::Root))
}

fn experiment(world: &World, output: &str) -> Done {
    let program = "import os, sys\nfor step in range(5):\n    print(f'step {step} loss: {1 / (step + 1)!r}')\n\
                   open(os.path.join(sys.argv[1], 'model.bin'), 'w').write('weights')\n";
    world.make_file(&world.workspace().join("train.py"), program);
    let words = [
        "experiment",
        "run",
        "--yes",
        "--seed",
        "7",
        "--output",
        output,
        "--",
        "python3",
        "train.py",
        "{output}",
    ];
    world.actum_with(&words).go().expect(0)
}

#[test]
fn a_command_is_started_again_with_what_it_was_granted() {
    let Some(world) = world() else { return };
    let given = world.path("given");
    world.make_file(&given.join("word"), "granted");
    let inside = world.workspace().join("inside");
    world.make_folder(&inside);
    let command = format!("cat {}; pwd; ulimit -n; echo \"$1\"; exit 3", given.join("word").display());
    let first = world
        .run(&["sh", "-c", &command, "sh", "two words"])
        .flags(&[
            "--input",
            given.to_str().unwrap(),
            "--workdir",
            "inside",
            "--limit",
            "descriptors=77",
            "--label",
            "night",
        ])
        .go()
        .expect(3);
    let again = world.actum_with(&["rerun", "last"]).go().expect(3);
    assert_eq!(first.out(), again.out());
    assert!(again.out().contains("granted") && again.out().contains("two words"), "{again}");
    let listed = world.actum_with(&["ls", "--label", "night", "--json"]).go().expect(0);
    assert_eq!(listed.out().matches("\"run\"").count(), 2, "{listed}");
}

#[test]
fn a_file_that_changed_is_told_and_code_that_is_not_kept_is_refused() {
    let Some(world) = world() else { return };
    let file = world.workspace().join("job.py");
    world.make_file(&file, "import sys; print('one', sys.argv[1:])");
    world.source("job.py", &["a", "b"]).go().expect(0);
    world.make_file(&file, "import sys; print('two', sys.argv[1:])");
    let again = world.actum_with(&["rerun", "last"]).go().expect(0);
    assert!(again.out().contains("two ['a', 'b']"), "{again}");
    assert!(again.err().contains("has changed since that run"), "{again}");
    world.code("python", "print(6 * 7)").go().expect(0);
    let code = world.actum_with(&["rerun", "last"]).go();
    match code.code() {
        0 => assert!(code.out().contains("42"), "{code}"),
        _ => assert!(code.err().contains("is not kept"), "{code}"),
    }
}

#[test]
fn an_experiment_is_started_again_in_a_new_folder() {
    let Some(world) = world() else { return };
    experiment(&world, "runs/first");
    world.actum_with(&["rerun", "last", "--yes"]).go().expect(0);
    let mut folders: Vec<_> = std::fs::read_dir(world.workspace().join("runs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    assert_eq!(folders.len(), 2, "{folders:?}");
    for folder in folders {
        let manifest: Value =
            serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).unwrap()).unwrap();
        assert_eq!(manifest["seed"]["value"], 7);
        assert_eq!(manifest["name"], "train");
        assert!(folder.join("model.bin").exists(), "{folder:?}");
    }
}

#[test]
fn an_experiment_is_exported_as_a_crate() {
    let Some(world) = world() else { return };
    experiment(&world, "runs/first");
    let folder = world.workspace().join("crate");
    let export =
        ["experiment", "export", "last", "--crate", folder.to_str().unwrap(), "--author", "A. Person"];
    world.actum_with(&export).go().expect(0);
    let text = std::fs::read_to_string(folder.join("ro-crate-metadata.json")).unwrap();
    let metadata: Value = serde_json::from_str(&text).unwrap();
    let files: Vec<&Value> =
        metadata["@graph"].as_array().unwrap().iter().filter(|one| one["@type"] == "File").collect();
    assert!(files.len() >= 5, "{files:?}");
    // Every file that is described is there, and of the size that is told.
    for file in &files {
        let path = folder.join(file["@id"].as_str().unwrap());
        let size = path.metadata().unwrap_or_else(|error| panic!("{path:?}: {error}")).len();
        assert_eq!(file["contentSize"].to_string().trim_matches('"'), size.to_string(), "{file}");
    }
    for name in [
        "manifest.json",
        "results.json",
        "stdout.txt",
        "record.json",
        "inputs/train.py",
        "outputs/runs/first/model.bin",
    ] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let refused = world.actum_with(&export).go().expect(125);
    assert!(refused.err().contains("not empty"), "{refused}");
    let refused = world
        .actum_with(&["experiment", "export", "last", "--mlflow", "https://tracker.example"])
        .go()
        .expect(125);
    assert!(refused.err().contains("ssh -L"), "{refused}");
}

/// A server of MLflow on loopback, which ends with this.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(folder: &Path) -> Option<Self> {
        let python = std::env::var("ACTUM_MLFLOW_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let store = format!("sqlite:///{}", folder.join("mlflow.db").display());
        let has_server = "import mlflow.server, sqlalchemy";
        let found = Command::new(&python).args(["-c", has_server]).output();
        if !found.is_ok_and(|done| done.status.success()) {
            return None;
        }
        let port_text = port.to_string();
        let words = [
            "-m",
            "mlflow",
            "server",
            "--host",
            "127.0.0.1",
            "--port",
            &port_text,
            "--workers",
            "1",
            "--backend-store-uri",
            &store,
        ];
        let child = Command::new(&python)
            .args(words)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self { child, port };
        let begun = Instant::now();
        while server.ask("/health").is_none() {
            assert!(begun.elapsed() < Duration::from_secs(180), "MLflow did not start");
            assert!(server.child.try_wait().unwrap().is_none(), "MLflow ended");
            std::thread::sleep(Duration::from_millis(200));
        }
        Some(server)
    }

    fn ask(&self, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let request =
            format!("GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", self.port);
        stream.write_all(request.as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        head.contains(" 200 ").then(|| body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its workers end with it.
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}

#[test]
fn every_value_is_read_back_from_a_real_server() {
    let Some(world) = world() else { return };
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(folder.path()) else {
        return actum_testkit::skip("the server of MLflow is not installed");
    };
    let program = "import json, os\nwith open(os.path.join(os.environ['ACTUM_OUTPUT'], 'metrics.jsonl'), 'w') as file:\n\
                   \x20   for step in range(1500):\n        file.write(json.dumps({'step': step, 'loss': 1 / (step + 3), 'acc@1': step * 0.1}) + '\\n')\n";
    world.make_file(&world.workspace().join("train.py"), program);
    let words =
        ["experiment", "run", "--yes", "--name", "my task", "--output", "out", "--", "python3", "train.py"];
    world.actum_with(&words).go().expect(0);
    let address = format!("http://127.0.0.1:{}", server.port);
    let logged = world
        .actum_with(&["experiment", "export", "last", "--mlflow", &address])
        .patience(Duration::from_secs(120))
        .go()
        .expect(0);
    let run = logged.err().split_once("as run ").unwrap().1.split_whitespace().next().unwrap().to_owned();
    let read = |path: String| -> Value { serde_json::from_str(&server.ask(&path).unwrap()).unwrap() };
    let told = read(format!("/api/2.0/mlflow/runs/get?run_id={run}"));
    assert_eq!(told["run"]["info"]["status"], "FINISHED");
    let params = told["run"]["data"]["params"].as_array().unwrap();
    assert!(params.iter().any(|one| one["key"] == "seed" && one["value"] == "42"), "{params:?}");
    let tags = told["run"]["data"]["tags"].as_array().unwrap();
    assert!(tags.iter().any(|one| one["key"] == "actum.run"), "{tags:?}");
    let mut expected: BTreeMap<(String, i64), (u64, u64)> = BTreeMap::new();
    let curves = std::fs::read_to_string(world.workspace().join("out/curves.jsonl")).unwrap();
    for line in curves.lines() {
        let point: Value = serde_json::from_str(line).unwrap();
        let key = point["key"].as_str().unwrap().replace('@', "_");
        let time = point["t"].as_str().unwrap().to_owned();
        let value = point["value"].as_f64().unwrap().to_bits();
        expected.insert((key, point["step"].as_i64().unwrap()), (value, millis(&time)));
    }
    assert_eq!(expected.len(), 3000);
    for key in ["loss", "acc_1"] {
        let history = read(format!(
            "/api/2.0/mlflow/metrics/get-history?run_id={run}&metric_key={key}&max_results=25000"
        ));
        let points = history["metrics"].as_array().unwrap();
        assert_eq!(points.len(), 1500, "{key}");
        for point in points {
            let number =
                |name: &str| point[name].as_i64().or_else(|| point[name].as_str()?.parse().ok()).unwrap_or(0);
            let found = (point["value"].as_f64().unwrap().to_bits(), number("timestamp") as u64);
            assert_eq!(expected[&(key.to_owned(), number("step"))], found, "{point}");
        }
    }
}

/// Milliseconds of a moment as Actum writes it: `2026-11-19T20:55:01.123456Z`.
fn millis(text: &str) -> u64 {
    let moment: actum_model::Moment = text.parse().unwrap();
    moment.0 / 1000
}
