//! What makes a run short: one step, a subset.
//!
//! Rows of [`RULES`] name parameters that limit a run, with the value for a smoke run and the reason. They are compared with what the
//! program declares, with its `--help` and with its configuration. A switch that is made for it is used alone; otherwise steps, or
//! epochs where there are no steps, and every limit of data.

use crate::declared::{Leaf, can_be_given};
use crate::help::HelpOption;
use crate::resolve::words_for;
use actum_model::{DeclaredParameter, ParameterKind};
use serde_json::Value;

/// One change for a smoke run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Override {
    pub name: String,
    pub value: String,
    pub how: How,
    pub why: String,
}

/// How a change is made.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// Words to add to the command.
    Words(Vec<String>),
    /// A key of the configuration, for a copy.
    ConfigKey,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    /// The program has a mode for it.
    Mode,
    Steps,
    Epochs,
    /// Less data.
    Data,
    /// What would run besides, or stop the rest from being short.
    Beside,
}

struct Rule {
    names: &'static [&'static str],
    effect: Effect,
    value: &'static str,
    why: &'static str,
}

const RULES: [Rule; 9] = [
    Rule {
        names: &[
            "fast_dev_run",
            "smoke",
            "smoke_test",
            "sanity_check",
            "quick_test",
            "quick_run",
            "test_run",
            "debug_run",
            "tiny",
        ],
        effect: Effect::Mode,
        value: "true",
        why: "the program has a mode for short runs",
    },
    Rule {
        names: &["dry_run", "dryrun"],
        effect: Effect::Mode,
        value: "true",
        why: "the program has a dry run, which may leave out the training itself",
    },
    Rule {
        names: &[
            "max_steps",
            "max_iters",
            "max_iter",
            "num_steps",
            "total_steps",
            "n_steps",
            "train_steps",
            "num_train_steps",
            "max_train_steps",
            "training_steps",
            "num_iterations",
            "num_iters",
            "iterations",
            "iters",
            "n_iters",
            "n_iter",
            "max_iterations",
            "max_updates",
            "max_update",
            "total_timesteps",
            "steps",
            "total_iters",
            "total_iterations",
            "max_step",
        ],
        effect: Effect::Steps,
        value: "1",
        why: "one step",
    },
    Rule {
        names: &[
            "epochs",
            "num_epochs",
            "max_epochs",
            "n_epochs",
            "num_train_epochs",
            "train_epochs",
            "epoch",
            "max_epoch",
            "total_epochs",
            "nepochs",
            "nb_epochs",
            "n_epoch",
            "num_epoch",
            "training_epochs",
            "num_rounds",
            "rounds",
            "n_rounds",
            "num_episodes",
            "episodes",
        ],
        effect: Effect::Epochs,
        value: "1",
        why: "one epoch",
    },
    Rule {
        names: &[
            "limit_train_batches",
            "limit_val_batches",
            "limit_test_batches",
            "max_batches",
            "num_batches",
            "max_train_batches",
            "max_eval_batches",
        ],
        effect: Effect::Data,
        value: "1",
        why: "one batch",
    },
    Rule {
        names: &[
            "max_train_samples",
            "max_eval_samples",
            "max_predict_samples",
            "max_samples",
            "num_samples",
            "n_samples",
            "num_train_samples",
            "num_eval_samples",
            "max_examples",
            "num_examples",
            "n_examples",
            "max_train_examples",
            "subset",
            "subset_size",
            "limit",
            "data_limit",
            "sample_size",
            "dataset_size",
            "train_size",
            "max_rows",
            "nrows",
            "num_problems",
            "num_questions",
            "max_instances",
        ],
        effect: Effect::Data,
        value: "16",
        why: "a subset of the data",
    },
    Rule {
        names: &[
            "subset_fraction",
            "data_fraction",
            "sample_fraction",
            "train_fraction",
            "fraction",
            "data_frac",
            "frac",
            "subset_ratio",
            "data_ratio",
        ],
        effect: Effect::Data,
        value: "0.01",
        why: "a hundredth of the data",
    },
    Rule {
        names: &[
            "eval_iters",
            "eval_steps_limit",
            "max_eval_steps",
            "num_eval_steps",
            "val_iters",
            "num_sanity_val_steps",
            "num_eval_episodes",
            "eval_episodes",
        ],
        effect: Effect::Beside,
        value: "1",
        why: "the evaluation besides is short as well",
    },
    Rule {
        names: &["warmup_steps", "num_warmup_steps", "warmup_iters", "warmup_epochs", "lr_warmup_steps"],
        effect: Effect::Beside,
        value: "0",
        why: "a warm-up that is longer than the run is refused by many schedules",
    },
];

/// A parameter that may be changed.
struct Known<'k> {
    name: String,
    is_switch: bool,
    is_ratio: bool,
    batch: Option<u64>,
    of: Of<'k>,
}

enum Of<'k> {
    Declared(&'k DeclaredParameter),
    Help(&'k HelpOption),
    Config,
}

/// The changes that make a run short; none where nothing is known that does.
pub fn overrides(declared: &[&DeclaredParameter], help: &[HelpOption], config: &[Leaf]) -> Vec<Override> {
    let known = known(declared, help, config);
    let batch = known.iter().find_map(|one| one.batch);
    let mut found: Vec<(Effect, Override)> = Vec::new();
    for rule in &RULES {
        for one in known.iter().filter(|one| rule.names.contains(&last(&one.name).as_str())) {
            let fits = one.is_switch == (rule.effect == Effect::Mode);
            let is_new = found.iter().all(|(_, other)| plain(&other.name) != plain(&one.name));
            if let Some(change) = change(rule, one, batch).filter(|_| fits && is_new) {
                found.push((rule.effect, change));
            }
        }
    }
    let has = |effect: Effect| found.iter().any(|(of, _)| *of == effect);
    if has(Effect::Mode) {
        return found
            .into_iter()
            .filter(|(effect, _)| *effect == Effect::Mode)
            .take(1)
            .map(|(_, change)| change)
            .collect();
    }
    let has_steps = has(Effect::Steps);
    let is_short = has_steps || has(Effect::Epochs) || has(Effect::Data);
    let wanted = |effect: Effect| is_short && (effect != Effect::Epochs || !has_steps);
    found.into_iter().filter(|(effect, _)| wanted(*effect)).map(|(_, change)| change).collect()
}

fn known<'k>(
    declared: &[&'k DeclaredParameter],
    help: &'k [HelpOption],
    config: &'k [Leaf],
) -> Vec<Known<'k>> {
    let mut known: Vec<Known<'k>> = Vec::new();
    for one in declared.iter().filter(|one| can_be_given(one) && one.kind != ParameterKind::Position) {
        let default = one.default.as_ref().and_then(|default| default.literal());
        let is_boolean = default.is_some_and(Value::is_boolean);
        let name = plain(&one.name);
        let batch = batch(&name, default);
        let is_switch = one.kind == ParameterKind::Switch || is_boolean;
        known.push(Known { is_switch, is_ratio: is_ratio(default), batch, of: Of::Declared(one), name });
    }
    for option in help.iter().filter(|option| !option.name().is_empty()) {
        let default = option.default.as_ref().and_then(|default| serde_json::from_str(default).ok());
        let name = option.name();
        let batch = batch(&name, default.as_ref());
        known.push(Known {
            is_switch: option.is_switch(),
            is_ratio: is_ratio(default.as_ref()),
            batch,
            of: Of::Help(option),
            name,
        });
    }
    for leaf in config
        .iter()
        .filter(|leaf| !leaf.value.is_array() && !leaf.value.is_object() && !leaf.value.is_string())
    {
        let batch = batch(&last(&leaf.path), Some(&leaf.value));
        let is_switch = leaf.value.is_boolean();
        known.push(Known {
            name: leaf.path.clone(),
            is_switch,
            is_ratio: is_ratio(Some(&leaf.value)),
            batch,
            of: Of::Config,
        });
    }
    known
}

fn change(rule: &Rule, one: &Known<'_>, batch: Option<u64>) -> Option<Override> {
    let value = match rule.effect {
        Effect::Data if rule.value == "16" && one.is_ratio => "0.01".to_owned(),
        // Fewer than a batch are no step where the last batch is dropped.
        Effect::Data if rule.value == "16" => {
            batch.map_or(64, |batch| batch.saturating_mul(2).clamp(2, 4_096)).to_string()
        }
        Effect::Mode | Effect::Steps | Effect::Epochs | Effect::Data | Effect::Beside => {
            rule.value.to_owned()
        }
    };
    let how = match &one.of {
        Of::Declared(parameter) => How::Words(words_for(parameter, &value).ok()?),
        Of::Help(option) if option.is_switch() => How::Words(vec![flag(option)?]),
        Of::Help(option) => How::Words(vec![flag(option)?, value.clone()]),
        Of::Config => How::ConfigKey,
    };
    Some(Override { name: one.name.clone(), value, how, why: rule.why.to_owned() })
}

fn flag(option: &HelpOption) -> Option<String> {
    option.flags.iter().find(|flag| flag.starts_with("--")).or_else(|| option.flags.first()).cloned()
}

fn is_ratio(default: Option<&Value>) -> bool {
    default.is_some_and(|value| {
        value.is_f64() && value.as_f64().is_some_and(|value| value > 0.0 && value <= 1.0)
    })
}

fn batch(name: &str, default: Option<&Value>) -> Option<u64> {
    const NAMES: [&str; 5] =
        ["batch_size", "train_batch_size", "per_device_train_batch_size", "batchsize", "bs"];
    NAMES.contains(&name).then(|| default.and_then(Value::as_u64)).flatten()
}

fn plain(name: &str) -> String {
    name.trim_start_matches('-').replace('-', "_").to_lowercase()
}

/// The last part of a dotted name.
fn last(name: &str) -> String {
    plain(name.rsplit('.').next().unwrap_or(name))
}

#[cfg(test)]
mod tests;
