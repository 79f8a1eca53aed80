//! Which bytes came when: one line for each piece, `<microseconds> <stream> <bytes>`.
//!
//! Plain text, so that anybody can read it: the pieces of a stream in order are its file.

use actum_model::Stream;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Pieces of one stream that come closer than this are one: finer is the scheduler's doing, not the program's.
const TOGETHER: Duration = Duration::from_millis(1);
/// A program that prints one byte to each stream in turn could make a timeline far longer than its output. After this
/// many lines pieces are joined whatever their time: 16 MiB on disk.
const MOST: u64 = 1 << 20;

/// One piece of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Since the run began.
    pub at: Duration,
    pub stream: Stream,
    pub bytes: u64,
}

pub(super) struct Timeline {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    /// Not written yet, because more may join it.
    open: Option<Entry>,
    /// When the last piece came that joined it.
    joined: Duration,
    written: u64,
}

impl Timeline {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, file: None, open: None, joined: Duration::ZERO, written: 0 }
    }

    pub(super) fn note(&mut self, at: Duration, stream: Stream, bytes: u64) -> io::Result<()> {
        if let Some(open) = &mut self.open
            && open.stream == stream
            && (at.saturating_sub(self.joined) < TOGETHER || self.written >= MOST)
        {
            open.bytes += bytes;
            self.joined = at;
            return Ok(());
        }
        self.close()?;
        self.open = Some(Entry { at, stream, bytes });
        self.joined = at;
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.close()?;
        self.file.map_or(Ok(()), |mut file| file.flush())
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(Entry { at, stream, bytes }) = self.open.take() else { return Ok(()) };
        if self.file.is_none() {
            let file = File::options().write(true).create_new(true).mode(0o600).open(&self.path)?;
            self.file = Some(BufWriter::new(file));
        }
        self.written += 1;
        if let Some(file) = &mut self.file {
            writeln!(file, "{} {stream} {bytes}", at.as_micros())?;
        }
        Ok(())
    }
}

/// The timeline of a run's folder; empty where nothing was printed.
pub fn read_timeline(folder: &Path) -> io::Result<Vec<Entry>> {
    match File::open(folder.join("timeline")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        file => timeline_of(&mut file?),
    }
}

/// Reads a timeline from wherever it is kept. While a run goes on its last line may be half written; that one is left out.
pub fn timeline_of(from: &mut dyn Read) -> io::Result<Vec<Entry>> {
    let (mut from, mut entries, mut line) = (BufReader::new(from), Vec::new(), String::new());
    while from.read_line(&mut line)? > 0 && line.ends_with('\n') {
        entries.push(entry(line.trim_end_matches('\n')).ok_or(io::ErrorKind::InvalidData)?);
        line.clear();
    }
    Ok(entries)
}

fn entry(line: &str) -> Option<Entry> {
    let mut words = line.split(' ');
    let at = Duration::from_micros(words.next()?.parse().ok()?);
    let name = words.next()?;
    let stream = Stream::ALL.into_iter().find(|stream| stream.name() == name)?;
    Some(Entry { at, stream, bytes: words.next()?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(pieces: &[(u64, Stream, u64)]) -> Vec<Entry> {
        let folder = tempfile::tempdir().unwrap();
        let mut timeline = Timeline::new(folder.path().join("timeline"));
        for (micros, stream, bytes) in pieces {
            timeline.note(Duration::from_micros(*micros), *stream, *bytes).unwrap();
        }
        timeline.finish().unwrap();
        read_timeline(folder.path()).unwrap()
    }

    #[test]
    fn pieces_that_come_together_are_one() {
        use Stream::{Stderr, Stdout};
        let entry = |micros, stream, bytes| Entry { at: Duration::from_micros(micros), stream, bytes };
        let pieces =
            [(10, Stdout, 5), (500, Stdout, 6), (1400, Stdout, 1), (1500, Stderr, 2), (9000, Stdout, 3)];
        assert_eq!(written(&pieces), [entry(10, Stdout, 12), entry(1500, Stderr, 2), entry(9000, Stdout, 3)]);
        assert_eq!(written(&[]), []);
    }

    #[test]
    fn what_is_half_written_is_left_out_and_what_is_no_timeline_refused() {
        let read = |text: &str| timeline_of(&mut text.as_bytes()).map(|entries| entries.len());
        assert_eq!(read("1 stdout 2\n3 stderr 4\n").unwrap(), 2);
        assert_eq!(read("1 stdout 2\n3 std").unwrap(), 1);
        assert_eq!(read("").unwrap(), 0);
        for bad in ["1 stdout\n", "x stdout 2\n", "1 stdin 2\n", "1 stdout -2\n", "\n"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_byte_is_in_one_piece(steps in proptest::collection::vec((0_u64..3000, 0..2_usize, 1_u64..9), 0..60)) {
            let mut micros = 0;
            let pieces: Vec<_> = steps.iter().map(|(wait, stream, bytes)| {
                micros += wait;
                (micros, Stream::ALL[*stream], *bytes)
            }).collect();
            let read = written(&pieces);
            for stream in Stream::ALL {
                let sum = |pairs: Vec<(Stream, u64)>| pairs.iter().filter(|pair| pair.0 == stream).map(|pair| pair.1).sum::<u64>();
                prop_assert_eq!(
                    sum(read.iter().map(|entry| (entry.stream, entry.bytes)).collect()),
                    sum(pieces.iter().map(|piece| (piece.1, piece.2)).collect())
                );
            }
            prop_assert!(read.windows(2).all(|two| two[0].at <= two[1].at));
        }
    }
}
