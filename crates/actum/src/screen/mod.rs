//! Words shown: the only place that prints. Data goes to stdout, talk to stderr; without colour it still makes sense.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod abilities;
mod attempt;
mod characters;
mod neutral;
mod raw;
mod summary;
mod through;
mod whole;

pub use abilities::abilities;
pub use attempt::attempt;
pub use raw::{Raw, is_typed_at, size};
pub use summary::summary;
pub use through::Through;

use std::error::Error;
use std::io::Write;

/// A line of data.
pub fn say(line: &str) {
    // A reader that went away is not our failure; the exit code still tells.
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A line of talk.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// An error with its causes and what to do next: what, where, what next.
pub fn problem(error: &dyn Error, hint: Option<&str>) {
    let mut line = format!("actum: failed to {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        line.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    note(&line);
    if let Some(hint) = hint {
        note(&format!("hint: {hint}"));
    }
}
