//! TensorBoard's event files: frames with checksums, each an `Event` in protobuf, of which the scalars are read.
//!
//! A frame is its length, a checksum of the length, its bytes and a checksum of them. The last frame of a file that is being
//! written may be cut: it waits. A wrong checksum ends the file, since nothing tells where the next frame begins.

mod checksum;
mod event;
mod fields;

use super::EndReason;
use crate::point::{MetricPoint, PointSource};
use checksum::{Checksum, masked};

/// A length and its checksum.
const HEAD: usize = 12;
/// The checksum behind the bytes.
const TAIL: u64 = 4;
/// 4 MiB: scalars take a hundred bytes each. Larger frames are pictures, sounds and graphs: passed over, but checked.
const LARGEST: u64 = 4 << 20;

/// Reads one file.
#[derive(Debug)]
pub struct EventFileReader {
    source: PointSource,
    /// The part of the current frame that is here.
    held: Vec<u8>,
    /// Where the current frame begins.
    frame_start: u64,
    /// A frame that is too large to hold.
    passing: Option<Passing>,
    unreadable: u64,
    ended: Option<EndReason>,
}

/// A large frame of which bytes are checked and dropped.
#[derive(Debug)]
struct Passing {
    left: u64,
    length: u64,
    checksum: Checksum,
}

impl EventFileReader {
    pub fn new(path: &str) -> Self {
        Self::of_source(PointSource::EventFile(path.to_owned()))
    }

    fn of_source(source: PointSource) -> Self {
        Self { source, held: Vec::new(), frame_start: 0, passing: None, unreadable: 0, ended: None }
    }

    pub(super) fn anew(&self) -> Self {
        Self::of_source(self.source.clone())
    }

    pub(super) fn source(&self) -> &PointSource {
        &self.source
    }

    pub(super) fn ended(&self) -> Option<&EndReason> {
        self.ended.as_ref()
    }

    /// Events whose bytes are whole but no protobuf that is known.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8], points: &mut Vec<MetricPoint>) {
        let mut rest = bytes;
        while !rest.is_empty() && self.ended.is_none() {
            rest = match &mut self.passing {
                Some(_) => self.pass(rest),
                None => self.hold(rest, points),
            };
        }
    }

    /// Holds as much as the frame's next part needs, and gives what is left.
    fn hold<'a>(&mut self, bytes: &'a [u8], points: &mut Vec<MetricPoint>) -> &'a [u8] {
        let wanted = match self.length() {
            // At most LARGEST, or the frame would be passed over.
            Some(length) => HEAD + (length + TAIL) as usize,
            None => HEAD,
        };
        let (fits, rest) = bytes.split_at(bytes.len().min(wanted - self.held.len()));
        self.held.extend_from_slice(fits);
        if self.held.len() < wanted {
            return rest;
        }
        match wanted {
            HEAD => self.end_head(),
            _ => self.end_frame(points),
        }
        rest
    }

    /// The length of the frame, once its head is here.
    fn length(&self) -> Option<u64> {
        self.held.first_chunk::<HEAD>().map(|head| number(&head[..8]))
    }

    fn end_head(&mut self) {
        let (length, sum) = self.held.split_at(8);
        if masked(length) != number(sum) as u32 {
            return self.end();
        }
        let length = number(length);
        if length > LARGEST {
            self.passing = Some(Passing { left: length, length, checksum: Checksum::default() });
            self.held.clear();
        }
    }

    fn end_frame(&mut self, points: &mut Vec<MetricPoint>) {
        let (payload, sum) = self.held[HEAD..].split_at(self.held.len() - HEAD - TAIL as usize);
        if masked(payload) != number(sum) as u32 {
            return self.end();
        }
        if event::read(payload, &self.source, points).is_none() {
            self.unreadable += 1;
        }
        self.frame_start += self.held.len() as u64;
        self.held.clear();
    }

    fn pass<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(passing) = &mut self.passing else { return bytes };
        let count = usize::try_from(passing.left).unwrap_or(usize::MAX).min(bytes.len());
        let (payload, rest) = bytes.split_at(count);
        passing.checksum.add(payload);
        passing.left -= count as u64;
        if passing.left > 0 {
            return rest;
        }
        let (sum, rest) = rest.split_at(rest.len().min(TAIL as usize - self.held.len()));
        self.held.extend_from_slice(sum);
        if self.held.len() < TAIL as usize {
            return rest;
        }
        let (expected, length) = (passing.checksum.masked(), passing.length);
        if expected != number(&self.held) as u32 {
            self.end();
            return rest;
        }
        self.frame_start = self.frame_start.saturating_add(HEAD as u64 + TAIL).saturating_add(length);
        self.passing = None;
        self.held.clear();
        rest
    }

    fn end(&mut self) {
        self.ended = Some(EndReason::Checksum { at: self.frame_start });
        self.held = Vec::new();
        self.passing = None;
    }
}

/// Up to eight bytes, the lowest first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
pub(super) mod tests;
