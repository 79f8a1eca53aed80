//! One stream on its way to where it is kept.
//!
//! Bytes go in as they come and out as they are kept. Held back is only what may still turn out to be a secret: from the
//! first anchor that cannot be judged yet, at most 32 KiB and the piece that came last. What is found overlapping is one
//! secret; its bytes are not held, only counted.

use super::builtin::BUILTIN;
use super::judge::{self, Behind, Found, Text, Verdict};
use super::rules::{Rule, Rules};
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Where a stream goes on.
pub(crate) type Onward<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

/// A stream that is being redacted.
pub(crate) struct Redactor {
    rules: Arc<Rules>,
    /// What is held back, behind the one byte that was let go last, where there is one: a neighbour tells.
    buffer: Vec<u8>,
    /// Where in the stream the buffer begins.
    base: u64,
    /// How much of the buffer was let go.
    gone: usize,
    /// Where in the stream the next anchor is looked for.
    next: u64,
    /// Where in the stream the next line begins that is looked through.
    line: u64,
    /// Secrets that are not written yet, by their place in the stream, in order and apart from each other.
    secrets: VecDeque<Range<u64>>,
    /// How far each row of the table has seen.
    seen: Box<[u64; BUILTIN.len()]>,
    /// It makes no sense to look again before the buffer is this long.
    patience: usize,
    count: u64,
    given_up: u64,
}

impl Redactor {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            buffer: Vec::new(),
            base: 0,
            gone: 0,
            next: 0,
            line: 0,
            secrets: VecDeque::new(),
            seen: Box::new([0; BUILTIN.len()]),
            patience: 0,
            count: 0,
            given_up: 0,
        }
    }

    /// How many bytes are held back.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.buffer.capacity()
    }

    /// How many secrets were taken out.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// How many of them were longer than is held back, so that what follows is as it was printed.
    pub(crate) fn given_up(&self) -> u64 {
        self.given_up
    }

    /// More of the stream.
    pub(crate) fn take(&mut self, bytes: &[u8], onward: Onward<'_>) -> io::Result<()> {
        if self.rules.is_empty() {
            return onward(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < self.patience {
            return Ok(());
        }
        let judged = self.judge(Behind::Unknown);
        self.release(judged, onward)
    }

    /// Nothing comes behind it: everything is let go. What comes then is another stream.
    pub(crate) fn finish(&mut self, onward: Onward<'_>) -> io::Result<()> {
        let judged = self.judge(Behind::Nothing);
        let written = self.release(judged, onward);
        self.base += self.buffer.len() as u64;
        self.buffer.clear();
        self.gone = 0;
        written
    }

    /// Judges whatever can be judged, and says up to where in the stream all is.
    fn judge(&mut self, behind: Behind) -> u64 {
        self.patience = 0;
        let mut found = Found::default();
        let lines = self.lines(behind, &mut found);
        let anchors = self.anchors(behind, &mut found);
        self.given_up += found.given_up;
        for secret in found.secrets {
            self.note(self.base + secret.start as u64..self.base + secret.end as u64);
        }
        lines.min(anchors)
    }

    fn anchors(&mut self, behind: Behind, found: &mut Found) -> u64 {
        let rules = self.rules.clone();
        let mut at = (self.next - self.base) as usize;
        while let Some((place, group)) = rules.anchors.find(&self.buffer, at) {
            if self.at_anchor(&rules.groups[group], place, behind, found) == Judged::NotYet {
                // An eighth more each time: a program that prints byte by byte is not looked at again for each.
                self.patience = self.buffer.len() + (self.buffer.len() - place) / 8 + 1;
                self.next = self.base + place as u64;
                return self.next;
            }
            at = place + 1;
        }
        let begun = match behind {
            Behind::Unknown => rules.anchors.begun(&self.buffer[at..]),
            Behind::Nothing => 0,
        };
        self.next = self.base + (self.buffer.len() - begun) as u64;
        self.next
    }

    /// Asks every rule of an anchor. What is found twice because one of them had to wait is one all the same.
    fn at_anchor(&mut self, group: &[Rule], place: usize, behind: Behind, found: &mut Found) -> Judged {
        let text = Text { bytes: &self.buffer, behind };
        let mut judged = Judged::All;
        for rule in group {
            let row = if let Rule::Builtin(number) = rule { Some(*number) } else { None };
            if row.is_some_and(|row| self.seen[row] > self.base + place as u64) {
                continue;
            }
            match (judge::at_anchor(&self.rules, *rule, text, place, found), row) {
                (Verdict::Wait, _) => judged = Judged::NotYet,
                (Verdict::Seen(to), Some(row)) => self.seen[row] = self.base + to as u64,
                (Verdict::Seen(_), None) => {}
            }
        }
        judged
    }

    fn lines(&mut self, behind: Behind, found: &mut Found) -> u64 {
        let end = self.base + self.buffer.len() as u64;
        if self.rules.in_lines.is_empty() {
            return end;
        }
        let text = Text { bytes: &self.buffer, behind };
        while self.line < end {
            match judge::line(&self.rules, text, (self.line - self.base) as usize, found) {
                Verdict::Seen(next) => self.line = self.base + next as u64,
                Verdict::Wait => break,
            }
        }
        self.line
    }

    /// Remembers a secret, together with those that it overlaps.
    fn note(&mut self, mut secret: Range<u64>) {
        let mut at = self.secrets.len();
        while at > 0 && self.secrets[at - 1].end > secret.start {
            at -= 1;
            if self.secrets[at].start < secret.end {
                let other = self.secrets.remove(at).unwrap_or_default();
                secret = secret.start.min(other.start)..secret.end.max(other.end);
            }
        }
        self.secrets.insert(at, secret);
    }

    /// Lets everything go that is before this place in the stream.
    fn release(&mut self, judged: u64, onward: Onward<'_>) -> io::Result<()> {
        let judged = judged.max(self.base + self.gone as u64);
        while let Some(secret) = self.secrets.front().cloned() {
            if secret.start >= judged {
                break;
            }
            self.write(secret.start, onward)?;
            self.skip(secret.end.min(judged));
            if secret.end > judged {
                // It may grow by what overlaps it.
                return self.forget();
            }
            self.secrets.pop_front();
            self.count += 1;
            onward(format!("[redacted:{}]", secret.end - secret.start).as_bytes())?;
        }
        self.write(judged, onward)?;
        self.forget()
    }

    /// Writes up to a place what is no secret.
    fn write(&mut self, to: u64, onward: Onward<'_>) -> io::Result<()> {
        let to = to.saturating_sub(self.base) as usize;
        if to > self.gone {
            onward(&self.buffer[self.gone..to])?;
            self.gone = to;
        }
        Ok(())
    }

    fn skip(&mut self, to: u64) {
        self.gone = self.gone.max((to - self.base) as usize);
    }

    /// Forgets what was let go, but for its last byte.
    fn forget(&mut self) -> io::Result<()> {
        let used = self.gone.saturating_sub(1);
        self.buffer.drain(..used);
        self.base += used as u64;
        self.gone -= used;
        self.patience = self.patience.saturating_sub(used);
        Ok(())
    }
}

/// Whether every rule of an anchor has said what it has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judged {
    All,
    NotYet,
}
