//! Has contents judged by a worker that can be killed (`actum internal judge`).
//!
//! It answers one question after the other. Where it does not come to an end, the question that it was at is undecided, and
//! another worker is asked the rest.

use super::Matter;
use super::contents::Kept;
use crate::listen::{Heard, listen};
use crate::worker::{self, Leave};
use actum_judge::{Ask, Contents, Finding, Order};
use actum_model::{Bytes, Ending, Span};
use rustix::fd::AsFd;
use std::io;

/// Tables and JSON of the largest size that is taken are read in a few seconds by a build that is not optimised.
const LEAVE: Leave = Leave { patience: Span::seconds(20), memory: Bytes::gib(2) };
/// A finding is a few hundred bytes.
const MOST: usize = 4 << 20;
/// Workers that are lost before the rest is given up: each may take as long as a worker may live.
const LOST: usize = 3;

/// Fills in what facts did not settle.
pub(super) fn fill(matter: &Matter<'_>, kept: &Kept<'_>, findings: Vec<Option<Finding>>) -> Vec<Finding> {
    let mut desk = Desk { matter, contents: Vec::new(), asks: Vec::new() };
    let mut asked = Vec::new();
    let mut all: Vec<Finding> = Vec::with_capacity(findings.len());
    for (at, (expected, finding)) in matter.request.expectations.iter().zip(findings).enumerate() {
        let (finding, is_asked) = match (finding, actum_judge::needs(&expected.what)) {
            (Some(finding), _) => (finding, false),
            (None, None) => (Finding::undecided("nothing is known about it"), false),
            (None, Some(contents)) => match desk.place(kept, contents) {
                Ok(contents) => {
                    desk.asks.push(Ask { expectation: expected.what.clone(), contents });
                    (Finding::undecided("nobody was asked"), true)
                }
                Err(why) => (Finding::undecided(why), false),
            },
        };
        all.push(finding);
        asked.extend(is_asked.then_some(at));
    }
    for (at, finding) in asked.into_iter().zip(desk.ask_all()) {
        all[at] = finding;
    }
    all
}

/// What is asked, and the contents that it is about.
struct Desk<'a> {
    matter: &'a Matter<'a>,
    contents: Vec<(Contents, Vec<u8>)>,
    asks: Vec<Ask>,
}

impl Desk<'_> {
    /// The place of some contents, read once for all that is asked about them.
    fn place(&mut self, kept: &Kept<'_>, contents: Contents) -> Result<usize, String> {
        if let Some(at) = self.contents.iter().position(|(other, _)| *other == contents) {
            return Ok(at);
        }
        let bytes = kept.contents(&contents)?;
        self.contents.push((contents, bytes));
        Ok(self.contents.len() - 1)
    }

    fn ask_all(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for _ in 0..=LOST {
            if findings.len() >= self.asks.len() {
                break;
            }
            let why = match self.ask(&self.asks[findings.len()..]) {
                Ok(heard) => {
                    findings.extend(answers(&heard.stdout).take(self.asks.len() - findings.len()));
                    lost(&heard.ending)
                }
                Err(error) => format!("its reader could not be started: {error}"),
            };
            if findings.len() < self.asks.len() {
                findings.push(Finding::undecided(why));
            }
        }
        let given_up = || Finding::undecided("its reader was lost too often before");
        findings.resize_with(self.asks.len(), given_up);
        findings
    }

    fn ask(&self, asks: &[Ask]) -> io::Result<Heard> {
        let lengths = self.contents.iter().map(|(_, bytes)| bytes.len() as u64).collect();
        let mut order = serde_json::to_vec(&Order { asks: asks.to_vec(), lengths })?;
        order.push(b'\n');
        let pieces: Vec<&[u8]> = [order.as_slice()]
            .into_iter()
            .chain(self.contents.iter().map(|(_, bytes)| bytes.as_slice()))
            .collect();
        let (house, attempt) = (self.matter.house, &self.matter.request.attempt);
        let request = worker::request(house.folder, attempt, house.tools.judge.clone(), LEAVE);
        listen(house.sandboxes, &request, worker::in_memory(&pieces)?.as_fd(), MOST)
    }
}

/// What was said, as far as it is whole.
fn answers(said: &[u8]) -> impl Iterator<Item = Finding> {
    said.split(|byte| *byte == b'\n').map_while(|line| serde_json::from_slice(line).ok())
}

/// Why a worker did not answer.
fn lost(ending: &Ending) -> String {
    match ending {
        Ending::TimedOut { max, .. } => format!("its reader did not come to an end within {max}"),
        Ending::OutOfMemory { max, .. } => format!("its reader needed more memory than {max}"),
        Ending::OverLimit { limit, max, .. } => format!("its reader met the limit {limit}={max}"),
        Ending::Signalled { signal } => format!("its reader was ended by signal {signal}"),
        Ending::Exited { code } => format!("its reader ended with {code}"),
        Ending::Cancelled => "its reader was cancelled".to_owned(),
        Ending::NotStarted { reason, .. } => format!("its reader was not started: {reason}"),
    }
}
