//! Grades from tables of cases, and causes where nothing differs.

use super::{
    Confidence, Estimated, Grade, Graded, Reproduction, ResultKind, Scope, Tolerance, Tolerances, Volatile,
    causes, grade,
};
use crate::compare::tests::fixture::{original, repeated};
use crate::compare::{ExperimentFacts, FileDigest, compare};
use crate::result::ExperimentResult;
use actum_model::{Digest, ExitCode, Outcome};
use proptest::prelude::*;

fn result(facts: &mut ExperimentFacts) -> &mut ExperimentResult {
    facts.result.as_mut().expect("there is one")
}

fn graded(change: impl Fn(&mut ExperimentFacts)) -> Graded {
    let mut other = repeated();
    change(&mut other);
    grade(&original(), &other, &Tolerances::default(), &Volatile::default())
}

#[test]
fn the_same_run_again_is_r0_and_says_what_it_left_out() {
    let same = graded(|_| ());
    assert_eq!((same.grade, same.scope), (Grade::R0, Scope::SameMachine));
    assert_eq!((same.basis.outputs, same.basis.stdout, same.basis.metrics), (1, true, 2));
    let excluded = [
        "metric train_time: it measures time",
        "{output}/metrics.jsonl: ours: each value has its time; values are compared as metrics",
        "{output}/train.log: logs have time stamps",
    ];
    assert_eq!(same.excluded, excluded);
    assert_eq!((same.differences.len(), same.notes.len()), (0, 0));
    let comparison = compare(&original(), &repeated());
    assert_eq!(causes(&same, &comparison, &repeated().manifest.determinism), []);
}

#[test]
fn a_grade_is_never_better_than_what_was_compared() {
    type Change = fn(&mut ExperimentFacts);
    let cases: &[(&str, Change, Grade)] = &[
        ("other output", |facts| facts.stdout = Some(Digest::of("other")), Grade::R1),
        ("output not kept", |facts| facts.stdout = None, Grade::R1),
        ("other file", |facts| result(facts).artifacts[0].sha256 = Some(Digest::of("other")), Grade::R1),
        ("file not hashed", |facts| result(facts).artifacts[0].sha256 = None, Grade::R1),
        ("file missing", |facts| drop(result(facts).artifacts.remove(0)), Grade::R1),
        ("files left out", |facts| result(facts).artifacts_left_out = 1, Grade::R1),
        (
            "new file",
            |facts| facts.outputs.push(FileDigest { path: "x".to_owned(), sha256: None }),
            Grade::R1,
        ),
        ("other digits", |facts| result(facts).metrics[0].last_text = "0.11020".to_owned(), Grade::R3),
        ("other way there", |facts| result(facts).metrics[0].max = Some(2.0), Grade::R3),
        ("metric missing", |facts| drop(result(facts).metrics.remove(0)), Grade::R3),
        ("one value more", |facts| result(facts).metrics[0].count += 1, Grade::R3),
        ("failed", |facts| result(facts).outcome = Outcome::Failure, Grade::R4),
        ("timed out", |facts| result(facts).outcome = Outcome::Timeout, Grade::R4),
        ("no result", |facts| facts.result = None, Grade::R4),
        ("other exit code", |facts| result(facts).exit_code = ExitCode(3), Grade::R3),
    ];
    for (name, change, expected) in cases {
        let found = graded(change);
        assert_eq!(found.grade, *expected, "{name}: {found:#?}");
        assert!(!found.differences.is_empty() || !found.notes.is_empty(), "{name} leaves no trace");
    }
}

#[test]
fn nothing_to_compare_is_no_success() {
    let bare = |facts: ExperimentFacts| {
        let mut facts = facts;
        result(&mut facts).metrics.clear();
        result(&mut facts).artifacts.clear();
        facts.stdout = Some(Digest::of(""));
        facts
    };
    let found = grade(&bare(original()), &bare(repeated()), &Tolerances::default(), &Volatile::default());
    assert_eq!(found.grade, Grade::NotGraded);
    assert_eq!(found.grade.exit_code(Some(ExitCode(0))), ExitCode(121));
    // With output alone, bytes decide.
    let mut one = bare(original());
    one.stdout = Some(Digest::of("x"));
    let mut other = bare(repeated());
    other.stdout = Some(Digest::of("x"));
    let with_output =
        |other: &ExperimentFacts| grade(&one, other, &Tolerances::default(), &Volatile::default()).grade;
    assert_eq!(with_output(&other), Grade::R0);
    other.stdout = Some(Digest::of("y"));
    assert_eq!(with_output(&other), Grade::R3);
    let volatile = Volatile { stdout: true, ..Volatile::default() };
    assert_eq!(grade(&one, &other, &Tolerances::default(), &volatile).grade, Grade::NotGraded);
    // What was never recorded is not reproduced.
    one.result = None;
    let unrecorded = grade(&one, &other, &Tolerances::default(), &Volatile::default());
    assert_eq!(unrecorded.grade, Grade::NotGraded);
}

#[test]
fn tolerances_are_declared_or_learned() {
    let mut other = repeated();
    let metric = &mut result(&mut other).metrics[0];
    (metric.last, metric.min, metric.best) = (Some(0.1110), Some(0.1110), Some(0.1110));
    metric.last_text = "0.1110".to_owned();
    let with = |tolerances: &Tolerances| grade(&original(), &other, tolerances, &Volatile::default());
    let mut declared = Tolerances::default();
    declared.declared.insert("loss".to_owned(), Tolerance { absolute: 0.001, relative: 0.0 });
    assert_eq!(with(&declared).grade, Grade::R2);
    assert_eq!(with(&declared).differences[0].describe(), "metric loss: 0.1102 → 0.1110 (within ±0.001)");
    declared.declared.insert("loss".to_owned(), Tolerance { absolute: 0.0001, relative: 0.0 });
    assert_eq!(with(&declared).grade, Grade::R3);
    let repeats: Vec<ExperimentResult> = [0.1102, 0.1108, 0.1099]
        .map(|value| {
            let mut repeat = original().result.expect("there is one");
            repeat.metrics[0].last = Some(value);
            repeat
        })
        .to_vec();
    let mut learned = Tolerances::default();
    learned.learn(&repeats.iter().collect::<Vec<_>>());
    let Some(Estimated { k, mean, deviation }) = learned.estimated.get("loss").copied() else {
        panic!("learned")
    };
    assert!(
        k == 3 && (mean - 0.1103).abs() < 1e-6 && (deviation - 0.000_458).abs() < 1e-5,
        "{mean} {deviation}"
    );
    let found = with(&learned);
    assert_eq!(found.grade, Grade::R2);
    assert!(
        found.differences[0].describe().contains("from 3 repeats with spread 4.583e-4"),
        "{}",
        found.differences[0].describe()
    );
    // Three repeats that are the same leave no room.
    assert_eq!(learned.estimated["accuracy"].deviation, 0.0);
}

#[test]
fn nan_equals_nan_as_printed_and_is_said() {
    let nan = |facts: ExperimentFacts, text: &str| {
        let mut facts = facts;
        let metric = &mut result(&mut facts).metrics[0];
        (metric.last, metric.not_finite, metric.last_text) = (None, 1, text.to_owned());
        facts
    };
    let with = |text: &str| {
        let (one, other) = (nan(original(), "nan"), nan(repeated(), text));
        grade(&one, &other, &Tolerances::default(), &Volatile::default())
    };
    assert_eq!(with("nan").grade, Grade::R0);
    assert!(with("nan").notes[0].contains("not finite"), "{:?}", with("nan").notes);
    assert_eq!((with("NaN").grade, with("inf").grade), (Grade::R2, Grade::R3));
}

#[test]
fn a_failure_can_be_reproduced() {
    let failed = |facts: ExperimentFacts| {
        let mut facts = facts;
        (result(&mut facts).outcome, result(&mut facts).exit_code) = (Outcome::Failure, ExitCode(3));
        facts
    };
    let found = grade(&failed(original()), &failed(repeated()), &Tolerances::default(), &Volatile::default());
    assert_eq!(found.grade, Grade::R0);
    assert_eq!(found.notes, ["both runs ended with failure: the failure is what was reproduced"]);
    let found = grade(&failed(original()), &repeated(), &Tolerances::default(), &Volatile::default());
    assert_eq!((found.grade, found.differences[0].kind), (Grade::R3, ResultKind::Ending));
}

#[test]
fn exit_codes_say_whether_it_held() {
    assert_eq!([Grade::R0, Grade::R1, Grade::R2].map(|grade| grade.exit_code(None).get()), [0, 0, 0]);
    assert_eq!(Grade::R3.exit_code(Some(ExitCode(0))), ExitCode(121));
    assert_eq!(Grade::R4.exit_code(Some(ExitCode(7))), ExitCode(7));
    assert_eq!(Grade::R4.exit_code(None), ExitCode(122));
}

#[test]
fn where_nothing_differs_the_unpinned_is_named() {
    let mut other = repeated();
    result(&mut other).metrics[0].last_text = "0.2".to_owned();
    let found = grade(&original(), &other, &Tolerances::default(), &Volatile::default());
    let comparison = compare(&original(), &other);
    let causes = causes(&found, &comparison, &other.manifest.determinism);
    assert_eq!(
        (causes.len(), causes[0].confidence, causes[0].ingredient.clone()),
        (1, Confidence::Likely, None)
    );
    assert_eq!(
        causes[0].why,
        "nondeterminism that was not pinned (profile pinned): the clock is not frozen; GPU kernels with atomics"
    );
    let json = serde_json::to_value(Reproduction { graded: found, causes }).expect("it is JSON");
    for field in ["run", "of", "grade", "differences", "causes"] {
        assert!(!json[field].is_null(), "{field}");
    }
    assert_eq!(json["grade"], "R3");
}

#[test]
fn the_scope_is_the_widest_difference() {
    let scope = |change: fn(&mut ExperimentFacts)| graded(change).scope;
    assert_eq!(scope(|facts| facts.manifest.machine.cpus = 4), Scope::OtherMachine);
    assert_eq!(scope(|facts| facts.manifest.machine.cpu = "x".to_owned()), Scope::OtherCpu);
}

proptest! {
    /// Only what is the same everywhere is R0, and only printed numbers that are the same are R1.
    #[test]
    fn no_false_identical(
        value in prop_oneof![Just(0.1102), any::<f64>()],
        digits in 0_usize..6,
        stdout in "[a-b]{0,1}",
        file in "[a-b]{0,1}",
    ) {
        let mut other = repeated();
        let text = format!("{value:.digits$}");
        let metric = &mut result(&mut other).metrics[0];
        (metric.last, metric.last_text) = (Some(value).filter(|value| value.is_finite()), text.clone());
        if !stdout.is_empty() { other.stdout = Some(Digest::of(&stdout)); }
        if !file.is_empty() { result(&mut other).artifacts[0].sha256 = Some(Digest::of(&file)); }
        let found = grade(&original(), &other, &Tolerances::default(), &Volatile::default()).grade;
        let (bytes, metrics) = (stdout.is_empty() && file.is_empty(), text == "0.1102");
        let expected = match (metrics, bytes) {
            (true, true) => Grade::R0,
            (true, false) => Grade::R1,
            (false, _) => Grade::R3,
        };
        prop_assert_eq!(found, expected);
    }
}
