//! The tar that a bundle is: ustar, uncompressed, one exact form.
//!
//! The reader makes each header again from its name and size and compares, so a file that is accepted is byte for byte
//! what the writer would have made: no links, no owners, no times, no padding with something in it, nothing behind the
//! end. It holds one header and one buffer, whatever the file claims.

use super::refused::Refused;
use std::io::{self, Read, Write};

const BLOCK: usize = 512;
const NAME: usize = 100;
/// 8 GiB less one byte: what eleven octal digits can say.
pub(super) const LARGEST: u64 = (1 << 33) - 1;
/// 64 KiB: a pipe's worth.
const BUFFER: usize = 64 << 10;

pub(super) fn header(name: &str, size: u64) -> [u8; BLOCK] {
    assert!(name.len() < NAME && size <= LARGEST, "BUG: {name} of {size} bytes has no place in a tar");
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, "00000000000");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    put(329, "0000000");
    put(337, "0000000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

fn padding(size: u64) -> usize {
    (BLOCK - (size % BLOCK as u64) as usize) % BLOCK
}

/// Writes entries one after the other.
pub(super) struct Tar<W> {
    to: W,
}

impl<W: Write> Tar<W> {
    pub fn new(to: W) -> Self {
        Self { to }
    }

    pub fn add(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.add_from(name, bytes.len() as u64, |to| to.write_all(bytes))
    }

    /// An entry whose bytes somebody else writes: exactly as many as were promised.
    pub fn add_from<E: From<io::Error>>(
        &mut self,
        name: &str,
        size: u64,
        fill: impl FnOnce(&mut W) -> Result<(), E>,
    ) -> Result<(), E> {
        self.to.write_all(&header(name, size))?;
        fill(&mut self.to)?;
        Ok(self.to.write_all(&[0; BLOCK][..padding(size)])?)
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.to.write_all(&[0; 2 * BLOCK])?;
        self.to.flush()
    }
}

/// The beginning of one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub size: u64,
}

/// Reads entries one after the other. The bytes of each must be read before the next.
pub(super) struct Reader<R> {
    from: R,
    at: u64,
}

impl<R: Read> Reader<R> {
    pub fn new(from: R) -> Self {
        Self { from, at: 0 }
    }

    /// The next entry; nothing at the end, which must be the end of the file as well.
    pub fn next(&mut self) -> Result<Option<Entry>, Refused> {
        let (at, mut block) = (self.at, [0; BLOCK]);
        let read = self.fill(&mut block)?;
        if at == 0 {
            another_kind(&block[..read])?;
        }
        if read < BLOCK {
            return Err(Refused::Form { at, why: "the file is truncated" });
        }
        if block == [0; BLOCK] {
            return self.end().map(|()| None);
        }
        let refused = |why| Refused::Form { at, why };
        let entry = parse(&block).ok_or_else(|| refused("a tar header is missing"))?;
        match header(&entry.name, entry.size) == block {
            true => Ok(Some(entry)),
            false => Err(refused("the tar header has an unexpected type, owner, time or mode")),
        }
    }

    /// All bytes of an entry that was promised to be small.
    pub fn bytes(&mut self, entry: &Entry, longest: u64) -> Result<Vec<u8>, Refused> {
        if entry.size > longest {
            return Err(Refused::part(&entry.name, format!("has {} bytes, more than {longest}", entry.size)));
        }
        let mut bytes = Vec::new();
        self.stream(entry, |piece| bytes.extend_from_slice(piece))?;
        Ok(bytes)
    }

    /// The bytes of an entry, piece by piece.
    pub fn stream(&mut self, entry: &Entry, mut take: impl FnMut(&[u8])) -> Result<(), Refused> {
        let mut buffer = vec![0; BUFFER];
        let mut left = entry.size;
        while left > 0 {
            let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.exactly(&mut buffer[..wanted])?;
            take(&buffer[..wanted]);
            left -= wanted as u64;
        }
        let (at, padding) = (self.at, padding(entry.size));
        self.exactly(&mut buffer[..padding])?;
        match buffer[..padding].iter().all(|byte| *byte == 0) {
            true => Ok(()),
            false => Err(Refused::Form { at, why: "the padding is not empty" }),
        }
    }

    /// The second empty block, and nothing behind it.
    fn end(&mut self) -> Result<(), Refused> {
        let (at, mut block) = (self.at, [0; BLOCK + 1]);
        let read = self.fill(&mut block)?;
        match (read, block == [0; BLOCK + 1]) {
            (BLOCK, true) => Ok(()),
            (0..BLOCK, _) => Err(Refused::Form { at, why: "the file is truncated" }),
            _ => Err(Refused::Form { at, why: "there is data after the end of the archive" }),
        }
    }

    fn exactly(&mut self, bytes: &mut [u8]) -> Result<(), Refused> {
        match self.fill(bytes)? == bytes.len() {
            true => Ok(()),
            false => Err(Refused::Form { at: self.at, why: "the file is truncated" }),
        }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<usize, Refused> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.from.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Refused::Read(error)),
            }
        }
        self.at += filled as u64;
        Ok(filled)
    }
}

/// Name and size, as far as they can be ours.
fn parse(block: &[u8; BLOCK]) -> Option<Entry> {
    let end = block[..NAME].iter().position(|byte| *byte == 0)?;
    let name = str::from_utf8(&block[..end]).ok().filter(|name| !name.is_empty())?;
    let digits = str::from_utf8(&block[124..135]).ok()?;
    let size = u64::from_str_radix(digits, 8).ok()?;
    Some(Entry { name: name.to_owned(), size })
}

/// What people mistake for a bundle, told by how it begins.
fn another_kind(beginning: &[u8]) -> Result<(), Refused> {
    const KINDS: &[(&[u8], &str)] = &[
        (b"PK", "a zip archive"),
        (b"\x1f\x8b", "compressed with gzip"),
        (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
        (b"\xfd7zXZ\0", "compressed with xz"),
        (b"BZh", "compressed with bzip2"),
        (b"SQLite format 3\0", "a database"),
        (b"{", "JSON"),
    ];
    if beginning.is_empty() {
        return Err(Refused::Another { what: "empty" });
    }
    let found = KINDS.iter().find(|(magic, _)| beginning.starts_with(magic));
    found.map_or(Ok(()), |(_, what)| Err(Refused::Another { what }))
}
