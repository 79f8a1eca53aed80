//! Grades files and standard output: byte for byte, or not.

use super::{ResultDifference, ResultKind, Volatile};
use crate::compare::{ExperimentFacts, OutputChange, merge_outputs, output_differences};
use actum_model::Digest;

/// What the files come to.
#[derive(Default)]
pub(super) struct OutputsGraded {
    pub files: u64,
    pub stdout: bool,
    /// Everything that was compared is the same, and everything that is not volatile was compared.
    pub identical: bool,
    pub differences: Vec<ResultDifference>,
    pub excluded: Vec<String>,
    pub notes: Vec<String>,
}

pub(super) fn grade(
    original: &ExperimentFacts,
    repeated: &ExperimentFacts,
    volatile: &Volatile,
) -> OutputsGraded {
    let mut graded = OutputsGraded { identical: true, ..OutputsGraded::default() };
    files(original, repeated, volatile, &mut graded);
    stdout(original, repeated, volatile, &mut graded);
    let left_out =
        |facts: &ExperimentFacts| facts.result.as_ref().map_or(0, |result| result.artifacts_left_out);
    if left_out(original) > 0 || left_out(repeated) > 0 {
        graded
            .notes
            .push("more files than the list of artifacts holds: the others were not compared".to_owned());
        graded.identical = false;
    }
    graded
}

fn files(
    original: &ExperimentFacts,
    repeated: &ExperimentFacts,
    volatile: &Volatile,
    graded: &mut OutputsGraded,
) {
    let (mut first, mut second) = (merge_outputs(original), merge_outputs(repeated));
    let mut excluded: Vec<String> = Vec::new();
    for outputs in [&mut first, &mut second] {
        outputs.retain(|path, _| {
            let why = volatile.file(path);
            excluded.extend(why.map(|why| format!("{path}: {why}")));
            why.is_none()
        });
    }
    excluded.sort();
    excluded.dedup();
    graded.excluded.extend(excluded);
    let found = output_differences(&first, &second);
    graded.files = found.compared;
    graded.identical &= found.differences.is_empty() && found.not_compared.is_empty();
    graded.notes.extend(found.not_compared);
    for difference in found.differences {
        let digest = |outputs: &std::collections::BTreeMap<String, Option<Digest>>| {
            let digest = outputs.get(&difference.path)?;
            Some(digest.map_or_else(|| "not hashed".to_owned(), |digest| digest.short()))
        };
        let (one, other) = match difference.change {
            OutputChange::Content => (digest(&first), digest(&second)),
            OutputChange::OnlyInFirst => (digest(&first), None),
            OutputChange::OnlyInSecond => (None, digest(&second)),
        };
        graded.differences.push(bytes_differ(ResultKind::Output, &difference.path, one, other));
    }
}

fn stdout(
    original: &ExperimentFacts,
    repeated: &ExperimentFacts,
    volatile: &Volatile,
    graded: &mut OutputsGraded,
) {
    if volatile.stdout {
        graded.excluded.push("standard output: declared volatile".to_owned());
        return;
    }
    match (original.stdout, repeated.stdout) {
        (Some(one), Some(other)) if one == other => graded.stdout = one != Digest::of(""),
        (Some(one), Some(other)) => {
            graded.stdout = true;
            graded.identical = false;
            let (one, other) = (Some(one.short()), Some(other.short()));
            graded.differences.push(bytes_differ(ResultKind::Stdout, "stdout", one, other));
        }
        (Some(_), None) | (None, Some(_)) | (None, None) => {
            graded.identical = false;
            graded.notes.push("standard output was not kept, so it was not compared".to_owned());
        }
    }
}

fn bytes_differ(
    kind: ResultKind,
    what: &str,
    original: Option<String>,
    repeated: Option<String>,
) -> ResultDifference {
    let what = what.to_owned();
    ResultDifference {
        kind,
        what,
        original,
        repeated,
        relative: None,
        within_tolerance: false,
        tolerance: None,
    }
}
