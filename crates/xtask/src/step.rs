//! Steps: a table of things to do in order, each timed; every step is tried even when one before it failed.

use std::fmt;
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::error::Error;
use crate::finding::Finding;
use crate::say;
use crate::test::counts::Counts;
use crate::tree::Tree;

/// One row of the table.
pub struct Step {
    pub name: &'static str,
    /// Printed beside the name when the step begins.
    pub why: &'static str,
    /// The slowest pace at which the step is left in: `Quick` steps run always, `Full` ones not with `--fast`.
    pub pace: Pace,
    pub act: fn(&mut Session) -> Result<Outcome, Error>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pace {
    Quick,
    Full,
}

/// What steps share: the tree as it was at the start, and what earlier steps made for later ones.
#[derive(Debug, Default)]
pub struct Session {
    pub tree: Tree,
    /// The binary that tests start, once the step that builds it has done so.
    pub binary: Option<String>,
    /// The compiler that clippy built the tests with, when it found nothing: they are run as they are.
    pub linter: Option<String>,
}

/// How a step ended.
#[derive(Debug)]
pub enum Outcome {
    Held,
    Skipped(String),
    Found(Vec<Finding>),
    /// A tool said no; its own output has told why.
    Refused {
        advice: String,
    },
    Tested {
        counts: Counts,
        succeeded: bool,
    },
}

/// A step that has been tried.
#[derive(Debug)]
pub struct Tried {
    pub name: &'static str,
    pub took: Duration,
    /// By all processors together.
    pub worked: Duration,
    pub mark: Mark,
    pub counts: Counts,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    Held,
    Failed,
    Skipped(String),
}

impl fmt::Display for Mark {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Mark::Held => "held",
            Mark::Failed => "FAILED",
            Mark::Skipped(_) => "skipped",
        })
    }
}

/// Tries every step that the pace leaves in, in order.
pub fn walk<'a>(steps: impl IntoIterator<Item = &'a Step>, pace: Pace, session: &mut Session) -> Vec<Tried> {
    steps.into_iter().map(|step| try_step(step, pace, session)).collect()
}

/// One line per step with its time and its processor time, and one per reason for skipping.
pub fn summary(tried: &[Tried]) -> String {
    let mut text = String::from("\n== summary: time, and time of all processors\n");
    let line = |mark: &dyn fmt::Display, [took, worked]: [Duration; 2], name: &str| {
        format!("  {mark:<8} {:>7.1}s {:>7.1}s  {name}\n", took.as_secs_f64(), worked.as_secs_f64())
    };
    for step in tried {
        text += &line(&step.mark, [step.took, step.worked], step.name);
    }
    let all = [tried.iter().map(|step| step.took).sum(), tried.iter().map(|step| step.worked).sum()];
    text += &line(&"", all, "together");
    for step in tried {
        if let Mark::Skipped(reason) = &step.mark {
            text += &format!("  skipped {}: {reason}\n", step.name);
        }
    }
    text
}

fn try_step(step: &Step, pace: Pace, session: &mut Session) -> Tried {
    say::step(step.name, step.why);
    let stopwatch = Stopwatch::start();
    let outcome = if step.pace > pace {
        Ok(Outcome::Skipped("skipped by --fast".to_owned()))
    } else {
        (step.act)(session)
    };
    let (mark, counts) = told(outcome);
    Tried { name: step.name, took: stopwatch.elapsed(), worked: stopwatch.worked(), mark, counts }
}

/// Says how a step ended, and reduces that to what the summary needs.
fn told(outcome: Result<Outcome, Error>) -> (Mark, Counts) {
    let none = Counts::default();
    match outcome {
        Ok(Outcome::Held) => (Mark::Held, none),
        Ok(Outcome::Skipped(reason)) => (told_skip(reason), none),
        Ok(Outcome::Found(findings)) => (told_findings(&findings), none),
        Ok(Outcome::Refused { advice }) => (told_refusal(&advice), none),
        Ok(Outcome::Tested { counts, succeeded: true }) => (Mark::Held, counts),
        Ok(Outcome::Tested { counts, succeeded: false }) => (Mark::Failed, counts),
        Err(error) => (told_error(&error), none),
    }
}

fn told_skip(reason: String) -> Mark {
    say::line(&format!("skipped: {reason}"));
    Mark::Skipped(reason)
}

fn told_findings(findings: &[Finding]) -> Mark {
    for finding in findings {
        say::line(&finding.to_string());
    }
    if findings.is_empty() { Mark::Held } else { Mark::Failed }
}

fn told_refusal(advice: &str) -> Mark {
    say::line(&format!("hint: {advice}"));
    Mark::Failed
}

fn told_error(error: &Error) -> Mark {
    say::error(error);
    Mark::Failed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(_: &mut Session) -> Result<Outcome, Error> {
        Ok(Outcome::Found(vec![Finding::new("here", "rule", "advice")]))
    }

    fn clean(_: &mut Session) -> Result<Outcome, Error> {
        Ok(Outcome::Found(Vec::new()))
    }

    fn broken(_: &mut Session) -> Result<Outcome, Error> {
        Err(Error::Malformed { what: "this".to_owned(), reason: "test".to_owned() })
    }

    const TABLE: &[Step] = &[
        Step { name: "broken", why: "", pace: Pace::Quick, act: broken },
        Step { name: "found", why: "", pace: Pace::Quick, act: found },
        Step { name: "clean", why: "", pace: Pace::Quick, act: clean },
        Step { name: "slow", why: "", pace: Pace::Full, act: found },
    ];

    #[test]
    fn every_step_is_tried_and_fast_leaves_out_the_slow_one() {
        let tried = walk(TABLE, Pace::Quick, &mut Session::default());
        let marks: Vec<Mark> = tried.iter().map(|step| step.mark.clone()).collect();
        let left_out = Mark::Skipped("skipped by --fast".to_owned());
        assert_eq!(marks, [Mark::Failed, Mark::Failed, Mark::Held, left_out]);
        assert!(summary(&tried).contains("  skipped slow: skipped by --fast"));
    }
}
