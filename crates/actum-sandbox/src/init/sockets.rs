//! What the buffers of sockets hold, asked of the kernel's socket monitor (`sock_diag`).

use rustix::fd::OwnedFd;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, netlink, recv, socket_with};
use std::collections::HashSet;

/// The most that one socket holds in its two buffers: their sizes cannot be changed without a cgroup
/// (`seccomp/rules.rs`), and those of TCP are bounded in the namespace (`build.rs`).
pub(super) const MOST: u64 = 640 << 10;
/// The most that a sender which is closed has left with a receiver: its buffer, and the one message that overran it.
const LEFT_BEHIND: u64 = 320 << 10;
/// What describes a socket.
const PER_SOCKET: u64 = 1 << 10;

/// What sockets hold.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) bytes: u64,
    listed: u64,
    /// The monitor answered.
    known: bool,
}

impl Held {
    /// All sockets of a namespace of `count`. Those that are not listed are closed with bytes still under way, or this kernel
    /// lists none: they count with the most that they can hold.
    pub(super) fn in_namespace(self, count: u64) -> u64 {
        let most = if self.known { LEFT_BEHIND } else { MOST };
        self.bytes + count.saturating_sub(self.listed) * most
    }
}

const DIAG_BY_FAMILY: u16 = 20;
const REQUEST_AND_DUMP: u16 = 0x301;
const ERROR: u16 = 2;
const DONE: u16 = 3;
const HEADER: usize = 16;
/// Ask for memory: a flag of Unix sockets, an extension of the others. Of Unix sockets also who is at the other end.
const UNIX_MEMORY: u32 = 0x20;
const UNIX_PEER: u32 = 0x4;
const PEER_ATTRIBUTE: u16 = 2;
const INET_MEMORY: u8 = 1 << 6;
const UNIX_ATTRIBUTE: u16 = 5;
const INET_ATTRIBUTE: u16 = 7;
const AF_UNIX: u8 = 1;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// What the sockets of this network namespace hold, or those with these inodes.
pub(super) fn held(only: Option<&HashSet<u64>>) -> Held {
    let mut held = Held::default();
    let Ok(monitor) = socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    ) else {
        return held;
    };
    held.known = ask(&monitor, &unix_request(), only, &mut held).is_some();
    for (family, protocol) in [(AF_INET, TCP), (AF_INET6, TCP), (AF_INET, UDP), (AF_INET6, UDP)] {
        // A kernel without a family has no sockets of it.
        let _ = ask(&monitor, &inet_request(family, protocol), only, &mut held);
    }
    held
}

fn unix_request() -> Vec<u8> {
    let mut body = vec![AF_UNIX, 0, 0, 0];
    body.extend(u32::MAX.to_ne_bytes()); // states
    body.extend(0_u32.to_ne_bytes()); // inode
    body.extend((UNIX_MEMORY | UNIX_PEER).to_ne_bytes());
    body.extend([0xff; 8]); // cookie: any
    message(&body)
}

fn inet_request(family: u8, protocol: u8) -> Vec<u8> {
    let mut body = vec![family, protocol, INET_MEMORY, 0];
    body.extend(u32::MAX.to_ne_bytes());
    body.extend([0; 48]); // any address
    message(&body)
}

fn message(body: &[u8]) -> Vec<u8> {
    let mut message = ((HEADER + body.len()) as u32).to_ne_bytes().to_vec();
    message.extend(DIAG_BY_FAMILY.to_ne_bytes());
    message.extend(REQUEST_AND_DUMP.to_ne_bytes());
    message.extend([0; 8]); // sequence, port
    message.extend(body);
    message
}

/// Nothing where the monitor refused.
fn ask(monitor: &OwnedFd, request: &[u8], only: Option<&HashSet<u64>>, held: &mut Held) -> Option<()> {
    rustix::io::write(monitor, request).ok()?;
    let mut buffer = vec![0_u8; 64 << 10];
    loop {
        let (length, _) = recv(monitor, &mut buffer[..], RecvFlags::empty()).ok()?;
        if take(&buffer[..length.min(buffer.len())], only, held)? {
            return Some(());
        }
    }
}

/// Takes one datagram in. True at the end of the list, nothing for an error.
fn take(mut rest: &[u8], only: Option<&HashSet<u64>>, held: &mut Held) -> Option<bool> {
    if rest.len() < HEADER {
        return None;
    }
    while rest.len() >= HEADER {
        let length = (word(rest, 0)? as usize).clamp(HEADER, rest.len());
        match half(rest, 4)? {
            DONE => return Some(true),
            ERROR => return None,
            _ => count(&rest[HEADER..length], only, held),
        }
        rest = &rest[length.next_multiple_of(4).min(rest.len())..];
    }
    Some(false)
}

/// Adds one socket.
fn count(body: &[u8], only: Option<&HashSet<u64>>, held: &mut Held) {
    let Some(family) = body.first() else { return };
    let (size, inode_at, attribute) =
        if *family == AF_UNIX { (16, 4, UNIX_ATTRIBUTE) } else { (72, 68, INET_ATTRIBUTE) };
    let inode = u64::from(word(body, inode_at).unwrap_or(0));
    if only.is_some_and(|only| !only.contains(&inode)) {
        return;
    }
    held.listed += 1;
    let attributes = body.get(size..).unwrap_or_default();
    held.bytes += PER_SOCKET + memory(attributes, attribute);
    // Where closed senders cannot be counted by themselves, they count with who received from them.
    // A peer that was closed has no inode any more.
    let peer = find(attributes, PEER_ATTRIBUTE).and_then(|value| word(value, 0)).unwrap_or(0);
    if only.is_some() && *family == AF_UNIX && peer == 0 {
        held.bytes += LEFT_BEHIND;
    }
}

/// The bytes in both buffers, from the attribute that lists them.
fn memory(attributes: &[u8], wanted: u16) -> u64 {
    let Some(values) = find(attributes, wanted) else { return 0 };
    let value = |index: usize| u64::from(word(values, index * 4).unwrap_or(0));
    // Received; sent or waiting to be, whichever says more; set aside; options; not yet taken in.
    value(0) + value(2).max(value(5)) + value(4) + value(6) + value(7)
}

fn find(mut rest: &[u8], wanted: u16) -> Option<&[u8]> {
    while let (Some(length), Some(kind)) = (half(rest, 0), half(rest, 2)) {
        let length = usize::from(length);
        if length < 4 || length > rest.len() {
            return None;
        }
        if kind == wanted {
            return Some(&rest[4..length]);
        }
        rest = &rest[length.next_multiple_of(4).min(rest.len())..];
    }
    None
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsRawFd;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    #[test]
    fn bytes_that_wait_in_a_socket_are_counted() {
        let (mut one, other) = UnixStream::pair().unwrap();
        one.write_all(&[7; 100_000]).unwrap();
        let inode = |stream: &UnixStream| {
            let link = std::fs::read_link(format!("/proc/self/fd/{}", stream.as_raw_fd())).unwrap();
            let text = link.to_string_lossy().into_owned();
            text.trim_start_matches("socket:[").trim_end_matches(']').parse::<u64>().unwrap()
        };
        let only = HashSet::from([inode(&one), inode(&other)]);
        let held = held(Some(&only));
        if !held.known {
            // A kernel without the monitor for Unix sockets.
            return;
        }
        assert_eq!(held.listed, 2);
        assert!((100_000..400_000).contains(&held.bytes), "{held:?}");
        drop(one);
        let left = super::held(Some(&HashSet::from([inode(&other)])));
        assert_eq!((left.listed, left.bytes), (1, PER_SOCKET + LEFT_BEHIND), "{left:?}");
    }

    #[test]
    fn closed_senders_count_with_the_most_they_can_leave() {
        let known = Held { bytes: 5, listed: 2, known: true };
        assert_eq!(known.in_namespace(3), 5 + LEFT_BEHIND);
        assert_eq!(Held::default().in_namespace(2), 2 * MOST);
    }

    #[test]
    fn nonsense_from_the_monitor_is_no_end() {
        let mut held = Held::default();
        assert_eq!(take(&[1, 2, 3], None, &mut held), None);
        assert_eq!(take(&[0xff; 64], None, &mut held), Some(false));
    }
}
