//! `cargo xtask test`: every check, then every test, and at the end what was counted and what was not tried.
//!
//! To add a heavier part, add a row to [`STEPS`] and a file beside this one.

pub mod agents;
pub mod counts;
pub mod packages;
pub mod python;
pub mod runner;
pub mod skips;
pub mod tools;
pub mod wheels;

use crate::Held;
use crate::check::{self, CHECKS};
use crate::error::Error;
use crate::faults;
use crate::fuzz;
use crate::generate;
use crate::say;
use crate::speed;
use crate::step::{self, Mark, Pace, Session, Step, Tried};
use crate::tree::Tree;
use counts::Counts;
use skips::Skips;

/// What follows the checks, in order: later steps use what earlier ones made.
pub const STEPS: &[Step] = &[
    Step { name: "packages", why: "programs that tests start", pace: Pace::Full, act: packages::install },
    Step {
        name: "tools",
        why: "test tools that are packages of Node",
        pace: Pace::Full,
        act: tools::install,
    },
    Step { name: "agents", why: "coding agents that tests drive", pace: Pace::Full, act: agents::install },
    Step {
        name: "python",
        why: "verifiers of other people and installers that are packages of Python",
        pace: Pace::Full,
        act: python::install,
    },
    Step {
        name: "wheels",
        why: "packages of Python that a test has installed: MLflow",
        pace: Pace::Full,
        act: wheels::fetch,
    },
    Step {
        name: "clippy",
        why: "no warnings while the tests are built",
        pace: Pace::Quick,
        act: runner::lint,
    },
    check::ARM,
    Step { name: "binary", why: "the program that tests start", pace: Pace::Full, act: runner::build_binary },
    Step {
        name: "reference",
        why: "what is generated is current",
        pace: Pace::Quick,
        act: generate::current,
    },
    Step {
        name: "speed",
        why: "what one command costs, beside bubblewrap",
        pace: Pace::Full,
        act: speed::step,
    },
    Step { name: "tests", why: "unit and integration tests", pace: Pace::Quick, act: runner::tests },
    Step {
        name: "doc tests",
        why: "examples in the documentation",
        pace: Pace::Full,
        act: runner::doc_tests,
    },
    Step {
        name: "faults",
        why: "injected faults while a ledger is written",
        pace: Pace::Full,
        act: faults::step,
    },
    Step {
        name: "fuzz targets",
        why: "they know the house as it is now",
        pace: Pace::Quick,
        act: fuzz::compiles,
    },
    Step {
        name: "fuzz",
        why: "every entry point for hostile text, ten seconds each",
        pace: Pace::Full,
        act: fuzz::step,
    },
];

/// Runs it all; the last line is `N passed, N failed, N skipped`.
pub fn test(pace: Pace) -> Result<Held, Error> {
    let mut session = Session { tree: Tree::read()?, ..Session::default() };
    Skips::clear()?;
    let tried = step::walk(CHECKS.iter().chain(STEPS), pace, &mut session);
    let skips = Skips::read()?;
    say::line(step::summary(&tried).trim_end());
    for skip in skips.lines() {
        say::line(&format!("  skipped test {skip}"));
    }
    let counts = total(&tried, skips.tests());
    say::line(&counts.to_string());
    Ok(if counts.failed == 0 { Held::Yes } else { Held::No })
}

/// A failed step that counted no failed test counts as one failure, so that the last line never claims a success
/// that the exit code denies. A test that said it was skipped ended well for the runner, and is not a pass for us.
fn total(tried: &[Tried], skipped_tests: usize) -> Counts {
    let mut total = Counts::default();
    for step in tried {
        total = total + step.counts;
        if step.mark == Mark::Failed && step.counts.failed == 0 {
            total.failed += 1;
        }
    }
    let moved = skipped_tests.min(total.passed);
    Counts { passed: total.passed - moved, skipped: total.skipped + moved, failed: total.failed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn tried(mark: Mark, passed: usize, failed: usize) -> Tried {
        let counts = Counts { passed, failed, skipped: 0 };
        Tried { name: "", took: Duration::ZERO, worked: Duration::ZERO, mark, counts }
    }

    #[test]
    fn skipped_tests_are_not_passes() {
        let total = total(&[tried(Mark::Held, 5, 0)], 2);
        assert_eq!(total.to_string(), "3 passed, 0 failed, 2 skipped");
    }

    #[test]
    fn a_failed_step_is_never_zero_failures() {
        let steps = [tried(Mark::Failed, 0, 0), tried(Mark::Failed, 4, 2), tried(Mark::Held, 1, 0)];
        assert_eq!(total(&steps, 0).to_string(), "5 passed, 3 failed, 0 skipped");
    }
}
