//! Which of the differing ingredients may explain a result that is not the same.
//!
//! A table of effects, not a proof: only a run with one ingredient restored proves a cause. What is likely is decided by what the
//! program was seen to use and by the size of the difference.

use super::{Grade, Graded, ResultKind};
use crate::compare::{Basis, Comparison, Effect, IngredientDifference, IngredientKind};
use crate::manifest::Determinism;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Below this a difference may have grown out of the last digits of numbers.
const ROUNDING: f64 = 1e-3;

/// A possible cause of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// Absent where no ingredient differs: nondeterminism that was not pinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingredient: Option<IngredientDifference>,
    pub confidence: Confidence,
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    Likely,
    Possible,
    Unlikely,
}

impl Confidence {
    pub fn label(self) -> &'static str {
        match self {
            Self::Likely => "likely",
            Self::Possible => "possible",
            Self::Unlikely => "unlikely",
        }
    }
}

/// What the results look like, seen as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    /// It did not run.
    NotRun,
    /// Metrics differ by less than a thousandth.
    Small,
    /// Anything else: larger, or bytes whose meaning is not known.
    Large,
    /// Only bytes differ, all metrics are equal.
    Bytes,
}

/// The causes that may explain a grade, the most probable first. None for what is identical.
pub fn causes(graded: &Graded, comparison: &Comparison, repeated: &Determinism) -> Vec<Cause> {
    if graded.grade == Grade::R0 {
        return Vec::new();
    }
    let size = size(graded);
    let mut all: Vec<Cause> = comparison.ingredients.iter().map(|found| cause(found, size)).collect();
    // Stable: within one confidence the order of the comparison stays.
    all.sort_by_key(|cause| cause.confidence);
    let explained = all.iter().any(|cause| cause.confidence == Confidence::Likely);
    if !explained && size != Size::NotRun && graded.grade != Grade::NotGraded {
        let nothing = all.iter().all(|cause| cause.confidence == Confidence::Unlikely);
        let found = unpinned(repeated, comparison, nothing);
        all.insert(if nothing { 0 } else { all.len() }, found);
    }
    all
}

fn size(graded: &Graded) -> Size {
    if graded.grade == Grade::R4 {
        return Size::NotRun;
    }
    let metrics: Vec<_> =
        graded.differences.iter().filter(|difference| difference.kind == ResultKind::Metric).collect();
    if metrics.is_empty() && graded.basis.metrics > 0 {
        return Size::Bytes;
    }
    let is_small = !metrics.is_empty()
        && metrics.iter().all(|metric| metric.relative.is_some_and(|relative| relative < ROUNDING));
    if is_small { Size::Small } else { Size::Large }
}

fn cause(found: &IngredientDifference, size: Size) -> Cause {
    let (confidence, why) = match (found.kind.effect(), size) {
        (_, _) if found.basis == Basis::Present => {
            (Confidence::Unlikely, "nothing shows that the program used it")
        }
        (_, Size::NotRun) => not_run(found),
        (Effect::Any, Size::Large) => (Confidence::Likely, "it changes what the program computes"),
        (Effect::Any, Size::Small) if is_numeric_environment(found.kind) => {
            (Confidence::Likely, "libraries of other versions round differently")
        }
        (Effect::Any, Size::Small) => {
            (Confidence::Likely, "it changes what the program computes, although the difference is small")
        }
        (Effect::Any, Size::Bytes) => {
            (Confidence::Likely, "it may change outputs although the metrics are equal")
        }
        (Effect::Rounding, Size::Small) => {
            (Confidence::Likely, "it changes the last digits of numbers, and the difference is that small")
        }
        (Effect::Rounding, Size::Large | Size::Bytes) => {
            (Confidence::Possible, "it changes the last digits of numbers, which may grow in many steps")
        }
        (Effect::Rare, Size::Large | Size::Small | Size::Bytes) => {
            (Confidence::Unlikely, "results rarely depend on it")
        }
    };
    Cause { ingredient: Some(found.clone()), confidence, why: why.to_owned() }
}

/// A program that does not start misses something, or has another text.
fn not_run(found: &IngredientDifference) -> (Confidence, &'static str) {
    if found.other.is_none() {
        return (Confidence::Likely, "the repeated run does not have it");
    }
    match found.kind {
        IngredientKind::Argument
        | IngredientKind::ConfigValue
        | IngredientKind::TrackedEdit
        | IngredientKind::UntrackedFile
        | IngredientKind::Commit
        | IngredientKind::Data
        | IngredientKind::Package
        | IngredientKind::Interpreter
        | IngredientKind::Gpu => (Confidence::Likely, "a program may fail with it"),
        IngredientKind::Parameter
        | IngredientKind::Determinism
        | IngredientKind::Variable
        | IngredientKind::Libc
        | IngredientKind::SystemFile
        | IngredientKind::Machine => (Confidence::Possible, "a program may fail with it"),
        IngredientKind::Seed
        | IngredientKind::BlasKernel
        | IngredientKind::Threads
        | IngredientKind::Cpu
        | IngredientKind::Kernel => (Confidence::Unlikely, "programs rarely fail because of it"),
    }
}

fn is_numeric_environment(kind: IngredientKind) -> bool {
    matches!(kind, IngredientKind::Package | IngredientKind::Interpreter)
}

/// No ingredient explains it: what was not pinned, by name.
fn unpinned(determinism: &Determinism, comparison: &Comparison, nothing_else: bool) -> Cause {
    let profile = match determinism.profile.as_str() {
        "" => "no profile".to_owned(),
        name => format!("profile {}", actum_model::Untrusted::new(name).shown(20)),
    };
    let what = match determinism.not_covered.as_slice() {
        [] if determinism.knobs.is_empty() => {
            "nothing was pinned: seeds, hash order, threads, the clock".to_owned()
        }
        [] => "beyond what was pinned: the clock, process ids, the order of threads, GPU atomics".to_owned(),
        named => named.join("; "),
    };
    let mut why = format!("nondeterminism that was not pinned ({profile}): {what}");
    if !comparison.not_compared.is_empty() {
        why.push_str(". Not compared: ");
        why.push_str(&comparison.not_compared.join("; "));
    }
    let confidence = if nothing_else { Confidence::Likely } else { Confidence::Possible };
    Cause { ingredient: None, confidence, why }
}
