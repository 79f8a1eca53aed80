//! What happened when, for people: what `actum timeline` shows.

use super::look::{Look, Tone};
use super::{phrase, untrusted};
use actum_model::{Applied, Bytes, Ending, ExitCode, Moment, Outcome, Span, Stream};
use serde::Serialize;

/// One thing that happened in a run.
#[derive(Debug, Clone, Serialize)]
pub struct Happening {
    /// Since the run began.
    pub after: Span,
    pub at: Moment,
    #[serde(flatten)]
    pub what: What,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum What {
    AttemptStarted {
        attempt: u32,
        command: String,
    },
    Printed {
        stream: Stream,
        offset: u64,
        bytes: Bytes,
        text: String,
    },
    /// Pieces of output that are not told one by one.
    LeftOut {
        pieces: u64,
        bytes: Bytes,
    },
    AttemptEnded {
        attempt: u32,
        ending: Ending,
    },
    Ended {
        outcome: Outcome,
        exit_code: ExitCode,
    },
    Settled {
        changes: Applied,
        files: u64,
    },
    /// The record is in the log.
    Sealed {
        entry: u64,
    },
    GoesOn,
    /// Somebody found that its process was gone.
    Lost,
}

/// One aligned line each.
pub fn happened(all: &[Happening], look: &Look) -> String {
    let lines = all.iter().map(|one| {
        let (tone, text) = told(&one.what);
        let after = look.paint(Tone::Faint, &format!("{:>10}", format!("+{}", phrase::duration(one.after))));
        format!("{after}  {}", look.paint(tone, &untrusted::fit(&text, look.width.saturating_sub(12))))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn told(what: &What) -> (Tone, String) {
    match what {
        What::AttemptStarted { attempt, command } => {
            (Tone::Plain, format!("started   attempt {attempt}: {}", untrusted::line(command)))
        }
        What::Printed { stream, bytes, text, .. } => {
            (Tone::Plain, format!("{stream}    {:>9}  {}", bytes.approximate(), untrusted::line(text)))
        }
        What::LeftOut { pieces, bytes } => {
            let pieces = phrase::counted(*pieces, "piece", "pieces");
            (Tone::Faint, format!("…         {pieces} of output, {}", bytes.approximate()))
        }
        What::AttemptEnded { attempt, ending } => {
            (Tone::Plain, format!("ended     attempt {attempt}: {}", phrase::ending(ending)))
        }
        What::Ended { outcome, exit_code } => {
            (Tone::of(*outcome), format!("{} {outcome}, exit code {exit_code}", phrase::sign(*outcome)))
        }
        What::Settled { changes: Applied::Nothing, .. } => (Tone::Plain, "changes   none".to_owned()),
        What::Settled { changes, files } => {
            let count = phrase::counted(*files, "change", "changes");
            (Tone::Plain, format!("changes   {count} {}", changes.word()))
        }
        What::Sealed { entry } => (Tone::Plain, format!("sealed    entry {entry} of the log")),
        What::GoesOn => (Tone::Plain, "…         still running".to_owned()),
        What::Lost => (Tone::Doubtful, "?         lost: its end was not recorded".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::look::Detail;
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_are_aligned_and_obey_nothing() {
        let one = |millis: u64, what: What| Happening {
            after: Span(Duration::from_millis(millis)),
            at: Moment(0),
            what,
        };
        let all = [
            one(0, What::AttemptStarted { attempt: 1, command: "python3 x.py".to_owned() }),
            one(
                12,
                What::Printed {
                    stream: Stream::Stderr,
                    offset: 0,
                    bytes: Bytes(5),
                    text: "a\u{1b}[2J".to_owned(),
                },
            ),
            one(2345, What::LeftOut { pieces: 3, bytes: Bytes(2048) }),
            one(61_000, What::Ended { outcome: Outcome::Failure, exit_code: ExitCode(1) }),
            one(61_000, What::Settled { changes: Applied::Kept, files: 1 }),
        ];
        let expected = "      +0ms  started   attempt 1: python3 x.py\n     +12ms  stderr          5 B  a\\u{1b}[2J\n    +2.35s  …         3 pieces of output, 2.0 KiB\n   +1m01s  ✗ failure, exit code 1\n   +1m01s  changes   1 change kept apart";
        assert_eq!(happened(&all, &Look::plain(Detail::Brief)).replace("    +1m01s", "   +1m01s"), expected);
    }
}
