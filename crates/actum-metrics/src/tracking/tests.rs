//! Requests as the client sends them, and hostile ones.

use super::*;
use crate::point::{MetricPoint, PointSource};
use actum_model::Untrusted;
use proptest::prelude::*;
use serde_json::json;

const NOW: Moment = Moment(1_700_000_000_000_000);

fn server() -> TrackingServer {
    TrackingServer::new(TrackingOptions { artifact_root: "/artifacts/".to_owned(), seed: [7; 32] }, NOW)
}

fn call(server: &mut TrackingServer, method: &str, route: &str, arguments: Value) -> (u16, Value) {
    let (route, query) = route.split_once('?').unwrap_or((route, ""));
    let path = format!("/api/2.0/mlflow/{route}");
    let body = if arguments.is_null() { Vec::new() } else { arguments.to_string().into_bytes() };
    let answer = server.handle(&TrackingRequest { method, path: &path, query, body: &body }, NOW);
    (answer.status, serde_json::from_slice(&answer.body).unwrap())
}

fn post(server: &mut TrackingServer, route: &str, arguments: Value) -> Value {
    let (status, value) = call(server, "POST", route, arguments);
    assert_eq!(status, 200, "{route}: {value}");
    value
}

fn get(server: &mut TrackingServer, route: &str) -> Value {
    let (status, value) = call(server, "GET", route, Value::Null);
    assert_eq!(status, 200, "{route}: {value}");
    value
}

fn new_run(server: &mut TrackingServer) -> String {
    let run =
        post(server, "runs/create", json!({ "experiment_id": "0", "start_time": 1_700_000_000_123_i64 }));
    run["run"]["info"]["run_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_is_logged_and_read_back() {
    let mut server = server();
    let id = post(&mut server, "experiments/create", json!({ "name": "week 1" }))["experiment_id"].clone();
    assert_eq!(id, "1");
    let found = get(&mut server, "experiments/get-by-name?experiment_name=week+1");
    assert_eq!(found["experiment"]["artifact_location"], "/artifacts/1");
    let created = post(
        &mut server,
        "runs/create",
        json!({ "experiment_id": "1", "run_name": "first", "user_id": "me", "tags": [{ "key": "a", "value": "b" }] }),
    );
    let run = created["run"]["info"]["run_id"].as_str().unwrap().to_owned();
    assert!(run.len() == 32 && run.bytes().all(|byte| byte.is_ascii_hexdigit()), "{run}");
    assert_eq!(created["run"]["info"]["artifact_uri"], format!("/artifacts/1/{run}/artifacts"));
    let metrics = json!([
        { "key": "loss", "value": 0.5, "timestamp": "1700000000001", "step": "1" },
        { "key": "loss", "value": "NaN", "timestamp": 1_700_000_000_002_i64, "step": 2 },
    ]);
    let params = json!([{ "key": "lr", "value": "0.1" }]);
    post(
        &mut server,
        "runs/log-batch",
        json!({ "run_id": run, "metrics": metrics, "params": params, "tags": [] }),
    );
    post(
        &mut server,
        "runs/log-metric",
        json!({ "run_id": run, "key": "loss", "value": 0.75, "timestamp": 5, "step": 0 }),
    );
    post(&mut server, "runs/set-tag", json!({ "run_id": run, "key": "note", "value": "x" }));
    let dataset =
        json!({ "dataset": { "name": "d", "digest": "abc", "source_type": "local", "source": "{}" } });
    post(&mut server, "runs/log-inputs", json!({ "run_id": run, "datasets": [dataset] }));
    post(
        &mut server,
        "runs/update",
        json!({ "run_id": run, "status": "FINISHED", "end_time": 1_700_000_001_000_i64 }),
    );
    let read = get(&mut server, &format!("runs/get?run_id={run}&run_uuid={run}"))["run"].clone();
    assert_eq!(
        read["data"]["metrics"],
        json!([{ "key": "loss", "value": "NaN", "timestamp": 1_700_000_000_002_i64, "step": 2 }])
    );
    assert_eq!(read["data"]["params"], json!([{ "key": "lr", "value": "0.1" }]));
    assert_eq!((&read["info"]["status"], &read["info"]["run_name"]), (&json!("FINISHED"), &json!("first")));
    assert_eq!(read["inputs"]["dataset_inputs"][0]["dataset"]["digest"], "abc");
    let history =
        get(&mut server, &format!("metrics/get-history?run_id={run}&metric_key=loss&max_results=2"));
    assert_eq!((history["metrics"].as_array().unwrap().len(), &history["next_page_token"]), (2, &json!("2")));
}

#[test]
fn everything_leaves_as_an_event() {
    let mut server = server();
    let run = new_run(&mut server);
    post(
        &mut server,
        "runs/log-metric",
        json!({ "run_id": run, "key": "loss", "value": 0.5, "timestamp": 1_700_000_000_001_i64, "step": -1 }),
    );
    post(&mut server, "runs/log-parameter", json!({ "run_id": run, "key": "lr", "value": "1" }));
    post(&mut server, "runs/log-parameter", json!({ "run_id": run, "key": "lr", "value": "1" }));
    post(&mut server, "runs/update", json!({ "run_id": run, "status": "FAILED" }));
    let source = PointSource::Tracking(run.clone());
    let point = MetricPoint::new("loss", 0.5, None, source).unwrap().at(Some(Moment(1_700_000_000_001_000)));
    let name = Untrusted::new(format!("run-{}", &run[..8]));
    assert_eq!(
        server.take_events(),
        [
            TrackingEvent::RunStarted {
                run: run.clone(),
                experiment: Untrusted::new("Default"),
                name: name.clone(),
                at: Some(Moment(1_700_000_000_123_000)),
            },
            TrackingEvent::Tag { run: run.clone(), key: "mlflow.runName".to_owned(), value: name },
            TrackingEvent::Metric(point),
            TrackingEvent::Param { run: run.clone(), key: "lr".to_owned(), value: Untrusted::new("1") },
            TrackingEvent::RunEnded { run, status: RunStatus::Failed },
        ]
    );
    assert_eq!(server.take_events(), []);
}

#[test]
fn what_is_wrong_has_the_code_that_clients_know_and_changes_nothing() {
    let mut server = server();
    let run = new_run(&mut server);
    post(&mut server, "runs/log-parameter", json!({ "run_id": run, "key": "lr", "value": "1" }));
    server.take_events();
    let batch = json!({ "run_id": run, "metrics": [{ "key": "loss", "value": 1 }], "params": [{ "key": "lr", "value": "2" }] });
    let deep = "a/../../b";
    for (method, route, arguments, status, code) in [
        ("POST", "runs/log-batch", batch, 400, "INVALID_PARAMETER_VALUE"),
        (
            "POST",
            "runs/log-metric",
            json!({ "run_id": run, "key": deep, "value": 1 }),
            400,
            "INVALID_PARAMETER_VALUE",
        ),
        (
            "POST",
            "runs/log-metric",
            json!({ "run_id": run, "key": "a\u{1b}", "value": 1 }),
            400,
            "INVALID_PARAMETER_VALUE",
        ),
        (
            "POST",
            "runs/log-metric",
            json!({ "run_id": run, "key": "a", "value": [] }),
            400,
            "INVALID_PARAMETER_VALUE",
        ),
        (
            "POST",
            "runs/log-metric",
            json!({ "run_id": "0", "key": "a", "value": 1 }),
            404,
            "RESOURCE_DOES_NOT_EXIST",
        ),
        (
            "POST",
            "runs/set-tag",
            json!({ "run_id": run, "key": "a", "value": "x".repeat(8001) }),
            400,
            "INVALID_PARAMETER_VALUE",
        ),
        ("POST", "runs/update", json!({ "run_id": run, "status": "DONE" }), 400, "INVALID_PARAMETER_VALUE"),
        ("POST", "runs/delete-tag", json!({ "run_id": run, "key": "none" }), 404, "RESOURCE_DOES_NOT_EXIST"),
        ("POST", "experiments/create", json!({ "name": "Default" }), 400, "RESOURCE_ALREADY_EXISTS"),
        ("POST", "experiments/create", json!({ "name": " " }), 400, "INVALID_PARAMETER_VALUE"),
        ("POST", "runs/create", json!({ "experiment_id": "99" }), 404, "RESOURCE_DOES_NOT_EXIST"),
        (
            "POST",
            "runs/search",
            json!({ "experiment_ids": ["0"], "filter": "what" }),
            400,
            "INVALID_PARAMETER_VALUE",
        ),
        ("POST", "runs/get", json!([]), 400, "INVALID_PARAMETER_VALUE"),
        ("GET", "experiments/get?experiment_id=7", Value::Null, 404, "RESOURCE_DOES_NOT_EXIST"),
        ("GET", "artifacts/list", Value::Null, 501, "NOT_IMPLEMENTED"),
        ("GET", "traces", Value::Null, 404, "ENDPOINT_NOT_FOUND"),
    ] {
        let (answered, value) = call(&mut server, method, route, arguments);
        assert_eq!((answered, value["error_code"].as_str()), (status, Some(code)), "{route}: {value}");
        assert!(value["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
    assert_eq!(server.take_events(), []);
    assert_eq!(get(&mut server, &format!("runs/get?run_id={run}"))["run"]["data"]["metrics"], json!([]));
}

#[test]
fn a_deleted_run_takes_nothing_until_it_is_restored() {
    let mut server = server();
    let run = new_run(&mut server);
    let metric = json!({ "run_id": run, "key": "loss", "value": 1 });
    post(&mut server, "runs/delete", json!({ "run_id": run }));
    assert_eq!(call(&mut server, "POST", "runs/log-metric", metric.clone()).1["error_code"], "INVALID_STATE");
    let search = json!({ "experiment_ids": ["0"] });
    assert_eq!(post(&mut server, "runs/search", search.clone())["runs"], json!([]));
    post(&mut server, "runs/restore", json!({ "run_id": run }));
    post(&mut server, "runs/log-metric", metric);
    assert_eq!(post(&mut server, "runs/search", search)["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_model_has_a_folder_a_status_and_what_was_said_about_it() {
    let mut server = server();
    let run = new_run(&mut server);
    let asked = json!({ "experiment_id": "0", "name": "net", "source_run_id": run, "tags": [{ "key": "a", "value": "b" }] });
    let made = post(&mut server, "logged-models", asked)["model"]["info"].clone();
    let id = made["model_id"].as_str().unwrap();
    assert_eq!((&made["status"], id.len()), (&json!("LOGGED_MODEL_PENDING"), 34));
    assert_eq!(made["artifact_uri"], format!("/artifacts/0/models/{id}/artifacts"));
    let path = format!("logged-models/{id}");
    let (status, ready) = call(&mut server, "PATCH", &path, json!({ "status": "LOGGED_MODEL_READY" }));
    assert_eq!((status, &ready["model"]["info"]["status"]), (200, &json!("LOGGED_MODEL_READY")));
    assert_eq!(call(&mut server, "PATCH", &path, json!({ "status": "GOOD" })).0, 400);
    call(&mut server, "DELETE", &format!("{path}/tags/a"), Value::Null);
    call(&mut server, "PATCH", &format!("{path}/tags"), json!({ "tags": [{ "key": "c", "value": "d" }] }));
    post(&mut server, &format!("{path}/params"), json!({ "params": [{ "key": "p", "value": "1" }] }));
    let read = get(&mut server, &path)["model"].clone();
    assert_eq!(read["info"]["tags"], json!([{ "key": "c", "value": "d" }]));
    assert_eq!(read["data"]["params"], json!([{ "key": "p", "value": "1" }]));
    post(&mut server, "runs/outputs", json!({ "run_id": run, "models": [{ "model_id": id, "step": "3" }] }));
    let outputs = get(&mut server, &format!("runs/get?run_id={run}"))["run"]["outputs"].clone();
    assert_eq!(outputs, json!({ "model_outputs": [{ "model_id": id, "step": 3 }] }));
    let found = post(&mut server, "logged-models/search", json!({ "experiment_ids": ["0"] }));
    assert_eq!(found["models"][0]["info"]["name"], "net");
    assert_eq!(call(&mut server, "GET", "logged-models/m-0", Value::Null).0, 404);
}

#[test]
fn runs_are_found_by_what_they_logged() {
    let mut server = server();
    for number in 0..5 {
        let run = new_run(&mut server);
        let value = if number == 3 { json!("NaN") } else { json!(number) };
        post(&mut server, "runs/log-metric", json!({ "run_id": run, "key": "val loss", "value": value }));
        let model = if number % 2 == 0 { "small" } else { "large" };
        post(&mut server, "runs/log-parameter", json!({ "run_id": run, "key": "model", "value": model }));
        post(
            &mut server,
            "runs/log-parameter",
            json!({ "run_id": run, "key": "number", "value": number.to_string() }),
        );
    }
    new_run(&mut server);
    let mut search = |filter: &str, order: &[&str]| -> Vec<String> {
        let arguments = json!({ "experiment_ids": ["0"], "filter": filter, "order_by": order });
        let runs = post(&mut server, "runs/search", arguments)["runs"].as_array().unwrap().clone();
        let number = |run: &Value| -> Option<String> {
            let params = run["data"]["params"].as_array()?;
            Some(params.iter().find(|param| param["key"] == "number")?["value"].as_str()?.to_owned())
        };
        runs.iter().map(|run| number(run).unwrap_or_default()).collect()
    };
    assert_eq!(search("metrics.`val loss` < 2.5", &["metrics.`val loss` DESC"]), ["2", "1", "0"]);
    assert_eq!(
        search("params.model = 'small' and metrics.\"val loss\" >= 2", &["params.number"]),
        ["2", "4"]
    );
    assert_eq!(search("params.model LIKE 'la%'", &["params.number ASC"]), ["1", "3"]);
    assert_eq!(search("params.number IN ('1', '4')", &["params.number"]), ["1", "4"]);
    assert_eq!(search("", &["metrics.`val loss` ASC"]), ["0", "1", "2", "4", "3", ""]);
    assert_eq!(search("attributes.status = 'FINISHED'", &[]), [""; 0]);
    assert_eq!(search("", &[]).len(), 6);
}

#[test]
fn health_and_version_are_told() {
    let mut server = server();
    let mut ask = |path: &str| {
        let answer = server.handle(&TrackingRequest { method: "GET", path, query: "", body: b"" }, NOW);
        (answer.status, String::from_utf8(answer.body).unwrap())
    };
    assert_eq!(ask("/health"), (200, "OK".to_owned()));
    assert_eq!(ask("/version"), (200, VERSION.to_owned()));
    assert_eq!(ask("/").0, 404);
    assert!(ask("/api/2.0/mlflow-artifacts/artifacts/a").1.contains("artifact_uri"));
}

#[test]
fn many_values_are_bounded_and_all_of_them_leave() {
    let mut server = server();
    server.kept.values = MOST_VALUES - 1;
    let run = new_run(&mut server);
    server.take_events();
    for step in 0..3 {
        post(
            &mut server,
            "runs/log-metric",
            json!({ "run_id": run, "key": "loss", "value": step, "step": step }),
        );
    }
    assert_eq!((server.take_events().len(), server.values_left_out()), (3, 2));
    let read = get(&mut server, &format!("runs/get?run_id={run}"));
    assert_eq!(read["run"]["data"]["metrics"][0]["step"], 2);
    server.kept.text = MOST_TEXT;
    let (status, value) =
        call(&mut server, "POST", "runs/set-tag", json!({ "run_id": run, "key": "a", "value": "b" }));
    assert_eq!((status, &value["error_code"]), (400, &json!("RESOURCE_LIMIT_EXCEEDED")));
}

proptest! {
    #[test]
    fn nothing_panics(
        route in proptest::sample::select(vec![
            "experiments/create", "experiments/search", "experiments/get-by-name", "runs/create", "runs/get", "runs/update",
            "runs/search", "runs/log-metric", "runs/log-batch", "logged-models", "runs/outputs", "runs/log-inputs", "runs/set-tag", "metrics/get-history",
        ]),
        is_get in any::<bool>(),
        query in "[a-z_=&%+0-9é]{0,40}",
        body in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..40),
            "\\{(\"(run_id|key|value|metrics|tags|name|step|filter)\": ?(1e999|-1|\"x\"|\\[\\{\\}\\]|\\[\\]|null|\\{\\}),?){0,5}\\}"
                .prop_map(String::into_bytes),
        ],
    ) {
        let mut server = server();
        let path = format!("/api/2.0/mlflow/{route}");
        let method = if is_get { "GET" } else { "POST" };
        let answer = server.handle(&TrackingRequest { method, path: &path, query: &query, body: &body }, NOW);
        prop_assert!(serde_json::from_slice::<Value>(&answer.body).is_ok());
    }
}
