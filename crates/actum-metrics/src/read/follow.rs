//! A file that grows, read on from where it stopped.

use super::MetricReader;
use crate::point::MetricPoint;
use actum_gate::File;
use actum_model::Moment;
use std::io;
use std::os::unix::fs::FileExt;

/// How much is read at once, and at most in one call.
const PIECE: usize = 256 * 1024;
const MOST: u64 = 64 << 20;
/// The beginning of a file, by which it is known again: a header of a table is in here.
const BEGINNING: usize = 4096;

/// A reader with its place in a file.
#[derive(Debug)]
pub struct FollowedFile {
    reader: MetricReader,
    offset: u64,
    beginning: Vec<u8>,
}

/// What one look at a file brought.
#[derive(Debug, Default, PartialEq)]
pub struct Update {
    pub points: Vec<MetricPoint>,
    /// The file was written anew since the last look: these points stand in place of all that came from it before.
    pub is_rewritten: bool,
    /// There is more to read at once.
    pub has_more: bool,
}

impl FollowedFile {
    pub fn new(reader: MetricReader) -> Self {
        Self { reader, offset: 0, beginning: Vec::new() }
    }

    pub fn reader(&self) -> &MetricReader {
        &self.reader
    }

    /// Reads what was added. A file that is shorter than it was, or begins with other bytes, is read from its beginning:
    /// Lightning writes its table anew whenever a column is added.
    pub fn read_on(&mut self, file: &File, now: Option<Moment>) -> io::Result<Update> {
        let mut update = Update::default();
        if self.offset > 0 && !self.is_same(file)? {
            *self = Self::new(self.reader.anew());
            update.is_rewritten = true;
        }
        let mut piece = vec![0; PIECE];
        let start = self.offset;
        loop {
            if self.reader.ended().is_some() {
                return Ok(update);
            }
            if self.offset - start >= MOST {
                update.has_more = true;
                return Ok(update);
            }
            let count = read_at(file, &mut piece, self.offset)?;
            if count == 0 {
                return Ok(update);
            }
            let room = BEGINNING - self.beginning.len();
            self.beginning.extend_from_slice(&piece[..count.min(room)]);
            self.offset += count as u64;
            self.reader.push(&piece[..count], now, &mut update.points);
        }
    }

    /// Takes what waits for its end: nobody writes the file any more.
    pub fn finish(&mut self, now: Option<Moment>) -> Vec<MetricPoint> {
        let mut points = Vec::new();
        self.reader.finish(now, &mut points);
        points
    }

    fn is_same(&self, file: &File) -> io::Result<bool> {
        if file.metadata()?.len() < self.offset {
            return Ok(false);
        }
        let mut beginning = vec![0; self.beginning.len()];
        let mut filled = 0;
        while filled < beginning.len() {
            match read_at(file, &mut beginning[filled..], filled as u64)? {
                0 => return Ok(false),
                count => filled += count,
            }
        }
        Ok(beginning == self.beginning)
    }
}

fn read_at(file: &File, piece: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        match file.read_at(piece, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
