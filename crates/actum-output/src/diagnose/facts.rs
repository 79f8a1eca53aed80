//! What really happened, apart from what the program said about it.

use super::Failed;
use crate::analyse::{MESSAGE, shown};
use actum_model::{Completeness, Ending, Limit};
use serde::Deserialize;

/// A condition of a row. All that is said must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct When {
    timed_out: bool,
    out_of_memory: bool,
    over_limit: Option<Limit>,
    signal: Option<String>,
    exit: Vec<i32>,
    /// The command could not be started, with one of these codes.
    not_started: Vec<i32>,
    /// A word of the reason why it could not be started.
    reason: Option<String>,
    /// It used next to no processor time.
    waiting: bool,
    /// It used all the processor time that it could.
    busy: bool,
    /// It printed nothing.
    silent: bool,
    /// At its peak it had more than so many threads for each processor.
    threads_over: Option<u64>,
    /// Its text serves until it is stopped.
    service: bool,
    /// Its text reads stdin.
    stdin: bool,
    /// Whoever wrote it left something out.
    elided: bool,
    /// It is a program of an older language of the same name.
    legacy: bool,
}

/// 1 in 20: an interpreter's start is more than nothing, and a program that asks again every second is still waiting.
const WAITING: f64 = 0.05;
/// Half of one processor: on a machine that others use as well, one that computes does not get a whole one.
const BUSY: f64 = 0.5;

const SIGNALS: &[(i32, &str)] = &[
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (11, "SIGSEGV"),
    (24, "SIGXCPU"),
    (25, "SIGXFSZ"),
    (31, "SIGSYS"),
];

impl When {
    pub(super) fn holds(&self, failed: &Failed<'_>) -> bool {
        self.ended(failed) && self.used(failed) && self.is_written(failed)
    }

    fn ended(&self, failed: &Failed<'_>) -> bool {
        let ending = failed.ending;
        let signal = signal(failed);
        (!self.timed_out || matches!(ending, Ending::TimedOut { .. }))
            && (!self.out_of_memory || matches!(ending, Ending::OutOfMemory { .. }))
            && self.over_limit.is_none_or(|limit| is_over(ending, limit))
            && self.signal.as_deref().is_none_or(|name| signal == Some(name))
            && (self.exit.is_empty() || exit(ending).is_some_and(|code| self.exit.contains(&code)))
            && (self.not_started.is_empty() || self.was_not_started(ending))
    }

    fn was_not_started(&self, ending: &Ending) -> bool {
        let Ending::NotStarted { code, reason } = ending else { return false };
        let says = |word: &String| reason.to_lowercase().contains(word);
        self.not_started.contains(code) && self.reason.as_ref().is_none_or(says)
    }

    fn used(&self, failed: &Failed<'_>) -> bool {
        let share = share(failed);
        let printed = failed.stdout.bytes() + failed.stderr.bytes();
        (!self.waiting || share.is_some_and(|share| share < WAITING))
            && (!self.busy || share.is_some_and(|share| share > BUSY))
            && (!self.silent || printed == 0)
            && self.threads_over.is_none_or(|times| has_threads(failed, times))
    }

    fn is_written(&self, failed: &Failed<'_>) -> bool {
        let reading = failed.reading;
        let complete = reading.map(|reading| &reading.complete);
        (!self.service || reading.is_some_and(|reading| reading.service.is_some()))
            && (!self.stdin || reading.is_some_and(|reading| reading.stdin.is_some()))
            && (!self.elided || matches!(complete, Some(Completeness::Elided { .. })))
            && (!self.legacy || matches!(complete, Some(Completeness::Legacy { .. })))
    }
}

/// What a row that was told by facts alone is about.
pub(super) fn subject(failed: &Failed<'_>) -> Vec<String> {
    if let Some(Completeness::Elided { line, what }) = failed.reading.map(|reading| &reading.complete) {
        return vec![line.to_string(), shown(what, MESSAGE)];
    }
    match failed.ending {
        Ending::TimedOut { max, .. } | Ending::OutOfMemory { max, .. } | Ending::OverLimit { max, .. } => {
            vec![max.to_string()]
        }
        Ending::NotStarted { .. } => first_word(failed.asked.command),
        Ending::Exited { .. } | Ending::Signalled { .. } | Ending::Cancelled => {
            signal(failed).map(str::to_owned).into_iter().collect()
        }
    }
}

fn first_word(command: &str) -> Vec<String> {
    command.split_whitespace().next().map(|word| shown(word, MESSAGE)).into_iter().collect()
}

/// Whether it ended waiting rather than working.
pub(super) fn is_waiting(failed: &Failed<'_>) -> bool {
    share(failed).is_some_and(|share| share < WAITING)
}

/// The share of one processor that it used.
fn share(failed: &Failed<'_>) -> Option<f64> {
    let wall = failed.usage.wall.0.as_secs_f64();
    let cpu = failed.usage.cpu?.0.as_secs_f64();
    (wall > 0.0).then(|| cpu / wall)
}

fn has_threads(failed: &Failed<'_>, times: u64) -> bool {
    let (Some(peak), Some(processors)) = (failed.usage.processes_peak, failed.processors) else {
        return false;
    };
    peak > times.saturating_mul(u64::from(processors.max(1)))
}

fn is_over(ending: &Ending, limit: Limit) -> bool {
    matches!(ending, Ending::OverLimit { limit: met, .. } if *met == limit)
}

pub(super) fn exit(ending: &Ending) -> Option<i32> {
    match ending {
        Ending::Exited { code } | Ending::NotStarted { code, .. } => Some(*code),
        Ending::Signalled { .. }
        | Ending::TimedOut { .. }
        | Ending::OutOfMemory { .. }
        | Ending::OverLimit { .. }
        | Ending::Cancelled => None,
    }
}

/// The signal that ended it. A shell tells of its child's as 128 and the number.
fn signal(failed: &Failed<'_>) -> Option<&'static str> {
    let number = match failed.ending {
        Ending::Signalled { signal } => *signal,
        Ending::Exited { code } if matches!(failed.asked.language, "" | "bash" | "sh") => code - 128,
        Ending::Exited { .. }
        | Ending::NotStarted { .. }
        | Ending::TimedOut { .. }
        | Ending::OutOfMemory { .. }
        | Ending::OverLimit { .. }
        | Ending::Cancelled => return None,
    };
    SIGNALS.iter().find(|(signal, _)| *signal == number).map(|(_, name)| *name)
}
