//! Words shown: the only place that prints. Data goes to stdout, talk to stderr; without colour it still makes sense.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod abilities;
mod account;
mod attempt;
mod blocks;
mod changes;
mod characters;
mod difference;
mod events;
mod experiment;
mod findings;
mod happened;
mod judged;
mod junit;
mod listing;
mod look;
mod markdown;
mod neutral;
mod phrase;
mod plan;
mod progress;
mod raw;
#[cfg(test)]
mod samples;
mod schema;
mod sweep;
mod tasks;
mod through;
mod unfinished;
mod unified;
mod unlike;
mod untrusted;
mod whole;
mod yaml;

pub use abilities::abilities;
pub use account::account;
pub use actum_engine::report_json as json;
pub use attempt::attempt;
pub use blocks::blocks;
pub use changes::{changes, conflicts, settled};
pub use difference::difference;
pub use events::Lines;
pub use experiment::{comparison, manifest, reproduction, results};
pub use findings::findings;
pub use happened::{Happening, What, happened};
pub use judged::{Judged, Status, judged};
pub use junit::junit;
pub use listing::listing;
pub use look::{Detail, Look};
pub use markdown::markdown;
pub use plan::plan;
pub use progress::Spinner;
pub use raw::{Raw, is_typed_at, size};
pub use schema::{
    blocks_schema, event_schema, findings_schema, report_schema, task_results_schema, tasks_summary_schema,
};
pub use sweep::{sweep, sweep_begins, sweep_line, sweep_progress, trial};
pub use tasks::{TaskSection, tasks_progress, tasks_report, tasks_summary};
pub use through::{Again, Through, own_streams};
pub use unfinished::unfinished;
pub use unified::unified;
pub use unlike::{printed_unlike, unlike};
pub use untrusted::{line as harmless, lines as harmless_lines};
pub use yaml::yaml;

use std::error::Error;
use std::io::{IsTerminal, Write};

/// How many columns people have: those of a terminal, else of a usual one.
pub fn columns() -> usize {
    const USUAL: usize = 120;
    size().map_or(USUAL, |terminal| usize::from(terminal.columns).max(40))
}

/// A line of data. On a terminal it is made harmless first; into a pipe or a file it goes as it is.
pub fn say(line: &str) {
    let mut stdout = std::io::stdout();
    let harmless = stdout.is_terminal().then(|| harmless_lines(line));
    let line = harmless.as_deref().unwrap_or(line);
    match writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
        Ok(()) => {}
        // A reader that went away is not our failure; the exit code still tells.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        Err(error) => {
            // What was asked for is not there: whoever reads the exit code must not think that it is.
            note(&format!("actum: cannot write to stdout: {error}"));
            std::process::exit(actum_model::ExitCode::OWN_ERROR.into());
        }
    }
}

/// A line of talk, made harmless: a message quotes file names, keys, front matter and whatever else a stranger chose, and people
/// and agents read it on terminals and in logs.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", harmless_lines(line));
}

/// From here on nothing of ours is seen: the streams belong to a command that has said everything.
pub fn say_no_more() {
    use rustix::fs::{Mode, OFlags};
    if let Ok(nothing) = rustix::fs::open("/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()) {
        let _ = rustix::stdio::dup2_stderr(&nothing);
    }
}

/// An error with its causes and what to do next: what, where, what next.
pub fn problem(error: &dyn Error, hint: Option<&str>) {
    let mut line = format!("actum: {error}");
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
