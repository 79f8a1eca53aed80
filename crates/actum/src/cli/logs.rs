//! `actum logs`

use super::lines::{Last, Match, Search, without_first};
use super::reading::{self, Problem, failed};
use super::watch::Watch;
use crate::screen::{self, Again};
use actum_evidence::printed::{Places, Printed};
use actum_evidence::{EvidenceError, Reading};
use actum_model::Stream;
use actum_store::Kept;
use regex::bytes::{Regex, RegexBuilder};
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;

/// Print a run's output exactly as it was recorded
///
/// Prints stdout and stderr in their original order, each to its own stream, or one of them to stdout. Works during a run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum logs last
  actum logs last --follow
  actum logs last --stream stderr
  actum logs 3f9a --stream stdout | sha256sum
  actum logs last --tail 20
  actum logs last --grep 'loss=[0-9.]+'

Exit codes: 0; 1 no line matched --grep; 125 Actum's own error, such as damaged contents.")]
pub struct Logs {
    /// Run id, its beginning or end, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// Print only stdout or only stderr
    #[arg(long, value_name = "NAME")]
    stream: Option<Which>,
    /// Print only the last LINES lines of both streams
    #[arg(long, value_name = "LINES")]
    tail: Option<u64>,
    /// Print only lines that match REGEX, with line numbers
    #[arg(long, value_name = "REGEX")]
    grep: Option<String>,
    /// Keep printing until the run ends
    #[arg(long, short)]
    follow: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Which {
    Stdout,
    Stderr,
}

/// Nothing matched, as `grep` has it.
const NOTHING: u8 = 1;

impl Logs {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(code) => code,
            Err(problem) => failed(&problem),
        }
    }

    fn go(&self) -> Result<ExitCode, Problem> {
        let pattern = self.grep.as_deref().map(pattern).transpose()?;
        let (reading, kept) = reading::open_at(&self.run)?;
        let streams = match self.stream {
            None => Stream::ALL.to_vec(),
            Some(Which::Stdout) => vec![Stream::Stdout],
            Some(Which::Stderr) => vec![Stream::Stderr],
        };
        let printed = Printed { reader: &reading.reader, kept: &kept, streams };
        let before = self.before_the_tail(&printed)?;
        let mut shown = Shown {
            again: Again::new(),
            left: before,
            is_one: printed.streams.len() == 1,
            search: pattern.map(|pattern| (pattern, before.map(Search::behind))),
            matches: 0,
        };
        self.show(&reading, &kept, &printed, &mut shown)?;
        shown.finish()
    }

    /// Passes on what is there; and with `--follow` what comes, until the run is over.
    fn show(
        &self,
        reading: &Reading,
        kept: &Kept,
        printed: &Printed<'_>,
        shown: &mut Shown,
    ) -> Result<(), Problem> {
        let watch = self.follow.then(|| Watch::on(&kept.folder));
        let mut places = Places::default();
        loop {
            // Asked in this order: what is held by nobody and still has no record is lost.
            let is_held = reading.store.is_going_on(kept.id);
            let is_sealed = reading.reader.sealed(kept.id)?.is_some();
            let passed = printed.pass(&mut places, &mut |stream, bytes| shown.take(stream, bytes))?;
            let Some(watch) = watch.as_ref().filter(|_| is_held && !is_sealed && passed.is_continue()) else {
                if !is_held && !is_sealed {
                    screen::note(&format!(
                        "actum: run {} was lost; this is its output until then",
                        kept.id.short()
                    ));
                }
                return Ok(());
            };
            watch.wait();
        }
    }

    /// How many lines of each stream are left away.
    fn before_the_tail(&self, printed: &Printed<'_>) -> Result<[u64; 2], Problem> {
        let Some(lines) = self.tail else { return Ok([0; 2]) };
        let mut last = Last::new(lines);
        let _ = printed.pass::<EvidenceError>(&mut Places::default(), &mut |stream, bytes| {
            last.take(stream, bytes);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(last.before())
    }
}

/// What is shown of what comes.
struct Shown {
    again: Again,
    /// Lines of each stream that are still to be left away.
    left: [u64; 2],
    /// One stream alone goes to stdout, whichever it is.
    is_one: bool,
    search: Option<(Regex, [Search; 2])>,
    matches: u64,
}

impl Shown {
    fn take(&mut self, stream: Stream, bytes: &[u8]) -> Result<ControlFlow<()>, Problem> {
        let bytes = without_first(&mut self.left[stream.index()], bytes);
        let mut found = Vec::new();
        match &mut self.search {
            None => {
                let to = if self.is_one { Stream::Stdout } else { stream };
                return self.again.show(to, bytes).map_err(|source| Problem::Write { source });
            }
            Some((pattern, searches)) => {
                searches[stream.index()].take(pattern, bytes, &mut |one| found.push(one));
            }
        }
        self.show(stream, found).map_err(|source| Problem::Write { source })
    }

    /// Lines without an end are lines too.
    fn finish(mut self) -> Result<ExitCode, Problem> {
        for stream in Stream::ALL {
            let mut found = Vec::new();
            if let Some((pattern, searches)) = &mut self.search {
                searches[stream.index()].finish(pattern, &mut |one| found.push(one));
            }
            let _ = self.show(stream, found).map_err(|source| Problem::Write { source })?;
        }
        let is_nothing = self.search.is_some() && self.matches == 0;
        Ok(if is_nothing { ExitCode::from(NOTHING) } else { ExitCode::SUCCESS })
    }

    /// `12:text`, or `stderr:12:text` where there are two streams.
    fn show(&mut self, stream: Stream, found: Vec<Match>) -> io::Result<ControlFlow<()>> {
        for one in found {
            self.matches += 1;
            let name = if self.is_one { String::new() } else { format!("{stream}:") };
            let mut line = format!("{name}{}:", one.number).into_bytes();
            line.extend(one.text);
            if let Some(length) = one.cut_from {
                line.extend(format!(" [… a line of {length} bytes, cut here …]").bytes());
            }
            line.push(b'\n');
            if self.again.show(Stream::Stdout, &line)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// On bytes: what a program prints need not be text.
fn pattern(text: &str) -> Result<Regex, Problem> {
    RegexBuilder::new(text).unicode(false).build().map_err(|error| {
        let why =
            error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Problem::Pattern { pattern: text.chars().take(80).collect(), why }
    })
}
