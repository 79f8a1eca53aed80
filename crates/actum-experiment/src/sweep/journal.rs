//! The journal of a sweep: what happened, one JSON object a line, on disk before anything depends on it.
//!
//! Whoever holds the journal open drives the sweep; a second process is refused. A line that a kill cut off did not happen.

use super::error::SweepError;
use crate::output_folder::OutputFolder;
use actum_gate::File;
use actum_model::{Moment, RunId};
use actum_sweep::Fact;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    pub at: Moment,
    #[serde(flatten)]
    pub what: Happening,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Happening {
    /// Of the sweep itself: the state is what all of them amount to.
    Fact(Fact),
    /// A started trial becomes this run. It is written before the run begins, so that a run is found again whose end was not written.
    Run(TrialRun),
}

/// Which run a trial became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialRun {
    pub index: u64,
    #[serde(default)]
    pub rung: u32,
    pub run: RunId,
    /// Its output folder, relative to the workspace.
    pub output: String,
}

/// The runs of a sweep by trial and rung: the last one of each.
pub type TrialRuns = BTreeMap<(u64, u32), TrialRun>;

/// What a journal holds.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    pub facts: Vec<Fact>,
    pub runs: TrialRuns,
    /// How many bytes are whole lines.
    whole: u64,
}

/// The journal, open for writing by this process alone.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

/// A journal with more bytes is taken for something else: 100,000 trials make some 50 MB.
const LARGEST: usize = 1 << 29;

impl Journal {
    pub(super) const FILE: &str = "journal.jsonl";

    /// Opens it, and refuses where another process has it. What it holds is read by then, so that nothing comes in between.
    pub(super) fn open(folder: &OutputFolder) -> Result<(Self, Replayed), SweepError> {
        let path = folder.path.join(Self::FILE);
        let failed = |source| SweepError::Journal { path: path.clone(), source };
        let file = folder.append_file(Self::FILE).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(SweepError::Busy { folder: folder.path.clone() }),
            Err(error) => return Err(failed(error.into())),
        }
        let replayed = read(folder)?;
        file.set_len(replayed.whole).map_err(failed)?;
        Ok((Self { file, path }, replayed))
    }

    /// Adds a line; when this returns it is on disk.
    pub(super) fn add(&mut self, at: Moment, what: Happening) -> Result<(), SweepError> {
        let mut line = serde_json::to_vec(&Line { at, what }).map_err(crate::ExperimentError::from)?;
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        written.map_err(|source| SweepError::Journal { path: self.path.clone(), source })
    }
}

/// Reads a journal without holding it.
pub(super) fn read(folder: &OutputFolder) -> Result<Replayed, SweepError> {
    let path = folder.path.join(Journal::FILE);
    let bytes = match actum_gate::own::read(&path) {
        Ok(bytes) if bytes.len() <= LARGEST => bytes,
        Ok(_) => return Err(SweepError::Journal { path, source: std::io::ErrorKind::FileTooLarge.into() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(SweepError::Journal { path, source }),
    };
    parse(&bytes).map_err(|(line, source)| SweepError::Line { path, line, source })
}

/// The whole lines of a journal, or the number of the first that is none, counted from 1.
fn parse(bytes: &[u8]) -> Result<Replayed, (usize, serde_json::Error)> {
    let mut replayed = Replayed::default();
    for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            break;
        }
        let Line { what, .. } = serde_json::from_slice(line).map_err(|error| (at + 1, error))?;
        match what {
            Happening::Fact(fact) => replayed.facts.push(fact),
            Happening::Run(run) => drop(replayed.runs.insert((run.index, run.rung), run)),
        }
        replayed.whole += line.len() as u64;
    }
    Ok(replayed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_sweep::{LossCause, Outcome};
    use proptest::prelude::*;

    fn lines() -> Vec<u8> {
        let run = TrialRun {
            index: 3,
            rung: 0,
            run: actum_engine::clock::new_run(),
            output: "runs/a/trial-0003".to_owned(),
        };
        let facts = [
            Fact::Lost { index: 3, rung: 0, cause: LossCause::Sweep },
            Fact::Finished {
                index: 3,
                rung: 1,
                outcome: Outcome::Failed,
                value: None,
                values: BTreeMap::new(),
            },
        ];
        let all = facts.into_iter().map(Happening::Fact).chain([Happening::Run(run)]);
        let line = |what| serde_json::to_string(&Line { at: Moment(0), what }).unwrap() + "\n";
        all.map(line).collect::<String>().into_bytes()
    }

    #[test]
    fn what_was_written_is_read_again() {
        let replayed = parse(&lines()).unwrap();
        assert_eq!((replayed.facts.len(), replayed.runs.len()), (2, 1));
        assert_eq!(replayed.whole, lines().len() as u64);
        let wrong = [&lines()[..], b"{}\n"].concat();
        assert_eq!(parse(&wrong).unwrap_err().0, 4);
    }

    proptest! {
        /// A kill may cut the last line anywhere.
        #[test]
        fn a_line_that_was_cut_off_did_not_happen(cut: prop::sample::Index) {
            let bytes = lines();
            let cut = cut.index(bytes.len() + 1);
            let replayed = parse(&bytes[..cut]).unwrap();
            let whole = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
            prop_assert_eq!(replayed.facts.len() + replayed.runs.len(), whole);
            prop_assert!(replayed.whole <= cut as u64);
        }

        #[test]
        fn nothing_makes_it_panic(bytes: Vec<u8>) {
            let _ = parse(&bytes);
        }
    }
}
