//! Data sets that are loaded by name: `load_dataset("squad", split="train")`.

use super::super::call::Call;
use super::last;
use crate::text::beginning;
use actum_model::{DataSetUse, Reading};

/// More are not listed.
const MOST: usize = 50;

const LONGEST: usize = 200;

pub(super) fn of_call(call: &Call<'_>, reading: &mut Reading) {
    let imported = call.imported();
    let (root, function) = (imported.split('.').next().unwrap_or_default(), last(imported));
    let (name, variant, split) = match (root, function) {
        ("datasets", "load_dataset" | "load_dataset_builder") => {
            (call.either(0, "path"), call.either(1, "name"), call.keyword("split"))
        }
        ("tensorflow_datasets", "load" | "builder") => {
            (call.either(0, "name"), None, call.either(1, "split"))
        }
        ("seaborn", "load_dataset") => (call.either(0, "name"), None, None),
        ("sklearn", "fetch_openml") => (call.either(0, "name"), None, None),
        ("sklearn", name) if is_of_sklearn(imported, name) => return push(call, name, reading),
        ("torchvision" | "torchtext" | "torchaudio", name)
            if imported.contains(".datasets.") && name.starts_with(char::is_uppercase) =>
        {
            return push(call, name, reading);
        }
        ("keras" | "tensorflow", "load_data") if imported.contains(".datasets.") => {
            let name = imported.rsplit('.').nth(1).unwrap_or_default();
            return push(call, name, reading);
        }
        _ => return,
    };
    let text = |one: Option<&ruff_python_ast::Expr>| {
        one.and_then(|one| call.bindings.text(one)).map(|text| beginning(&text, LONGEST).to_owned())
    };
    let Some(name) = text(name) else { return };
    add(
        DataSetUse { name, variant: text(variant), split: text(split), by: by(call), line: call.line },
        reading,
    );
}

fn is_of_sklearn(imported: &str, name: &str) -> bool {
    imported.starts_with("sklearn.datasets.") && (name.starts_with("load_") || name.starts_with("fetch_"))
}

/// A data set that has a function or class of its own.
fn push(call: &Call<'_>, name: &str, reading: &mut Reading) {
    let name = name.trim_start_matches("load_").trim_start_matches("fetch_");
    let train = call.keyword("train").and_then(|one| one.as_boolean_literal_expr());
    let by_switch = train.map(|one| if one.value { "train" } else { "test" }.to_owned());
    let split = call.keyword_text("split").or(by_switch).map(|text| beginning(&text, LONGEST).to_owned());
    let name = beginning(name, LONGEST).to_owned();
    add(DataSetUse { name, variant: None, split, by: by(call), line: call.line }, reading);
}

fn by(call: &Call<'_>) -> String {
    beginning(&call.shown(), LONGEST).to_owned()
}

fn add(one: DataSetUse, reading: &mut Reading) {
    let is_new = reading
        .data_sets
        .iter()
        .all(|known| (&known.name, &known.variant, &known.split) != (&one.name, &one.variant, &one.split));
    if is_new && reading.data_sets.len() < MOST {
        reading.data_sets.push(one);
    }
}
