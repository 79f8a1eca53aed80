//! The labelled suite: worlds of evidence, sentences as agents write them, and what is right about each.
//!
//! `suite/worlds.toml` holds the worlds. Every other line of `suite/*.txt` is one case:
//! `world | kind | status | observed | sentence`. A kind of `-` means that nothing is claimed; observed may be empty, else it has
//! to be part of what the finding shows. A sentence with `\n` in it has several lines, and `¦` stands for the bar of a table. A world with `+stale` has inputs that
//! changed since. Further claims in the same sentence may not be worse than what is expected.

use actum_claims::{Evidence, RunFacts, check};
use actum_model::{ClaimKind, ClaimStatus, Findings};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const WORLDS: &str = include_str!("suite/worlds.toml");
const CASES: &[(&str, &str)] = &[
    ("tests", include_str!("suite/tests.txt")),
    ("numbers", include_str!("suite/numbers.txt")),
    ("things", include_str!("suite/things.txt")),
    ("nothing", include_str!("suite/nothing.txt")),
    ("eighth-places", include_str!("suite/eighth-places.txt")),
    ("ninth-rows", include_str!("suite/ninth-rows.txt")),
    ("messages", include_str!("suite/messages.txt")),
    ("more", include_str!("suite/more.txt")),
    ("third", include_str!("suite/third.txt")),
    ("eighth-subjects", include_str!("suite/eighth-subjects.txt")),
    ("fourth", include_str!("suite/fourth.txt")),
    ("sixth-workshop", include_str!("suite/sixth-workshop.txt")),
    ("seventh", include_str!("suite/seventh.txt")),
    ("fifth", include_str!("suite/fifth.txt")),
    ("sixth-files", include_str!("suite/sixth-files.txt")),
    ("sixth-harness", include_str!("suite/sixth-harness.txt")),
    ("sixth-settings", include_str!("suite/sixth-settings.txt")),
];

struct Case<'a> {
    place: String,
    world: &'a str,
    kind: &'a str,
    status: &'a str,
    observed: &'a str,
    sentence: String,
}

fn cases() -> Vec<Case<'static>> {
    let mut all = Vec::new();
    for (file, text) in CASES {
        for (number, line) in
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        {
            let parts: Vec<&str> = line.splitn(5, " | ").map(str::trim).collect();
            let [world, kind, status, observed, sentence] = parts[..] else {
                panic!("{file}.txt:{}: {line}", number + 1)
            };
            let (place, sentence) =
                (format!("{file}.txt:{}", number + 1), sentence.replace("\\n", "\n").replace('¦', "|"));
            all.push(Case { place, world, kind, status, observed, sentence });
        }
    }
    all
}

fn worlds() -> BTreeMap<String, Evidence> {
    toml::from_str(WORLDS).expect("the worlds are TOML")
}

fn world(worlds: &BTreeMap<String, Evidence>, name: &str) -> Evidence {
    let (name, is_stale) = name.split_once('+').map_or((name, false), |(name, _)| (name, true));
    let mut evidence = worlds.get(name).unwrap_or_else(|| panic!("no world {name}")).clone();
    evidence.runs = evidence.runs.into_iter().map(RunFacts::with_own_counts).collect();
    if is_stale {
        evidence.runs.iter_mut().for_each(|run| run.changed_inputs.push("src/app.py".to_owned()));
    }
    evidence
}

/// Whether the findings are right about a case.
fn is_right(case: &Case<'_>, findings: &Findings) -> bool {
    let judged = |status: ClaimStatus| status != ClaimStatus::NotJudged;
    if case.kind == "-" {
        return findings.findings.iter().all(|finding| !judged(finding.status));
    }
    let is_it = |status: ClaimStatus, kind: &str, observed: Option<&String>| {
        kind == case.kind
            && status.word() == case.status
            && (case.observed.is_empty() || observed.is_some_and(|seen| seen.contains(case.observed)))
    };
    let found = findings.findings.iter().any(|one| is_it(one.status, one.kind.word(), one.observed.as_ref()));
    found && findings.status.word() == case.status
}

/// How a case came out. The labels are what people said is right, also where Actum does not judge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Score {
    Right,
    /// Nothing is said about it, or that it is unsupported, ambiguous or not judged: it misses something, and misleads nobody.
    Silent,
    /// Everything in it is said to hold, and it does not.
    FalseVerified,
    /// It is said to be false, and is not.
    FalseContradicted,
}

fn score(case: &Case<'_>, findings: &Findings) -> Score {
    let has = |status: ClaimStatus| findings.findings.iter().any(|finding| finding.status == status);
    if is_right(case, findings) {
        Score::Right
    } else if has(ClaimStatus::Contradicted) && case.status != "contradicted" {
        Score::FalseContradicted
    } else if findings.status == ClaimStatus::Verified
        && !has(ClaimStatus::NotJudged)
        && case.status != "verified"
    {
        Score::FalseVerified
    } else {
        Score::Silent
    }
}

/// Kinds that are judged by one reading only, so that nearly all of them have to be right.
const EXACT: [&str; 10] =
    ["-", "clean", "commit", "exit", "file", "installed", "ran", "run_id", "test", "tests"];

#[test]
fn the_suite() {
    let (cases, worlds) = (cases(), worlds());
    let mut by_kind: BTreeMap<&str, [u32; 4]> = BTreeMap::new();
    let mut wrong = String::new();
    for case in &cases {
        let findings = check(&case.sentence, &world(&worlds, case.world));
        let score = score(case, &findings);
        by_kind.entry(case.kind).or_default()[score as usize] += 1;
        let is_told = matches!(score, Score::FalseVerified | Score::FalseContradicted)
            || score == Score::Silent && EXACT.contains(&case.kind);
        if is_told {
            wrong += &told(case, &findings);
        }
    }
    let sum = |scores: &[[u32; 4]], of: Score| scores.iter().map(|one| one[of as usize]).sum::<u32>();
    let all: Vec<[u32; 4]> = by_kind.values().copied().collect();
    let exact: Vec<[u32; 4]> = EXACT.iter().filter_map(|kind| by_kind.get(kind)).copied().collect();
    let kinds: Vec<String> = by_kind
        .iter()
        .map(|(kind, [right, silent, ..])| format!("{kind} {right} and {silent} silent"))
        .collect();
    let [verified, contradicted] = [Score::FalseVerified, Score::FalseContradicted].map(|of| sum(&all, of));
    let summary = format!(
        "{} cases: {} right, {} silent, {verified} false verified, {contradicted} false contradicted\n{}\n{wrong}",
        cases.len(),
        sum(&all, Score::Right),
        sum(&all, Score::Silent),
        kinds.join(", ")
    );
    println!("{summary}");
    assert!(cases.len() >= 1_000, "{summary}");
    assert!(verified == 0 && contradicted <= 1, "{summary}");
    assert!(sum(&all, Score::Right) >= 850, "{summary}");
    let share = f64::from(sum(&exact, Score::Right)) / f64::from(exact.iter().flatten().sum::<u32>());
    assert!(share >= 0.93, "{share} of what has one reading\n{summary}");
}

/// A case with what was found, for whoever mends it.
fn told(case: &Case<'_>, findings: &Findings) -> String {
    let mut told = format!(
        "{} [{}] expected {} {} {}: {}\n",
        case.place, case.world, case.kind, case.status, case.observed, case.sentence
    );
    for finding in &findings.findings {
        let observed = finding.observed.as_deref().unwrap_or("-");
        let _ = writeln!(
            told,
            "    {} {}: {} | {observed} | {}",
            finding.kind, finding.status, finding.understood, finding.why
        );
    }
    told
}

#[test]
fn every_kind_is_in_the_suite_in_several_forms() {
    let mut forms: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let cases = cases();
    for case in &cases {
        let seen = forms.entry(case.kind).or_default();
        if !seen.contains(&case.status) {
            seen.push(case.status);
        }
    }
    let is_judged = |kind: &ClaimKind| {
        use ClaimKind::{Done, Duration, Figure, Opinion, Ratio};
        !matches!(kind, Ratio | Duration | Figure | Done | Opinion)
    };
    for kind in ClaimKind::ALL.iter().filter(|kind| is_judged(kind)) {
        let seen = forms.get(kind.word()).map_or(0, Vec::len);
        assert!(seen >= 3, "{kind}: {:?}", forms.get(kind.word()));
    }
}
