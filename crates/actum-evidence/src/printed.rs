//! What a run printed, wherever it lies: in files while it goes on, in the ledger after its end.
//!
//! Bytes are passed on in the order in which they came and in bounded memory. What lies in the ledger is held against its
//! digest: before anything of it is passed on where that is quick, else at its end.

use super::error::EvidenceError;
use actum_gate::File;
use actum_model::{Held, Record, Stream};
use actum_run::{Entry, read_timeline, timeline_of};
use actum_store::{Checked, Kept, Reader};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

/// How far each stream has been passed on, in bytes.
pub type Places = [u64; 2];

/// Takes a piece of a stream; breaks off when nothing more is wanted.
pub type Take<'t, E> = &'t mut dyn FnMut(Stream, &[u8]) -> Result<ControlFlow<()>, E>;

/// The output of one run.
pub struct Printed<'a> {
    pub reader: &'a Reader,
    pub kept: &'a Kept,
    /// Which streams are looked at.
    pub streams: Vec<Stream>,
}

/// Up to this size contents are read once more than needed, so that nothing wrong is ever shown: a tenth of a second.
const CHECKED_FIRST: u64 = 16 << 20;
const PIECE: usize = 256 << 10;

enum Source {
    File(File),
    Blob(Box<Checked>),
}

impl Printed<'_> {
    /// Passes on everything from these places on, and moves them.
    pub fn pass<E: From<EvidenceError>>(
        &self,
        places: &mut Places,
        take: Take<'_, E>,
    ) -> Result<ControlFlow<()>, E> {
        let (order, mut sources) = self.open()?;
        for stream in &self.streams {
            if let Some(source) = &mut sources[stream.index()] {
                source.skip(places[stream.index()]).map_err(|error| self.failed(error))?;
            }
        }
        let mut ends = [0; 2];
        for Entry { stream, bytes, .. } in order {
            let (at, end) = (&mut places[stream.index()], &mut ends[stream.index()]);
            *end += bytes;
            let count = end.saturating_sub(*at);
            if let Some(source) = &mut sources[stream.index()]
                && self.copy(source, stream, count, (at, take))?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        // What the timeline does not tell yet; and the end of each, where it is known whether it was the right one.
        for stream in &self.streams {
            let at = &mut places[stream.index()];
            if let Some(source) = &mut sources[stream.index()]
                && self.copy(source, *stream, u64::MAX, (at, take))?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Which pieces came when, of both streams.
    pub fn order(&self) -> Result<Vec<Entry>, EvidenceError> {
        self.open().map(|(order, _)| order)
    }

    fn copy<E: From<EvidenceError>>(
        &self,
        source: &mut Source,
        stream: Stream,
        mut count: u64,
        (at, take): (&mut u64, Take<'_, E>),
    ) -> Result<ControlFlow<()>, E> {
        let mut buffer = vec![0; PIECE.min(usize::try_from(count).unwrap_or(PIECE))];
        while count > 0 {
            let most = buffer.len().min(usize::try_from(count).unwrap_or(PIECE));
            let length = match source.read(&mut buffer[..most]) {
                Ok(0) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(|error| self.failed(error))?,
            };
            *at += length as u64;
            count -= length as u64;
            if take(stream, &buffer[..length])?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn open(&self) -> Result<(Vec<Entry>, [Option<Source>; 2]), EvidenceError> {
        if let Some(sealed) = self.reader.sealed(self.kept.id)? {
            return self.in_ledger(&sealed.record);
        }
        let found = self.in_files()?;
        // It may have ended between the two looks, and then its files may have been gone for the second.
        match self.reader.sealed(self.kept.id)? {
            Some(sealed) => self.in_ledger(&sealed.record),
            None => Ok(found),
        }
    }

    fn in_files(&self) -> Result<(Vec<Entry>, [Option<Source>; 2]), EvidenceError> {
        let folder = &self.kept.folder;
        let mut sources = [None, None];
        for stream in &self.streams {
            sources[stream.index()] = match actum_gate::own::open(&folder.join(stream.name())) {
                // It printed nothing there.
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                opened => Some(Source::File(opened.map_err(|error| self.failed(error))?)),
            };
        }
        let order = match self.streams.as_slice() {
            [_] => Vec::new(),
            _ => read_timeline(folder).map_err(|error| self.failed(error))?,
        };
        Ok((order, sources))
    }

    fn in_ledger(&self, record: &Record) -> Result<(Vec<Entry>, [Option<Source>; 2]), EvidenceError> {
        let mut sources = [None, None];
        for stream in &self.streams {
            sources[stream.index()] = self.blob(held(record, *stream))?;
        }
        let timeline = if self.streams.len() > 1 { self.blob(&record.timeline)? } else { None };
        let order = match timeline {
            None => Vec::new(),
            Some(mut source) => timeline_of(&mut source).map_err(|error| self.failed(error))?,
        };
        Ok((order, sources))
    }

    fn blob(&self, held: &Held) -> Result<Option<Source>, EvidenceError> {
        if held.bytes.0 == 0 {
            return Ok(None);
        }
        if held.bytes.0 <= CHECKED_FIRST {
            let mut first = self.reader.blob(&held.sha256)?;
            io::copy(&mut first, &mut io::sink()).map_err(|error| self.failed(error))?;
        }
        Ok(Some(Source::Blob(Box::new(self.reader.blob(&held.sha256)?))))
    }

    fn failed(&self, source: io::Error) -> EvidenceError {
        EvidenceError::Printed { run: self.kept.id, source }
    }
}

/// What a record says about a stream.
pub fn held(record: &Record, stream: Stream) -> &Held {
    match stream {
        Stream::Stdout => &record.stdout,
        Stream::Stderr => &record.stderr,
    }
}

impl Source {
    fn skip(&mut self, count: u64) -> io::Result<()> {
        match self {
            Self::File(file) => file.seek(SeekFrom::Start(count)).map(drop),
            Self::Blob(blob) => io::copy(&mut blob.take(count), &mut io::sink()).map(drop),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Blob(blob) => blob.read(buffer),
        }
    }
}
