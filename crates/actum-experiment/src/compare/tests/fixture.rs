//! The experiment that tests change: a small training run with a commit, an edit, an untracked module and data.

use crate::compare::{ExperimentFacts, FileDigest};
use crate::manifest::Manifest;
use crate::result::ExperimentResult;
use actum_model::{Digest, RunId};

const PATCH: &str =
    "diff --git a/model.py b/model.py\nindex 1111111..2222222 100644\n--- a/model.py\n+++ b/model.py\n";

/// What is known about the original run.
pub(crate) fn original() -> ExperimentFacts {
    let manifest: Manifest = serde_json::from_str(include_str!("../../../tests/data/manifest.json"))
        .expect("the fixture is a manifest");
    let result: ExperimentResult = serde_json::from_str(include_str!("../../../tests/data/result.json"))
        .expect("the fixture is a result");
    let input = |path: &str| FileDigest { path: path.to_owned(), sha256: Some(Digest::of(path)) };
    let inputs =
        ["train.py", "model.py", "features.py", "config.yaml", "data/digits.csv", "cache/weights.bin"];
    let mut inputs: Vec<FileDigest> = inputs.iter().map(|path| input(path)).collect();
    inputs.push(input("runs/digits_20261115_103000_456789ab/config.yaml"));
    inputs.push(input("__pycache__/model.cpython-311.pyc"));
    inputs.push(input("/proc/meminfo"));
    inputs.push(input("/home/ada/.venv/lib/python3.11/site-packages/numpy/core.py"));
    inputs.push(input("/home/ada/.venv/pyvenv.cfg"));
    inputs.push(input("/tmp/tmpabc"));
    ExperimentFacts {
        manifest,
        result: Some(result),
        inputs: Some(inputs),
        outputs: Vec::new(),
        stdout: Some(Digest::of("loss: 0.1102\n")),
        stderr: Some(Digest::of("")),
        patch: Some(PATCH.to_owned()),
    }
}

/// The same run again: in another folder, at another time, with another id and other bytes where bytes are volatile.
pub(crate) fn repeated() -> ExperimentFacts {
    let text = serde_json::to_string(&original().manifest).expect("a manifest is JSON");
    let text = text
        .replace("/home/ada/digits", "/tmp/again/tree")
        .replace("digits_20261115_103000_456789ab", "again_fedcba98");
    let mut facts = original();
    facts.manifest = serde_json::from_str(&text).expect("still a manifest");
    facts.manifest.run = run(7);
    facts.manifest.environment.interpreter.as_mut().expect("there is one").path =
        "/cache/env/bin/python".to_owned();
    facts.manifest.machine.disk_free.0 = 5;
    let result = facts.result.as_mut().expect("there is one");
    result.run = run(7);
    result.output = facts.manifest.output.clone();
    for artifact in result.artifacts.iter_mut().filter(|artifact| artifact.path != "model.npz") {
        artifact.sha256 = Some(Digest::of("another time"));
    }
    for input in facts.inputs.iter_mut().flatten() {
        input.path = input.path.replace("digits_20261115_103000_456789ab", "again_fedcba98");
        input.path = input.path.replace("/home/ada/.venv", "/cache/env").replace("tmpabc", "tmpdef");
        if input.path.ends_with(".pyc")
            || input.path.starts_with("/proc")
            || input.path.contains("again_")
            || input.path.ends_with(".cfg")
        {
            input.sha256 = Some(Digest::of("another time"));
        }
    }
    facts
}

pub(crate) fn run(number: u8) -> RunId {
    RunId::new(1_763_202_600_000 + u64::from(number), [number; 10])
}

/// Gives an input another content.
pub(crate) fn touch(facts: &mut ExperimentFacts, path: &str, content: &str) {
    let input = facts.inputs.iter_mut().flatten().find(|input| input.path == path);
    input.expect("the file is an input").sha256 = Some(Digest::of(content));
}
