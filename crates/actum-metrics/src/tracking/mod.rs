//! What an MLflow client may ask of a tracking server, answered from memory: experiments, runs, what they log, searches.
//!
//! The protocol is MLflow's REST API 2.0 as its published documents and the real client have it. Code that logs with MLflow
//! needs no change: `MLFLOW_TRACKING_URI` names the server. Everything that is logged leaves as a [`TrackingEvent`] as
//! well. Artifacts do not come here: every run has a folder of its own, which the client writes itself; see
//! [`TrackingOptions`].
//!
//! Pure: requests, the time and a seed for ids in, answers and events out. [`serve`](crate::serve) puts it on a socket.
//! What is kept is bounded; what is refused has MLflow's own error codes.

mod answer;
mod arguments;
mod event;
mod experiments;
mod filter;
mod log;
mod metrics;
mod models;
mod run;
mod runs;
mod search;
#[cfg(test)]
mod tests;

pub use answer::Response;
pub use event::{RunStatus, TrackingEvent};

use actum_model::{Digest, Moment};
use answer::{Answer, Failure};
use arguments::Arguments;
use experiments::Experiment;
use models::LoggedModel;
use run::Run;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Experiments, runs, values of metrics, and bytes of text that are kept in all.
const MOST_EXPERIMENTS: usize = 1000;
const MOST_RUNS: usize = 20_000;
const MOST_VALUES: usize = 1_000_000;
const MOST_TEXT: usize = 256 << 20;

/// The version that is told to clients: that of the API which is answered.
const VERSION: &str = "3.0.0";

/// One request, as HTTP has it.
#[derive(Clone, Copy, Debug)]
pub struct TrackingRequest<'a> {
    pub method: &'a str,
    /// Without the query.
    pub path: &'a str,
    /// Behind the question mark; empty where there is none.
    pub query: &'a str,
    pub body: &'a [u8],
}

/// What the owner decides.
#[derive(Clone, Debug)]
pub struct TrackingOptions {
    /// Where artifacts go, as the program that logs sees it: an absolute path, or a URI that its client can write. Below it
    /// every run has `<experiment id>/<run id>/artifacts`, which the client makes. The owner looks into the folder.
    pub artifact_root: String,
    /// What ids are made from. Two servers with one seed give the same ids.
    pub seed: [u8; 32],
}

/// The experiments and runs of one server.
#[derive(Debug)]
pub struct TrackingServer {
    options: TrackingOptions,
    ids: u64,
    experiments: BTreeMap<u64, Experiment>,
    runs: HashMap<String, Run>,
    /// Runs in the order in which they were made.
    order: Vec<String>,
    models: HashMap<String, LoggedModel>,
    kept: Kept,
    events: Vec<TrackingEvent>,
}

/// How much is kept.
#[derive(Debug, Default)]
struct Kept {
    values: usize,
    text: usize,
    /// Values of metrics of which only the latest is kept.
    left_out: u64,
}

impl TrackingServer {
    /// A server with the experiment that every server has.
    pub fn new(options: TrackingOptions, now: Moment) -> Self {
        let experiments = BTreeMap::from([(0, Experiment::new("Default", now))]);
        Self {
            options,
            ids: 0,
            experiments,
            runs: HashMap::new(),
            order: Vec::new(),
            models: HashMap::new(),
            kept: Kept::default(),
            events: Vec::new(),
        }
    }

    /// Answers one request.
    pub fn handle(&mut self, request: &TrackingRequest<'_>, now: Moment) -> Response {
        match (request.method, request.path) {
            ("GET", "/health") => return Response::text("OK"),
            ("GET", "/version") => return Response::text(VERSION),
            _ => {}
        }
        let prefixes =
            ["/api/2.0/mlflow/", "/ajax-api/2.0/mlflow/", "/api/3.0/mlflow/", "/ajax-api/3.0/mlflow/"];
        let Some(route) = prefixes.iter().find_map(|prefix| request.path.strip_prefix(prefix)) else {
            return Response::failure(&Failure::no_endpoint(request));
        };
        match self.route(request, route.trim_end_matches('/'), now) {
            Ok(value) => Response::json(&value),
            Err(failure) => Response::failure(&failure),
        }
    }

    /// What was logged since the last call, in order.
    pub fn take_events(&mut self) -> Vec<TrackingEvent> {
        std::mem::take(&mut self.events)
    }

    /// How many values are not in the history that the server answers with: beyond a million only the latest is kept.
    /// Their events were given out all the same.
    pub fn values_left_out(&self) -> u64 {
        self.kept.left_out
    }

    fn route(&mut self, request: &TrackingRequest<'_>, route: &str, now: Moment) -> Answer {
        let arguments = Arguments::read(request)?;
        let arguments = &arguments;
        match (request.method, route) {
            ("GET", "experiments/get-by-name") => self.experiment_by_name(arguments),
            ("GET", "experiments/get") => self.experiment_by_id(arguments),
            ("GET" | "POST", "experiments/search") => self.search_experiments(arguments),
            ("POST", "experiments/create") => self.create_experiment(arguments, now),
            ("POST", "experiments/update") => self.rename_experiment(arguments, now),
            ("POST", "experiments/delete") => self.mark_experiment(arguments, true, now),
            ("POST", "experiments/restore") => self.mark_experiment(arguments, false, now),
            ("POST", "experiments/set-experiment-tag") => self.tag_experiment(arguments, now),
            ("POST", "runs/create") => self.create_run(arguments, now),
            ("GET", "runs/get") => self.get_run(arguments),
            ("POST", "runs/update") => self.update_run(arguments),
            ("POST", "runs/delete") => self.mark_run(arguments, true),
            ("POST", "runs/restore") => self.mark_run(arguments, false),
            ("POST", "runs/search") => self.search_runs(arguments),
            ("POST", "runs/log-metric") => self.log_metric(arguments),
            ("POST", "runs/log-parameter") => self.log_param(arguments),
            ("POST", "runs/set-tag") => self.set_tag(arguments),
            ("POST", "runs/delete-tag") => self.delete_tag(arguments),
            ("POST", "runs/log-batch") => self.log_batch(arguments),
            ("POST", "runs/log-inputs") => self.log_inputs(arguments),
            ("POST", "runs/outputs") => self.log_outputs(arguments),
            // What clients before version 3 tell about a model: its files say the same.
            ("POST", "runs/log-model") => self.run(arguments).map(|_| Value::Object(Map::new())),
            ("POST", "logged-models") => self.create_model(arguments, now),
            ("POST", "logged-models/search") => self.search_models(arguments),
            ("GET", "metrics/get-history") => self.metric_history(arguments),
            ("GET", "artifacts/list") => Err(Failure::no_artifacts()),
            _ => match route.strip_prefix("logged-models/") {
                Some(rest) => self.route_model(request, rest, arguments, now),
                None => Err(Failure::no_endpoint(request)),
            },
        }
    }

    /// 32 hex digits that nobody guesses who does not know the seed.
    fn new_id(&mut self) -> String {
        self.ids += 1;
        let mut bytes = self.options.seed.to_vec();
        bytes.extend_from_slice(&self.ids.to_le_bytes());
        let mut digest = Digest::of(&bytes).to_string();
        if let Some(at) = digest.rfind(':') {
            digest.drain(..=at);
        }
        digest.truncate(32);
        digest
    }

    /// Makes room for text that is kept for good.
    fn keep_text(&mut self, length: usize) -> Result<(), Failure> {
        if self.kept.text + length > MOST_TEXT {
            return Err(Failure::full("text"));
        }
        self.kept.text += length;
        Ok(())
    }
}
