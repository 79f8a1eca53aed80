//! Which data set and split a run uses, and what prepared it.
//!
//! By name: from the parameters, from calls such as `load_dataset("squad", split="train")`, and for preparation from scripts, targets
//! and stages that are named after it or that make the file in question. Whether the data are there is for others to see.

mod preparation;
#[cfg(test)]
mod tests;

pub use preparation::{Preparation, find_preparation};

use crate::resolve::{Origin, Parameter};
use actum_model::{DataSetUse, DefaultValue};
use serde_json::Value;

/// One thing that says which data a run uses.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct DataUse {
    pub role: DataRole,
    pub value: String,
    /// The parameter or the call that says it: `train_file`, `datasets.load_dataset`.
    pub by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum DataRole {
    /// The name of a data set.
    DataSet,
    /// A variant of it: `wikitext-2-raw-v1`.
    Variant,
    Split,
    /// A file or folder.
    Path,
}

/// Names of parameters, without regard to `-` and case, and what they say.
const NAMES: [(&str, DataRole); 56] = {
    use DataRole::{DataSet, Path, Split, Variant};
    [
        ("dataset", DataSet),
        ("data_set", DataSet),
        ("dataset_name", DataSet),
        ("dataset_id", DataSet),
        ("datasets", DataSet),
        ("data_name", DataSet),
        ("train_dataset", DataSet),
        ("eval_dataset", DataSet),
        ("test_dataset", DataSet),
        ("val_dataset", DataSet),
        ("dataset_mixer", DataSet),
        ("corpus", DataSet),
        ("benchmark", DataSet),
        ("task_name", DataSet),
        ("repo_id", DataSet),
        ("dataset_config", Variant),
        ("dataset_config_name", Variant),
        ("dataset_subset", Variant),
        ("dataset_revision", Variant),
        ("dataset_version", Variant),
        ("split", Split),
        ("splits", Split),
        ("dataset_split", Split),
        ("train_split", Split),
        ("eval_split", Split),
        ("test_split", Split),
        ("val_split", Split),
        ("dataset_train_split", Split),
        ("dataset_test_split", Split),
        ("fold", Split),
        ("data", Path),
        ("data_dir", Path),
        ("data_path", Path),
        ("data_root", Path),
        ("data_folder", Path),
        ("data_file", Path),
        ("data_files", Path),
        ("datadir", Path),
        ("dataroot", Path),
        ("dataset_dir", Path),
        ("dataset_path", Path),
        ("dataset_root", Path),
        ("train_file", Path),
        ("validation_file", Path),
        ("valid_file", Path),
        ("test_file", Path),
        ("train_path", Path),
        ("val_path", Path),
        ("valid_path", Path),
        ("test_path", Path),
        ("train_data", Path),
        ("val_data", Path),
        ("valid_data", Path),
        ("test_data", Path),
        ("eval_data", Path),
        ("input_file", Path),
    ]
};

/// What the parameters and the calls of the program say, parameters first.
pub fn data_uses(parameters: &[Parameter], calls: &[DataSetUse]) -> Vec<DataUse> {
    let mut uses: Vec<DataUse> = parameters.iter().flat_map(of_parameter).collect();
    for call in calls {
        let of =
            |role, value: &String| DataUse { role, value: value.clone(), by: call.by.clone(), origin: None };
        let parts = [
            (DataRole::DataSet, Some(&call.name)),
            (DataRole::Variant, call.variant.as_ref()),
            (DataRole::Split, call.split.as_ref()),
        ];
        for (role, value) in parts {
            let Some(value) = value else { continue };
            if uses.iter().all(|known| known.role != role || known.value != *value) {
                uses.push(of(role, value));
            }
        }
    }
    uses
}

fn of_parameter(parameter: &Parameter) -> Vec<DataUse> {
    let parts: Vec<String> = parameter
        .name
        .split('.')
        .map(|part| part.trim_start_matches('-').replace('-', "_").to_lowercase())
        .collect();
    let last = parts.last().map_or("", String::as_str);
    let outer = parts.len().checked_sub(2).map_or("", |at| parts[at].as_str());
    let by_name = NAMES.iter().find(|(name, _)| *name == last).map(|(_, role)| *role);
    // Within a table that is about data: `data.name`, `dataset.path`, `data.train`.
    let is_within = ["data", "dataset", "data_module", "datamodule", "datasets"].contains(&outer);
    let role = by_name.or(match last {
        "name" if is_within => Some(DataRole::DataSet),
        "path" | "root" | "dir" | "folder" | "file" | "train" | "val" | "valid" | "test" if is_within => {
            Some(DataRole::Path)
        }
        "subset" | "config" | "version" if is_within => Some(DataRole::Variant),
        _ => None,
    });
    let (Some(role), DefaultValue::Literal(value)) = (role, &parameter.value) else { return Vec::new() };
    let values: Vec<&str> = match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().filter_map(Value::as_str).take(16).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    };
    let of = |value: &str| {
        // `--data mnist` is a name, `--dataset data/train.csv` a path.
        let looks_like_path = value.contains(['/', '\\']) && value.matches('/').count() != 1
            || value.starts_with(['.', '/', '~'])
            || has_ending(value);
        let role = match role {
            DataRole::DataSet if looks_like_path => DataRole::Path,
            DataRole::Path if last == "data" && !looks_like_path && !value.contains('/') => DataRole::DataSet,
            DataRole::DataSet | DataRole::Variant | DataRole::Split | DataRole::Path => role,
        };
        DataUse {
            role,
            value: value.to_owned(),
            by: parameter.name.clone(),
            origin: Some(parameter.origin.clone()),
        }
    };
    values.into_iter().filter(|value| !value.is_empty()).map(of).collect()
}

/// Whether a name ends as files of data do.
fn has_ending(value: &str) -> bool {
    const ENDINGS: [&str; 16] = [
        "csv", "tsv", "json", "jsonl", "txt", "parquet", "arrow", "npz", "npy", "h5", "hdf5", "pkl", "bin",
        "pt", "zip", "gz",
    ];
    value.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending.to_lowercase().as_str()))
}
