//! Data sets of runs, and what prepared them.

use super::*;
use actum_gate::Root;
use serde_json::json;

fn parameter(name: &str, value: Value) -> Parameter {
    Parameter {
        name: name.to_owned(),
        value: DefaultValue::Literal(value),
        origin: Origin::CommandLine,
        framework: None,
    }
}

#[test]
fn data_are_named_by_parameters() {
    for (name, value, expected) in [
        ("dataset", json!("squad"), Some((DataRole::DataSet, "squad"))),
        ("dataset_name", json!("org/set"), Some((DataRole::DataSet, "org/set"))),
        ("dataset", json!("data/train.csv"), Some((DataRole::Path, "data/train.csv"))),
        ("dataset", json!("./mnist"), Some((DataRole::Path, "./mnist"))),
        ("data", json!("mnist"), Some((DataRole::DataSet, "mnist"))),
        ("data", json!("data/raw"), Some((DataRole::Path, "data/raw"))),
        ("data-dir", json!("data"), Some((DataRole::Path, "data"))),
        ("train_file", json!("a.json"), Some((DataRole::Path, "a.json"))),
        ("split", json!("test"), Some((DataRole::Split, "test"))),
        ("dataset_config_name", json!("v1"), Some((DataRole::Variant, "v1"))),
        ("data.name", json!("c4"), Some((DataRole::DataSet, "c4"))),
        ("data.root", json!("d"), Some((DataRole::Path, "d"))),
        ("model.name", json!("gpt"), None),
        ("lr", json!(0.1), None),
        ("dataset", json!(null), None),
    ] {
        let uses = data_uses(&[parameter(name, value)], &[]);
        let found = uses.first().map(|one| (one.role, one.value.as_str()));
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn calls_add_what_parameters_do_not_say() {
    let call = DataSetUse {
        name: "squad".to_owned(),
        variant: None,
        split: Some("train".to_owned()),
        by: "datasets.load_dataset".to_owned(),
        line: 3,
    };
    let uses = data_uses(&[parameter("dataset", json!("squad"))], &[call]);
    let found: Vec<_> = uses.iter().map(|one| (one.role, one.value.as_str(), one.by.as_str())).collect();
    assert_eq!(
        found,
        [(DataRole::DataSet, "squad", "dataset"), (DataRole::Split, "train", "datasets.load_dataset")]
    );
}

#[test]
fn preparation_is_found() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("scripts")).unwrap();
    let files = [
        ("scripts/download_data.sh", ""),
        ("scripts/train.sh", ""),
        ("preprocess.py", ""),
        (
            "Makefile",
            "train: data/train.csv\n\tx\ndata/train.csv: raw\n\tpython split.py raw  > $@\nfeatures: a\n\ty\npreprocess:\n\tz\n",
        ),
        (
            "dvc.yaml",
            "stages:\n  clean:\n    cmd: python clean.py\n    outs:\n      - data\n  fit:\n    cmd: x\n    outs: [model.pt]\n  prepare:\n    cmd: y\n",
        ),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let root = Root::open(folder.path()).unwrap();
    let found = find_preparation(&root, &["./data/train.csv".to_owned()]);
    let shown: Vec<String> =
        found.iter().map(|one| format!("{}:{} {}", one.file, one.line.unwrap_or(0), one.sentence)).collect();
    assert_eq!(
        shown,
        [
            "dvc.yaml:2 the stage `clean` of DVC makes `data/train.csv` by `python clean.py`",
            "Makefile:3 the rule `data/train.csv` of make makes `data/train.csv` by `python split.py raw > $@`",
            "dvc.yaml:9 the stage `prepare` of DVC prepares data by `y`",
            "Makefile:7 the target `preprocess` of make prepares data by `z`",
            "preprocess.py:0 `preprocess.py` is named after the preparation of data",
            "scripts/download_data.sh:0 `scripts/download_data.sh` is named after the preparation of data",
        ]
    );
}
