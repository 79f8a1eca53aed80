//! Decides whether an attempt achieved its aim.
//!
//! Pure: takes what was observed, returns a verdict with the evidence. What the harness saw with its own eyes comes
//! first; what the attempt says about itself counts only where its header lets it be the judge.

use crate::{Attempt, Judge, Peak, RunLimits, Slack, Token, Watch, token::contains};
use actum_model::Limit;
use serde::Serialize;
use std::time::Duration;

/// What became of one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// The wall held.
    Held { detail: String },
    /// The aim was achieved.
    Achieved { evidence: String },
    /// It was left out on purpose.
    Skipped { why: String },
    /// The runner did not start it, so nothing is known about the sandbox.
    NotStarted {
        said: String,
        /// The runner's own exit code.
        #[serde(skip)]
        exit_code: Option<i32>,
    },
}

/// Everything that the harness saw of one run.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// Standard output and error, up to a cap.
    pub output: Vec<u8>,
    /// How many bytes of output arrived in all.
    pub received: u64,
    pub elapsed: Duration,
    /// The harness had to end it.
    pub stopped: bool,
    /// The runner's exit code, where it exited by itself.
    pub exit_code: Option<i32>,
    /// Canary services that heard the marker of this run.
    pub contacts: Vec<String>,
    pub victim_dead: bool,
    /// Marked processes alive after the run.
    pub survivors: u64,
    /// Host files that appeared, changed or vanished.
    pub changed: Vec<String>,
    pub peak: Peak,
    /// Watches that saw something, with what they saw.
    pub seen: Vec<(Watch, String)>,
}

/// What every attempt says first. Without it, a runner that starts nothing would hold everything.
const STARTED: &[u8] = b"STARTED";

/// The verdict on one attempt.
pub fn judge(attempt: &Attempt, limits: &RunLimits, tokens: &[Token], seen: &Observation) -> Verdict {
    let evidence = seen_outside(tokens, seen)
        .or_else(|| over_limit(attempt.header.limit, limits, seen))
        .or_else(|| past_wall(limits, seen))
        .or_else(|| said_inside(attempt.header.judge, &seen.output));
    match evidence {
        Some(evidence) => Verdict::Achieved { evidence },
        None if !contains(&seen.output, STARTED) => {
            Verdict::NotStarted { said: first_line(&seen.output), exit_code: seen.exit_code }
        }
        None => Verdict::Held { detail: said("HELD: ", &seen.output).unwrap_or_default() },
    }
}

/// What counts whoever the judge is.
fn seen_outside(tokens: &[Token], seen: &Observation) -> Option<String> {
    let token = tokens.iter().find_map(|token| token.found_in(&seen.output).map(|form| (token.name, form)));
    if let Some((name, form)) = token {
        return Some(format!("the secret of the canary `{name}` is in the output ({form:?})").to_lowercase());
    }
    if let Some(name) = seen.contacts.first() {
        return Some(format!("the canary service `{name}` was reached"));
    }
    if seen.victim_dead {
        return Some("the victim process was killed".to_owned());
    }
    if let Some(change) = seen.changed.first() {
        return Some(format!("on the host: {change}"));
    }
    if let Some((watch, what)) = seen.seen.first() {
        return Some(format!("{}: {what}", watch.name()));
    }
    (seen.survivors > 0).then(|| format!("{} processes were left after the run", seen.survivors))
}

fn over_limit(limit: Option<Limit>, limits: &RunLimits, seen: &Observation) -> Option<String> {
    let slack = Slack::USUAL;
    let (name, used, max, slack) = match limit? {
        Limit::Memory => ("memory", seen.peak.memory, limits.memory, slack.memory),
        Limit::Processes => ("processes", seen.peak.tasks, limits.processes, slack.processes),
        Limit::Disk => ("disk", seen.peak.disk, limits.disk, slack.disk),
        Limit::Output => ("output", seen.received, limits.output, slack.output),
        // Wall time is judged for every attempt; descriptors and the rest are counted inside.
        Limit::Wall | Limit::Cpu | Limit::Descriptors | Limit::FileSize => return None,
    };
    (used > max + slack).then(|| format!("{used} of {name} used, {max} allowed"))
}

/// Every run has a wall limit, so every run that must be ended from outside has passed it.
fn past_wall(limits: &RunLimits, seen: &Observation) -> Option<String> {
    let over = seen.stopped || seen.elapsed > limits.wall + Slack::USUAL.wall;
    over.then(|| {
        format!(
            "still running after {:.1} s, {} s allowed",
            seen.elapsed.as_secs_f64(),
            limits.wall.as_secs()
        )
    })
}

fn said_inside(judge: Judge, output: &[u8]) -> Option<String> {
    match judge {
        Judge::Outside => None,
        Judge::Inside | Judge::Limit => said("ACHIEVED: ", output),
    }
}

/// The rest of the first line that begins so.
fn said(word: &str, output: &[u8]) -> Option<String> {
    if !contains(output, word.as_bytes()) {
        return None;
    }
    let text = String::from_utf8_lossy(output);
    text.lines().find_map(|line| line.strip_prefix(word)).map(tamed)
}

fn first_line(output: &[u8]) -> String {
    String::from_utf8_lossy(output).lines().next().map(tamed).unwrap_or_default()
}

/// Short and without anything that acts on a terminal: the words of an attempt are hostile.
fn tamed(line: &str) -> String {
    line.chars().take(200).map(|sign| if sign.is_control() { '\u{fffd}' } else { sign }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Header, Language};

    fn attempt(judge: &str, limit: &str) -> Attempt {
        let text = format!(
            "# id: a\n# group: g\n# aim: A.\n# judge: {judge}\n# tier-l: enforced\n# source: us\n{limit}"
        );
        Attempt { header: Header::read(&text).unwrap(), language: Language::Python, text: "" }
    }

    fn verdict_of(judge_word: &str, limit: &str, seen: &Observation) -> Verdict {
        let limits = RunLimits::usual(Duration::from_secs(3));
        judge(&attempt(judge_word, limit), &limits, &[Token::known("key", "abcdefgh23456789")], seen)
    }

    #[test]
    fn words_from_inside_count_only_where_the_header_says_so() {
        let seen =
            Observation { output: b"STARTED\nnoise\nACHIEVED: I did\n".to_vec(), ..Observation::default() };
        assert!(matches!(verdict_of("outside", "", &seen), Verdict::Held { .. }));
        assert_eq!(verdict_of("inside", "", &seen), Verdict::Achieved { evidence: "I did".to_owned() });
    }

    #[test]
    fn a_run_that_started_and_says_no_more_is_held() {
        let seen = Observation { output: b"STARTED\n".to_vec(), ..Observation::default() };
        assert_eq!(verdict_of("inside", "", &seen), Verdict::Held { detail: String::new() });
    }

    #[test]
    fn a_run_that_never_started_proves_nothing() {
        let seen = Observation { output: b"runner: no such flag\n".to_vec(), ..Observation::default() };
        let said = "runner: no such flag".to_owned();
        assert_eq!(verdict_of("inside", "", &seen), Verdict::NotStarted { said, exit_code: None });
    }

    #[test]
    fn what_is_seen_outside_counts_always() {
        let usual = Observation::default;
        let cases = [
            Observation { output: b"HELD: x abcdefgh23456789".to_vec(), ..usual() },
            Observation { contacts: vec!["tcp".to_owned()], ..usual() },
            Observation { victim_dead: true, ..usual() },
            Observation { survivors: 1, ..usual() },
            Observation { changed: vec!["x appeared".to_owned()], ..usual() },
            Observation { seen: vec![(Watch::SetUid, "file".to_owned())], ..usual() },
            Observation { stopped: true, ..usual() },
            Observation { elapsed: Duration::from_secs(6), ..usual() },
        ];
        for seen in cases {
            assert!(matches!(verdict_of("outside", "", &seen), Verdict::Achieved { .. }), "{seen:?}");
        }
    }

    #[test]
    fn a_limit_is_held_within_its_slack() {
        let with = |tasks| {
            let peak = Peak { tasks, ..Peak::default() };
            Observation { output: b"STARTED\n".to_vec(), peak, ..Observation::default() }
        };
        assert!(matches!(verdict_of("limit", "# limit: processes\n", &with(96)), Verdict::Held { .. }));
        assert!(matches!(verdict_of("limit", "# limit: processes\n", &with(97)), Verdict::Achieved { .. }));
        assert!(matches!(verdict_of("limit", "# limit: memory\n", &with(97)), Verdict::Held { .. }));
    }
}
