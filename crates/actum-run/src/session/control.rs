//! The holder's end of the control socket.

use super::driver::{Listener, Said};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, Shutdown, SocketFlags,
    SocketType, recvmsg, send, shutdown, socketpair, sockopt,
};
use rustix::process::{Pid, Signal, getpgid, kill_process_group};
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Control {
    socket: OwnedFd,
    listener: Listener,
    /// What the driver has still to be given.
    outgoing: Vec<u8>,
    speaker: Option<Pid>,
}

/// What came of listening.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Said(Vec<Said>),
    /// It has hung up, or says what no driver of ours says.
    Gone,
}

impl Control {
    /// Both ends: ours, and what becomes the driver's standard input.
    pub(super) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (socket, inside) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        // Each word comes with the number of the process that said it, as this process sees it.
        sockopt::set_socket_passcred(&socket, true)?;
        Ok((Self { socket, listener: Listener::default(), outgoing: Vec::new(), speaker: None }, inside))
    }

    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// The interpreter, once it has spoken, and what it has used.
    pub(super) fn cpu(&self) -> Option<(Pid, Duration)> {
        self.speaker.and_then(|pid| Some((pid, cpu_of(pid)?)))
    }

    pub(super) fn hear(&mut self) -> Heard {
        let mut buffer = [0; 4096];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmCredentials(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let received =
            recvmsg(&self.socket, &mut [IoSliceMut::new(&mut buffer)], &mut ancillary, RecvFlags::DONTWAIT);
        let length = match received {
            Ok(received) if received.bytes > 0 => received.bytes,
            Err(Errno::AGAIN | Errno::INTR) => return Heard::Said(Vec::new()),
            Ok(_) | Err(_) => return Heard::Gone,
        };
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmCredentials(credentials) = message {
                self.speaker = Some(credentials.pid);
            }
        }
        self.listener.hear(&buffer[..length]).map_or(Heard::Gone, Heard::Said)
    }

    pub(super) fn ask(&mut self, asked: &[u8]) {
        self.outgoing.extend_from_slice(asked);
        self.push();
    }

    pub(super) fn has_more(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// Gives as much as is taken without a wait. That nobody takes it any more is heard, not seen here.
    pub(super) fn push(&mut self) {
        while !self.outgoing.is_empty() {
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            match send(&self.socket, &self.outgoing, flags) {
                Ok(taken) => drop(self.outgoing.drain(..taken)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.outgoing.clear(),
            }
        }
    }

    /// Interrupts the interpreter and what it started and waits for, as the key does at a terminal.
    pub(super) fn interrupt(&self) {
        let Some(speaker) = self.speaker else { return };
        let own = getpgid(None).ok();
        if let Ok(group) = getpgid(Some(speaker))
            && Some(group) != own
        {
            let _ = kill_process_group(group, Signal::INT);
        }
    }

    /// The driver reads the end of its input, and ends.
    pub(super) fn hang_up(&self) {
        let _ = shutdown(&self.socket, Shutdown::Write);
    }
}

/// Processor time of a process and of those of its children that it waited for.
fn cpu_of(pid: Pid) -> Option<Duration> {
    /// The kernel's clock ticks as shown in /proc, fixed at 100 for everybody.
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name stands in parentheses and may hold anything: fields begin after the last one.
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().collect();
    let ticks: u64 = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
    Some(TICK * u32::try_from(ticks).unwrap_or(u32::MAX))
}
