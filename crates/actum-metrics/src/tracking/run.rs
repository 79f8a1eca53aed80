//! One run, and how it is written for clients.

use super::event::RunStatus;
use super::experiments::stage;
use super::metrics::History;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What was logged for one run.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) id: String,
    pub(super) experiment: u64,
    pub(super) name: String,
    pub(super) user: String,
    pub(super) status: RunStatus,
    /// Milliseconds since 1970, as the client says.
    pub(super) start: i64,
    pub(super) end: Option<i64>,
    pub(super) is_deleted: bool,
    pub(super) artifact_uri: String,
    pub(super) params: BTreeMap<String, String>,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) metrics: BTreeMap<String, History>,
    pub(super) inputs: Vec<Value>,
    /// Models that the run made.
    pub(super) outputs: Vec<Value>,
}

impl Run {
    pub(super) fn info(&self) -> Value {
        let mut info = json!({
            "run_id": self.id,
            "run_uuid": self.id,
            "run_name": self.name,
            "experiment_id": self.experiment.to_string(),
            "user_id": self.user,
            "status": self.status.name(),
            "start_time": self.start,
            "artifact_uri": self.artifact_uri,
            "lifecycle_stage": stage(self.is_deleted),
        });
        if let Some(end) = self.end {
            info["end_time"] = json!(end);
        }
        info
    }

    pub(super) fn json(&self) -> Value {
        let metrics: Vec<Value> =
            self.metrics.iter().filter_map(|(key, history)| Some(history.latest()?.json(key))).collect();
        json!({
            "info": self.info(),
            "data": { "metrics": metrics, "params": pairs(&self.params), "tags": pairs(&self.tags) },
            "inputs": { "dataset_inputs": self.inputs },
            "outputs": { "model_outputs": self.outputs },
        })
    }
}

fn pairs(pairs: &BTreeMap<String, String>) -> Vec<Value> {
    pairs.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect()
}
