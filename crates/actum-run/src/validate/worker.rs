//! Has contents judged by a worker that can be killed (`actum internal judge`).
//!
//! It answers one question after the other. Where it does not come to an end, the question that it was at is undecided, and
//! another worker is asked the rest.

use super::judging::Judging;
use crate::listen::{Heard, listen};
use crate::worker::{self as workers, Leave};
use actum_judge::{Ask, Contents, Finding, Order};
use actum_model::{Bytes, Ending, Expected, Span};
use rustix::fd::AsFd;
use std::io;

/// Tables and JSON of the largest size that is taken are read in a few seconds by a build that is not optimised.
const LEAVE: Leave = Leave { patience: Span::seconds(20), memory: Bytes::gib(2) };
/// A finding is a few hundred bytes.
const MOST: usize = 4 << 20;
/// Workers that are lost before the rest is given up: each may take as long as a worker may live.
const LOST: usize = 3;

/// Fills in what facts did not settle.
pub(super) fn fill(
    judging: &Judging<'_>,
    expected: &[Expected],
    findings: Vec<Option<Finding>>,
) -> Vec<Finding> {
    let mut desk = Desk { judging, contents: Vec::new(), asks: Vec::new() };
    let mut asked = Vec::new();
    let mut all: Vec<Finding> = Vec::with_capacity(findings.len());
    for (at, (expected, finding)) in expected.iter().zip(findings).enumerate() {
        let (finding, is_asked) = match (finding, actum_judge::needs(&expected.what)) {
            (Some(finding), _) => (finding, false),
            (None, None) => (Finding::undecided("it was not examined"), false),
            (None, Some(contents)) => match desk.place(contents) {
                Ok(contents) => {
                    desk.asks.push(Ask { expectation: expected.what.clone(), contents });
                    (Finding::undecided("no parser was started"), true)
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
struct Desk<'d, 'a> {
    judging: &'d Judging<'a>,
    contents: Vec<(Contents, Vec<u8>)>,
    asks: Vec<Ask>,
}

impl Desk<'_, '_> {
    /// The place of some contents, read once for all that is asked about them.
    fn place(&mut self, contents: Contents) -> Result<usize, String> {
        if let Some(at) = self.contents.iter().position(|(other, _)| *other == contents) {
            return Ok(at);
        }
        let bytes = match &contents {
            Contents::Stream(stream) => (self.judging.stream)(*stream)?.to_vec(),
            Contents::File(path, slice) => (self.judging.contents)(path, *slice)?,
        };
        self.contents.push((contents, bytes));
        Ok(self.contents.len() - 1)
    }

    fn ask_all(&self) -> Vec<Finding> {
        answered(&self.asks, |rest| self.ask(rest).map(|heard| (heard.stdout, heard.ending)))
    }

    fn ask(&self, asks: &[Ask]) -> io::Result<Heard> {
        let lengths = self.contents.iter().map(|(_, bytes)| bytes.len() as u64).collect();
        let mut order = serde_json::to_vec(&Order { asks: asks.to_vec(), lengths })?;
        order.push(b'\n');
        let pieces: Vec<&[u8]> = [order.as_slice()]
            .into_iter()
            .chain(self.contents.iter().map(|(_, bytes)| bytes.as_slice()))
            .collect();
        let (house, attempt) = (self.judging.house, &self.judging.request.attempt);
        let request = workers::request(house.folder, attempt, house.tools.judge.clone(), LEAVE);
        listen(house.sandboxes, &request, workers::in_memory(&pieces)?.as_fd(), MOST)
    }
}

/// What came of every question, whatever became of those who were asked.
fn answered(asks: &[Ask], ask: impl Fn(&[Ask]) -> io::Result<(Vec<u8>, Ending)>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for _ in 0..=LOST {
        if findings.len() >= asks.len() {
            break;
        }
        let why = match ask(&asks[findings.len()..]) {
            Ok((said, ending)) => {
                let left = asks.len() - findings.len();
                findings.extend(answers(&said).take(left));
                lost(&ending)
            }
            Err(error) => format!("cannot start its parser: {error}"),
        };
        if findings.len() < asks.len() {
            findings.push(Finding::undecided(why));
        }
    }
    let given_up = || Finding::undecided("its parser failed too often");
    findings.resize_with(asks.len(), given_up);
    findings
}

/// What was said, as far as it is whole.
fn answers(said: &[u8]) -> impl Iterator<Item = Finding> {
    said.split(|byte| *byte == b'\n').map_while(|line| serde_json::from_slice(line).ok())
}

/// Why a worker did not answer.
fn lost(ending: &Ending) -> String {
    match ending {
        Ending::TimedOut { max, .. } => format!("its parser did not finish within {max}"),
        Ending::OutOfMemory { max, .. } => format!("its parser needed more memory than {max}"),
        Ending::OverLimit { limit, max, .. } => format!("its parser reached the limit {limit}={max}"),
        Ending::Signalled { signal } => format!("its parser was killed by signal {signal}"),
        Ending::Exited { code } => format!("its parser exited with {code}"),
        Ending::Cancelled => "its parser was cancelled".to_owned(),
        Ending::NotStarted { reason, .. } => format!("its parser was not started: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::{Amount, Expectation};

    fn asks(count: usize) -> Vec<Ask> {
        vec![Ask { expectation: Expectation::Exit { code: 0 }, contents: 0 }; count]
    }

    fn finding() -> Vec<u8> {
        let held = Finding { held: true, found: "it".to_owned(), quote: None, lines: None, undecided: None };
        let mut line = serde_json::to_vec(&held).unwrap();
        line.push(b'\n');
        line
    }

    #[test]
    fn the_question_that_ended_a_worker_is_undecided_and_the_rest_is_asked_again() {
        let second = Amount::Seconds(Span::seconds(20));
        let endings = [
            Ending::TimedOut { max: second, used: second },
            Ending::Signalled { signal: 6 },
            Ending::Exited { code: 0 },
        ];
        let round = std::cell::Cell::new(0);
        let found = answered(&asks(5), |rest| {
            let ending = endings[round.replace(round.get() + 1)].clone();
            // Each answers one question and dies at the next, but the last, which answers all.
            let count = if ending == (Ending::Exited { code: 0 }) { rest.len() } else { 1 };
            Ok(([finding().repeat(count), b"{\"held\": tr".to_vec()].concat(), ending))
        });
        let why: Vec<Option<&str>> = found.iter().map(|one| one.undecided.as_deref()).collect();
        let (late, crashed) = ("its parser did not finish within 20s", "its parser was killed by signal 6");
        assert_eq!(why, [None, Some(late), None, Some(crashed), None]);
    }

    #[test]
    fn who_is_lost_again_and_again_is_not_asked_for_ever() {
        let found = answered(&asks(9), |_| Err(io::ErrorKind::NotFound.into()));
        assert_eq!(found.len(), 9);
        assert!(found.iter().all(|one| !one.held && one.undecided.is_some()));
        assert_eq!(found[8].undecided.as_deref(), Some("its parser failed too often"));
        assert!(answered(&[], |_| Err(io::ErrorKind::NotFound.into())).is_empty());
    }
}
