//! Sweeps carried out: every trial is an experiment, several run at once, and a sweep that was killed goes on where it was.
//!
//! Which trials there are and what is run next is decided by `actum-sweep`, from facts alone. Here the facts are kept on disk, before
//! anything depends on them, and the trials are run. Design: docs/design/sweeps.md.
//!
//! | what | file |
//! |---|---|
//! | the definition on disk | `file` |
//! | what happened | `journal` |
//! | made, opened, gone on with; runs whose end was not written are found again | `open` |
//! | workers, early stop, being stopped | `drive` |
//! | parameters into a command, the end of a run into a fact | `words`, `settle` |
//! | driven from outside by JSON lines | `serve` |
//! | what is told at the end | `account` |

mod account;
mod drive;
mod error;
mod file;
mod journal;
mod open;
mod serve;
mod settle;
mod words;

pub use account::{SweepAccount, SweepView, TrialRow, find, list};
pub use drive::{Drive, Ended, Ending};
pub use error::SweepError;
pub use file::{Code, MetricChoice, SweepFile, Take, TrialTemplate};
pub use journal::{Happening, Line, TrialRun};
pub use open::{Recovered, Sweep, SweepPlan};
pub use serve::Manner;

/// Which way a metric of this name is better, as far as its name tells.
pub fn goal_of(metric: &str) -> Option<actum_sweep::Goal> {
    match actum_metrics::guess_direction(metric)? {
        actum_metrics::Direction::Lower => Some(actum_sweep::Goal::Minimise),
        actum_metrics::Direction::Higher => Some(actum_sweep::Goal::Maximise),
    }
}
