//! `sweep.json`: all that a sweep is, written once before its first trial.

use super::error::SweepError;
use crate::error::ExperimentError;
use crate::manifest::{Purpose, SeedFacts, SeedOrigin};
use crate::output_folder::{OutputFolder, file_name};
use crate::request::ExperimentRequest;
use crate::sweep::words;
use actum_engine::{RequestBuilder, SourceChoice};
use actum_metrics::{OnAlarm, WatchPolicy};
use actum_model::{Digest, Moment, RunId};
use actum_sweep::{Definition, Goal, Rules, Trial, TrialRef, Trials};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A sweep as it was asked for. With its journal it is everything that is needed to go on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SweepFile {
    /// The version of this form.
    pub v: u32,
    pub id: RunId,
    pub name: String,
    pub created_at: Moment,
    pub workspace: PathBuf,
    /// Of the definition: another one would have other trials under the same indices.
    pub digest: Digest,
    pub definition: Definition,
    pub rules: Rules,
    pub metric: MetricChoice,
    /// The parameter that gets the budget of a rung, in successive halving.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
    pub trial: TrialTemplate,
    /// Where the trials find the code.
    pub code: Code,
}

/// What the sweep compares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricChoice {
    pub name: String,
    #[serde(default)]
    pub take: Take,
}

/// Which value of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// At its end.
    #[default]
    Last,
    /// The best by the goal of the sweep.
    Best,
}

/// What each trial is run with, apart from its parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrialTemplate {
    pub asked: RequestBuilder,
    pub profile: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<PathBuf>,
    /// `key=value` each, the same for all trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Stop a trial that raises an alarm, such as a loss that is NaN.
    #[serde(default)]
    pub stop_on_alarm: bool,
}

/// Where the trials find the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "from")]
pub enum Code {
    /// The workspace as it is when a trial starts: what is edited meanwhile is seen by later trials.
    Live { why: String },
}

impl SweepFile {
    pub const VERSION: u32 = 1;
    pub const FILE: &str = "sweep.json";

    /// Reads it from the folder of a sweep.
    pub fn read(folder: &Path) -> Result<Self, SweepError> {
        #[derive(Deserialize)]
        struct Version {
            v: u32,
        }
        let path = folder.join(Self::FILE);
        let Ok(bytes) = actum_gate::own::read(&path) else {
            return Err(SweepError::NoSweep { folder: folder.to_path_buf() });
        };
        let failed = |source| SweepError::File { path: path.clone(), source };
        let Version { v: version } = serde_json::from_slice(&bytes).map_err(failed)?;
        if version > Self::VERSION {
            return Err(SweepError::Newer { path, version });
        }
        let file: Self = serde_json::from_slice(&bytes).map_err(failed)?;
        if file.trials()?.digest() != file.digest {
            return Err(SweepError::Changed { path });
        }
        Ok(file)
    }

    /// Writes it. Variables may have been given with their values: it is for the caller alone.
    pub(super) fn write(&self, folder: &OutputFolder) -> Result<(), SweepError> {
        let mut text = serde_json::to_vec_pretty(self).map_err(ExperimentError::from)?;
        text.push(b'\n');
        folder.write_private(Self::FILE, &text)?;
        Ok(())
    }

    pub fn trials(&self) -> Result<Trials, SweepError> {
        Ok(Trials::new(self.definition.clone())?)
    }

    pub fn goal(&self) -> Goal {
        self.rules.goal
    }

    /// The experiment that a trial is.
    pub(super) fn request(&self, trial: &Trial, run: &TrialRef, sweep: &str) -> ExperimentRequest {
        let template = &self.trial;
        let mut asked = template.asked.clone();
        let budget = run.budget.map(|budget| (self.budget.as_deref().unwrap_or("budget"), budget));
        let mut set = template.set.clone();
        set.extend(fill(&mut asked, &words::assignments(trial, budget)));
        ExperimentRequest {
            name: Some(self.name.clone()),
            seed: SeedFacts { value: u64::from(trial.seed), origin: SeedOrigin::Derived },
            profile: template.profile.parse().unwrap_or_default(),
            config: template.config.clone(),
            set,
            pattern: format!("{sweep}/{}", folder_name(trial, run)),
            purpose: Purpose::Trial { sweep: self.id.to_string(), index: trial.index },
            threads: template.threads,
            watch: self.watch(),
            ..ExperimentRequest::new(asked)
        }
    }

    fn watch(&self) -> WatchPolicy {
        let on_alarm = if self.trial.stop_on_alarm { OnAlarm::Stop } else { OnAlarm::Warn };
        WatchPolicy { on_alarm, ..WatchPolicy::default() }
    }
}

/// `trial-0007_lr=0.1+layers=2`, and with its rung in successive halving.
fn folder_name(trial: &Trial, run: &TrialRef) -> String {
    let rung = run.budget.map(|_| format!("-rung{}", run.rung)).unwrap_or_default();
    let parameters: Vec<String> =
        trial.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let parameters = if parameters.is_empty() { String::new() } else { format!("_{}", parameters.join("+")) };
    file_name(&format!("trial-{:04}{rung}{parameters}", trial.index))
}

/// Fills the placeholders of a request's words. Words that are no text have none.
fn fill(asked: &mut RequestBuilder, all: &[words::Assignment]) -> Vec<String> {
    let mut places: Vec<&mut OsString> = match &mut asked.source {
        SourceChoice::Command(words) => words.iter_mut().collect(),
        SourceChoice::Shell(line) => vec![line],
        SourceChoice::Nothing | SourceChoice::File(_) | SourceChoice::Stdin(_) | SourceChoice::Code(_) => {
            Vec::new()
        }
    };
    places.extend(asked.arguments.iter_mut());
    let mut places: Vec<&mut OsString> = places.into_iter().filter(|word| word.to_str().is_some()).collect();
    let mut words: Vec<String> = places.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let left = words::fill(&mut words, all);
    for (place, word) in places.iter_mut().zip(words) {
        **place = word.into();
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_sweep::{Method, Seeds, Space};

    #[test]
    fn folders_of_trials_are_told_apart_and_lead_nowhere() {
        let space = Space::parse(&["lr=0.1,0.01", "data=../x,\"{y}\""]).unwrap();
        let definition =
            Definition { space, method: Method::Grid, seed: 1, seeds: Seeds::Derived(1), splits: Vec::new() };
        let trials = Trials::new(definition).unwrap();
        let plain = TrialRef { rung: 0, index: 0, budget: None };
        let rung = TrialRef { rung: 2, index: 0, budget: Some(9) };
        let names: Vec<String> = trials.iter().map(|trial| folder_name(&trial, &plain)).collect();
        assert_eq!(names[..2], ["trial-0000_lr=0.1+data=..-x", "trial-0001_lr=0.1+data=-y-"]);
        assert_eq!(folder_name(&trials.trial(3).unwrap(), &rung), "trial-0003-rung2_lr=0.01+data=-y-");
    }
}
