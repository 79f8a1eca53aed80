//! Runs: made, found, ended.

use super::answer::{Answer, Failure};
use super::arguments::{Arguments, LONGEST_PARAM, LONGEST_TAG};
use super::event::{RunStatus, TrackingEvent};
use super::metrics::moment;
use super::run::Run;
use super::{MOST_RUNS, TrackingServer};
use actum_model::{Moment, Untrusted};
use serde_json::json;
use std::collections::BTreeMap;

/// The tags in which a run's name and user are kept as well.
pub(super) const NAME_TAG: &str = "mlflow.runName";
const USER_TAG: &str = "mlflow.user";

impl TrackingServer {
    pub(super) fn create_run(&mut self, arguments: &Arguments, now: Moment) -> Answer {
        let experiment = match arguments.some_text("experiment_id") {
            Some(_) => self.experiment_id(arguments)?,
            None => 0,
        };
        if self.runs.len() >= MOST_RUNS {
            return Err(Failure::full("runs"));
        }
        let mut tags = BTreeMap::new();
        for tag in arguments.objects("tags")? {
            tags.insert(tag.key("key")?, tag.bounded("value", LONGEST_TAG)?);
        }
        let mut name = arguments.bounded("run_name", LONGEST_PARAM)?;
        if name.is_empty() {
            name = tags.get(NAME_TAG).cloned().unwrap_or_default();
        }
        let user = arguments.bounded("user_id", LONGEST_PARAM)?;
        let length: usize = tags.iter().map(|(key, value)| key.len() + value.len()).sum();
        self.keep_text(length + name.len() + user.len())?;
        let id = self.new_id();
        if name.is_empty() {
            name = format!("run-{}", &id[..8]);
        }
        tags.insert(NAME_TAG.to_owned(), name.clone());
        if !user.is_empty() {
            tags.entry(USER_TAG.to_owned()).or_insert_with(|| user.clone());
        }
        let start = arguments.whole("start_time").unwrap_or_else(|| milliseconds(now));
        let artifact_uri = format!("{}/{id}/artifacts", self.artifact_location(experiment));
        let run = Run {
            id: id.clone(),
            experiment,
            name,
            user,
            status: RunStatus::Running,
            start,
            end: None,
            is_deleted: false,
            artifact_uri,
            params: BTreeMap::new(),
            tags,
            metrics: BTreeMap::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        self.announce(&run);
        let answer = json!({ "run": run.json() });
        self.order.push(id.clone());
        self.runs.insert(id, run);
        Ok(answer)
    }

    pub(super) fn get_run(&self, arguments: &Arguments) -> Answer {
        Ok(json!({ "run": self.run(arguments)?.json() }))
    }

    pub(super) fn update_run(&mut self, arguments: &Arguments) -> Answer {
        let id = self.run(arguments)?.id.clone();
        let name = arguments.bounded("run_name", LONGEST_PARAM)?;
        let status = match arguments.some_text("status") {
            Some(word) => Some(status(word)?),
            None => None,
        };
        self.keep_text(name.len())?;
        let run = self.runs.get_mut(&id).ok_or_else(|| Failure::missing("the run", &id))?;
        if !name.is_empty() {
            run.tags.insert(NAME_TAG.to_owned(), name.clone());
            run.name = name;
        }
        run.status = status.unwrap_or(run.status);
        run.end = arguments.whole("end_time").or(run.end).filter(|_| run.status.is_over());
        let answer = json!({ "run_info": run.info() });
        if let Some(status) = status.filter(|status| status.is_over()) {
            self.events.push(TrackingEvent::RunEnded { run: id, status });
        }
        Ok(answer)
    }

    pub(super) fn mark_run(&mut self, arguments: &Arguments, is_deleted: bool) -> Answer {
        self.run_mut(arguments)?.is_deleted = is_deleted;
        Ok(json!({}))
    }

    /// The run that the arguments name.
    pub(super) fn run(&self, arguments: &Arguments) -> Result<&Run, Failure> {
        let id = run_id(arguments)?;
        self.runs.get(id).ok_or_else(|| Failure::missing("Run", id))
    }

    pub(super) fn run_mut(&mut self, arguments: &Arguments) -> Result<&mut Run, Failure> {
        let id = run_id(arguments)?;
        self.runs.get_mut(id).ok_or_else(|| Failure::missing("Run", id))
    }

    fn announce(&mut self, run: &Run) {
        let experiment =
            self.experiments.get(&run.experiment).map(|one| one.name.clone()).unwrap_or_default();
        self.events.push(TrackingEvent::RunStarted {
            run: run.id.clone(),
            experiment: Untrusted::new(experiment),
            name: Untrusted::new(run.name.clone()),
            at: moment(run.start),
        });
        for (key, value) in &run.tags {
            let value = Untrusted::new(value.clone());
            self.events.push(TrackingEvent::Tag { run: run.id.clone(), key: key.clone(), value });
        }
    }
}

/// Older clients say `run_uuid`.
fn run_id(arguments: &Arguments) -> Result<&str, Failure> {
    arguments.text("run_id").or_else(|failure| arguments.some_text("run_uuid").ok_or(failure))
}

fn status(word: &str) -> Result<RunStatus, Failure> {
    let known = RunStatus::ALL.into_iter().find(|status| status.name() == word);
    known.ok_or_else(|| Failure::invalid("'status' is not RUNNING, SCHEDULED, FINISHED, FAILED or KILLED"))
}

fn milliseconds(now: Moment) -> i64 {
    i64::try_from(now.milliseconds()).unwrap_or(i64::MAX)
}
