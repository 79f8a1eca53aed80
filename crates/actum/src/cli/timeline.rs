//! `actum timeline`

use super::reading::{self, Problem, failed};
use crate::screen::{self, Detail, Happening, Look, What};
use actum_engine::clock;
use actum_evidence::printed::{Places, Printed};
use actum_evidence::{EvidenceError, Reading, RunProgress};
use actum_model::{AttemptFacts, Bytes, Entry, Moment, Record, Span, Started, Stream};
use actum_run::Entry as Piece;
use actum_store::Kept;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

/// Show what happened in a run, and when
///
/// Lists the start and end of each attempt, pieces of output with their first lines, and the result. During a run the newest
/// pieces may be missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum timeline last
  actum timeline 3f9a02 --all
  actum timeline last --json | jq '.[] | select(.event == \"printed\")'

Exit codes: 0; 125 Actum's own error.")]
pub struct Timeline {
    /// Run id, its beginning or end, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// Show all output, not only the first and last 100 pieces
    #[arg(long)]
    all: bool,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// Pieces at the beginning and at the end that are told without `--all`.
const TOLD: usize = 100;
/// Of each piece, how much is read for its first line.
const FIRST: u64 = 200;

impl Timeline {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => failed(&problem),
        }
    }

    fn go(&self) -> Result<(), Problem> {
        let (reading, kept) = reading::open_at(&self.run)?;
        let all = self.gather(&reading, &kept)?;
        let text = match self.json {
            true => screen::json(&all)?,
            false => screen::happened(&all, &Look::of_stdout(&reading.surroundings.variables, Detail::Brief)),
        };
        screen::say(&text);
        Ok(())
    }

    fn gather(&self, reading: &Reading, kept: &Kept) -> Result<Vec<Happening>, Problem> {
        let entries = reading.reader.entries(kept.id)?;
        let record = entries.iter().find_map(|(seq, entry)| match entry {
            Entry::Ended(record) => Some((*seq, record)),
            Entry::Made(_)
            | Entry::Started(_)
            | Entry::Lost(_)
            | Entry::Pruned(_)
            | Entry::KeyChanged(_)
            | Entry::Fact(_) => None,
        });
        let started: Vec<&Started> = entries.iter().filter_map(|(_, entry)| started(entry)).collect();
        let begin = match (record, started.first()) {
            (Some((_, record)), _) => record.started.at,
            (None, Some(first)) => first.at,
            (None, None) => return Err(EvidenceError::NoRecord { run: kept.id }.into()),
        };
        let log = Log { begin };
        let attempts = record.map(|(_, record)| record.attempts.as_slice()).unwrap_or_default();
        let pieces = self.pieces(reading, kept)?;
        let mut all: Vec<Happening> = Vec::new();
        for (number, one) in started.iter().enumerate() {
            let next = started.get(number + 1).map(|next| log.since(next.at));
            let own = pieces.iter().map(|(at, _)| *at).filter(|at| next.is_none_or(|next| *at < next));
            all.extend(log.attempt(one, attempts, own.max().unwrap_or_default()));
        }
        all.extend(pieces.into_iter().map(|(after, what)| log.after(after, what)));
        // What was printed last came before the end: both are told at the same moment then.
        all.sort_by_key(|one| (one.after, matches!(one.what, What::AttemptEnded { .. })));
        match record {
            Some((seq, record)) => all.extend(log.ended(seq, record)),
            None => all.push(log.open(reading, kept, &entries)),
        }
        Ok(all)
    }

    /// Pieces of output with their first lines.
    fn pieces(&self, reading: &Reading, kept: &Kept) -> Result<Vec<(Duration, What)>, Problem> {
        let printed = Printed { reader: &reading.reader, kept, streams: Stream::ALL.to_vec() };
        let order = printed.order()?;
        let left_out = match self.all || order.len() <= 2 * TOLD {
            true => 0..0,
            false => TOLD..order.len() - TOLD,
        };
        let mut told: Vec<Told> = Vec::new();
        let mut ends = [0; 2];
        let mut beyond = (Duration::ZERO, 0, 0);
        for (number, Piece { at, stream, bytes }) in order.into_iter().enumerate() {
            let offset = ends[stream.index()];
            ends[stream.index()] += bytes;
            if left_out.contains(&number) {
                beyond = (at.max(beyond.0), beyond.1 + 1, beyond.2 + bytes);
            } else {
                told.push(Told { at, stream, offset, bytes, text: Vec::new() });
            }
        }
        read_first_lines(&printed, &mut told)?;
        let mut all: Vec<(Duration, What)> = told.into_iter().map(Told::what).collect();
        if beyond.1 > 0 {
            let what = What::LeftOut { pieces: beyond.1, bytes: Bytes(beyond.2) };
            all.insert(TOLD, (beyond.0, what));
        }
        Ok(all)
    }
}

/// A piece that is told.
struct Told {
    at: Duration,
    stream: Stream,
    offset: u64,
    bytes: u64,
    text: Vec<u8>,
}

impl Told {
    fn what(self) -> (Duration, What) {
        let line = self.text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let text = String::from_utf8_lossy(line).trim_end_matches('\r').to_owned();
        let (stream, offset, bytes) = (self.stream, self.offset, Bytes(self.bytes));
        (self.at, What::Printed { stream, offset, bytes, text })
    }
}

/// One pass over the output, which picks the beginning of each piece.
fn read_first_lines(printed: &Printed<'_>, told: &mut [Told]) -> Result<(), Problem> {
    let mut by_stream: [Vec<&mut Told>; 2] = Default::default();
    told.iter_mut().for_each(|one| by_stream[one.stream.index()].push(one));
    let (mut next, mut at) = ([0; 2], [0_u64; 2]);
    let passed = printed.pass(&mut Places::default(), &mut |stream, bytes| {
        let (pieces, next) = (&mut by_stream[stream.index()], &mut next[stream.index()]);
        let begin = at[stream.index()];
        let end = begin + bytes.len() as u64;
        at[stream.index()] = end;
        for piece in &mut pieces[*next..] {
            let (from, to) = (piece.offset.max(begin), (piece.offset + piece.bytes.min(FIRST)).min(end));
            if from < to {
                piece.text.extend_from_slice(&bytes[(from - begin) as usize..(to - begin) as usize]);
            }
            if piece.offset + piece.bytes > end {
                break;
            }
            *next += 1;
        }
        Ok(ControlFlow::Continue(()))
    });
    passed.map(drop)
}

/// Turns times of day into times since the run began.
struct Log {
    begin: Moment,
}

impl Log {
    fn since(&self, at: Moment) -> Duration {
        Duration::from_micros(at.0.saturating_sub(self.begin.0))
    }

    fn at(&self, at: Moment, what: What) -> Happening {
        Happening { after: Span(self.since(at)), at, what }
    }

    fn after(&self, after: Duration, what: What) -> Happening {
        Happening { after: Span(after), at: later(self.begin, after), what }
    }

    /// It is announced a little before it exists, so it ended a little later than its wall time says, and never before
    /// the last that it printed.
    fn attempt(&self, started: &Started, attempts: &[AttemptFacts], printed: Duration) -> Vec<Happening> {
        let attempt = started.attempt;
        let begun = What::AttemptStarted { attempt, command: started.command.clone() };
        let ended = attempts.iter().find(|one| one.number == attempt).map(|one| {
            let what = What::AttemptEnded { attempt, ending: one.ending.clone() };
            self.after((self.since(started.at) + one.wall.0).max(printed), what)
        });
        [self.at(started.at, begun)].into_iter().chain(ended).collect()
    }

    fn ended(&self, entry: u64, record: &Record) -> Vec<Happening> {
        let (outcome, exit_code) = (record.outcome, record.exit_code);
        let files = record.outputs.len() as u64 + record.outputs_left_out;
        let whats = [
            What::Settled { changes: record.changes, files },
            What::Ended { outcome, exit_code },
            What::Sealed { entry },
        ];
        whats.map(|what| self.at(record.ended.at, what)).into()
    }

    /// How a run without a record stands.
    fn open(&self, reading: &Reading, kept: &Kept, entries: &[(u64, Entry)]) -> Happening {
        let lost = entries.iter().find_map(|(_, entry)| match entry {
            Entry::Lost(lost) => Some(lost.found_at),
            Entry::Made(_)
            | Entry::Started(_)
            | Entry::Ended(_)
            | Entry::Pruned(_)
            | Entry::KeyChanged(_)
            | Entry::Fact(_) => None,
        });
        match (lost, reading.state(kept.id, None)) {
            (None, RunProgress::Running) => self.at(clock::now(), What::GoesOn),
            (Some(at), _) => self.at(at, What::Lost),
            (None, RunProgress::Ended(_)) => self.at(clock::now(), What::Lost),
        }
    }
}

fn later(moment: Moment, by: Duration) -> Moment {
    Moment(moment.0.saturating_add(u64::try_from(by.as_micros()).unwrap_or(u64::MAX)))
}

fn started(entry: &Entry) -> Option<&Started> {
    match entry {
        Entry::Started(started) => Some(started),
        Entry::Made(_)
        | Entry::Ended(_)
        | Entry::Lost(_)
        | Entry::Pruned(_)
        | Entry::KeyChanged(_)
        | Entry::Fact(_) => None,
    }
}
