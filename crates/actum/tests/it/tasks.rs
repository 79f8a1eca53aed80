//! `actum tasks`: the code of task results is run for real, and what is written back is what happened.

use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// An answer with these blocks of Python.
fn answer(blocks: &[&str]) -> String {
    let fenced: Vec<String> = blocks.iter().map(|code| format!("```python\n{code}\n```\n")).collect();
    format!("I did it.\n\n{}", fenced.join("\nThen:\n\n"))
}

fn task(action: &str, blocks: &[&str]) -> Value {
    json!({"action": action, "status": "completed", "agent_responses": {"ops_commander": answer(blocks)}})
}

/// Runs a list and gives what was written beside it.
fn carried(world: &World, results: &Value, words: &[&str]) -> (Done, Value) {
    let path = world.workspace().join("results.json");
    world.make_file(&path, &serde_json::to_string_pretty(results).unwrap());
    let words: Vec<&str> = ["tasks", "results.json"].iter().chain(words).copied().collect();
    let done = world.actum_with(&words).without_report().go();
    (done, read(&world.workspace().join("results.executed.json")))
}

fn read(path: &Path) -> Value {
    std::fs::read_to_string(path).map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
}

#[test]
fn the_code_of_chosen_tasks_is_run_and_the_rest_is_skipped_with_a_reason() {
    for world in World::each() {
        let results = json!({"cycle": 2, "task_results": [
            task("Run the baseline", &["x = 20", "print(x + 22)"]),
            task("Write the documentation", &["print('never')"]),
            {"action": "Run it", "status": "failed", "agent_responses": {"ops_commander": answer(&["print('never')"])}},
            {"action": "Run it", "status": "completed", "approvals": {"critic": false},
             "agent_responses": {"ops_commander": answer(&["print('never')"])}},
            {"action": "Run it", "status": "completed", "agent_responses": {"ops_commander": "Only words."}},
            {"action": "Run it", "status": "completed", "agent_responses": {}},
        ]});
        let (done, written) = carried(&world, &results, &[]);
        let done = done.expect(0);
        for said in [
            "6 tasks processed",
            "1 succeeded",
            "not approved by critic",
            "contains no code",
            "no response from",
        ] {
            assert!(done.err().contains(said), "{said}: {done}");
        }
        assert_eq!(written["cycle"], 2);
        let execution = &written["task_results"][0]["execution"];
        assert_eq!(
            (&execution["code_executed"], &execution["run_id"]),
            (&json!(true), &json!(null)),
            "{written:#}"
        );
        assert_eq!(execution["blocks"].as_array().unwrap().len(), 2);
        assert!((1..6).all(|at| written["task_results"][at].get("execution").is_none()), "{written:#}");
        // The file that was read is as it was.
        assert_eq!(read(&world.workspace().join("results.json")), results);
        // Every anchor leads to what it names.
        let anchor = execution["blocks"][1]["anchors"][0].as_str().unwrap();
        let shown = world.actum_with(&["evidence", anchor]).without_report().go().expect(0);
        assert_eq!(shown.out(), "42\n");
    }
}

#[test]
fn blocks_share_names_workspace_and_variables_and_a_failing_one_stops_nothing() {
    let Some(world) = World::new(Caller::Root) else { return };
    let response = "```python\nimport pathlib\nvalue = 6\n```\n\n```python\nraise ValueError('on purpose')\n```\n\n```bash\necho \"seven $ROOT\" > made.txt\n```\n\n```python\nassert __name__ == '__main__'\nprint(value, open('made.txt').read().strip(), ROOT / 'a', Path('b').name)\n```\n";
    let results = json!([{"id": "t", "action": "Execute", "status": "completed", "agent_responses": {"ops_commander": response}}]);
    let (done, written) = carried(&world, &results, &["--variable", "ROOT=/data", "--report", "report.md"]);
    let done = done.expect(1);
    assert!(done.err().contains("block 2: ValueError: on purpose"), "{done}");
    let execution = &written[0]["execution"];
    let outcomes: Vec<&Value> =
        execution["blocks"].as_array().unwrap().iter().map(|block| &block["outcome"]).collect();
    assert_eq!(outcomes, ["success", "failure", "success", "success"]);
    assert_eq!((&execution["code_executed"], &execution["outcome"]), (&json!(true), &json!("failure")));
    let report = std::fs::read_to_string(world.workspace().join("report.md")).unwrap();
    assert!(report.contains("6 seven /data /data/a b\n"), "{report}");
    assert!(report.contains("line 7, in <module>"), "the line is the answer's: {report}");
    assert!(report.contains("raise ValueError('on purpose')"), "{report}");
}

#[test]
fn an_exit_or_a_crash_in_a_block_is_told_and_the_list_goes_on() {
    let Some(world) = World::new(Caller::Root) else { return };
    let results = json!([
        task("Test an exit", &["import sys\nsys.exit(3)", "print('after')"]),
        task("Test a crash", &["print('before')", "import os\nos._exit(9)", "print('never')"]),
        task("Test broken code", &["print('fine')", "def broken(:"]),
        task("Test an invented package", &["import quantum_pandas_helper_x", "print('fine')"]),
        task("Test again", &["print('well')"]),
    ]);
    let (done, written) = carried(&world, &results, &[]);
    done.expect(1);
    let outcomes = |at: usize| -> Vec<String> {
        let blocks = written[at]["execution"]["blocks"].as_array().unwrap();
        blocks.iter().map(|block| block["outcome"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(outcomes(0), ["failure", "success"]);
    assert_eq!((outcomes(1)[0].as_str(), outcomes(1)[2].as_str()), ("success", "skipped"), "{written:#}");
    // What is no program is not run, and that is said.
    assert_eq!(outcomes(2), ["success"]);
    let note = written[2]["execution"]["notes"][0].as_str().unwrap();
    assert!(note.starts_with("skipped in block 2 (lines 9 to 11)"), "{note}");
    assert_eq!(outcomes(3), ["failure", "success"]);
    assert_eq!(outcomes(4), ["success"]);
}

#[test]
fn a_response_of_shell_lines_alone_is_run_too_and_has_its_variables() {
    let Some(world) = World::new(Caller::Root) else { return };
    let response = "```bash\necho \"in $ROOT\"\n```\n\n```sh\nexit 4\n```\n\n```bash\necho last\n```\n";
    let results =
        json!([{"action": "Run", "status": "completed", "agent_responses": {"ops_commander": response}}]);
    let (done, written) = carried(&world, &results, &["--variable", "ROOT=/data", "--report", "report.md"]);
    done.expect(1);
    let blocks = written[0]["execution"]["blocks"].as_array().unwrap();
    let outcomes: Vec<&Value> = blocks.iter().map(|block| &block["outcome"]).collect();
    assert_eq!(outcomes, ["success", "failure", "success"], "{written:#}");
    let report = std::fs::read_to_string(world.workspace().join("report.md")).unwrap();
    assert!(report.contains("in /data\nlast\n"), "{report}");
}

#[test]
fn what_the_answer_s_room_decides_holds_here_too() {
    let Some(world) = World::new(Caller::Root) else { return };
    let response = |text: &str| json!({"action": "Run", "status": "completed", "agent_responses": {"ops_commander": text}});
    let results = json!([
        // Unlabelled, and the only one: a program of exactly one language.
        response("So:\n\n```\nfor number in range(3):\n    print(number)\n```\n"),
        // Unlabelled, and no program.
        response("It printed:\n\n```\nall fine, 3 of 3\n```\n"),
        // A file that the program uses, and a program that was cut off.
        response(
            "```python title=\"tool.py\"\nVALUE = 5\n```\n\n```python\nimport tool\nprint(tool.VALUE)\n```\n\n```python\nprint('cut"
        ),
    ]);
    let (done, written) = carried(&world, &results, &["--report", "report.md"]);
    let done = done.expect(0);
    assert!(done.err().contains("contains no code that can run"), "{done}");
    assert_eq!(written[0]["execution"]["code_executed"], true, "{done}");
    assert!(written[1].get("execution").is_none());
    assert!(written[2]["execution"]["notes"][0].as_str().unwrap().contains("cut"), "{written:#}");
    let report = std::fs::read_to_string(world.workspace().join("report.md")).unwrap();
    assert!(report.contains("0\n1\n2\n") && report.contains("\n5\n"), "{report}");
}

#[test]
fn a_printed_id_is_not_credited_whatever_it_looks_like() {
    let Some(world) = World::new(Caller::Root) else { return };
    let id = "0123456789abcdef0123456789abcdef";
    let plausible = format!("print('MLflow Run ID: {id}')");
    let pretended = format!("open('mlflow.db', 'w').write('{id}')\nprint('MLflow Run ID: {id}')");
    let other = format!(
        "import os\nos.makedirs('mlruns/0/{id}')\nopen('mlruns/0/{id}/meta.yaml', 'w').write('name: x')\nprint('MLflow Run ID: {id}')"
    );
    let results = json!([
        task("Run a liar", &["print('MLflow Run ID: abc123')"]),
        task("Run a better liar", &[&plausible]),
        task("Run one with a file", &[&pretended]),
        task("Run one with a folder", &[&other]),
    ]);
    let (done, written) = carried(&world, &results, &["--json", "--timeout", "20s"]);
    let done = done.expect(121);
    let summary: Value = serde_json::from_str(&done.out()).unwrap();
    assert_eq!((&summary["succeeded"], &summary["not_credited"]), (&json!(4), &json!(4)), "{summary:#}");
    for (at, why) in [
        (0, "32 hexadecimal"),
        (1, "wrote no tracking store"),
        (2, "does not contain it"),
        (3, "does not contain it"),
    ] {
        let execution = &written[at]["execution"];
        assert_eq!(execution["run_id"], Value::Null);
        let told = execution["external_ids"][0]["why"].as_str().unwrap();
        assert!(told.contains(why), "{told}");
        let response = written[at]["agent_responses"]["ops_commander"].as_str().unwrap();
        assert_eq!(response, results[at]["agent_responses"]["ops_commander"].as_str().unwrap());
    }
}

/// What the file store keeps about a run, as MLflow writes it.
const FILE_STORE: &str = "import os, uuid\nrun_id = uuid.uuid4().hex\nos.makedirs(f'mlruns/1/{run_id}')\nopen(f'mlruns/1/{run_id}/meta.yaml', 'w').write(f'run_id: {run_id}\\nrun_uuid: {run_id}\\nstatus: 3\\n')\n";

#[test]
fn an_id_that_its_store_knows_is_appended_once_and_a_known_task_is_not_run_again() {
    let Some(world) = World::new(Caller::Root) else { return };
    let stored = format!("{FILE_STORE}print(f'✅ MLflow Run ID: {{run_id}}')");
    let again = "import glob\nold = glob.glob('mlruns/1/*')[0].split('/')[-1]\nprint(f'MLflow Run ID: {old}')\nopen(f'mlruns/1/{old}/meta.yaml', 'a').write('x: 1')";
    let results = json!([
        task("Run it", &[&stored]),
        task("Run what is in a variable", &[FILE_STORE]),
        task("Run an old id", &[again])
    ]);
    let path = world.workspace().join("results.json");
    world.make_file(&path, &results.to_string());
    let run = |words: &[&str]| {
        let words: Vec<&str> = ["tasks", "results.json", "--write"].iter().chain(words).copied().collect();
        world.actum_with(&words).without_report().go()
    };
    run(&[]).expect(121);
    let written = read(&path);
    for at in [0, 1] {
        let id = written[at]["execution"]["run_id"].as_str().unwrap().to_owned();
        let expected = format!(
            "{}\n\n✅ CODE EXECUTED SUCCESSFULLY\nMLflow Run ID: {id}\n",
            results[at]["agent_responses"]["ops_commander"].as_str().unwrap()
        );
        assert_eq!(written[at]["agent_responses"]["ops_commander"].as_str().unwrap(), expected);
        let anchor = written[at]["execution"]["external_ids"][0]["anchor"].as_str().unwrap();
        let shown = world.actum_with(&["evidence", anchor]).without_report().go().expect(0);
        assert!(shown.out().contains(&id), "{shown}");
    }
    let old = &written[2]["execution"];
    assert_eq!(old["run_id"], Value::Null, "{old:#}");
    assert!(old["external_ids"][0]["why"].as_str().unwrap().contains("before this run"), "{old:#}");
    // Nothing is left to do, and nothing is appended twice.
    let text = std::fs::read_to_string(&path).unwrap();
    let resumed = run(&["--resume"]).expect(0);
    assert!(resumed.err().contains("3 × the same code was run before"), "{resumed}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    run(&[]).expect(121);
    assert_eq!(std::fs::read_to_string(&path).unwrap().matches("CODE EXECUTED").count(), 2);
}

#[test]
fn what_was_done_until_an_interrupt_is_written() {
    let Some(world) = World::new(Caller::Root) else { return };
    let results = json!([
        task("Run one", &["print(1)"]),
        task("Run one that waits", &["import time\nopen('here', 'w').close()\ntime.sleep(600)"]),
        task("Run one more", &["print('never')"]),
    ]);
    let path = world.workspace().join("results.json");
    world.make_file(&path, &results.to_string());
    let words = ["tasks", "results.json", "--", "--in-place"];
    let going = world.actum_with(&words).without_report().start();
    let here = world.workspace().join("here");
    assert!(crate::run::within(Duration::from_secs(20), || here.exists()), "it never began");
    let pid = rustix::process::Pid::from_raw(going.child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let done = going.finish().expect(130);
    assert!(done.err().contains("stopped before it was its turn"), "{done}");
    let written = read(&world.workspace().join("results.executed.json"));
    assert_eq!(written[0]["execution"]["outcome"], "success");
    assert_eq!(written[1]["execution"]["outcome"], "cancelled", "{written:#}");
    assert!(written[2].get("execution").is_none());
    let words = ["tasks", "results.executed.json", "--resume", "--dry-run"];
    let resumed = world.actum_with(&words).without_report().go().expect(0);
    assert_eq!(resumed.err().matches("would run").count(), 2, "{resumed}");
}

#[test]
fn bad_lists_are_told_with_their_place() {
    let Some(world) = World::new(Caller::Root) else { return };
    for (text, said) in [
        ("{\"task_results\": [", "line 1, column 18"),
        ("[{\"status\": 1}]", "[0].status (line 1, column 13)"),
        ("[{\"id\": 1}, {\"id\": 1}]", "have the same id `1`"),
        ("{}", "no `task_results`"),
    ] {
        world.make_file(&world.workspace().join("bad.json"), text);
        let done = world.actum_with(&["tasks", "bad.json"]).without_report().go().expect(125);
        assert!(done.err().contains(said), "{text}: {done}");
        assert!(!world.workspace().join("bad.executed.json").exists());
    }
    let done = world.actum_with(&["tasks", "nowhere.json"]).without_report().go().expect(125);
    assert!(done.err().contains("read the task results nowhere.json"), "{done}");
    let many: Vec<Value> = (0..10_000).map(|_| json!({"action": "Write", "status": "completed"})).collect();
    let (done, _) = carried(&world, &json!(many), &["--json"]);
    let summary: Value = serde_json::from_str(&done.expect(0).out()).unwrap();
    assert_eq!(summary["skipped"], 10_000);
}

#[test]
fn the_configuration_and_flags_choose() {
    let Some(world) = World::new(Caller::Root) else { return };
    let config = "[tasks]\nagent = \"engineer\"\nwords = [\"polish\"]\nmatch = \"word\"\n[tasks.variables]\nROOT = \"/from/config\"\n";
    world.make_file(&world.workspace().join("actum.toml"), config);
    let mut one = task("Polish it", &["print(ROOT)"]);
    one["agent_responses"]["engineer"] = one["agent_responses"]["ops_commander"].take();
    let results = json!([one, task("Repolished", &["print(1)"])]);
    let (done, written) = carried(&world, &results, &[]);
    done.expect(0);
    assert_eq!(written[0]["execution"]["agent"], "engineer");
    assert!(written[1].get("execution").is_none());
    let (done, _) = carried(&world, &results, &["--any-action", "--agent", "ops_commander", "--dry-run"]);
    let done = done.expect(0);
    assert!(done.err().contains("Repolished · would run"), "{done}");
}

#[test]
fn the_example_of_the_house_runs() {
    let Some(world) = World::new(Caller::Root) else { return };
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tasks.json");
    let results: Value = serde_json::from_str(&std::fs::read_to_string(example).unwrap()).unwrap();
    let (done, written) = carried(&world, &results, &["--report", "report.md"]);
    let done = done.expect(1);
    assert!(
        done.err().contains("4 tasks processed") && done.err().contains("2 succeeded · 1 failed"),
        "{done}"
    );
    assert_eq!(written["task_results"][0]["execution"]["code_executed"], true);
}

/// Wheels of a package and all that it needs, as `cargo xtask test` fetches them.
fn wheels_of(package: &str) -> Option<std::path::PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools");
    let found = tools.join("wheels").canonicalize().ok().filter(|wheels| {
        let names = std::fs::read_dir(wheels).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.into_iter().any(|name| name.to_string_lossy().starts_with(package))
    });
    if found.is_none() {
        actum_testkit::skip(&format!("no wheel {package}… is there; `cargo xtask test` fetches them"));
    }
    found
}

/// A place whose packages come from the wheels, and the program that installs them.
pub fn with_wheels(package: &str) -> Option<(World, std::path::PathBuf)> {
    let wheels = wheels_of(package)?;
    let uv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools/python/bin/uv");
    let Ok(uv) = uv.canonicalize() else {
        actum_testkit::skip("uv is not there; `cargo xtask test` installs it");
        return None;
    };
    let world = World::new(Caller::Root)?;
    let config =
        format!("[packages]\nprepare = \"offline\"\nage = \"0s\"\nwheels = \"{}\"\n", wheels.display());
    world.make_file(&world.path("home/.config/actum/config.toml"), &config);
    Some((world, uv))
}

#[test]
fn with_a_real_mlflow_the_id_of_a_run_is_credited_and_a_lie_beside_it_is_not() {
    let Some((world, uv)) = with_wheels("mlflow-") else { return };
    let tracked = "mlflow.set_experiment('week1_diagnostic')\nwith mlflow.start_run() as run:\n    run_id = run.info.run_id\n    mlflow.log_metric('samples', samples)\n    print(f'✅ MLflow Run ID: {run_id}')";
    let in_files = "import os\nos.environ['MLFLOW_TRACKING_URI'] = 'file:./mlruns'\nos.environ['MLFLOW_ALLOW_FILE_STORE'] = 'true'\nimport mlflow\nwith mlflow.start_run() as run:\n    run_id = run.info.run_id\n    print(f'MLflow Run ID: {run_id}')";
    let lie = "import mlflow\nwith mlflow.start_run():\n    print('MLflow Run ID: ffffffffffffffffffffffffffffffff')";
    // As the first users' own example of a response has it: the id is printed without the system's name.
    let unnamed = "import mlflow\nmlflow.set_experiment(\"test\")\nwith mlflow.start_run() as run:\n    print(f\"Run ID: {run.info.run_id}\")";
    let results = json!([
        task("Execute the diagnostic with REAL tracking", &["import mlflow\nsamples = 150", tracked]),
        task("Execute a lie", &[lie]),
        task("Run the example", &[unnamed]),
        // Last: where there is such a store, MLflow takes it for its own and refuses it.
        task("Run in the file store", &[in_files]),
    ]);
    world.make_file(&world.workspace().join("results.json"), &results.to_string());
    let words = ["tasks", "results.json"];
    let done = world
        .actum_with(&words)
        .without_report()
        .variable("ACTUM_UV", &uv)
        .patience(Duration::from_secs(400))
        .go();
    let done = done.expect(121);
    let written = read(&world.workspace().join("results.executed.json"));
    for (at, file) in [(0, "#file/mlflow.db"), (2, "#file/mlflow.db"), (3, "/meta.yaml")] {
        let id = written[at]["execution"]["run_id"]
            .as_str()
            .unwrap_or_else(|| panic!("{done}\n{written:#}"))
            .to_owned();
        assert!(actum_model::is_mlflow_id(&id), "{id}");
        let anchor = written[at]["execution"]["external_ids"][0]["anchor"].as_str().unwrap();
        assert!(anchor.contains(file), "{anchor}");
    }
    let lied = &written[1]["execution"];
    assert_eq!((&lied["run_id"], &lied["outcome"]), (&Value::Null, &json!("success")));
    assert!(lied["external_ids"][0]["why"].as_str().unwrap().contains("does not contain it"), "{lied:#}");
}
