//! What a table knows about one experiment.

use super::{Cell, Section};
use crate::compare::{
    IngredientKind, Places, argument_values, kind_of_parameter, kind_of_variable, value_text,
};
use crate::manifest::{Manifest, Purpose};
use crate::result::ExperimentResult;
use actum_model::{Moment, Outcome, RunId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// One experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentRow {
    pub run: RunId,
    pub name: String,
    pub purpose: &'static str,
    pub created_at: Moment,
    /// None while it runs, or where its end was not recorded.
    pub outcome: Option<Outcome>,
    pub duration: Option<Span>,
    pub seed: u64,
    /// Parameters and what the program ran with, without the seed.
    pub(super) values: BTreeMap<(Section, String), String>,
    /// In the order in which the result has them.
    pub(super) metrics: Vec<(String, Cell)>,
    /// Where in them each name is.
    places: BTreeMap<String, usize>,
}

impl ExperimentRow {
    pub fn new(manifest: &Manifest, result: Option<&ExperimentResult>) -> Self {
        let metric = |metric: &crate::result::MetricSummary| {
            let value = metric.last.filter(|value| value.is_finite());
            (metric.name.clone(), Cell::Number { value, text: metric.last_text.clone() })
        };
        let metrics: Vec<(String, Cell)> =
            result.map_or_else(Vec::new, |result| result.metrics.iter().map(metric).collect());
        Self {
            run: manifest.run,
            name: manifest.name.clone(),
            purpose: purpose(&manifest.purpose),
            created_at: manifest.created_at,
            outcome: result.map(|result| result.outcome),
            duration: result.map(|result| result.duration),
            seed: manifest.seed.value,
            values: values(manifest),
            places: metrics.iter().enumerate().rev().map(|(at, (name, _))| (name.clone(), at)).collect(),
            metrics,
        }
    }

    pub(super) fn metric(&self, name: &str) -> Option<&Cell> {
        self.places.get(name).map(|at| &self.metrics[*at].1)
    }
}

fn purpose(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Experiment => "experiment",
        Purpose::Smoke => "smoke",
        Purpose::Resume { .. } => "resume",
        Purpose::Reproduction { .. } => "reproduction",
        Purpose::Trial { .. } => "trial",
    }
}

fn values(manifest: &Manifest) -> BTreeMap<(Section, String), String> {
    let places = Places::new(manifest);
    let mut values = BTreeMap::new();
    let mut add = |section: Section, name: &str, value: String| {
        values.entry((section, name.to_owned())).or_insert(value);
    };
    let is_seed = |kind: IngredientKind| kind == IngredientKind::Seed;
    for parameter in &manifest.parameters {
        if !is_seed(kind_of_parameter(&parameter.name, IngredientKind::Parameter)) {
            add(Section::Parameter, &parameter.name, places.text(&value_text(&parameter.value)));
        }
    }
    let known: BTreeSet<String> =
        manifest.parameters.iter().map(|known| known.name.replace('-', "_")).collect();
    let words: Vec<String> = manifest.command.words.iter().map(|word| places.text(word)).collect();
    for (name, value) in argument_values(&words) {
        let plain = name.trim_start_matches('-').replace('-', "_");
        if !known.contains(&plain) && !is_seed(kind_of_parameter(&name, IngredientKind::Argument)) {
            add(Section::Parameter, &name, value);
        }
    }
    for config in &manifest.configs {
        add(Section::Parameter, &places.path(&config.path), config.sha256.short());
    }
    if let Some(git) = &manifest.git {
        add(Section::Environment, "commit", git.commit.chars().take(12).collect());
        if let Some(patch) = git.patch {
            add(Section::Environment, "uncommitted changes", patch.sha256.short());
        }
    }
    let data = manifest.data.iter().flat_map(|data| [("data set", &data.name), ("split", &data.split)]);
    for (name, value) in data {
        value.iter().for_each(|value| add(Section::Environment, name, value.clone()));
    }
    let environment = &manifest.environment;
    if let Some(interpreter) = &environment.interpreter {
        add(Section::Environment, &interpreter.name, interpreter.version.clone().unwrap_or_default());
    }
    for package in &environment.packages {
        add(Section::Environment, &package.name, package.version.clone());
    }
    for (name, value) in &environment.variables {
        if !is_seed(kind_of_variable(name, IngredientKind::Variable)) {
            add(Section::Environment, name, places.text(value));
        }
    }
    let machine = &manifest.machine;
    add(Section::Environment, "CPU", machine.cpu.clone());
    add(Section::Environment, "threads", machine.threads.to_string());
    let gpus: Vec<&str> =
        machine.gpus.iter().filter(|gpu| gpu.granted).map(|gpu| gpu.name.as_str()).collect();
    if !gpus.is_empty() {
        add(Section::Environment, "GPU", gpus.join(", "));
    }
    add(Section::Environment, "profile", manifest.determinism.profile.clone());
    values
}
