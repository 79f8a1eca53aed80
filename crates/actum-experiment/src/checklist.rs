//! The reproducibility checklist: six rows, each with what shows it. Pure.

use crate::manifest::{Manifest, ParameterOrigin, SeedOrigin};
use crate::result::ChecklistRow;

/// Goes through the checklist.
pub fn check(manifest: &Manifest) -> Vec<ChecklistRow> {
    vec![
        commit(manifest),
        seeds(manifest),
        config(manifest),
        command(manifest),
        output(manifest),
        data(manifest),
    ]
}

fn row(what: &str, holds: bool, evidence: impl Into<String>) -> ChecklistRow {
    ChecklistRow { what: what.to_owned(), holds, evidence: evidence.into() }
}

fn commit(manifest: &Manifest) -> ChecklistRow {
    let what = "Git commit hash recorded";
    let Some(git) = &manifest.git else {
        return row(what, false, "there is no git repository; the files that were read are kept instead");
    };
    let dirty = match &git.patch {
        Some(patch) => format!("; uncommitted changes are kept as {} ({})", Manifest::PATCH, patch.bytes),
        None if git.dirty => "; untracked files that were read are kept".to_owned(),
        None => String::new(),
    };
    row(what, true, format!("{}{dirty}", git.commit))
}

fn seeds(manifest: &Manifest) -> ChecklistRow {
    let what = "All random seeds explicitly set";
    let seed = manifest.seed;
    let origin = match seed.origin {
        SeedOrigin::Default => "the default",
        SeedOrigin::Given => "given",
        SeedOrigin::Drawn => "drawn",
        SeedOrigin::Derived => "derived from the sweep's",
    };
    match manifest.determinism.profile.as_str() {
        "record" => row(
            what,
            false,
            format!(
                "seed {} ({origin}) was offered as ACTUM_SEED; the profile `record` sets none",
                seed.value
            ),
        ),
        profile => {
            let knobs = manifest.determinism.knobs.len();
            row(what, true, format!("seed {} ({origin}), {knobs} knobs of profile `{profile}`", seed.value))
        }
    }
}

fn config(manifest: &Manifest) -> ChecklistRow {
    let what = "Full configuration saved to output directory";
    let defaults = manifest
        .parameters
        .iter()
        .filter(|one| matches!(one.origin, ParameterOrigin::Default { .. }))
        .count();
    let files = manifest.configs.len();
    let evidence = format!(
        "{} parameters ({defaults} defaults) in {}/{}, {files} configuration files copied",
        manifest.parameters.len(),
        manifest.output,
        Manifest::FILE
    );
    row(what, true, evidence)
}

fn command(manifest: &Manifest) -> ChecklistRow {
    row("Command used is logged and can be re-run", true, format!("actum reproduce {}", manifest.run.short()))
}

fn output(manifest: &Manifest) -> ChecklistRow {
    row("Results are written to organized, timestamped directory", true, manifest.output.clone())
}

fn data(manifest: &Manifest) -> ChecklistRow {
    let what = "Any data preprocessing steps are documented";
    let steps = manifest.data.as_ref().map(|data| data.preprocessing.join("; ")).unwrap_or_default();
    match steps.is_empty() {
        false => row(what, true, steps),
        true => row(
            what,
            true,
            "no preprocessing step was found; every file that was read has a digest in the record",
        ),
    }
}
