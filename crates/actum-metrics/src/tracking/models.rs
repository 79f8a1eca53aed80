//! Logged models: what `log_model` of MLflow 3 makes before it writes a model's files to the model's own folder.

use super::answer::{Answer, Failure};
use super::arguments::{Arguments, LONGEST_KEY, LONGEST_PARAM, LONGEST_TAG};
use super::search::page;
use super::{TrackingRequest, TrackingServer};
use actum_model::Moment;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Models of one server.
const MOST_MODELS: usize = 20_000;
/// What a client may say about a model: that its files are being written, are there, or could not be written.
const STATES: [&str; 3] = ["LOGGED_MODEL_PENDING", "LOGGED_MODEL_READY", "LOGGED_MODEL_UPLOAD_FAILED"];

/// One model.
#[derive(Debug)]
pub(super) struct LoggedModel {
    experiment: u64,
    name: String,
    kind: String,
    run: String,
    status: &'static str,
    created: Moment,
    updated: Moment,
    tags: BTreeMap<String, String>,
    params: BTreeMap<String, String>,
}

impl TrackingServer {
    pub(super) fn create_model(&mut self, arguments: &Arguments, now: Moment) -> Answer {
        let experiment = self.experiment_id(arguments)?;
        if self.models.len() >= MOST_MODELS {
            return Err(Failure::full("models"));
        }
        let model = LoggedModel {
            experiment,
            name: arguments.bounded("name", LONGEST_PARAM)?,
            kind: arguments.bounded("model_type", LONGEST_KEY)?,
            run: arguments.bounded("source_run_id", LONGEST_KEY)?,
            status: STATES[0],
            created: now,
            updated: now,
            tags: pairs(arguments, "tags", LONGEST_TAG)?,
            params: pairs(arguments, "params", LONGEST_PARAM)?,
        };
        let own = model.name.len() + model.kind.len() + model.run.len();
        self.keep_text(own + length(&model.tags) + length(&model.params))?;
        let id = format!("m-{}", self.new_id());
        let answer = json!({ "model": self.model_json(&id, &model) });
        self.models.insert(id, model);
        Ok(answer)
    }

    pub(super) fn search_models(&self, arguments: &Arguments) -> Answer {
        if arguments.some_text("filter").is_some() {
            return Err(Failure::invalid("filters of models are not understood"));
        }
        let experiments = arguments.texts("experiment_ids");
        let is_seen = |model: &LoggedModel| experiments.contains(&model.experiment.to_string().as_str());
        let mut found: Vec<_> = self.models.iter().filter(|(_, model)| is_seen(model)).collect();
        found.sort_by_key(|(id, model)| (std::cmp::Reverse(model.created), id.as_str()));
        page(arguments, "models", &found, |(id, model)| self.model_json(id, model))
    }

    /// `<id>`, `<id>/tags`, `<id>/tags/<key>`, `<id>/params`.
    pub(super) fn route_model(
        &mut self,
        request: &TrackingRequest<'_>,
        rest: &str,
        arguments: &Arguments,
        now: Moment,
    ) -> Answer {
        let (id, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let missing = || Failure::missing("the model", id);
        let model = self.models.get_mut(id).ok_or_else(missing)?;
        let mut kept = 0;
        match (request.method, rest) {
            ("GET", "") => {}
            ("PATCH", "") => {
                let word = arguments.text("status")?;
                let known = STATES.into_iter().find(|state| *state == word);
                model.status = known.ok_or_else(|| Failure::invalid("'status' is none of a model"))?;
            }
            ("PATCH", "tags") => {
                let tags = pairs(arguments, "tags", LONGEST_TAG)?;
                kept = length(&tags);
                model.tags.extend(tags);
            }
            ("POST", "params") => {
                let params = pairs(arguments, "params", LONGEST_PARAM)?;
                kept = length(&params);
                model.params.extend(params);
            }
            ("DELETE", rest) => {
                let key = rest.strip_prefix("tags/").ok_or_else(|| Failure::no_endpoint(request))?;
                model.tags.remove(key);
            }
            _ => return Err(Failure::no_endpoint(request)),
        }
        if request.method != "GET" {
            model.updated = now;
        }
        self.keep_text(kept)?;
        let model = self.models.get(id).ok_or_else(missing)?;
        Ok(json!({ "model": self.model_json(id, model) }))
    }

    /// Which models a run made.
    pub(super) fn log_outputs(&mut self, arguments: &Arguments) -> Answer {
        let models = arguments.objects("models")?;
        let mut outputs = Vec::new();
        for model in models {
            let id = model.bounded("model_id", LONGEST_KEY)?;
            self.keep_text(id.len())?;
            outputs.push(json!({ "model_id": id, "step": model.whole("step").unwrap_or_default() }));
        }
        self.run_mut(arguments)?.outputs.extend(outputs);
        Ok(json!({}))
    }

    fn model_json(&self, id: &str, model: &LoggedModel) -> Value {
        let list = |pairs: &BTreeMap<String, String>| -> Vec<Value> {
            pairs.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect()
        };
        json!({
            "info": {
                "model_id": id,
                "experiment_id": model.experiment.to_string(),
                "name": model.name,
                "model_type": model.kind,
                "source_run_id": model.run,
                "status": model.status,
                "creation_timestamp_ms": model.created.milliseconds(),
                "last_updated_timestamp_ms": model.updated.milliseconds(),
                "artifact_uri": format!("{}/models/{id}/artifacts", self.artifact_location(model.experiment)),
                "tags": list(&model.tags),
            },
            "data": { "params": list(&model.params) },
        })
    }
}

/// Names and values in a list of objects.
fn pairs(arguments: &Arguments, name: &str, most: usize) -> Result<BTreeMap<String, String>, Failure> {
    let objects = arguments.objects(name)?;
    objects.iter().map(|one| Ok((one.key("key")?, one.bounded("value", most)?))).collect()
}

fn length(pairs: &BTreeMap<String, String>) -> usize {
    pairs.iter().map(|(key, value)| key.len() + value.len()).sum()
}
