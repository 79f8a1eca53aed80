//! A sweep that another program drives: a request a line, a reply a line.

use super::drive::{Drive, Ending, LOOK};
use super::error::SweepError;
use super::open::Sweep;
use actum_sweep::TrialRef;
use actum_sweep::ask::{Exchange, Reply, Request, answer};
use rustix::fd::OwnedFd;
use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Who runs the trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// We do: a trial that is asked for is answered when it has ended.
    Run,
    /// Whoever asks does, and tells how they ended.
    HandOut,
}

impl Drive<'_> {
    /// Answers requests until there are no more, or the sweep is stopped. Where we run the trials, so many are run at once as there are
    /// workers, and each is answered when it has ended; so replies may come in another order than requests.
    pub fn serve(
        self,
        manner: Manner,
        (requests, replies): (impl BufRead + Send + 'static, impl Write + Send),
        cancel: Option<OwnedFd>,
    ) -> Result<(Sweep, Ending), SweepError> {
        let forward = self.listen(cancel);
        let replies = Mutex::new(replies);
        let lines = Lines::begin(requests)?;
        let mut talk = Ok(());
        std::thread::scope(|scope| {
            while self.wait_for_place() {
                let line = match lines.next(|| self.is_stopping()) {
                    Ok(Some(line)) => line,
                    Ok(None) => break,
                    Err(error) => {
                        talk = Err(broken(error));
                        break;
                    }
                };
                let reply = match self.exchange(&line) {
                    Ok(reply) => reply,
                    Err(error) => {
                        self.give_up(&mut self.lock(), error);
                        break;
                    }
                };
                let Some((trial, run)) = runs(&reply).filter(|_| manner == Manner::Run) else {
                    let _ = say(&replies, &reply);
                    continue;
                };
                let (this, replies) = (&self, &replies);
                self.going.fetch_add(1, Ordering::SeqCst);
                scope.spawn(move || {
                    this.carry_out(&trial, &run);
                    let settled = this.lock().sweep.state.settled(run.index, run.rung).cloned();
                    // Whoever asked has gone where this fails; the trial is kept all the same.
                    let _ = say(replies, &Reply::Known { trial, settled });
                    this.going.fetch_sub(1, Ordering::SeqCst);
                    this.changed.notify_all();
                });
            }
        });
        drop(forward);
        talk?;
        self.end()
    }

    /// What a line is answered, once everything that the answer says is on disk.
    fn exchange(&self, line: &[u8]) -> Result<Reply, SweepError> {
        let mut inner = self.lock();
        let request = match Request::read(&String::from_utf8_lossy(line)) {
            Ok(request) => request,
            Err(error) => return Ok(Reply::Refused { error: actum_engine::describe(&error) }),
        };
        let Exchange { facts, reply } = answer(&inner.sweep.state, usize::MAX, &request);
        for fact in facts {
            inner.sweep.record(fact)?;
        }
        Ok(reply)
    }

    /// Waits until there is room for another trial. False where nothing more is to be started.
    fn wait_for_place(&self) -> bool {
        let mut inner = self.lock();
        loop {
            if inner.has_failed() || self.is_stopping() {
                return false;
            }
            if self.going.load(Ordering::SeqCst) < self.workers.get() {
                return true;
            }
            let waited = self.changed.wait_timeout(inner, LOOK);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Lines that somebody else writes whenever they like. The thread that waits for them goes with the process.
struct Lines(Receiver<io::Result<Vec<u8>>>);

impl Lines {
    fn begin(mut from: impl BufRead + Send + 'static) -> Result<Self, SweepError> {
        let (send, lines) = sync_channel(1);
        let read = move || {
            while let Some(line) = read_line(&mut from).transpose()
                && send.send(line).is_ok()
            {}
        };
        std::thread::Builder::new().name("requests".to_owned()).spawn(read).map_err(broken)?;
        Ok(Self(lines))
    }

    /// The next line. None at the end, and where nobody waits for it any more.
    fn next(&self, is_over: impl Fn() -> bool) -> io::Result<Option<Vec<u8>>> {
        loop {
            match self.0.recv_timeout(LOOK) {
                Ok(line) => return line.map(Some),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if is_over() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn broken(source: io::Error) -> SweepError {
    SweepError::Usage {
        what: format!("cannot talk to whoever drives the sweep: {source}"),
        hint: "the sweep can be driven again".to_owned(),
    }
}

/// The trial that a reply hands out.
fn runs(reply: &Reply) -> Option<(actum_sweep::Trial, TrialRef)> {
    match reply {
        Reply::Run { trial, rung, budget } => {
            Some((trial.clone(), TrialRef { rung: *rung, index: trial.index, budget: *budget }))
        }
        Reply::Known { .. }
        | Reply::Wait
        | Reply::Told { .. }
        | Reply::Done { .. }
        | Reply::Refused { .. } => None,
    }
}

/// A line. One that is too long is cut there, and then refused.
fn read_line(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let most = actum_sweep::ask::LONGEST_LINE as u64 + 2;
    from.by_ref().take(most).read_until(b'\n', &mut line)?;
    if line.len() as u64 == most && !line.ends_with(b"\n") {
        skip_line(from)?;
    }
    Ok((!line.is_empty()).then_some(line))
}

fn skip_line(from: &mut impl BufRead) -> io::Result<()> {
    loop {
        let there = from.fill_buf()?;
        let (used, is_end) = match there.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (there.len(), there.is_empty()),
        };
        from.consume(used);
        if is_end {
            return Ok(());
        }
    }
}

fn say(replies: &Mutex<impl Write>, reply: &Reply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    let mut replies = replies.lock().unwrap_or_else(PoisonError::into_inner);
    replies.write_all(&line)?;
    replies.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_end_takes_bounded_memory_and_the_next_one_is_read() {
        let long = vec![b'x'; 3 << 20];
        let text = [&long[..], b"\nnext\nlast"].concat();
        let mut from = std::io::BufReader::new(&text[..]);
        let first = read_line(&mut from).unwrap().unwrap();
        assert_eq!(first.len(), actum_sweep::ask::LONGEST_LINE + 2);
        assert_eq!(read_line(&mut from).unwrap().unwrap(), b"next\n");
        assert_eq!(read_line(&mut from).unwrap().unwrap(), b"last");
        assert_eq!(read_line(&mut from).unwrap(), None);
    }
}
