//! `actum diff`

use super::reading::{self, Problem, failed};
use crate::screen::{self, Detail, Look};
use actum_evidence::printed::{Places, Printed, held};
use actum_evidence::{Difference, EvidenceError, Reading, compare};
use actum_experiment::compare::{Comparison, compare as compare_experiments};
use actum_experiment::reproduce::facts_of;
use actum_experiment::{ChangedSource, StoredExperiment, changed_sources};
use actum_model::{Bytes, RunId, Stream};
use actum_store::{Kept, Sealed};
use serde::Serialize;
use std::ops::ControlFlow;
use std::process::ExitCode;

/// Compare two runs
///
/// Of two experiments what differs comes first: source as a diff, parameters, environment, data; then metrics.
/// Compares command, source, environment, policy, limits, outcome, tests, metrics, files and output. Start time, duration and
/// resource use are shown, but do not count as differences. Values of environment variables cannot be compared: each run hashes
/// them differently, on purpose.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum diff 3f9a02 last
  actum diff 3f9a02 last --json | jq .differences

Exit codes: 0 no differences; 1 differences; 125 Actum's own error.")]
pub struct Diff {
    /// First run: its id, the id's beginning or end, or `last`
    #[arg(value_name = "RUN")]
    one: String,
    /// Second run
    #[arg(value_name = "OTHER")]
    other: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// They differ, as `diff` has it.
const DIFFERENT: u8 = 1;
/// What is longer is not compared line by line.
const LONGEST: Bytes = Bytes::mib(2);

#[derive(Serialize)]
struct Told {
    one: RunId,
    other: RunId,
    same: bool,
    differences: Vec<Difference>,
    /// What differs and counts for nothing.
    aside: Vec<Difference>,
    /// Of two experiments: what differs, the most probable cause of another result first.
    #[serde(skip_serializing_if = "Option::is_none")]
    experiment: Option<Comparison>,
    #[serde(skip)]
    sources: Vec<ChangedSource>,
    /// Unified differences, bounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
}

impl Diff {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(code) => code,
            Err(problem) => failed(&problem),
        }
    }

    fn go(&self) -> Result<ExitCode, Problem> {
        let (reading, one) = reading::open_at(&self.one)?;
        let other = reading.find(&self.other)?;
        let (one, other) = (&one, &other);
        let records = [reading.sealed(one.id)?, reading.sealed(other.id)?];
        let differences = compare::differences(&records[0].record, &records[1].record);
        let [stdout, stderr] = Stream::ALL.map(|stream| printed(&reading, [one, other], &records, stream));
        let (experiment, sources) = experiments(&reading, [one.id, other.id])?.unzip();
        let told = Told {
            experiment,
            sources: sources.unwrap_or_default(),
            one: one.id,
            other: other.id,
            same: differences.is_empty(),
            differences,
            aside: compare::aside(&records[0].record, &records[1].record),
            stdout: stdout?,
            stderr: stderr?,
        };
        match self.json {
            true => screen::say(&screen::json(&told)?),
            false => told.show(&Look::of_stdout(&reading.surroundings.variables, Detail::Brief)),
        }
        Ok(if told.same { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
    }
}

/// What differs between two experiments; nothing where one of them is none.
fn experiments(
    reading: &Reading,
    runs: [RunId; 2],
) -> Result<Option<(Comparison, Vec<ChangedSource>)>, Problem> {
    let [Ok(one), Ok(other)] = runs.map(|run| StoredExperiment::read(reading, run)) else { return Ok(None) };
    let facts = |of| facts_of(reading, of).map_err(Problem::from);
    let comparison = compare_experiments(&facts(&one)?, &facts(&other)?);
    let sources = changed_sources(reading, (&one, &other), &comparison)?;
    Ok(Some((comparison, sources)))
}

impl Told {
    fn show(&self, look: &Look) {
        if let Some(comparison) = &self.experiment {
            screen::say(screen::comparison(comparison).trim_end());
        }
        for source in &self.sources {
            let names = [self.one, self.other].map(|run| format!("{}/{}", run.short(), source.path));
            screen::say(
                screen::printed_unlike((&names[0], &names[1]), &source.one, &source.other).trim_end(),
            );
        }
        if !self.differences.is_empty() {
            screen::say(&screen::unlike(&self.differences, look));
        }
        for text in [&self.stdout, &self.stderr].into_iter().flatten() {
            screen::say(text.trim_end_matches('\n'));
        }
        let (one, other) = (self.one.short(), self.other.short());
        let word = if self.same { "do not differ" } else { "differ" };
        screen::note(&format!("actum: runs {one} and {other} {word}"));
        if !self.aside.is_empty() {
            screen::note(&screen::unlike(&self.aside, look));
        }
    }
}

/// How a stream differs; nothing where it does not.
fn printed(
    reading: &Reading,
    sides: [&Kept; 2],
    records: &[Sealed; 2],
    stream: Stream,
) -> Result<Option<String>, Problem> {
    let [one, other] = records.each_ref().map(|sealed| held(&sealed.record, stream));
    if one.sha256 == other.sha256 {
        return Ok(None);
    }
    if one.bytes.max(other.bytes) > LONGEST {
        return Ok(Some(format!("{stream} is too long to compare line by line\n")));
    }
    let [old, new] = sides.map(|kept| text(reading, kept, stream));
    let names = sides.map(|kept| format!("{}/{stream}", kept.id.short()));
    Ok(Some(screen::printed_unlike((&names[0], &names[1]), &old?, &new?)))
}

fn text(reading: &Reading, kept: &Kept, stream: Stream) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let printed = Printed { reader: &reading.reader, kept, streams: vec![stream] };
    let _ = printed.pass::<EvidenceError>(&mut Places::default(), &mut |_, piece| {
        bytes.extend_from_slice(piece);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
