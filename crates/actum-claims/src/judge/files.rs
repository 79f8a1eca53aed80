//! Files: what a run wrote, held against its digest, and against the file as it is now.

use super::interval::{self, Fit, Observed, fit};
use super::scope::Scope;
use super::verdict::Verdict;
use crate::evidence::{FileNow, RunFacts, Wrote};
use actum_model::{ClaimStatus, FileClaim, Quantity, Unit};

/// What is claimed, in a few words.
pub(crate) fn told(fact: &FileClaim) -> String {
    match fact {
        FileClaim::Exists => "exists".to_owned(),
        FileClaim::Written => "was written".to_owned(),
        FileClaim::Created => "was created".to_owned(),
        FileClaim::Modified => "was changed".to_owned(),
        FileClaim::Deleted => "was deleted".to_owned(),
        FileClaim::Sha256(digest) => format!("has the digest {digest}"),
        FileClaim::Size(size) => format!("has the size {size}"),
    }
}

/// The newest run that changed a path, and what it did to it.
pub(crate) fn written<'e>(scope: &Scope<'e>, path: &str) -> Option<(&'e RunFacts, &'e Wrote)> {
    scope
        .runs
        .iter()
        .find_map(|run| Some((*run, run.wrote.iter().find(|wrote| path_fits(&wrote.path, path))?)))
}

/// A folder is written by whoever writes a file below it.
fn written_below<'e>(scope: &Scope<'e>, path: &str, fact: &FileClaim) -> Option<(&'e RunFacts, &'e Wrote)> {
    let folder = path.trim_start_matches("./").trim_end_matches('/');
    let is_below = |wrote: &&Wrote| {
        wrote.how != "deleted" && wrote.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    let can_be =
        matches!(fact, FileClaim::Exists | FileClaim::Written | FileClaim::Created) && !folder.is_empty();
    let mut runs = scope.runs.iter().filter(|_| can_be);
    runs.find_map(|run| Some((*run, run.wrote.iter().find(is_below)?)))
}

/// The same path, or the end of it: people leave folders out.
pub(crate) fn path_fits(whole: &str, told: &str) -> bool {
    let (whole, told) = (
        whole.trim_start_matches("./").trim_end_matches('/'),
        told.trim_start_matches("./").trim_end_matches('/'),
    );
    whole == told
        || whole.strip_suffix(told).is_some_and(|before| before.ends_with('/'))
        || told.strip_suffix(whole).is_some_and(|before| before.ends_with('/') && before.starts_with('/'))
}

pub(crate) fn file<'e>(scope: &Scope<'e>, path: &str, fact: &FileClaim) -> Verdict<'e> {
    let now = scope.evidence.files.iter().find(|now| path_fits(&now.path, path));
    let verdict = match (written(scope, path).or_else(|| written_below(scope, path, fact)), fact) {
        (Some((run, wrote)), fact) => recorded(run, wrote, now, fact),
        (None, FileClaim::Sha256(digest)) => as_input(scope, path, digest),
        (None, fact) => unrecorded(scope, path, now, fact),
    };
    verdict.considered(scope.looked_at())
}

fn recorded<'e>(run: &'e RunFacts, wrote: &'e Wrote, now: Option<&FileNow>, fact: &FileClaim) -> Verdict<'e> {
    let piece = format!("file/{}", wrote.path);
    let digest = wrote
        .sha256
        .as_deref()
        .map_or("no digest".to_owned(), |digest| format!("sha256 {}", digest.get(..12).unwrap_or(digest)));
    let on = |verdict: Verdict<'e>| verdict.on(run, &piece, format!("{} ({digest})", wrote.how)).ageless();
    let is_deleted = wrote.how == "deleted";
    if !run.applied && !is_deleted {
        return on(Verdict::unsupported("the run wrote it, but its changes did not come into the workspace"));
    }
    match fact {
        FileClaim::Sha256(told) => return of_digest(run, wrote, told),
        FileClaim::Size(told) => return of_size(run, wrote, told),
        FileClaim::Deleted if is_deleted => return on(Verdict::verified("the run deleted it")),
        FileClaim::Deleted => {
            return on(Verdict::contradicted(format!("the newest run that touched it {} it", wrote.how)));
        }
        FileClaim::Exists | FileClaim::Written | FileClaim::Created | FileClaim::Modified if is_deleted => {
            return on(Verdict::contradicted("the newest run that touched it deleted it"));
        }
        FileClaim::Exists | FileClaim::Written | FileClaim::Created | FileClaim::Modified => {}
    }
    let on = |verdict: Verdict<'e>| verdict.on(run, &piece, format!("{} ({digest})", wrote.how)).of_named();
    match now {
        Some(now) if !now.exists => {
            on(Verdict::of(ClaimStatus::Stale, "a run wrote it, and it is gone now".to_owned()))
        }
        Some(now)
            if *fact != FileClaim::Modified
                && now.sha256.is_some()
                && wrote.sha256.is_some()
                && now.sha256 != wrote.sha256 =>
        {
            on(Verdict::of(ClaimStatus::Stale, "a run wrote it, and it was changed since".to_owned()))
        }
        Some(_) | None => of_kind(wrote, fact, on),
    }
}

fn of_kind<'e>(wrote: &Wrote, fact: &FileClaim, on: impl Fn(Verdict<'e>) -> Verdict<'e>) -> Verdict<'e> {
    match (fact, wrote.how.as_str()) {
        (FileClaim::Created, "modified") => {
            on(Verdict::verified("a run wrote it").note("it was there before"))
        }
        (FileClaim::Modified, "created") => on(Verdict::verified("a run wrote it").note("it was new")),
        (_, _) => on(Verdict::verified("a run wrote it")),
    }
}

fn of_digest<'e>(run: &'e RunFacts, wrote: &'e Wrote, told: &str) -> Verdict<'e> {
    let piece = format!("file/{}", wrote.path);
    let Some(digest) = &wrote.sha256 else {
        return Verdict::unsupported("its digest was not recorded").on(run, &piece, "no digest");
    };
    let held = digest.starts_with(&told.to_lowercase());
    let why = format!("the recorded digest is {digest}");
    let verdict = if held { Verdict::verified(why) } else { Verdict::contradicted(why) };
    verdict.on(run, &piece, digest.clone()).ageless()
}

fn of_size<'e>(run: &'e RunFacts, wrote: &'e Wrote, told: &actum_model::Quantity) -> Verdict<'e> {
    let piece = format!("file/{}", wrote.path);
    let Some(size) = wrote.size else {
        return Verdict::unsupported("its size was not recorded").on(run, &piece, "no size");
    };
    let observed = Observed { value: size as f64, half: 0.0, unit: Unit::Size(1.0), is_fraction: false };
    let why = format!("the recorded size is {size} bytes");
    let verdict = if fit(told, &observed) >= Fit::Truncated {
        Verdict::verified(why)
    } else {
        Verdict::contradicted(why)
    };
    verdict.on(run, &piece, format!("{size} bytes")).ageless()
}

/// A file that runs were given has its digest recorded too.
fn as_input<'e>(scope: &Scope<'e>, path: &str, told: &str) -> Verdict<'e> {
    let found = scope
        .runs
        .iter()
        .find_map(|run| Some((*run, run.inputs.iter().find(|(one, _)| path_fits(one, path))?)));
    let Some((run, (name, digest))) = found else {
        return Verdict::unsupported(format!("no recorded run read or wrote {path}"));
    };
    let held = digest.starts_with(&told.to_lowercase());
    let why = format!("the recorded digest is {digest}");
    let verdict = if held { Verdict::verified(why) } else { Verdict::contradicted(why) };
    verdict.on(run, &format!("file/{name}"), digest.clone()).ageless()
}

fn unrecorded<'e>(scope: &Scope<'e>, path: &str, now: Option<&FileNow>, fact: &FileClaim) -> Verdict<'e> {
    let exists = now.is_some_and(|now| now.exists);
    let input = scope
        .runs
        .iter()
        .find_map(|run| Some((*run, run.inputs.iter().find(|(one, _)| path_fits(one, path))?)));
    match (fact, input, exists) {
        (FileClaim::Exists, Some((run, (name, digest))), true) => Verdict::verified("a run was given it")
            .on(run, &format!("file/{name}"), format!("sha256 {}", digest.get(..12).unwrap_or(digest)))
            .ageless(),
        // Edits by hand are no runs.
        (FileClaim::Modified, _, true) => Verdict::of(
            ClaimStatus::NotJudged,
            format!("no recorded run changed {path}; what is edited outside of runs is not recorded"),
        ),
        (FileClaim::Deleted, _, false) => Verdict::of(
            ClaimStatus::NotJudged,
            format!("no recorded run deleted {path}; what is done outside of runs is not recorded"),
        ),
        // A word that names no file may be something else that exists.
        (FileClaim::Exists | FileClaim::Created, None, false) if !path.contains(['.', '/']) => {
            Verdict::of(ClaimStatus::NotJudged, format!("no run wrote a file {path}, and none is there"))
        }
        (_, _, true) => Verdict::unsupported(format!("{path} is there, but no recorded run wrote it")),
        (_, _, false) => Verdict::unsupported(format!("no recorded run wrote {path}, and it is not there")),
    }
}

/// How many rows, lines or columns a file has that a run wrote.
pub(crate) fn rows<'e>(scope: &Scope<'e>, noun: &str, value: &Quantity, path: &str) -> Verdict<'e> {
    let Some((run, wrote)) = written(scope, path) else {
        return Verdict::unsupported(format!("no recorded run wrote {path}")).considered(scope.looked_at());
    };
    let piece = format!("file/{}", wrote.path);
    let now = scope.evidence.files.iter().find(|now| path_fits(&now.path, path));
    if now.is_some_and(|now| now.exists && now.sha256.is_some() && now.sha256 != wrote.sha256) {
        let verdict = Verdict::of(ClaimStatus::Stale, format!("{path} changed since the run wrote it"));
        return verdict.on(run, &piece, "changed since").ageless();
    }
    let last = noun.rsplit(' ').next().unwrap_or(noun).trim_end_matches('s');
    let seen = match last {
        "line" => wrote.lines.or(wrote.rows),
        "column" | "field" | "feature" | "header" => wrote.columns,
        _ => wrote.rows,
    };
    // `250 of 5,230 lines`: the file has those that were taken.
    let is_whole = scope.text.contains(&format!(" of {}", value.literal));
    let verdict = match seen.filter(|_| !is_whole) {
        Some(seen) if interval::counts(value, seen) => Verdict::verified(format!("{path} has {seen} {noun}")),
        Some(seen) => Verdict::contradicted(format!("{path} has {seen} {noun}")),
        None => Verdict::unsupported(format!("how many {noun} {path} has is not recorded")),
    };
    let observed = seen.map_or("not counted".to_owned(), |seen| seen.to_string());
    verdict.on(run, &piece, observed).considered(scope.looked_at())
}
