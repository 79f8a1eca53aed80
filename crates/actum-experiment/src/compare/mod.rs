//! Compares two experiments ingredient by ingredient, and what came out of them.
//!
//! Input: two [`ExperimentFacts`]. Output: a [`Comparison`] whose ingredients are sorted by how probably each explains a different
//! result ([`IngredientKind`] has the order). A thing that one side does not know is not equal: it is listed in `not_compared`.
//! Pure: no files, no clock. Start at [`compare`].

mod command;
mod facts;
mod files;
mod ingredients;
mod installed;
mod kind;
mod places;
mod results;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use command::by_name as argument_values;
pub use facts::{ExperimentFacts, FileDigest};
pub(crate) use ingredients::value_text;
pub(crate) use kind::{Effect, kind_of_parameter, kind_of_variable};
pub use kind::{Group, IngredientKind};
pub use results::{MetricDifference, OutputChange, OutputDifference};

pub(crate) use places::Places;
pub(crate) use results::{merge_outputs, metric_differences, output_differences, same_as_printed};

use actum_model::{RunId, Untrusted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest value that a sentence shows.
const LONGEST: usize = 120;

/// What differs between two experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum comparison of two experiments")]
pub struct Comparison {
    pub one: RunId,
    pub other: RunId,
    /// The most probable causes of a different result first.
    pub ingredients: Vec<IngredientDifference>,
    pub metrics: Vec<MetricDifference>,
    pub outputs: Vec<OutputDifference>,
    pub compared: Compared,
    /// What could not be compared, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<String>,
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    pub parameters: u64,
    pub packages: u64,
    pub variables: u64,
    pub inputs: u64,
    pub metrics: u64,
    pub outputs: u64,
}

/// One ingredient that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IngredientDifference {
    pub kind: IngredientKind,
    /// Its name: a path, a package, a parameter.
    pub what: String,
    /// Absent where the first experiment does not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    pub basis: Basis,
}

/// What is known about the part of an ingredient in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The program read this file.
    Read,
    /// The program ran with it.
    Used,
    /// It was there. Nothing shows that the program used it.
    Present,
}

impl IngredientDifference {
    /// One harmless line: `package numpy: 2.4.5 → 2.4.6`.
    pub fn describe(&self) -> String {
        let value = |value: &Option<String>| match value {
            Some(text) => Untrusted::new(text.as_str()).shown(LONGEST),
            None => "absent".to_owned(),
        };
        let what = Untrusted::new(self.what.as_str()).shown(LONGEST);
        format!("{} {what}: {} → {}", self.kind.label(), value(&self.one), value(&self.other))
    }
}

/// Compares the first experiment with the other one.
pub fn compare(one: &ExperimentFacts, other: &ExperimentFacts) -> Comparison {
    let mut found = ingredients::Found::default();
    ingredients::collect(one, other, &mut found);
    let metrics = metric_differences(one.result.as_ref(), other.result.as_ref());
    let outputs = output_differences(&merge_outputs(one), &merge_outputs(other));
    found.compared.metrics = metrics.compared;
    found.compared.outputs = outputs.compared;
    for (side, facts) in [("first", one), ("second", other)] {
        if facts.result.is_none() {
            found.not_compared.push(format!("the {side} run has no recorded result"));
        }
    }
    found.not_compared.extend(outputs.not_compared);
    Comparison {
        one: one.manifest.run,
        other: other.manifest.run,
        ingredients: found.sorted(),
        metrics: metrics.differences,
        outputs: outputs.differences,
        compared: found.compared,
        not_compared: found.not_compared,
    }
}
