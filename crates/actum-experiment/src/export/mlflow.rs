//! Logs a finished run to an MLflow server over its REST interface: parameters, tags, and every point of every metric with its step and
//! time. Names that MLflow does not take are changed, and the tag `actum.names` says so.

use super::http::{Address, AddressError, Answer};
use crate::compare::value_text;
use crate::error::ExperimentError;
use crate::stored::StoredExperiment;
use actum_metrics::MetricPoint;
use actum_model::{Moment, Outcome};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What MLflow takes in one request, and in one value.
const MOST_METRICS: usize = 1000;
const MOST_PARAMS: usize = 100;
const LONGEST_VALUE: usize = 6000;
const LONGEST_NAME: usize = 250;
const API: &str = "/api/2.0/mlflow";

/// A server.
#[derive(Debug)]
pub struct Client {
    address: Address,
    shown: String,
}

/// A run as the server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRun {
    pub experiment_id: String,
    pub run_id: String,
    pub points: usize,
    pub params: usize,
}

impl Client {
    pub fn new(address: &str) -> Result<Self, ExperimentError> {
        let hint = |error: &AddressError| match error {
            AddressError::Encrypted(_) => {
                "forward a local port to it, such as with ssh -L 5000:localhost:5000 HOST, and use http://127.0.0.1:5000"
            }
            AddressError::Form(_) => "write it as in http://127.0.0.1:5000",
        };
        let parsed = Address::parse(address);
        let address_of = parsed.map_err(|error| ExperimentError::Request {
            what: error.to_string(),
            hint: hint(&error).to_owned(),
        })?;
        Ok(Self { address: address_of, shown: address.to_owned() })
    }

    /// Logs a run with the points of its curves, which come as JSON lines.
    pub fn log(&self, stored: &StoredExperiment, curves: &[u8]) -> Result<LoggedRun, ExperimentError> {
        let points = points(curves);
        let (manifest, record) = (&stored.manifest, &stored.record);
        let experiment_id = self.experiment(&manifest.name)?;
        let started = millis(record.started.at);
        let mut names = Names::default();
        let params = params(stored, &mut names);
        let metrics = metrics(&points, (started, &mut names));
        let mut tags = tags(stored);
        if names.changed {
            tags.push(("actum.names".to_owned(), "some names were changed to what MLflow takes".to_owned()));
        }
        let created = self.post(
            "/runs/create",
            &json!({
                "experiment_id": experiment_id,
                "run_name": format!("{}-{}", manifest.name, record.run.short()),
                "start_time": started,
                "tags": pairs(&tags),
            }),
        )?;
        let run_id = text(&created["run"]["info"]["run_id"]).ok_or_else(|| self.odd("no id of the run"))?;
        for batch in params.chunks(MOST_PARAMS) {
            self.post("/runs/log-batch", &json!({ "run_id": run_id, "params": pairs(batch) }))?;
        }
        for batch in metrics.chunks(MOST_METRICS) {
            self.post("/runs/log-batch", &json!({ "run_id": run_id, "metrics": batch }))?;
        }
        let status = status(record.outcome);
        let end = json!({ "run_id": run_id, "status": status, "end_time": millis(record.ended.at) });
        self.post("/runs/update", &end)?;
        Ok(LoggedRun { experiment_id, run_id, points: metrics.len(), params: params.len() })
    }

    /// The id of an experiment, which is made where there is none.
    fn experiment(&self, name: &str) -> Result<String, ExperimentError> {
        let path = format!("{API}/experiments/get-by-name?experiment_name={}", encoded(name));
        let answer = self.ask(&path, None)?;
        if answer.status == 404 {
            let created = self.post("/experiments/create", &json!({ "name": name }))?;
            return text(&created["experiment_id"]).ok_or_else(|| self.odd("no id of the experiment"));
        }
        let found = self.read(&answer)?;
        text(&found["experiment"]["experiment_id"]).ok_or_else(|| self.odd("no id of the experiment"))
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, ExperimentError> {
        let answer = self.ask(&format!("{API}{path}"), Some(&serde_json::to_vec(body)?))?;
        self.read(&answer)
    }

    fn ask(&self, path: &str, body: Option<&[u8]>) -> Result<Answer, ExperimentError> {
        self.address.ask(path, body).map_err(|error| ExperimentError::Request {
            what: format!("cannot speak to {}: {error}", self.shown),
            hint: "start it, such as with `mlflow server --host 127.0.0.1 --port 5000`".to_owned(),
        })
    }

    fn read(&self, answer: &Answer) -> Result<Value, ExperimentError> {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if answer.status == 200 {
            return Ok(body);
        }
        let message = body["message"].as_str().unwrap_or_default();
        Err(self.odd(&format!("status {} {}", answer.status, message.chars().take(300).collect::<String>())))
    }

    fn odd(&self, what: &str) -> ExperimentError {
        ExperimentError::Request {
            what: format!("the server {} answered with {what}", self.shown),
            hint: "check that it is an MLflow server that takes writes".to_owned(),
        }
    }
}

/// Names as MLflow takes them: each once, with letters, digits and `_-. :/`.
#[derive(Debug, Default)]
struct Names {
    given: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    changed: bool,
}

impl Names {
    fn of(&mut self, name: &str) -> String {
        if let Some(given) = self.given.get(name) {
            return given.clone();
        }
        let harmless = |c: char| if c.is_ascii_alphanumeric() || "_-. :/".contains(c) { c } else { '_' };
        let mut plain: String = name.chars().map(harmless).take(LONGEST_NAME - 8).collect();
        // Paths have to be as short as they can be.
        if plain.split('/').any(|part| part.is_empty() || part == "." || part == "..") {
            plain = plain.replace('/', "_").replace("..", "__");
            plain = if plain == "." || plain.is_empty() { "_".to_owned() } else { plain };
        }
        let mut unique = plain.clone();
        let mut number = 1;
        while self.taken.contains(&unique) {
            number += 1;
            unique = format!("{plain}_{number}");
        }
        self.changed |= unique != name;
        self.taken.insert(unique.clone());
        self.given.insert(name.to_owned(), unique.clone());
        unique
    }
}

fn params(stored: &StoredExperiment, names: &mut Names) -> Vec<(String, String)> {
    let manifest = &stored.manifest;
    let mut names_of = Names::default();
    let seed = (!manifest.parameters.iter().any(|one| one.name == "seed"))
        .then(|| ("seed".to_owned(), manifest.seed.value.to_string()));
    let seed = seed.map(|(name, value)| (names_of.of(&name), value));
    let mut all: Vec<(String, String)> = seed.into_iter().collect();
    all.extend(
        manifest.parameters.iter().map(|one| (names_of.of(&one.name), short(&value_text(&one.value)))),
    );
    names.changed |= names_of.changed;
    all
}

/// Lines that are no points are left out.
fn points(lines: &[u8]) -> Vec<MetricPoint> {
    String::from_utf8_lossy(lines).lines().filter_map(|line| MetricPoint::from_line(line).ok()).collect()
}

fn metrics(points: &[MetricPoint], (started, names): (u64, &mut Names)) -> Vec<Value> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let one = |point| -> Value {
        let point: &MetricPoint = point;
        let count = counts.entry(&point.key).or_default();
        let step = point.step.unwrap_or(*count).min(i64::MAX as u64);
        *count += 1;
        let time = point.time.map_or(started, millis);
        json!({ "key": names.of(&point.key), "value": number(point.value), "timestamp": time, "step": step })
    };
    points.iter().map(one).collect()
}

fn tags(stored: &StoredExperiment) -> Vec<(String, String)> {
    let manifest = &stored.manifest;
    let mut tags = vec![
        ("actum.run".to_owned(), manifest.run.to_string()),
        ("actum.profile".to_owned(), manifest.determinism.profile.clone()),
        ("actum.outcome".to_owned(), stored.record.outcome.to_string()),
        ("mlflow.source.name".to_owned(), short(&manifest.command.words.join(" "))),
        ("mlflow.source.type".to_owned(), "LOCAL".to_owned()),
    ];
    if let Some(git) = &manifest.git {
        tags.push(("mlflow.source.git.commit".to_owned(), git.commit.clone()));
        tags.push(("actum.dirty".to_owned(), git.dirty.to_string()));
    }
    tags
}

fn pairs(of: &[(String, String)]) -> Vec<Value> {
    of.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect()
}

/// JSON has no word for these; MLflow reads them as text.
fn number(value: f64) -> Value {
    match value {
        _ if value.is_nan() => json!("NaN"),
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        _ => json!(value),
    }
}

fn status(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "FINISHED",
        Outcome::Cancelled => "KILLED",
        Outcome::Failure | Outcome::Error | Outcome::Timeout | Outcome::Skipped | Outcome::Lost => "FAILED",
    }
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST_VALUE / 4).collect()
}

fn millis(moment: Moment) -> u64 {
    moment.0 / 1000
}

fn text(of: &Value) -> Option<String> {
    of.as_str().map(str::to_owned)
}

fn encoded(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_metrics::PointSource;
    use proptest::prelude::*;

    #[test]
    fn points_without_steps_are_counted_and_odd_values_are_text() {
        let point = |value, step| MetricPoint::new("loss", value, step, PointSource::Stdout).unwrap();
        let all = [point(1.5, None), point(f64::NAN, None), point(2.0, Some(9))];
        let logged = metrics(&all, (7, &mut Names::default()));
        assert_eq!(logged[0], json!({ "key": "loss", "value": 1.5, "timestamp": 7, "step": 0 }));
        assert_eq!(
            (&logged[1]["value"], &logged[1]["step"], &logged[2]["step"]),
            (&json!("NaN"), &json!(1), &json!(9))
        );
    }

    #[test]
    fn encrypted_servers_are_refused_with_a_way_out() {
        let refused = Client::new("https://tracker.example").unwrap_err();
        assert!(refused.hint().unwrap().contains("ssh -L"), "{refused}");
        assert_eq!(encoded("a b/ü"), "a%20b%2F%C3%BC");
    }

    proptest! {
        #[test]
        fn names_are_taken_by_mlflow_and_stay_apart(all in proptest::collection::btree_set(".{0,20}", 0..20)) {
            let mut names = Names::default();
            let given: BTreeSet<String> = all.iter().map(|name| names.of(name)).collect();
            prop_assert_eq!(given.len(), all.len());
            for name in given {
                prop_assert!(!name.is_empty() && name.len() <= LONGEST_NAME);
                prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "_-. :/".contains(c)), "{}", name);
                prop_assert!(!name.starts_with('/') && !name.ends_with('/') && !name.contains("//"), "{}", name);
            }
        }
    }
}
