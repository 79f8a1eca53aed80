//! What is not a difference, and what cannot be compared.

use super::fixture::{original, repeated};
use crate::compare::{Basis, ExperimentFacts, FileDigest, IngredientKind, OutputChange, compare};
use actum_model::Digest;
use proptest::prelude::*;

#[test]
fn the_same_run_in_another_place_at_another_time_does_not_differ() {
    let found = compare(&original(), &repeated());
    assert_eq!(found.ingredients, []);
    assert_eq!(found.not_compared, Vec::<String>::new());
    assert_eq!((found.compared.inputs, found.compared.packages, found.compared.parameters), (7, 2, 5));
    assert_eq!(found.metrics, []);
}

#[test]
fn what_one_side_does_not_know_is_not_equal() {
    let mut other = repeated();
    other.inputs = None;
    other.manifest.environment.packages.clear();
    other.manifest.environment.lock = None;
    other.result = None;
    let found = compare(&original(), &other);
    let expected = [
        "the packages: only one run has a list of them",
        "the files that were read: at least one run was not observed",
        "the second run has no recorded result",
    ];
    assert_eq!(found.not_compared, expected);
}

#[test]
fn files_are_told_apart_by_git_first() {
    let cases: &[(&str, IngredientKind, &str)] = &[
        ("tool.py", IngredientKind::UntrackedFile, "tool.py"),
        ("data/more.csv", IngredientKind::Data, "data/more.csv"),
        ("/data/shared/x.bin", IngredientKind::Data, "/data/shared/x.bin"),
        ("/usr/lib/libopenblas.so.0", IngredientKind::SystemFile, "/usr/lib/libopenblas.so.0"),
        ("/venv/lib/python3.11/site-packages/numpy/core.py", IngredientKind::Package, "numpy"),
        ("/tmp/shared.csv", IngredientKind::Data, "/tmp/shared.csv"),
        ("/home/ada/digits/sub/y.csv", IngredientKind::Data, "sub/y.csv"),
    ];
    for (path, kind, what) in cases {
        let with = |content: &str, facts: ExperimentFacts| {
            let mut facts = facts;
            let file = FileDigest { path: (*path).to_owned(), sha256: Some(Digest::of(content)) };
            facts.inputs.as_mut().expect("there are inputs").push(file);
            facts
        };
        let found = compare(&with("a", original()), &with("b", original())).ingredients;
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        assert_eq!(
            (found[0].kind, found[0].what.as_str(), found[0].basis),
            (*kind, *what, Basis::Read),
            "{path}"
        );
    }
}

#[test]
fn an_untracked_file_that_nobody_read_is_only_present() {
    let mut other = repeated();
    other.manifest.git.as_mut().expect("there is one").untracked.push("scratch.py".to_owned());
    let found = compare(&original(), &other).ingredients;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].describe(), "untracked file scratch.py: absent → untracked");
    assert_eq!(found[0].basis, Basis::Present);
}

#[test]
fn outputs_and_metrics_are_held_side_by_side() {
    let mut other = repeated();
    let result = other.result.as_mut().expect("there is one");
    result.artifacts.remove(0);
    result.metrics[1].last_text = "0.97".to_owned();
    result.metrics[1].last = Some(0.97);
    other.outputs.push(FileDigest { path: "extra.txt".to_owned(), sha256: None });
    let found = compare(&original(), &other);
    let outputs: Vec<(&str, OutputChange)> =
        found.outputs.iter().map(|output| (output.path.as_str(), output.change)).collect();
    assert_eq!(
        outputs,
        [
            ("extra.txt", OutputChange::OnlyInSecond),
            ("{output}/metrics.jsonl", OutputChange::Content),
            ("{output}/model.npz", OutputChange::OnlyInFirst),
            ("{output}/train.log", OutputChange::Content),
        ]
    );
    assert_eq!((found.metrics.len(), found.metrics[0].other.as_deref()), (1, Some("0.97")));
}

#[test]
fn the_most_probable_cause_comes_first() {
    let mut other = repeated();
    other.manifest.machine.kernel = "6.9.1".to_owned();
    other.manifest.machine.cpu = "Other".to_owned();
    other.manifest.environment.variables.insert("TZ".to_owned(), "X".to_owned());
    other.manifest.command.words[3] = "1\u{1b}[2J".to_owned();
    other.manifest.parameters[0].value = "1\u{1b}[2J".into();
    let found = compare(&original(), &other);
    let lines: Vec<String> = found.ingredients.iter().map(|found| found.describe()).collect();
    assert_eq!(
        lines,
        [
            "argument --lr: 0.1 → 1\\u{1b}[2J",
            "variable TZ: UTC → X",
            "CPU model: Example CPU 3000 → Other",
            "kernel kernel: 6.8.0 → 6.9.1",
        ]
    );
}

/// Twenty thousand of everything: a quadratic step would take minutes.
#[test]
fn large_manifests_are_compared_in_linear_time() {
    let large = |facts: ExperimentFacts, content: &str| {
        let mut facts = facts;
        let names: Vec<String> = (0..20_000).map(|number| format!("d{}/{number}.py", number % 100)).collect();
        let file = |name: &String| FileDigest { path: name.clone(), sha256: Some(Digest::of(content)) };
        facts.inputs.as_mut().expect("there are inputs").extend(names.iter().map(file));
        facts.outputs = names.iter().map(file).collect();
        let git = facts.manifest.git.as_mut().expect("there is one");
        git.untracked = names.iter().map(|name| format!("{content}/{name}")).collect();
        facts.manifest.command.words = names.iter().map(|name| format!("--{name}={content}")).collect();
        facts.manifest.environment.variables =
            names.iter().map(|name| (name.clone(), content.to_owned())).collect();
        facts
    };
    let found = compare(&large(original(), "a"), &large(repeated(), "b"));
    // Inputs, variables and words of 20,000 each, and the untracked files of both.
    assert!(found.ingredients.len() >= 100_000, "{}", found.ingredients.len());
    assert_eq!(found.outputs.len(), 20_000 + 2);
}

proptest! {
    /// Whatever one text of a manifest becomes, there is a difference or it is a place of the run.
    #[test]
    fn any_text_is_compared_without_panic(text in "\\PC{0,20}", path in "[a-c/.]{0,9}") {
        let mut other = repeated();
        other.manifest.workspace = path.clone();
        other.manifest.output = path.clone();
        other.manifest.command.words[3] = text.clone();
        other.manifest.git.as_mut().expect("there is one").untracked.push(text.clone());
        other.patch = Some(format!("diff --git {text}\ndiff --git a/{text} b/{text}"));
        other.inputs.as_mut().expect("there are inputs").push(FileDigest { path, sha256: None });
        let found = compare(&original(), &other);
        prop_assert!(!found.ingredients.is_empty());
        prop_assert!(serde_json::to_string(&found).is_ok());
        prop_assert!(found.ingredients.iter().all(|found| !found.describe().contains(char::is_control)));
    }
}
