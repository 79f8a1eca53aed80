//! What a run logs: values, parameters, tags and inputs. A batch is taken whole or not at all.

use super::answer::{Answer, Failure};
use super::arguments::{Arguments, LONGEST_PARAM, LONGEST_TAG};
use super::event::TrackingEvent;
use super::metrics::Logged;
use super::runs::NAME_TAG;
use super::{MOST_VALUES, TrackingServer};
use actum_model::Untrusted;
use serde_json::json;
use std::collections::BTreeMap;

/// Metrics, parameters and tags that one run may have; MLflow has no bound here.
const MOST_KEYS: usize = 10_000;
/// Datasets that one run may have read.
const MOST_INPUTS: usize = 1000;

/// What one request logs, read and found right.
#[derive(Debug, Default)]
struct Batch {
    metrics: Vec<(String, Logged)>,
    params: BTreeMap<String, String>,
    tags: BTreeMap<String, String>,
}

impl TrackingServer {
    pub(super) fn log_metric(&mut self, arguments: &Arguments) -> Answer {
        let metrics = vec![(arguments.key("key")?, Logged::read(arguments)?)];
        self.log(arguments, Batch { metrics, ..Batch::default() })
    }

    pub(super) fn log_param(&mut self, arguments: &Arguments) -> Answer {
        let params = BTreeMap::from([(arguments.key("key")?, arguments.bounded("value", LONGEST_PARAM)?)]);
        self.log(arguments, Batch { params, ..Batch::default() })
    }

    pub(super) fn set_tag(&mut self, arguments: &Arguments) -> Answer {
        let tags = BTreeMap::from([(arguments.key("key")?, arguments.bounded("value", LONGEST_TAG)?)]);
        self.log(arguments, Batch { tags, ..Batch::default() })
    }

    pub(super) fn delete_tag(&mut self, arguments: &Arguments) -> Answer {
        let key = arguments.text("key")?;
        match self.run_mut(arguments)?.tags.remove(key) {
            Some(_) => Ok(json!({})),
            None => Err(Failure::missing("the tag", key)),
        }
    }

    pub(super) fn log_batch(&mut self, arguments: &Arguments) -> Answer {
        let mut batch = Batch::default();
        for metric in arguments.objects("metrics")? {
            batch.metrics.push((metric.key("key")?, Logged::read(&metric)?));
        }
        for param in arguments.objects("params")? {
            let (key, value) = (param.key("key")?, param.bounded("value", LONGEST_PARAM)?);
            if batch.params.insert(key.clone(), value.clone()).is_some_and(|before| before != value) {
                return Err(changed_param(&key));
            }
        }
        for tag in arguments.objects("tags")? {
            batch.tags.insert(tag.key("key")?, tag.bounded("value", LONGEST_TAG)?);
        }
        self.log(arguments, batch)
    }

    pub(super) fn log_inputs(&mut self, arguments: &Arguments) -> Answer {
        let id = self.run(arguments)?.id.clone();
        let inputs = arguments.objects("datasets")?;
        if self.run(arguments)?.inputs.len() + inputs.len() > MOST_INPUTS {
            return Err(Failure::full("datasets of this run"));
        }
        for input in inputs {
            let dataset = input.value("dataset").cloned().unwrap_or_default();
            let text = |name: &str| {
                Untrusted::new(dataset.get(name).and_then(|one| one.as_str()).unwrap_or_default())
            };
            let event = TrackingEvent::Input { run: id.clone(), name: text("name"), digest: text("digest") };
            let input = input.into_value();
            self.keep_text(input.to_string().len())?;
            self.events.push(event);
            self.run_mut(arguments)?.inputs.push(input);
        }
        Ok(json!({}))
    }

    fn log(&mut self, arguments: &Arguments, batch: Batch) -> Answer {
        let run = self.run(arguments)?;
        if run.is_deleted {
            return Err(Failure::state("the run is deleted; restore it first"));
        }
        for (key, value) in &batch.params {
            // A parameter is what the run was started with: it does not change.
            if run.params.get(key).is_some_and(|before| before != value) {
                return Err(changed_param(key));
            }
        }
        let names = run.params.len() + run.tags.len() + run.metrics.len();
        let new_metrics = batch.metrics.iter().filter(|(key, _)| !run.metrics.contains_key(key));
        let key_length: usize = new_metrics.clone().map(|(key, _)| key.len()).sum();
        if names + new_metrics.count() + batch.params.len() + batch.tags.len() > MOST_KEYS {
            return Err(Failure::full("names of this run"));
        }
        let length = |pairs: &BTreeMap<String, String>| -> usize {
            pairs.iter().map(|(key, value)| key.len() + value.len()).sum()
        };
        self.keep_text(key_length + length(&batch.params) + length(&batch.tags))?;
        self.apply(arguments, batch)
    }

    fn apply(&mut self, arguments: &Arguments, batch: Batch) -> Answer {
        let id = self.run(arguments)?.id.clone();
        let Some(run) = self.runs.get_mut(&id) else { return Err(Failure::missing("Run", &id)) };
        for (key, logged) in batch.metrics {
            self.events.extend(logged.point(&id, &key).map(TrackingEvent::Metric));
            let history = run.metrics.entry(key).or_default();
            history.note_latest(logged);
            if self.kept.values < MOST_VALUES {
                history.values.push(logged);
                self.kept.values += 1;
            } else {
                self.kept.left_out += 1;
            }
        }
        for (key, value) in batch.params {
            if run.params.insert(key.clone(), value.clone()).is_some() {
                self.kept.text -= key.len() + value.len();
                continue;
            }
            let value = Untrusted::new(value);
            self.events.push(TrackingEvent::Param { run: id.clone(), key, value });
        }
        for (key, value) in batch.tags {
            if key == NAME_TAG {
                run.name.clone_from(&value);
            }
            if let Some(before) = run.tags.insert(key.clone(), value.clone()) {
                // What a run was made with was counted as well.
                self.kept.text = self.kept.text.saturating_sub(key.len() + before.len());
            }
            self.events.push(TrackingEvent::Tag { run: id.clone(), key, value: Untrusted::new(value) });
        }
        Ok(json!({}))
    }
}

fn changed_param(key: &str) -> Failure {
    Failure::invalid(format!(
        "the param '{key}' was already logged with another value; a param does not change"
    ))
}
