//! Says why an attempt failed: at most one row of the taxonomy, with what it is about.
//!
//! Pure: an ending, what was used and what was printed go in, a [`Diagnosis`] comes out; see docs/design/diagnosis.md.
//! What really happened comes first (`facts`: limits, signals, exit status), then what the program said. Python's
//! exceptions are read as such (`python`), so that a row is held against the error that ended the program and not
//! against everything that it printed. The rows are data (`table`, `data/taxonomy/`). Start reading at [`diagnose`].
//!
//! What matches nothing gives nothing: a remedy for another illness is worse than none. Texts of programs are hostile:
//! no more than their ends are read, every pattern takes linear time, and the number of patterns that are tried is
//! bounded as well.

mod choose;
mod facts;
mod pattern;
mod python;
mod scene;
mod subject;
mod table;

#[cfg(test)]
mod tests;

pub use table::{Row, Taxonomy};

use crate::analyse::{Asked, Text};
use actum_model::{Diagnosis, Ending, Reading, Usage};

/// An attempt that failed, and what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Failed<'a> {
    /// The language is `uv` or `pip` when it was an installer that failed.
    pub asked: &'a Asked<'a>,
    pub ending: &'a Ending,
    pub usage: &'a Usage,
    pub stdout: &'a Text,
    pub stderr: &'a Text,
    /// What was read out of the program before it ran, where it was read.
    pub reading: Option<&'a Reading>,
    /// Processors that it may use at one time.
    pub processors: Option<u32>,
}

/// Why it failed, if that is known. An attempt that ended well, or was cancelled, has no diagnosis.
pub fn diagnose(failed: &Failed<'_>) -> Option<Diagnosis> {
    if failed.ending.is_success() || *failed.ending == Ending::Cancelled {
        return None;
    }
    choose::choose(Taxonomy::builtin(), failed)
}
