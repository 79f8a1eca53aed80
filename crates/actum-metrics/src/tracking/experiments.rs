//! Experiments: names under which runs are kept.

use super::answer::{Answer, Failure};
use super::arguments::{Arguments, LONGEST_PARAM, LONGEST_TAG};
use super::search::page;
use super::{MOST_EXPERIMENTS, TrackingServer};
use actum_model::Moment;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One experiment.
#[derive(Debug)]
pub(super) struct Experiment {
    pub(super) name: String,
    created: Moment,
    updated: Moment,
    is_deleted: bool,
    tags: BTreeMap<String, String>,
}

impl Experiment {
    pub(super) fn new(name: &str, now: Moment) -> Self {
        Self { name: name.to_owned(), created: now, updated: now, is_deleted: false, tags: BTreeMap::new() }
    }
}

impl TrackingServer {
    pub(super) fn create_experiment(&mut self, arguments: &Arguments, now: Moment) -> Answer {
        let name = experiment_name(arguments, "name")?;
        if self.find_experiment(&name).is_some() {
            return Err(Failure::exists("the experiment", &name));
        }
        if self.experiments.len() >= MOST_EXPERIMENTS {
            return Err(Failure::full("experiments"));
        }
        let mut experiment = Experiment::new(&name, now);
        for tag in arguments.objects("tags")? {
            experiment.tags.insert(tag.key("key")?, tag.bounded("value", LONGEST_TAG)?);
        }
        let length: usize = experiment.tags.iter().map(|(key, value)| key.len() + value.len()).sum();
        self.keep_text(name.len() + length)?;
        let id = self.experiments.keys().next_back().map_or(0, |last| last + 1);
        self.experiments.insert(id, experiment);
        Ok(json!({ "experiment_id": id.to_string() }))
    }

    pub(super) fn experiment_by_name(&self, arguments: &Arguments) -> Answer {
        let name = arguments.text("experiment_name")?;
        let id = self.find_experiment(name).ok_or_else(|| Failure::missing("the experiment", name))?;
        self.experiment_answer(id)
    }

    pub(super) fn experiment_by_id(&self, arguments: &Arguments) -> Answer {
        self.experiment_answer(self.experiment_id(arguments)?)
    }

    pub(super) fn search_experiments(&self, arguments: &Arguments) -> Answer {
        let view = arguments.some_text("view_type").unwrap_or("ACTIVE_ONLY");
        let is_seen = |one: &Experiment| view == "ALL" || one.is_deleted == (view == "DELETED_ONLY");
        // The newest first, as with MLflow. Of filters only a name is understood.
        let wanted = arguments.some_text("filter").and_then(quoted_name);
        let seen = self.experiments.iter().rev().filter(|(_, one)| is_seen(one));
        let named = seen.filter(|(_, one)| wanted.is_none_or(|name| one.name == name));
        page(arguments, "experiments", &named.collect::<Vec<_>>(), |(id, one)| {
            self.experiment_json(**id, one)
        })
    }

    pub(super) fn rename_experiment(&mut self, arguments: &Arguments, now: Moment) -> Answer {
        let id = self.experiment_id(arguments)?;
        let name = experiment_name(arguments, "new_name")?;
        if self.find_experiment(&name).is_some_and(|other| other != id) {
            return Err(Failure::exists("the experiment", &name));
        }
        self.keep_text(name.len())?;
        if let Some(experiment) = self.experiments.get_mut(&id) {
            (experiment.name, experiment.updated) = (name, now);
        }
        Ok(json!({}))
    }

    pub(super) fn mark_experiment(&mut self, arguments: &Arguments, is_deleted: bool, now: Moment) -> Answer {
        let id = self.experiment_id(arguments)?;
        if let Some(experiment) = self.experiments.get_mut(&id) {
            (experiment.is_deleted, experiment.updated) = (is_deleted, now);
        }
        Ok(json!({}))
    }

    pub(super) fn tag_experiment(&mut self, arguments: &Arguments, now: Moment) -> Answer {
        let id = self.experiment_id(arguments)?;
        let (key, value) = (arguments.key("key")?, arguments.bounded("value", LONGEST_TAG)?);
        self.keep_text(key.len() + value.len())?;
        if let Some(experiment) = self.experiments.get_mut(&id) {
            experiment.tags.insert(key, value);
            experiment.updated = now;
        }
        Ok(json!({}))
    }

    /// The experiment that an argument names.
    pub(super) fn experiment_id(&self, arguments: &Arguments) -> Result<u64, Failure> {
        let id = arguments.text("experiment_id")?;
        let known = id.parse().ok().filter(|id| self.experiments.contains_key(id));
        known.ok_or_else(|| Failure::missing("the experiment", id))
    }

    fn find_experiment(&self, name: &str) -> Option<u64> {
        self.experiments.iter().find(|(_, one)| one.name == name).map(|(id, _)| *id)
    }

    fn experiment_answer(&self, id: u64) -> Answer {
        let experiment = self.experiments.get(&id).map(|one| self.experiment_json(id, one));
        Ok(json!({ "experiment": experiment }))
    }

    fn experiment_json(&self, id: u64, experiment: &Experiment) -> Value {
        let tags: Vec<Value> =
            experiment.tags.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect();
        json!({
            "experiment_id": id.to_string(),
            "name": experiment.name,
            "artifact_location": self.artifact_location(id),
            "lifecycle_stage": stage(experiment.is_deleted),
            "creation_time": experiment.created.milliseconds(),
            "last_update_time": experiment.updated.milliseconds(),
            "tags": tags,
        })
    }

    pub(super) fn artifact_location(&self, experiment: u64) -> String {
        format!("{}/{experiment}", self.options.artifact_root.trim_end_matches('/'))
    }
}

/// The word for what is deleted and what is not.
pub(super) fn stage(is_deleted: bool) -> &'static str {
    if is_deleted { "deleted" } else { "active" }
}

fn experiment_name(arguments: &Arguments, argument: &str) -> Result<String, Failure> {
    let name = arguments.bounded(argument, LONGEST_PARAM)?;
    match name.trim().is_empty() {
        true => Err(Failure::invalid("an experiment needs a name")),
        false => Ok(name),
    }
}

/// The text in `name = 'text'`.
fn quoted_name(filter: &str) -> Option<&str> {
    let rest = filter.trim().strip_prefix("name")?.trim_start().strip_prefix('=')?.trim();
    rest.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''))
}
