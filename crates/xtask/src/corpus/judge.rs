//! Judges one report: did it run, when, and what did it lack. Pure.

use super::attempt::Told;
use super::sample::{Known, Sample};
use super::tally::{Row, Verdict};
use serde_json::Value;

/// What one attempt comes to.
pub fn row(sample: &Sample, told: &Told) -> Row {
    let report = told.report.as_ref().unwrap_or(&Value::Null);
    let verdict = verdict(told.known, told);
    let packages = packages(report);
    let lacked = match verdict {
        Verdict::AtOnce | Verdict::Recovered => String::new(),
        Verdict::Failed | Verdict::Reported | Verdict::FalseSuccess | Verdict::Touched | Verdict::NotRun => {
            lacked(report, &told.said)
        }
    };
    Row {
        id: sample.id.clone(),
        class: sample.class.clone(),
        verdict,
        lacked,
        remedies: remedies(report),
        missing: difference(sample.packages.as_deref(), packages.as_deref()),
        needless: difference(packages.as_deref(), sample.packages.as_deref()),
        milliseconds: u64::try_from(told.took.as_millis()).unwrap_or(u64::MAX),
    }
}

fn verdict(known: Known, told: &Told) -> Verdict {
    if !told.is_untouched {
        return Verdict::Touched;
    }
    let Some(report) = &told.report else { return Verdict::NotRun };
    let is_first = remedies(report).is_empty();
    match (report["outcome"].as_str().unwrap_or_default(), known) {
        ("success", Known::Wrong) => Verdict::FalseSuccess,
        ("success", _) if is_first => Verdict::AtOnce,
        ("success", _) => Verdict::Recovered,
        // What could not be started proves nothing about a wrong program; what was refused as cut off does.
        ("error", _) | ("skipped", Known::Right | Known::Untried) => Verdict::NotRun,
        (_, Known::Wrong) => Verdict::Reported,
        (_, Known::Right | Known::Untried) => Verdict::Failed,
    }
}

/// One line that says why not: the last diagnosis, else what was read out of the output, else the last thing that was said.
fn lacked(report: &Value, said: &str) -> String {
    let steps = report["recovery"]["steps"].as_array();
    let diagnosis = steps.and_then(|steps| steps.last()).map_or(&Value::Null, |step| &step["diagnosis"]);
    let diagnosed = diagnosis["row"].as_str().zip(diagnosis["cause"].as_str());
    let places = ["/recovery/stopped", "/analysis/errors/0", "/analysis/summary"];
    let text = |place: &&str| report.pointer(place).and_then(Value::as_str).filter(|text| !text.is_empty());
    let found = diagnosed.map(|(row, cause)| format!("{row}: {cause}"));
    let found = found.or_else(|| places.iter().find_map(text).map(str::to_owned));
    let last = || said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no report").to_owned();
    found.unwrap_or_else(last).lines().next().unwrap_or_default().chars().take(160).collect()
}

fn remedies(report: &Value) -> Vec<String> {
    let list = report["recovery"]["remedies"].as_array();
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Packages that were asked for, where the report tells them: not all that came along with those.
fn packages(report: &Value) -> Option<Vec<String>> {
    let asked = report.pointer("/environment/prepared/requirements")?;
    Some(asked.as_array()?.iter().filter_map(Value::as_str).map(bare).collect())
}

/// The name in front of a requirement.
fn bare(requirement: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    requirement.chars().take_while(|c| is_name(*c)).collect()
}

/// What the first has and the second has not. Where one of them is not known there is no difference.
fn difference(one: Option<&[String]>, other: Option<&[String]>) -> Vec<String> {
    let (Some(one), Some(other)) = (one, other) else { return Vec::new() };
    let normal = |name: &String| name.to_lowercase().replace(['_', '.'], "-");
    let others: Vec<String> = other.iter().map(normal).collect();
    one.iter().filter(|name| !others.contains(&normal(name))).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    fn told(report: Value) -> Told {
        Told {
            report: Some(report),
            said: String::new(),
            took: Duration::ZERO,
            is_untouched: true,
            known: Known::Right,
        }
    }

    #[test]
    fn a_verdict_knows_what_was_expected() {
        let report = |outcome: &str, remedies: usize| json!({ "outcome": outcome, "recovery": { "attempts": 2, "remedies": vec!["add numpy"; remedies] } });
        let cases = [
            ("success", 0, Known::Right, Verdict::AtOnce),
            ("success", 3, Known::Right, Verdict::Recovered),
            ("success", 0, Known::Untried, Verdict::AtOnce),
            ("success", 2, Known::Wrong, Verdict::FalseSuccess),
            ("failure", 1, Known::Wrong, Verdict::Reported),
            ("skipped", 1, Known::Wrong, Verdict::Reported),
            ("failure", 2, Known::Right, Verdict::Failed),
            ("timeout", 1, Known::Right, Verdict::Failed),
            ("error", 1, Known::Right, Verdict::NotRun),
            ("error", 1, Known::Wrong, Verdict::NotRun),
        ];
        for (outcome, remedies, known, expected) in cases {
            assert_eq!(verdict(known, &told(report(outcome, remedies))), expected, "{outcome} {known:?}");
        }
        let touched = Told { is_untouched: false, ..told(report("success", 1)) };
        assert_eq!(verdict(Known::Right, &touched), Verdict::Touched);
        let silent = Told { report: None, ..touched };
        assert_eq!(verdict(Known::Right, &Told { is_untouched: true, ..silent }), Verdict::NotRun);
    }

    #[test]
    fn what_lacked_is_one_line_of_the_most_telling_place() {
        let report = json!({ "analysis": { "summary": "it failed", "errors": ["KeyError: 1\nmore"] } });
        assert_eq!(lacked(&report, ""), "KeyError: 1");
        let diagnosed = json!({ "recovery": { "stopped": "no more", "steps": [
            { "diagnosis": { "row": "a", "cause": "one" } }, { "diagnosis": { "row": "b", "cause": "two" } } ] } });
        assert_eq!(lacked(&diagnosed, ""), "b: two");
        assert_eq!(lacked(&json!({ "recovery": { "stopped": "no more", "steps": [{}] } }), ""), "no more");
        assert_eq!(lacked(&json!({ "analysis": { "summary": "it failed", "errors": [] } }), ""), "it failed");
        assert_eq!(lacked(&Value::Null, "first\nlast\n\n"), "last");
        assert_eq!(lacked(&Value::Null, ""), "no report");
    }

    #[test]
    fn packages_are_compared_by_their_names() {
        let names = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let report =
            json!({ "environment": { "prepared": { "requirements": ["Scikit_Learn==1.0", "numpy<3"] } } });
        let asked = packages(&report).unwrap();
        let wanted = names(&["scikit-learn", "pandas"]);
        assert_eq!(difference(Some(&wanted), Some(&asked)), ["pandas"]);
        assert_eq!(difference(Some(&asked), Some(&wanted)), ["numpy"]);
        assert!(difference(Some(&wanted), None).is_empty());
    }
}
