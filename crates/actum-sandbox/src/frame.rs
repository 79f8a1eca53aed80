//! One message over a SEQPACKET socket: a body in postcard's form, and descriptors beside it.
//!
//! A body above [`INLINE`] travels in a memory file, because a packet has to fit the socket's buffer and the arguments
//! of a command need not. The first byte says which.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::{Serialize, de::DeserializeOwned};
use std::io::{self, IoSlice, IoSliceMut, Read, Seek, Write};
use std::mem::MaybeUninit;

/// 16 KiB: an everyday order with its environment. Far below the socket's buffer, so that a packet never waits for one
/// to drain, and few enough pages that receiving one into fresh memory costs little.
const INLINE: usize = 16 << 10;
/// A command line can be 2 MiB and more; a body beyond this is not a request.
const LARGEST: u64 = 64 << 20;
/// The kernel passes at most 253 descriptors in one message; ours pass a handful.
const DESCRIPTORS: usize = 64;

const IN_PACKET: u8 = 0;
const IN_MEMORY_FILE: u8 = 1;

/// Sends `body` with descriptors.
pub(crate) fn send<T: Serialize>(
    socket: BorrowedFd<'_>,
    body: &T,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut packet = vec![IN_PACKET];
    packet = postcard::to_extend(body, packet).map_err(io::Error::other)?;
    if packet.len() <= INLINE {
        return send_packet(socket, &packet, descriptors);
    }
    let mut file = std::fs::File::from(memfd_create(c"frame", MemfdFlags::CLOEXEC)?);
    file.write_all(&packet[1..])?;
    file.rewind()?;
    let mut all = descriptors.to_vec();
    all.push(file.as_fd());
    send_packet(socket, &[IN_MEMORY_FILE], &all)
}

fn send_packet(socket: BorrowedFd<'_>, packet: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("BUG: more descriptors than a frame carries"));
    }
    loop {
        match sendmsg(socket, &[IoSlice::new(packet)], &mut ancillary, SendFlags::NOSIGNAL) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Receives one message; `None` when the other side is gone.
pub(crate) fn receive<T: DeserializeOwned>(socket: BorrowedFd<'_>) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut packet = vec![0; INLINE + 1];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        match recvmsg(socket, &mut [IoSliceMut::new(&mut packet)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Ok(received) => break received,
            Err(Errno::INTR) => {}
            Err(Errno::CONNRESET) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    };
    let mut descriptors: Vec<OwnedFd> = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            descriptors.extend(rights);
        }
    }
    if received.bytes == 0 {
        return Ok(None);
    }
    if received.flags.intersects(ReturnFlags::CTRUNC | ReturnFlags::TRUNC) {
        return Err(io::Error::other("truncated frame"));
    }
    let body = match packet[0] {
        IN_PACKET => postcard::from_bytes(&packet[1..received.bytes]),
        _ => {
            let file = descriptors
                .pop()
                .ok_or_else(|| io::Error::other("a frame arrived without its file descriptor"))?;
            let mut bytes = Vec::new();
            std::fs::File::from(file).take(LARGEST).read_to_end(&mut bytes)?;
            postcard::from_bytes(&bytes)
        }
    };
    Ok(Some((body.map_err(io::Error::other)?, descriptors)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    fn pair() -> (OwnedFd, OwnedFd) {
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap()
    }

    #[test]
    fn small_and_large_bodies_arrive_with_their_descriptors() {
        let (here, there) = pair();
        let spare = std::fs::File::open("/dev/null").unwrap();
        for size in [0, 10, INLINE - 10, INLINE, INLINE + 1, 3 << 20] {
            let body = vec![7_u8; size];
            send(here.as_fd(), &body, &[spare.as_fd(), spare.as_fd()]).unwrap();
            let (back, descriptors) = receive::<Vec<u8>>(there.as_fd()).unwrap().unwrap();
            assert_eq!((back.len(), descriptors.len()), (size, 2));
        }
        drop(here);
        assert!(receive::<Vec<u8>>(there.as_fd()).unwrap().is_none());
    }

    #[test]
    fn garbage_is_an_error_and_no_panic() {
        let (here, there) = pair();
        rustix::io::write(&here, &[0, 255, 255, 255, 255, 255]).unwrap();
        assert!(receive::<String>(there.as_fd()).is_err());
        rustix::io::write(&here, &[1]).unwrap();
        assert!(receive::<String>(there.as_fd()).is_err());
    }
}
