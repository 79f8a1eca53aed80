//! Rows held against real messages, and against texts that were made to confuse.

mod facts;
mod hostile;
mod precedence;
mod real;
mod samples;
mod structure;

use super::{Failed, diagnose};
use crate::analyse::{Asked, Text};
use actum_model::{Amount, Diagnosis, Ending, Reading, Span, Usage};

/// An attempt that failed, in short.
#[derive(Debug, Default)]
pub(super) struct Told<'a> {
    language: &'a str,
    stderr: &'a str,
    stdout: &'a str,
    ending: Option<Ending>,
    usage: Usage,
    reading: Option<Reading>,
}

impl Told<'_> {
    fn diagnosis(&self) -> Option<Diagnosis> {
        let asked =
            Asked { language: self.language, command: "main", workspace: "/workspace", ..Asked::default() };
        diagnose(&Failed {
            asked: &asked,
            ending: self.ending.as_ref().unwrap_or(&Ending::Exited { code: 1 }),
            usage: &self.usage,
            stdout: &Text::of(self.stdout.as_bytes()),
            stderr: &Text::of(self.stderr.as_bytes()),
            reading: self.reading.as_ref(),
            processors: Some(2),
        })
    }

    fn row(&self) -> String {
        self.diagnosis().map(|diagnosis| diagnosis.row).unwrap_or_default()
    }
}

fn timed_out() -> Ending {
    Ending::TimedOut { max: Amount::Seconds(Span::seconds(10)), used: Amount::Seconds(Span::seconds(10)) }
}
