//! What `actum claims` found, for people: the verdict first, then what it rests on.

use super::untrusted;
use actum_model::{ClaimStatus, Finding, Findings};

/// One paragraph for each claim, and the worst status last.
pub fn findings(findings: &Findings, explain: bool) -> String {
    if findings.findings.is_empty() {
        return "no claims found that a run could prove".to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    for finding in &findings.findings {
        lines.extend(one(finding, explain));
    }
    lines.push(summary(findings));
    lines.join("\n")
}

fn one(finding: &Finding, explain: bool) -> Vec<String> {
    let Finding { claim, kind, status, anchor, observed, level, why, line, understood, notes, considered } =
        finding;
    let place = if *line > 0 { format!("line {line}: ") } else { String::new() };
    let mut lines = vec![format!("{} {place}{}", mark(*status), untrusted::line(claim))];
    let mut add = |name: &str, text: &str| lines.push(format!("    {name:<12} {}", untrusted::line(text)));
    add(status.word(), &format!("{why} [{kind}]"));
    if let Some(observed) = observed {
        add("observed", observed);
    }
    if let Some(anchor) = anchor {
        let level = level.map(|level| format!(" ({level}, {})", level.words())).unwrap_or_default();
        add("evidence", &format!("{anchor}{level}"));
    }
    notes.iter().for_each(|note| add("note", note));
    if explain {
        add("read as", understood);
        considered.iter().for_each(|one| add("compared", one));
    }
    lines
}

fn mark(status: ClaimStatus) -> &'static str {
    match status {
        ClaimStatus::None | ClaimStatus::NotJudged => "·",
        ClaimStatus::Verified => "✓",
        ClaimStatus::Unsupported | ClaimStatus::Ambiguous | ClaimStatus::Stale => "?",
        ClaimStatus::Contradicted | ClaimStatus::Invalid => "✗",
    }
}

fn summary(findings: &Findings) -> String {
    const ORDER: [ClaimStatus; 7] = [
        ClaimStatus::Invalid,
        ClaimStatus::Contradicted,
        ClaimStatus::Stale,
        ClaimStatus::Ambiguous,
        ClaimStatus::Unsupported,
        ClaimStatus::NotJudged,
        ClaimStatus::Verified,
    ];
    let count =
        |status: ClaimStatus| findings.findings.iter().filter(|finding| finding.status == status).count();
    let counts: Vec<String> = ORDER
        .into_iter()
        .filter(|status| count(*status) > 0)
        .map(|status| format!("{} {status}", count(status)))
        .collect();
    let claims = findings.findings.len();
    format!("{claims} {}: {}", if claims == 1 { "claim" } else { "claims" }, counts.join(", "))
}
