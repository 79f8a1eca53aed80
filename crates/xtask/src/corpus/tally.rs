//! What a round comes to: counts for each class, what was lacking, and whether the promises held. Pure.

use super::asked::Set;
use crate::Held;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How one sample went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    AtOnce,
    Recovered,
    Failed,
    /// It is wrong, and that was said.
    Reported,
    /// It is wrong, and was passed off as working.
    FalseSuccess,
    /// The program is not what it was.
    Touched,
    /// It was not started: nothing here runs its language, or it was refused.
    NotRun,
}

const VERDICTS: [(Verdict, &str); 7] = [
    (Verdict::AtOnce, "at once"),
    (Verdict::Recovered, "recovered"),
    (Verdict::Failed, "failed"),
    (Verdict::Reported, "failed, reported"),
    (Verdict::FalseSuccess, "FAILED, REPORTED AS SUCCESS"),
    (Verdict::Touched, "TOUCHED"),
    (Verdict::NotRun, "not run"),
];

impl Verdict {
    pub fn name(self) -> &'static str {
        VERDICTS.iter().find(|(verdict, _)| *verdict == self).map_or("", |(_, name)| name)
    }

    fn read(name: &str) -> Option<Verdict> {
        VERDICTS.iter().find(|(_, known)| *known == name).map(|(verdict, _)| *verdict)
    }
}

/// One sample, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: String,
    pub class: String,
    pub verdict: Verdict,
    pub lacked: String,
    pub remedies: Vec<String>,
    /// Packages that it needs and that nobody asked for.
    pub missing: Vec<String>,
    /// Packages that were asked for and that it does not need.
    pub needless: Vec<String>,
    pub milliseconds: u64,
}

impl Row {
    pub fn line(&self) -> String {
        let seconds = self.milliseconds as f64 / 1000.0;
        format!("{:<13} {seconds:>6.1}s {} {}", self.verdict.name(), self.id, self.lacked)
    }

    pub fn json(&self) -> Value {
        json!({
            "id": self.id,
            "class": self.class,
            "verdict": self.verdict.name(),
            "lacked": self.lacked,
            "remedies": self.remedies,
            "missing": self.missing,
            "needless": self.needless,
            "ms": self.milliseconds,
        })
    }

    pub fn read(value: &Value) -> Option<Row> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let list = |name: &str| {
            let list = value[name].as_array().cloned().unwrap_or_default();
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Some(Row {
            id: text("id")?,
            class: text("class")?,
            verdict: Verdict::read(value["verdict"].as_str()?)?,
            lacked: text("lacked")?,
            remedies: list("remedies"),
            missing: list("missing"),
            needless: list("needless"),
            milliseconds: value["ms"].as_u64()?,
        })
    }
}

/// Benchmark programs with unit tests that have to run.
const PROMISED: f64 = 97.5;

/// Counts for each class, then what the rest lacked, then packages that were wrong.
pub fn table(rows: &[Row]) -> String {
    let mut text = format!("\n{:<14}{:>6}", "class", "all");
    for (_, name) in VERDICTS {
        text += &format!("{name:>15}");
    }
    for (class, own) in by(rows, |row| row.class.clone()) {
        text += &format!("\n{class:<14}{:>6}", own.len());
        for (verdict, _) in VERDICTS {
            text += &format!("{:>15}", own.iter().filter(|row| row.verdict == verdict).count());
        }
    }
    text += "\n";
    let bad: Vec<&Row> = rows.iter().filter(|row| !row.lacked.is_empty()).collect();
    text += &listed("what the rest lacked", bad.iter().map(|row| kind(&row.lacked)));
    text += &listed("remedies", rows.iter().flat_map(|row| row.remedies.iter().map(|remedy| kind(remedy))));
    text += &listed("packages missing", rows.iter().flat_map(|row| row.missing.clone()));
    text += &listed("packages needless", rows.iter().flat_map(|row| row.needless.clone()));
    text
}

/// The sentence about the promise, and whether it held.
pub fn judge(rows: &[Row], set: Set) -> (String, Held) {
    let count = |verdict: Verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let ran = count(Verdict::AtOnce) + count(Verdict::Recovered);
    let bad = count(Verdict::FalseSuccess) + count(Verdict::Touched);
    let share = if rows.is_empty() { 0.0 } else { 100.0 * ran as f64 / rows.len() as f64 };
    let is_enough = match set {
        Set::BigCodeBench => share >= PROMISED,
        Set::Small | Set::Answers => true,
    };
    let held = if is_enough && bad == 0 { Held::Yes } else { Held::No };
    let word = if held == Held::Yes { "held" } else { "missed" };
    let promise = match set {
        Set::BigCodeBench => format!(" (promised: {PROMISED} %)"),
        Set::Small | Set::Answers => String::new(),
    };
    let sentence =
        format!("{word}: {ran} of {} ran, {share:.1} %{promise}; {bad} passed off or touched", rows.len());
    (sentence, held)
}

/// A line without what differs from case to case, so that the same trouble is counted once.
fn kind(line: &str) -> String {
    let cut: String = line.chars().take(70).collect();
    cut.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn by<K: Ord>(rows: &[Row], key: impl Fn(&Row) -> K) -> BTreeMap<K, Vec<&Row>> {
    let mut groups: BTreeMap<K, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(key(row)).or_default().push(row);
    }
    groups
}

fn listed(title: &str, items: impl Iterator<Item = String>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(item, count)| (std::cmp::Reverse(*count), item.clone()));
    if counts.is_empty() {
        return String::new();
    }
    let lines = counts.iter().take(40).map(|(item, count)| format!("\n{count:>6}  {item}"));
    format!("\n{title}{}\n", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(class: &str, verdict: Verdict) -> Row {
        Row {
            id: "x/1".to_owned(),
            class: class.to_owned(),
            verdict,
            lacked: String::new(),
            remedies: vec!["packages of 2023-06-01".to_owned()],
            missing: vec!["xlrd".to_owned()],
            needless: Vec::new(),
            milliseconds: 1200,
        }
    }

    #[test]
    fn a_row_that_is_kept_is_read_again() {
        for (verdict, _) in VERDICTS {
            let row = row("java", verdict);
            assert_eq!(Row::read(&row.json()), Some(row));
        }
        assert_eq!(Row::read(&json!({ "id": "x" })), None);
    }

    #[test]
    fn the_promise_is_a_share_and_nothing_passed_off() {
        let rows = |good: usize, bad: Verdict| {
            let mut rows = vec![row("c", Verdict::AtOnce); good];
            rows.push(row("c", bad));
            rows
        };
        assert_eq!(judge(&rows(99, Verdict::Failed), Set::BigCodeBench).1, Held::Yes);
        assert_eq!(judge(&rows(9, Verdict::Failed), Set::BigCodeBench).1, Held::No);
        assert_eq!(judge(&rows(9, Verdict::Failed), Set::Small).1, Held::Yes);
        assert_eq!(judge(&rows(99, Verdict::FalseSuccess), Set::Small).1, Held::No);
        assert_eq!(judge(&rows(99, Verdict::Touched), Set::BigCodeBench).1, Held::No);
        assert_eq!(judge(&[], Set::BigCodeBench).1, Held::No);
    }

    #[test]
    fn the_table_counts_by_class_and_lists_what_was_wrong() {
        let text = table(&[
            row("java", Verdict::AtOnce),
            row("java", Verdict::Failed),
            row("ruby", Verdict::NotRun),
        ]);
        assert!(text.contains("java") && text.contains("ruby"), "{text}");
        assert!(text.contains("packages missing\n     3  xlrd"), "{text}");
        assert!(!text.contains("packages needless"), "{text}");
    }
}
