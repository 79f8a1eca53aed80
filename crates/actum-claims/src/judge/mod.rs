//! Claims against evidence: which run is meant, what it says, and what follows.
//!
//! Every family answers with a [`Verdict`]; staleness, levels and who saw the run are laid over it here, in one place.

mod among;
mod compared;
mod counted;
mod figured;
mod files;
mod interval;
mod issues;
mod keyed;
mod marks;
mod meant;
mod metrics;
mod naming;
mod one_test;
mod places;
mod ratios;
mod reported;
mod scope;
mod settings;
mod shares;
mod steps;
mod subject;
mod tests_run;
mod timed;
mod tools;
mod verdict;

pub use tests_run::{NEWEST_FAILED, WIDER_FAILED};

use crate::evidence::Evidence;
use crate::figures::Sheets;
use crate::instruments;
use actum_model::{Claim, ClaimStatus, FileClaim, Finding, Findings, Ratio, Said, Which};
use figured::Asked;
use scope::Scope;
use verdict::Verdict;

/// What the evidence says about each claim. The worst status wins.
pub fn judge(claims: &[Claim], evidence: &Evidence) -> Findings {
    let texts =
        || claims.iter().flat_map(|claim| [claim.text.as_str(), claim.context.as_str(), name(&claim.said)]);
    let sheets = Sheets::of(&evidence.runs, texts());
    let executed = reported::without(evidence).map(|evidence| {
        let sheets = Sheets::of(&evidence.runs, texts());
        (evidence, sheets)
    });
    let executed = executed.as_ref().map(|(evidence, sheets)| (evidence, sheets));
    let judged =
        |claim| (claim, finding(claim, reported::settle(verdict(claim, evidence, &sheets), claim, executed)));
    let told: Vec<(&Claim, Finding)> = claims.iter().map(judged).collect();
    // What was only perhaps a claim is one where there is something to say about it.
    let kept = among::are_kept(&told);
    let is_claim = |((claim, finding), kept): &((&Claim, Finding), bool)| {
        !claim.tentative || finding.anchor.is_some() || *kept
    };
    Findings::of(told.into_iter().zip(kept).filter(is_claim).map(|((_, finding), _)| finding).collect())
}

/// What a number is called, where a claim came without words.
fn name(said: &Said) -> &str {
    if let Said::Metric { name, .. } | Said::Count { noun: name, .. } | Said::Ratio(Ratio { of: name, .. }) =
        said
    {
        return name;
    }
    if let Said::Seed { .. } = said { "seed" } else { "" }
}

fn verdict<'e>(claim: &'e Claim, evidence: &'e Evidence, sheets: &'e Sheets) -> Verdict<'e> {
    match evidence.invalid.first() {
        Some(reason) => Verdict::of(ClaimStatus::Invalid, format!("the ledger cannot be believed: {reason}")),
        None => weigh(claim, evidence, sheets),
    }
}

fn finding(claim: &Claim, verdict: Verdict<'_>) -> Finding {
    let Verdict { status, why, run, anchor, observed, notes, considered, .. } = verdict;
    Finding {
        claim: if claim.text.is_empty() { understood(claim) } else { claim.text.clone() },
        kind: claim.said.kind(),
        status,
        level: run.filter(|_| anchor.is_some()).map(|run| run.level),
        anchor,
        observed,
        why,
        line: claim.line,
        understood: understood(claim),
        notes,
        considered,
    }
}

fn weigh<'e>(claim: &'e Claim, evidence: &'e Evidence, sheets: &'e Sheets) -> Verdict<'e> {
    if let Said::Done { .. } | Said::Opinion { .. } = &claim.said {
        let what = if matches!(claim.said, Said::Opinion { .. }) {
            "an opinion is not judged"
        } else {
            "no run can show that work was done"
        };
        return Verdict::of(ClaimStatus::Unverifiable, what.to_owned());
    }
    if let Some(name) = unknown_instrument(claim, evidence) {
        return Verdict::unsupported(format!("no recorded run knows {name}"));
    }
    let scope = match Scope::of(claim, evidence, sheets) {
        Ok(scope) => scope,
        Err(verdict) => return *verdict,
    };
    let verdict = subject::known(dispatch(claim, &scope), &scope, claim).settle();
    if verdict.status == ClaimStatus::Verified && !evidence.removed.is_empty() && claims_success(&claim.said)
    {
        let run = evidence.removed.first().map(String::as_str).unwrap_or_default();
        return Verdict::unsupported(format!(
            "the record of run {run} was removed, and it may say otherwise"
        ));
    }
    verdict
}

/// Whether a run that failed would deny it.
fn claims_success(said: &Said) -> bool {
    match said {
        Said::Tests(counts) => tests_run::claims_success(counts),
        Said::Ran { well, .. } => *well,
        Said::Exit { code } => *code == 0,
        Said::Clean { .. } | Said::Absent { .. } | Said::Test { .. } => true,
        Said::Metric { .. }
        | Said::Ratio(_)
        | Said::Duration { .. }
        | Said::Count { .. }
        | Said::File { .. }
        | Said::Commit { .. }
        | Said::RunId { .. }
        | Said::Installed { .. }
        | Said::Seed { .. }
        | Said::Device { .. }
        | Said::Done { .. }
        | Said::Opinion { .. } => false,
    }
}

/// What a run is said to have run under, where no run did.
fn unknown_instrument(claim: &Claim, evidence: &Evidence) -> Option<String> {
    let is_of_run = !matches!(
        claim.said,
        Said::File { .. }
            | Said::Installed { .. }
            | Said::Commit { .. }
            | Said::RunId { .. }
            | Said::Seed { .. }
            | Said::Device { .. }
    );
    let name = instruments::named(&claim.text).or_else(|| instruments::named(&claim.context))?;
    (is_of_run && !instruments::is_known(&name, &evidence.runs)).then_some(name)
}

fn dispatch<'e>(claim: &'e Claim, scope: &Scope<'e>) -> Verdict<'e> {
    match &claim.said {
        Said::Ran { what, well } => tools::ran(scope, what, *well),
        Said::Exit { code } => tools::exit(scope, *code),
        Said::Tests(counts) => tests_run::tests(scope, counts),
        Said::Test { name, outcome } => one_test::test(scope, name, *outcome),
        Said::Metric { name, value, which } => {
            let which = steps::meant(scope, *which);
            let first = metrics::metric(scope, name, value, which);
            // Whoever says which option a run was given says no result.
            if let Some(verdict) = figured::given(scope, name, value) {
                return verdict;
            }
            let asked = Asked { name, value, which, counts: false };
            if let Some(verdict) = places::at_place(scope, &asked).filter(|_| which == Which::Final) {
                return verdict;
            }
            if figured::has_rows(scope, &asked)
                && let Some(verdict) = figured::figure(scope, &asked)
            {
                return verdict;
            }
            let found = figured::or(first, scope, &asked);
            if found.status != ClaimStatus::Unsupported {
                return found;
            }
            let is_open = found.anchor.is_none();
            let part = || figured::of_parts(scope, &asked).filter(|_| is_open);
            figured::alone(scope, value).or_else(part).unwrap_or(found)
        }
        Said::Ratio(ratio) if ratio.of == crate::grammar::SHARE => shares::share(scope, ratio),
        Said::Ratio(ratio) => ratios::ratio(scope, ratio),
        Said::Duration { of, value } => {
            let first = timed::duration(scope, of, value);
            // `the outage lasted 45 minutes` is told of an outage, where a run tells how long that was.
            if first.status != ClaimStatus::Verified
                && let Some(verdict) = figured::lasted(scope, value)
            {
                return verdict;
            }
            figured::or(first, scope, &Asked { name: "", value, which: Which::Final, counts: false })
        }
        Said::Count { noun, value, file: None } if issues::is_one(noun) => {
            let first = issues::count(scope, noun, value);
            // Errors that a program counts in its data are a figure like any other.
            let has_tool = scope.runs.iter().any(|run| !crate::command::checks(&run.command).is_empty());
            let asked = Asked { name: noun, value, which: Which::Final, counts: true };
            if has_tool { first } else { figured::or(first, scope, &asked) }
        }
        Said::Count { noun, value, file: None }
            if ["files changed", "files added", "insertions", "deletions"].contains(&noun.as_str()) =>
        {
            marks::changes(scope, noun, value)
        }
        Said::Count { noun, value, file } => {
            // `with 4 workers` says how a run was set.
            let given = figured::given(scope, noun, value);
            if let Some(verdict) = given.filter(|verdict| verdict.status == ClaimStatus::Verified) {
                return verdict;
            }
            let asked = Asked { name: noun, value, which: Which::Final, counts: true };
            let by_key = || keyed::occurrences(scope, &asked);
            let by_more = || figured::qualified(scope, &asked);
            let open = || places::at_place(scope, &asked).or_else(by_key).or_else(by_more);
            if let Some(verdict) = file.is_none().then(open).flatten() {
                return verdict;
            }
            keyed::of_key(counted::count(scope, &asked, file.as_deref()), scope, &asked)
        }
        Said::File { path, fact: fact @ FileClaim::Size(size) } => {
            let first = files::file(scope, path, fact);
            let name = format!("{} size", path.rsplit('/').next().unwrap_or(path));
            let asked = Asked { name: &name, value: size, which: Which::Final, counts: false };
            let is_open = first.status == ClaimStatus::Unsupported;
            if is_open { figured::or(first, scope, &asked) } else { first }
        }
        Said::File { path, fact } => files::file(scope, path, fact),
        Said::Commit { hash, ran_at } => marks::commit(scope, hash, *ran_at),
        Said::RunId { system, id } => marks::run_id(scope, system, id),
        Said::Installed { package, version } => marks::installed(scope, package, version.as_deref()),
        Said::Clean { what, tool } => tools::clean(scope, *what, tool.as_deref()),
        Said::Absent { what } => tools::absent(scope, *what),
        Said::Seed { value } => {
            let first = marks::seed(scope, *value);
            let asked = actum_model::Quantity::read(&value.to_string());
            match asked.filter(|_| first.status == ClaimStatus::Unsupported) {
                Some(value) => {
                    let asked = Asked { name: "seed", value: &value, which: Which::Final, counts: false };
                    figured::or(first, scope, &asked)
                }
                None => first,
            }
        }
        Said::Device { name } => marks::device(scope, name),
        Said::Done { .. } | Said::Opinion { .. } => Verdict::unsupported("no run can show it"),
    }
}

/// The claim as it was understood, in a few words.
fn understood(claim: &Claim) -> String {
    let kind = claim.said.kind();
    match &claim.said {
        Said::Ran { what, well } => {
            format!("{kind} {what}{}", if *well { ", and it ended well" } else { "" })
        }
        Said::Exit { code } => format!("{kind} {code}"),
        Said::Tests(counts) => format!("{kind} {}", tests_run::told(counts)),
        Said::Test { name, outcome } => format!("{kind} {name} {}", one_test::word(*outcome)),
        Said::Metric { name, value, which } => format!("{kind} {name} = {value}{}", told_which(*which)),
        Said::Ratio(ratio) => {
            let part = |word: &str, value: &Option<actum_model::Quantity>| {
                value.as_ref().map(|value| format!(" {word} {value}")).unwrap_or_default()
            };
            format!(
                "{kind} {}{}{}{}",
                ratio.of,
                part("from", &ratio.from),
                part("to", &ratio.to),
                part("by", &ratio.by)
            )
        }
        Said::Duration { value, .. } => format!("{kind} {value}"),
        Said::Count { noun, value, file } => format!(
            "{kind} {value} {noun}{}",
            file.as_ref().map(|file| format!(" in {file}")).unwrap_or_default()
        ),
        Said::File { path, fact } => format!("{kind} {path} {}", files::told(fact)),
        Said::Commit { hash, .. } => format!("{kind} {hash}"),
        Said::RunId { system, id } => format!("{kind} {system} {id}"),
        Said::Installed { package, version } => {
            format!("{kind} {package} {}", version.as_deref().unwrap_or("in any version"))
        }
        Said::Clean { what, tool } => {
            format!("{kind} {what:?} {}", tool.as_deref().unwrap_or_default()).trim_end().to_lowercase()
        }
        Said::Absent { what } => format!("{kind} {what:?}").to_lowercase(),
        Said::Seed { value } => format!("{kind} {value}"),
        Said::Device { name } => format!("{kind} {name}"),
        Said::Done { .. } | Said::Opinion { .. } => kind.to_string(),
    }
}

fn told_which(which: Which) -> String {
    match which {
        Which::Final => String::new(),
        Which::Best => ", the best".to_owned(),
        Which::First => ", the first".to_owned(),
        Which::Step(step) => format!(", at step {step}"),
    }
}
