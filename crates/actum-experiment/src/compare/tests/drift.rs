//! Twelve kinds of drift, one at a time and in pairs: each is named, and a different result is never called identical.

use super::fixture::{original, repeated, touch};
use crate::compare::{ExperimentFacts, IngredientKind, compare};
use crate::grade::{Confidence, Grade, Tolerances, Volatile, causes, grade};
use crate::manifest::ParameterOrigin;
use actum_model::{Bytes, Digest};

/// One kind of drift.
struct Drift {
    name: &'static str,
    kind: IngredientKind,
    /// What it is called in the comparison.
    what: &'static str,
    apply: fn(&mut ExperimentFacts),
}

const DRIFTS: [Drift; 12] = [
    Drift { name: "commit", kind: IngredientKind::Commit, what: "commit", apply: commit },
    Drift { name: "tracked edit", kind: IngredientKind::TrackedEdit, what: "model.py", apply: tracked_edit },
    Drift {
        name: "untracked module",
        kind: IngredientKind::UntrackedFile,
        what: "features.py",
        apply: untracked,
    },
    Drift { name: "argument", kind: IngredientKind::Argument, what: "--lr", apply: argument },
    Drift { name: "config value", kind: IngredientKind::ConfigValue, what: "model.width", apply: config },
    Drift { name: "variable", kind: IngredientKind::Variable, what: "TZ", apply: variable },
    Drift { name: "package", kind: IngredientKind::Package, what: "numpy", apply: package },
    Drift { name: "data", kind: IngredientKind::Data, what: "data/digits.csv", apply: data },
    Drift { name: "interpreter", kind: IngredientKind::Interpreter, what: "python", apply: interpreter },
    Drift { name: "threads", kind: IngredientKind::Threads, what: "OMP_NUM_THREADS", apply: threads },
    Drift { name: "BLAS kernel", kind: IngredientKind::BlasKernel, what: "OPENBLAS_CORETYPE", apply: kernel },
    Drift { name: "seed", kind: IngredientKind::Seed, what: "seed", apply: seed },
];

fn commit(facts: &mut ExperimentFacts) {
    facts.manifest.git.as_mut().expect("there is one").commit =
        "0123456789abcdef0123456789abcdef01234567".to_owned();
    touch(facts, "train.py", "the next commit");
}

fn tracked_edit(facts: &mut ExperimentFacts) {
    let patch = facts.manifest.git.as_mut().expect("there is one").patch.as_mut().expect("there is one");
    (patch.sha256, patch.bytes) = (Digest::of("another patch"), Bytes(500));
    touch(facts, "model.py", "another edit");
}

fn untracked(facts: &mut ExperimentFacts) {
    touch(facts, "features.py", "another module");
}

fn argument(facts: &mut ExperimentFacts) {
    facts.manifest.command.words[3] = "0.2".to_owned();
    facts.manifest.parameters[0].value = 0.2.into();
}

fn config(facts: &mut ExperimentFacts) {
    facts.manifest.configs[0].sha256 = Digest::of("width: 65");
    facts.manifest.parameters[3].value = 65.into();
    touch(facts, "config.yaml", "width: 65");
}

fn variable(facts: &mut ExperimentFacts) {
    facts.manifest.environment.variables.insert("TZ".to_owned(), "Asia/Tokyo".to_owned());
}

fn package(facts: &mut ExperimentFacts) {
    facts.manifest.environment.packages[0].version = "2.4.5".to_owned();
    facts.manifest.environment.lock = Some(Digest::of("another lock"));
}

fn data(facts: &mut ExperimentFacts) {
    touch(facts, "data/digits.csv", "other data");
}

fn interpreter(facts: &mut ExperimentFacts) {
    let interpreter = facts.manifest.environment.interpreter.as_mut().expect("there is one");
    (interpreter.version, interpreter.sha256) = (Some("3.12.1".to_owned()), Some(Digest::of("python 3.12")));
}

fn threads(facts: &mut ExperimentFacts) {
    facts.manifest.machine.threads = 4;
    facts.manifest.environment.variables.insert("OMP_NUM_THREADS".to_owned(), "4".to_owned());
    facts.manifest.determinism.knobs[1].value = "4".to_owned();
}

fn kernel(facts: &mut ExperimentFacts) {
    facts.manifest.environment.variables.insert("OPENBLAS_CORETYPE".to_owned(), "Haswell".to_owned());
}

fn seed(facts: &mut ExperimentFacts) {
    facts.manifest.seed.value = 43;
    facts.manifest.command.words[7] = "43".to_owned();
    facts.manifest.parameters[2].value = 43.into();
    facts.manifest.environment.variables.insert("PYTHONHASHSEED".to_owned(), "43".to_owned());
}

/// The result moves with the drift, by little or by much.
fn move_result(facts: &mut ExperimentFacts, by: f64) {
    let result = facts.result.as_mut().expect("there is one");
    let metric = &mut result.metrics[0];
    let value = 0.1102 * (1.0 + by);
    (metric.last, metric.min, metric.best) = (Some(value), Some(value), Some(value));
    metric.last_text = format!("{value:.9}");
    result.artifacts[0].sha256 = Some(Digest::of(format!("model {by}")));
    facts.stdout = Some(Digest::of(format!("loss {by}")));
}

/// Names every drift as a likely or a possible cause, and grades the result as different.
fn check(drifts: &[&Drift], by: f64) {
    let names: Vec<&str> = drifts.iter().map(|drift| drift.name).collect();
    let (one, mut other) = (original(), repeated());
    drifts.iter().for_each(|drift| (drift.apply)(&mut other));
    move_result(&mut other, by);
    let comparison = compare(&one, &other);
    let graded = grade(&one, &other, &Tolerances::default(), &Volatile::default());
    assert_eq!(graded.grade, Grade::R3, "{names:?} {by}");
    let causes = causes(&graded, &comparison, &other.manifest.determinism);
    for drift in drifts {
        let named = causes.iter().filter_map(|cause| Some((cause.ingredient.as_ref()?, cause.confidence)));
        let found = named.clone().find(|(found, _)| found.kind == drift.kind && found.what == drift.what);
        let (_, confidence) =
            found.unwrap_or_else(|| panic!("{names:?} {by}: {} in {causes:#?}", drift.name));
        assert_ne!(confidence, Confidence::Unlikely, "{names:?} {by}: {}", drift.name);
    }
    // Nothing else is blamed.
    let kinds: Vec<IngredientKind> = drifts.iter().map(|drift| drift.kind).collect();
    for cause in causes.iter().filter_map(|cause| cause.ingredient.as_ref()) {
        assert!(kinds.contains(&cause.kind), "{names:?} {by}: {} is blamed", cause.describe());
    }
}

#[test]
fn each_drift_is_named() {
    for drift in &DRIFTS {
        for by in [1e-8, 0.3] {
            check(&[drift], by);
        }
    }
}

#[test]
fn each_of_66_pairs_is_named() {
    let mut pairs = 0;
    for (index, one) in DRIFTS.iter().enumerate() {
        for other in &DRIFTS[index + 1..] {
            for by in [1e-8, 0.3] {
                check(&[one, other], by);
            }
            pairs += 1;
        }
    }
    assert_eq!(pairs, 66);
}

#[test]
fn a_drift_without_an_effect_leaves_the_grade_alone() {
    for drift in &DRIFTS {
        let (one, mut other) = (original(), repeated());
        (drift.apply)(&mut other);
        let graded = grade(&one, &other, &Tolerances::default(), &Volatile::default());
        assert_eq!(graded.grade, Grade::R0, "{}: {graded:#?}", drift.name);
        let found = compare(&one, &other);
        assert!(found.ingredients.iter().any(|found| found.kind == drift.kind), "{}", drift.name);
    }
}

#[test]
fn a_tracked_file_that_changed_with_the_commit_is_the_commit_s() {
    let (one, mut other) = (original(), repeated());
    commit(&mut other);
    let kinds: Vec<(IngredientKind, String)> =
        compare(&one, &other).ingredients.into_iter().map(|found| (found.kind, found.what)).collect();
    let commit = |what: &str| (IngredientKind::Commit, what.to_owned());
    assert_eq!(kinds, [commit("train.py"), commit("commit")]);
}

#[test]
fn defaults_in_the_text_are_not_the_command_line_s() {
    let (one, mut other) = (original(), repeated());
    other.manifest.parameters[4].value = 0.5.into();
    assert!(matches!(other.manifest.parameters[4].origin, ParameterOrigin::Default { .. }));
    let found = compare(&one, &other).ingredients;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind, found[0].describe().as_str()),
        (IngredientKind::Parameter, "default dropout: 0.2 → 0.5")
    );
}
