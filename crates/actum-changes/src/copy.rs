//! Moves and compares the bytes of files.

use super::reach::Entry;
use rustix::fs::{SeekFrom, copy_file_range, ftruncate, seek};
use rustix::io::{Errno, Result, pread, pwrite};
use std::os::fd::{AsFd, BorrowedFd};

/// 128 KiB: what `cp` settled on; larger pieces measure no faster.
pub(super) const PIECE: usize = 128 << 10;

/// 1 GiB: the most the kernel is asked to copy at once, so that a signal is not kept waiting for long.
const SPAN: u64 = 1 << 30;

/// Whether two regular files of the same length hold the same bytes. What is a hole in both is not read; `room` is what may be
/// read in all, and beyond it files count as different.
pub(super) fn is_equal(one: &Entry, other: &Entry, room: &mut u64) -> Result<bool> {
    // Most files are small, and clearing a large buffer costs more than reading them.
    let length = one.stat.st_size as u64;
    let piece = length.clamp(1, PIECE as u64) as usize;
    let (one, other) = (one.open()?, other.open()?);
    let (mut left, mut right) = (vec![0; piece], vec![0; piece]);
    let mut offset = 0;
    loop {
        // Asking costs as much as reading a piece, so only of files that have several.
        if length > PIECE as u64 {
            let data = |file: BorrowedFd<'_>| next_data(file, offset).map(|data| data.unwrap_or(length));
            offset = data(one.as_fd())?.min(data(other.as_fd())?);
        }
        let Some(rest) = room.checked_sub(piece as u64) else { return Ok(false) };
        *room = rest;
        let length = read_full(one.as_fd(), &mut left, offset)?;
        if length != read_full(other.as_fd(), &mut right, offset)? || left[..length] != right[..length] {
            return Ok(false);
        }
        if length < piece {
            return Ok(true);
        }
        offset += length as u64;
    }
}

/// Where the next data begins; nothing behind the last.
fn next_data(file: BorrowedFd<'_>, offset: u64) -> Result<Option<u64>> {
    match seek(file, SeekFrom::Data(offset)) {
        Ok(start) => Ok(Some(start)),
        Err(Errno::NXIO) => Ok(None),
        // The file system does not know holes.
        Err(Errno::INVAL) => Ok(Some(offset)),
        Err(error) => Err(error),
    }
}

/// Copies `length` bytes into an empty file and leaves out holes. Fails with `IO` when the source turns out shorter.
pub(super) fn copy(from: BorrowedFd<'_>, to: BorrowedFd<'_>, length: u64) -> Result<()> {
    ftruncate(to, length)?;
    let mut offset = 0;
    while offset < length {
        // Otherwise nothing but a hole is left.
        let Some(start) = next_data(from, offset)? else { return Ok(()) };
        let end = match seek(from, SeekFrom::Hole(start)) {
            Ok(end) => end.min(length),
            Err(Errno::INVAL) => length,
            Err(error) => return Err(error),
        };
        if start < end {
            copy_span(from, to, start, end)?;
        }
        offset = end.max(start);
    }
    Ok(())
}

/// Writes all of `bytes` into an empty file.
pub(super) fn write(to: BorrowedFd<'_>, bytes: &[u8]) -> Result<()> {
    write_at(to, bytes, 0)
}

/// Fills the buffer from `offset`; less only at the end of the file.
pub(super) fn read_full(from: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match pread(from, &mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn copy_span(from: BorrowedFd<'_>, to: BorrowedFd<'_>, start: u64, end: u64) -> Result<()> {
    let (mut read_at, mut write_at) = (start, start);
    while read_at < end {
        let length = (end - read_at).min(SPAN) as usize;
        match copy_file_range(from, Some(&mut read_at), to, Some(&mut write_at), length) {
            // Some file systems answer 0 instead of saying that they cannot; reading tells the two apart.
            Ok(0) => return copy_by_hand(from, to, read_at, end),
            Ok(_) | Err(Errno::INTR) => {}
            Err(Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM) => {
                return copy_by_hand(from, to, read_at, end);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn copy_by_hand(from: BorrowedFd<'_>, to: BorrowedFd<'_>, start: u64, end: u64) -> Result<()> {
    let mut buffer = vec![0; PIECE];
    let mut offset = start;
    while offset < end {
        let wanted = (end - offset).min(PIECE as u64) as usize;
        if read_full(from, &mut buffer[..wanted], offset)? < wanted {
            return Err(Errno::IO);
        }
        write_at(to, &buffer[..wanted], offset)?;
        offset += wanted as u64;
    }
    Ok(())
}

fn write_at(to: BorrowedFd<'_>, mut bytes: &[u8], mut offset: u64) -> Result<()> {
    while !bytes.is_empty() {
        match pwrite(to, bytes, offset) {
            Ok(length) => (bytes, offset) = (&bytes[length..], offset + length as u64),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
