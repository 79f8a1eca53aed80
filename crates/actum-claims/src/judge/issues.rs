//! How much a tool complained about: errors, warnings, files that it would format.

use super::interval;
use super::naming;
use super::scope::Scope;
use super::verdict::Verdict;
use crate::command;
use crate::evidence::RunFacts;
use crate::stance::pattern;
use actum_model::{Quantity, When};
use regex::bytes::Regex;

/// Whether something that is counted is such a thing.
pub(crate) fn is_one(noun: &str) -> bool {
    const NOUNS: &[&str] = &[
        "error",
        "warning",
        "issue",
        "problem",
        "violation",
        "finding",
        "complaint",
        "vulnerability",
        "vulnerabilitie",
        "leak",
        "files with error",
        "files reformatted",
        "files formatted",
        "files unchanged",
        "files reformatting",
        "files formatting",
    ];
    NOUNS.contains(&noun.strip_suffix('s').unwrap_or(noun)) || NOUNS.contains(&noun)
}

/// What a run told, with the line.
struct Told {
    piece: String,
    value: u64,
}

pub(crate) fn count<'e>(scope: &Scope<'e>, noun: &str, value: &Quantity) -> Verdict<'e> {
    let considered = scope.looked_at();
    let latest = if scope.when == When::Before { scope.runs.clone() } else { scope.latest() };
    // Who complains is a tool or a build, where one ran.
    let complains = |run: &&RunFacts| !command::checks(&run.command).is_empty();
    let tools: Vec<&RunFacts> = latest.iter().copied().filter(complains).collect();
    let named = match scope.bound {
        true => latest.clone(),
        false => [tools, latest.clone()]
            .iter()
            .map(|runs| naming::named(scope.text, runs))
            .find(|runs| !runs.is_empty())
            .unwrap_or_default(),
    };
    let is_named = !named.is_empty();
    let mut about = if is_named { named } else { latest };
    // What a formatter would change is no error, and an error is nothing that a formatter finds.
    let formats = |run: &&RunFacts| {
        let kinds = command::checks(&run.command);
        !kinds.is_empty() && kinds.iter().all(|(kind, _)| *kind == actum_model::Cleanliness::Format)
    };
    let is_format = noun.starts_with("files ") && noun != "files with errors";
    about.retain(|run| is_format == formats(run) || is_format && !is_named);
    // What was said of an earlier run is not said of the newest.
    if scope.when == When::Before && about.len() > 1 {
        about.remove(0);
    }
    for run in about {
        let told = told(run, noun);
        let Some(last) = told.last() else {
            match without_summary(run, noun, value, is_named) {
                Some(verdict) => return verdict.considered(considered),
                None => continue,
            }
        };
        let holds = |one: &Told| interval::counts(value, one.value);
        let agree = told.iter().all(|one| one.value == last.value);
        let why = format!("`{}` told {} {noun}", run.command, last.value);
        let verdict = match (holds(last), told.iter().any(holds), agree, is_named) {
            (true, _, _, _) => Verdict::verified(why),
            (false, true, _, _) => Verdict::ambiguous(format!("the run told several numbers of {noun}")),
            // A program tells of several things; a tool's last number is its sum.
            (false, false, false, true) if !complains(&run) => {
                Verdict::unsupported(format!("the run told several numbers of {noun}, and none is {value}"))
            }
            (false, false, _, true) => Verdict::contradicted(why),
            (false, false, _, false) => Verdict::unsupported(why),
        };
        let verdict = if scope.when == When::Before { verdict.ageless() } else { verdict };
        return verdict.on(run, &last.piece, last.value.to_string()).considered(considered);
    }
    Verdict::unsupported(format!("no recorded run tells a number of {noun}")).considered(considered)
}

/// Numbers beside the noun in what was printed; `no issues found` is none.
fn told(run: &RunFacts, noun: &str) -> Vec<Told> {
    let pattern = match noun {
        "files with errors" => pattern(r"(?:errors?|issues?|problems?) in (\d+) (?:source )?files?\b"),
        "files reformatted" | "files reformatting" => {
            pattern(r"\b(\d+) files? (?:would be |were |was )?reformatted\b")
        }
        "files formatted" | "files formatting" => {
            pattern(r"\b(\d+) files? (?:are |is |were )?(?:already )?formatted\b")
        }
        "files unchanged" => pattern(r"\b(\d+) files? (?:would be )?(?:left )?unchanged\b"),
        _ => noun_pattern(noun),
    };
    let mut all = Vec::new();
    for line in run.printed.iter().filter(|line| line.text.len() < 400) {
        let lower = line.text.to_lowercase();
        let piece = format!("{}:L{}-L{}", line.stream, line.number, line.number);
        if let Some(value) = pattern
            .captures(lower.as_bytes())
            .and_then(|found| std::str::from_utf8(found.get(1)?.as_bytes()).ok()?.parse().ok())
        {
            all.push(Told { piece, value });
        } else if lower.contains("no issues found") || lower.contains("0 issues") {
            all.push(Told { piece, value: 0 });
        }
    }
    all
}

/// Tools use several words for one thing: a number of errors is also told as issues or problems.
fn noun_pattern(noun: &str) -> Regex {
    let stem = noun.strip_suffix("ies").or(noun.strip_suffix('s')).unwrap_or(noun);
    let words = match stem {
        "warning" => "warnings?",
        "error" => "errors?",
        "leak" => "leaks?",
        "vulnerabilit" | "vulnerability" => "vulnerabilit(?:y|ies)",
        _ => "(?:errors?|issues?|problems?|violations?|findings?|complaints?)",
    };
    pattern(&format!(r"\b(\d+) (?:[a-z-]+ )?{words}\b"))
}

/// A compiler that ends without a sum: each warning stands on its own line.
fn without_summary<'e>(
    run: &'e RunFacts,
    noun: &str,
    value: &Quantity,
    is_named: bool,
) -> Option<Verdict<'e>> {
    let is_warning = noun.starts_with("warning");
    let (mark, analysed) = if is_warning { ("warning:", run.warnings) } else { ("error:", run.errors) };
    let lines = run.printed.iter().filter(|line| line.text.to_lowercase().contains(mark)).count() as u64;
    let counts = [Some(lines), analysed];
    let held = counts
        .iter()
        .flatten()
        .any(|count| (*count > 0 || value.value == 0.0) && interval::counts(value, *count));
    let why = format!("`{}` told {lines} {noun}", run.command);
    // None were told by a tool that was not asked.
    if held && value.value == 0.0 && super::tools::is_unchecked(run) {
        return None;
    }
    if held {
        return Some(Verdict::verified(why).on(run, "exit", value.literal.clone()));
    }
    let is_checker = !command::checks(&run.command).is_empty()
        || command::crude_parts(&run.command)
            .iter()
            .any(|part| part.first().is_some_and(|first| first == "make" || first.ends_with("cc")));
    if !is_named || run.printed_cut || !is_checker || !(is_warning || noun.starts_with("error")) {
        return None;
    }
    // Nothing was told where something is claimed, or both ways of counting give another number.
    let agrees = analysed.is_none_or(|count| count == lines);
    agrees.then(|| Verdict::contradicted(why).on(run, "exit", lines.to_string()))
}
