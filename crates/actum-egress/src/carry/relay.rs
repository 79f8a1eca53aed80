//! Moves bytes from one socket to the other until one side ends, or both are silent for too long.

use super::inlet::is_timeout;
use crate::clock::Deadline;
use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// One buffer each way; what does not fit waits in the kernel, which bounds it.
const BUFFER: usize = 16 * 1024;

/// Counts what moved in either direction, so that a long download is not idle only because nothing is being asked.
#[derive(Default)]
pub(super) struct Activity(AtomicU64);

impl Activity {
    fn moved(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Makes a socket give up reading and writing after a silence of this length.
pub(super) fn set_idle_time(stream: &TcpStream, idle: Duration) -> io::Result<()> {
    stream.set_read_timeout(Some(idle))?;
    stream.set_write_timeout(Some(idle))
}

/// Moves everything one way. The end of one direction is passed on; an error ends both.
pub(super) fn pour(from: &TcpStream, to: &TcpStream, activity: &Activity) {
    let mut buffer = vec![0; BUFFER];
    loop {
        let moved = match read_some(from, &mut buffer, activity) {
            Ok(0) => {
                let _ = to.shutdown(Shutdown::Write);
                return;
            }
            Ok(count) => write_all(to, &buffer[..count], activity),
            Err(error) => Err(error),
        };
        if moved.is_err() {
            cut(from, to);
            return;
        }
    }
}

/// Ends both sides at once, and with them whoever waits on either.
pub(super) fn cut(one: &TcpStream, other: &TcpStream) {
    let _ = one.shutdown(Shutdown::Both);
    let _ = other.shutdown(Shutdown::Both);
}

/// One read that is patient for as long as anything moves in either direction.
pub(super) fn read_some(mut from: &TcpStream, buffer: &mut [u8], activity: &Activity) -> io::Result<usize> {
    loop {
        let before = activity.count();
        match from.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if is_timeout(&error) && activity.count() != before => {}
            other => return other,
        }
    }
}

pub(super) fn write_all(mut to: &TcpStream, bytes: &[u8], activity: &Activity) -> io::Result<()> {
    if !bytes.is_empty() {
        to.write_all(bytes)?;
        activity.moved();
    }
    Ok(())
}

/// Says a last word and closes so that it is heard: closing over bytes that were not read would reset the connection
/// and take the answer with it. The wait is short, and ends as soon as the client closes.
pub(super) fn farewell(mut client: &TcpStream, last: &[u8]) {
    const LINGER: Duration = Duration::from_secs(1);
    // 256 reads: 4 MiB of a body nobody wanted; after that the client may well see a reset.
    const READS: usize = 256;
    let said = client.set_write_timeout(Some(LINGER)).and_then(|()| client.write_all(last));
    if said.and_then(|()| client.shutdown(Shutdown::Write)).is_err() {
        return;
    }
    let deadline = Deadline::after(LINGER);
    let mut buffer = vec![0; BUFFER];
    for _ in 0..READS {
        let Some(left) = deadline.left() else { return };
        let read = client.set_read_timeout(Some(left)).and_then(|()| client.read(&mut buffer));
        if !matches!(read, Ok(count) if count > 0) {
            return;
        }
    }
}
