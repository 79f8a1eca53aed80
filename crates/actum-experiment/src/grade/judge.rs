//! Puts endings, metrics and outputs together to one grade.

use super::{
    Grade, GradeBasis, Graded, ResultDifference, ResultKind, Scope, Tolerances, Volatile, metrics, outputs,
};
use crate::compare::ExperimentFacts;
use crate::result::ExperimentResult;
use actum_model::Outcome;

/// Grades a repeated run against the original. The grade is never better than what was compared.
pub fn grade(
    original: &ExperimentFacts,
    repeated: &ExperimentFacts,
    tolerances: &Tolerances,
    volatile: &Volatile,
) -> Graded {
    let mut graded = Graded {
        run: repeated.manifest.run,
        of: original.manifest.run,
        grade: Grade::R4,
        scope: Scope::between(&original.manifest.machine, &repeated.manifest.machine),
        basis: GradeBasis::default(),
        differences: Vec::new(),
        excluded: Vec::new(),
        notes: Vec::new(),
    };
    let Some(first) = &original.result else {
        graded.notes.push("the original has no recorded result".to_owned());
        graded.grade = if ran(repeated.result.as_ref()) { Grade::NotGraded } else { Grade::R4 };
        return graded;
    };
    graded.differences.extend(ending(first, repeated.result.as_ref()));
    let Some(second) = repeated.result.as_ref().filter(|second| did_run(first, second)) else {
        return graded;
    };
    let mut metrics = metrics::grade(first, second, tolerances, volatile);
    let mut outputs = outputs::grade(original, repeated, volatile);
    graded.basis = GradeBasis { outputs: outputs.files, stdout: outputs.stdout, metrics: metrics.compared };
    graded.grade = best_allowed(&graded, metrics.worst, &outputs);
    graded.differences.append(&mut metrics.differences);
    graded.differences.append(&mut outputs.differences);
    graded.excluded.append(&mut metrics.excluded);
    graded.excluded.append(&mut outputs.excluded);
    graded.notes.append(&mut metrics.notes);
    graded.notes.append(&mut outputs.notes);
    if first.outcome != Outcome::Success && graded.grade != Grade::R3 {
        graded
            .notes
            .push(format!("both runs ended with {}: the failure is what was reproduced", first.outcome));
    }
    graded
}

/// The best grade that what was compared allows.
fn best_allowed(graded: &Graded, metrics: Option<Grade>, outputs: &outputs::OutputsGraded) -> Grade {
    if !graded.differences.is_empty() {
        return Grade::R3;
    }
    let with_bytes = graded.basis.outputs > 0 || graded.basis.stdout;
    match metrics {
        Some(Grade::R1) | None if outputs.identical && with_bytes => Grade::R0,
        Some(grade) => grade,
        // No metrics: bytes are all there is.
        None if !outputs.differences.is_empty() => Grade::R3,
        None => Grade::NotGraded,
    }
}

/// A difference of the endings themselves.
fn ending(original: &ExperimentResult, repeated: Option<&ExperimentResult>) -> Option<ResultDifference> {
    let words =
        |result: &ExperimentResult| format!("{} (exit code {})", result.outcome, result.exit_code.get());
    let same = repeated.is_some_and(|repeated| {
        (repeated.outcome, repeated.exit_code) == (original.outcome, original.exit_code)
    });
    (!same).then(|| ResultDifference {
        kind: ResultKind::Ending,
        what: "run".to_owned(),
        original: Some(words(original)),
        repeated: repeated.map(words),
        relative: None,
        within_tolerance: false,
        tolerance: None,
    })
}

/// A run whose program ended by itself. One that fails where the original succeeded counts as one that did not run.
fn did_run(original: &ExperimentResult, repeated: &ExperimentResult) -> bool {
    match repeated.outcome {
        Outcome::Success => true,
        Outcome::Failure => original.outcome == Outcome::Failure,
        Outcome::Error | Outcome::Timeout | Outcome::Cancelled | Outcome::Skipped | Outcome::Lost => false,
    }
}

fn ran(result: Option<&ExperimentResult>) -> bool {
    result.is_some_and(|result| result.outcome == Outcome::Success)
}
