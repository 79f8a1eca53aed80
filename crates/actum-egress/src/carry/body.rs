//! Moves exactly one request's body to the host: the declared length, or chunks that are counted and written anew.

use super::{
    inlet::Inlet,
    relay::{Activity, read_some, write_all},
};
use crate::read::{
    Reading,
    framing::{Framing, chunk_size, line_end},
};
use std::net::TcpStream;

/// Why a body did not arrive whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    Client,
    Host,
    Malformed,
}

pub(super) fn forward(
    inlet: &mut Inlet<'_>,
    host: &TcpStream,
    framing: Framing,
    activity: &Activity,
) -> Result<(), Stopped> {
    match framing {
        Framing::None => Ok(()),
        Framing::Length(length) => exactly(inlet, host, length, activity),
        Framing::Chunked => chunks(inlet, host, activity),
    }
}

fn exactly(inlet: &mut Inlet<'_>, host: &TcpStream, length: u64, activity: &Activity) -> Result<(), Stopped> {
    let mut left = length;
    while left > 0 {
        if inlet.held().is_empty() {
            more(inlet, activity)?;
        }
        let piece = inlet.take_held(usize::try_from(left).unwrap_or(usize::MAX));
        left -= piece.len() as u64;
        write_all(host, &piece, activity).map_err(|_| Stopped::Host)?;
    }
    Ok(())
}

/// Chunk by chunk. Trailers are refused: they are headers that come after the judgement.
fn chunks(inlet: &mut Inlet<'_>, host: &TcpStream, activity: &Activity) -> Result<(), Stopped> {
    loop {
        let size = read(inlet, activity, chunk_size)?;
        if size == 0 {
            read(inlet, activity, line_end)?;
            return write_all(host, b"0\r\n\r\n", activity).map_err(|_| Stopped::Host);
        }
        write_all(host, format!("{size:x}\r\n").as_bytes(), activity).map_err(|_| Stopped::Host)?;
        exactly(inlet, host, size, activity)?;
        read(inlet, activity, line_end)?;
        write_all(host, b"\r\n", activity).map_err(|_| Stopped::Host)?;
    }
}

/// Small things between the data; each reader is broken or whole after a few bytes.
fn read<T>(
    inlet: &mut Inlet<'_>,
    activity: &Activity,
    reader: impl Fn(&[u8]) -> Reading<T>,
) -> Result<T, Stopped> {
    loop {
        match reader(inlet.held()) {
            Reading::Whole { value, used } => {
                inlet.take_held(used);
                return Ok(value);
            }
            Reading::Short => more(inlet, activity)?,
            Reading::Broken => return Err(Stopped::Malformed),
        }
    }
}

fn more(inlet: &mut Inlet<'_>, activity: &Activity) -> Result<(), Stopped> {
    let mut buffer = [0; 8192];
    match read_some(inlet.stream, &mut buffer, activity) {
        Ok(0) | Err(_) => Err(Stopped::Client),
        Ok(count) => {
            inlet.push(&buffer[..count]);
            Ok(())
        }
    }
}
