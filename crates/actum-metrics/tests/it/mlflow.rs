//! The unmodified client of MLflow logs to the tracking server and reads back.

use crate::python::{printed, run, with_package};
use actum_metrics::serve::{HttpServer, ServeOptions};
use actum_metrics::tracking::{RunStatus, TrackingEvent, TrackingOptions, TrackingServer};
use actum_metrics::{Curves, MetricPoint};
use actum_model::Moment;
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::SystemTime;

/// What a first user writes, and what needs the server's answers to be right.
const PROGRAM: &str = r#"
import math, mlflow, os
from mlflow.tracking import MlflowClient
from mlflow.entities import LoggedModelOutput, Metric, Param, RunTag

mlflow.set_experiment("week 1")
with mlflow.start_run(run_name="first", description="a note") as run:
    run_id = run.info.run_id
    mlflow.log_param("lr", 0.1)
    mlflow.log_params({"model": "small", "layers": 3})
    for step in range(20):
        mlflow.log_metric("loss", 1 / (step + 1), step=step)
    mlflow.log_metrics({"acc": 0.75, "odd": math.nan, "far": -math.inf}, step=20)
    mlflow.log_metric("later", 2.5, step=1, synchronous=False).wait()
    mlflow.set_tag("owner", "me & you")
    mlflow.set_tags({"a": "1", "b": "2"})
    mlflow.log_text("hello", "notes/hello.txt")
    open("model.bin", "wb").write(b"weights")
    mlflow.log_artifact("model.bin", "models")
    MlflowClient().log_batch(
        run_id,
        metrics=[Metric("batch", float(n), 1700000000000 + n, n) for n in range(1000)],
        params=[Param(f"p{n}", str(n)) for n in range(100)],
        tags=[RunTag("t", "x")],
    )
    from mlflow.data.meta_dataset import MetaDataset
    from mlflow.data.http_dataset_source import HTTPDatasetSource
    mlflow.log_input(MetaDataset(HTTPDatasetSource("http://localhost/d.csv"), name="train"), context="training")
    try:
        mlflow.log_param("lr", 0.2)
        print("changed")
    except mlflow.exceptions.MlflowException as error:
        print(error.error_code)

client = MlflowClient()
read = client.get_run(run_id)
print(read.info.status, read.info.run_name, read.data.metrics["acc"], math.isnan(read.data.metrics["odd"]), read.data.metrics["far"])
print(read.data.params["lr"], read.data.params["p99"], read.data.tags["owner"], read.data.tags["mlflow.note.content"])
history = client.get_metric_history(run_id, "loss")
print(len(history), history[3].step, history[3].value)
print(len(client.get_metric_history(run_id, "batch")))
print([a.path for a in client.list_artifacts(run_id)], mlflow.artifacts.load_text(f"runs:/{run_id}/notes/hello.txt"))
print(read.inputs.dataset_inputs[0].dataset.name)

experiment = mlflow.get_experiment_by_name("week 1")
model = client.create_logged_model(experiment.experiment_id, name="net", source_run_id=run_id, params={"depth": "3"})
os.mkdir("files")
open("files/weights", "w").write("1")
client.log_model_artifacts(model.model_id, "files")
model = client.finalize_logged_model(model.model_id, "READY")
client.set_logged_model_tags(model.model_id, {"k": "v"})
client.log_outputs(run_id, [LoggedModelOutput(model.model_id, 0)])
model = client.get_logged_model(model.model_id)
print(model.name, model.status, model.params, model.tags, os.path.exists(f"{model.artifact_location}/weights"))
print(client.get_run(run_id).outputs.model_outputs[0].model_id == model.model_id)
try:
    with mlflow.start_run(nested=True) as second:
        mlflow.log_metric("acc", 0.5)
        raise ValueError("wrong")
except ValueError:
    pass
with mlflow.start_run(run_id=run_id):
    mlflow.log_metric("loss", 0.01, step=20)
found = mlflow.search_runs([experiment.experiment_id], filter_string="metrics.acc > 0.6", output_format="list")
print([one.info.run_id == run_id for one in found])
found = client.search_runs([experiment.experiment_id], order_by=["metrics.acc ASC"])
print([one.info.status for one in found], found[0].info.run_id == second.info.run_id)
print(mlflow.get_experiment_by_name("none"), [one.name for one in client.search_experiments()])
try:
    client.get_run("0" * 32)
except mlflow.exceptions.MlflowException as error:
    print(error.error_code)
client.delete_run(second.info.run_id)
print(len(client.search_runs([experiment.experiment_id])))
client.set_terminated(run_id, "KILLED")
client.delete_tag(run_id, "a")
print(sorted(client.get_run(run_id).data.tags)[:2])
"#;

const EXPECTED: &str = "INVALID_PARAMETER_VALUE
FINISHED first 0.75 True -inf
0.1 99 me & you a note
20 3 0.25
1000
['models', 'notes'] hello
train
net READY {'depth': '3'} {'k': 'v'} True
True
[True]
['FAILED', 'FINISHED'] True
None ['week 1', 'Default']
RESOURCE_DOES_NOT_EXIST
1
['b', 'mlflow.note.content']
";

#[test]
fn the_real_client_of_mlflow_needs_no_change() {
    let Some(python) = with_package("mlflow") else { return };
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().join("artifacts");
    let (server, uri, events) = serve(artifacts.to_str().unwrap());
    let output = run(&python, folder.path(), PROGRAM, &[("MLFLOW_TRACKING_URI", &uri)]);
    server.stop();
    assert_eq!(printed(&output).replace("\r\n", "\n"), EXPECTED);
    assert!(!folder.path().join("mlruns").exists() && !folder.path().join("mlflow.db").exists());
    let events: Vec<TrackingEvent> = events.iter().collect();
    let run = events.iter().find_map(|event| match event {
        TrackingEvent::RunStarted { run, name, .. } => (name.as_str() == "first").then(|| run.clone()),
        TrackingEvent::Metric(_)
        | TrackingEvent::Param { .. }
        | TrackingEvent::Tag { .. }
        | TrackingEvent::Input { .. }
        | TrackingEvent::RunEnded { .. } => None,
    });
    let run = run.unwrap();
    let stored = artifacts.join("1").join(&run).join("artifacts");
    assert_eq!(std::fs::read(stored.join("models/model.bin")).unwrap(), b"weights");
    let has = |wanted: &dyn Fn(&TrackingEvent) -> bool| events.iter().any(wanted);
    assert!(has(
        &|event| matches!(event, TrackingEvent::Param { key, value, .. } if key == "lr" && value.as_str() == "0.1")
    ));
    assert!(has(
        &|event| matches!(event, TrackingEvent::Tag { key, value, .. } if key == "owner" && value.as_str() == "me & you")
    ));
    assert!(has(&|event| matches!(event, TrackingEvent::Input { name, .. } if name.as_str() == "train")));
    assert!(has(&|event| matches!(event, TrackingEvent::RunEnded { status: RunStatus::Failed, .. })));
    curves_are_complete(&run, &events);
}

/// Every value that the client logged is in the curves.
fn curves_are_complete(run: &str, events: &[TrackingEvent]) {
    let mut curves = Curves::default();
    for event in events {
        if let TrackingEvent::Metric(point) = event {
            let is_of_run = point.source.to_string() == format!("tracking:{run}");
            let own = MetricPoint::from_line(&point.to_line()).unwrap();
            assert_eq!(&own, point);
            is_of_run.then(|| curves.append(1, point));
        }
    }
    let summary = curves.summary("loss").unwrap();
    assert_eq!((summary.count, summary.first, summary.last, summary.last_step), (21, 1.0, 0.01, Some(20)));
    assert_eq!(curves.summary("batch").unwrap().count, 1000);
    assert_eq!(curves.keys().collect::<Vec<_>>(), ["acc", "batch", "far", "later", "loss", "odd"]);
}

fn serve(artifact_root: &str) -> (HttpServer, String, Receiver<TrackingEvent>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    let options = TrackingOptions { artifact_root: artifact_root.to_owned(), seed: [3; 32] };
    let tracking = TrackingServer::new(options, now());
    let sink = move |event| drop(sender.send(event));
    let server = HttpServer::start_tracking(
        vec![listener.into()],
        ServeOptions::default(),
        tracking,
        Box::new(now),
        Box::new(sink),
    );
    (server.unwrap(), uri, receiver)
}

fn now() -> Moment {
    Moment(SystemTime::UNIX_EPOCH.elapsed().unwrap().as_micros() as u64)
}
