//! Claims against evidence: which run is meant, what it says, and what follows.
//!
//! Every family answers with a [`Verdict`]; staleness, levels and who saw the run are laid over it here, in one place.

mod files;
mod interval;
mod marks;
mod meant;
mod metrics;
mod naming;
mod one_test;
mod reported;
mod scope;
mod subject;
mod tests_run;
mod tools;
mod verdict;

pub use tests_run::{NEWEST_FAILED, WIDER_FAILED};

use crate::evidence::Evidence;
use crate::instruments;
use actum_model::{Claim, ClaimStatus, Finding, Findings, Said, Which};
use scope::Scope;
use verdict::Verdict;

/// What the evidence says about each claim. The worst status wins.
pub fn judge(claims: &[Claim], evidence: &Evidence) -> Findings {
    let executed = reported::without(evidence);
    let judged = |claim| {
        let verdict = reported::settle(verdict(claim, evidence), claim, executed.as_ref());
        finding(claim, verdict)
    };
    let told = claims.iter().map(|claim| (claim, judged(claim)));
    // What was only perhaps a claim is one where there is something to say about it.
    let is_claim = |(claim, finding): &(&Claim, Finding)| !claim.tentative || finding.anchor.is_some();
    Findings::of(told.filter(is_claim).map(|(_, finding)| finding).collect())
}

fn verdict<'e>(claim: &'e Claim, evidence: &'e Evidence) -> Verdict<'e> {
    match evidence.invalid.first() {
        Some(reason) => Verdict::of(ClaimStatus::Invalid, format!("the ledger cannot be believed: {reason}")),
        None => weigh(claim, evidence),
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

fn weigh<'e>(claim: &'e Claim, evidence: &'e Evidence) -> Verdict<'e> {
    if let Some(why) = outside_of_runs(&claim.said) {
        return Verdict::of(ClaimStatus::NotJudged, why.to_owned());
    }
    if let Some(name) = unknown_instrument(claim, evidence) {
        return Verdict::unsupported(format!("no recorded run knows {name}"));
    }
    let scope = match Scope::of(claim, evidence) {
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

/// Why a kind of claim is not judged.
fn outside_of_runs(said: &Said) -> Option<&'static str> {
    match said {
        Said::Opinion { .. } => Some("an opinion is not judged"),
        Said::Done { .. } => Some("no run can show that work was done"),
        Said::Figure { .. } => {
            Some("a number without the name of a metric is not judged: name its evidence with an anchor")
        }
        Said::Ratio(_) => Some("changes and comparisons are not judged: claim the values themselves"),
        Said::Duration { .. } => Some("times are not judged: whose clock it was is not known"),
        Said::Count { file: None, .. } => Some("counts are judged only of tests and of rows in a file"),
        Said::Device { .. } => Some("devices are not judged: name the evidence with an anchor"),
        Said::Count { .. }
        | Said::Ran { .. }
        | Said::Exit { .. }
        | Said::Tests(_)
        | Said::Test { .. }
        | Said::Metric { .. }
        | Said::File { .. }
        | Said::Commit { .. }
        | Said::RunId { .. }
        | Said::Installed { .. }
        | Said::Clean { .. }
        | Said::Absent { .. }
        | Said::Seed { .. } => None,
    }
}

/// Whether a run that failed would deny it.
fn claims_success(said: &Said) -> bool {
    match said {
        Said::Tests(counts) => tests_run::claims_success(counts),
        Said::Ran { well, .. } => *well,
        Said::Exit { code } => *code == 0,
        Said::Clean { .. } | Said::Test { .. } => true,
        Said::Metric { .. }
        | Said::Ratio(_)
        | Said::Duration { .. }
        | Said::Count { .. }
        | Said::File { .. }
        | Said::Commit { .. }
        | Said::RunId { .. }
        | Said::Installed { .. }
        | Said::Absent { .. }
        | Said::Seed { .. }
        | Said::Device { .. }
        | Said::Figure { .. }
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
        Said::Metric { name, value, which } => metrics::metric(scope, name, value, *which),
        Said::Count { noun, value, file: Some(path) } => files::rows(scope, noun, value, path),
        Said::File { path, fact } => files::file(scope, path, fact),
        Said::Commit { hash, ran_at } => marks::commit(scope, hash, *ran_at),
        Said::RunId { system, id } => marks::run_id(scope, system, id),
        Said::Installed { package, version } => marks::installed(scope, package, version.as_deref()),
        Said::Clean { what, tool } => tools::clean(scope, *what, tool.as_deref()),
        Said::Absent { what } => tools::absent(scope, *what),
        Said::Seed { value } => marks::seed(scope, *value),
        Said::Ratio(_)
        | Said::Duration { .. }
        | Said::Count { file: None, .. }
        | Said::Device { .. }
        | Said::Figure { .. }
        | Said::Done { .. }
        | Said::Opinion { .. } => Verdict::unsupported("no run can show it"),
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
        Said::Figure { figure } => format!("{kind} {figure}"),
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
