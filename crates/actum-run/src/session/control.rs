//! The holder's end of the control socket.

use super::driver::{Listener, Said};
use actum_sandbox::sys::{group_of, session_of};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, Shutdown, SocketFlags,
    SocketType, recvmsg, send, shutdown, socketpair, sockopt,
};
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open};
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Control {
    socket: OwnedFd,
    listener: Listener,
    /// What the driver has still to be given.
    outgoing: Vec<u8>,
    speaker: Option<Speaker>,
    /// The session of the first speaker, which spoke before any code of a caller ran. A process of another session is not
    /// part of what we started.
    session: Option<i32>,
}

/// The process that spoke last. Held by descriptor: a number alone may be another process's by now.
#[derive(Debug)]
struct Speaker {
    pid: Pid,
    process: OwnedFd,
}

impl Speaker {
    /// The process with this number, if it lives and is of this session.
    fn find(pid: Pid, session: Option<i32>) -> Option<(Self, i32)> {
        let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        let found = session_of(pid).ok()?;
        let speaker = Self { pid, process };
        // Alive still: then it was its session that we were told.
        (speaker.lives() && session.is_none_or(|session| session == found)).then_some((speaker, found))
    }

    /// Whether it has not ended. As long as it has not, its number is nobody else's.
    fn lives(&self) -> bool {
        let mut list = [PollFd::new(&self.process, PollFlags::IN)];
        matches!(poll(&mut list, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(0))
    }
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
        let (listener, outgoing) = (Listener::default(), Vec::new());
        Ok((Self { socket, listener, outgoing, speaker: None, session: None }, inside))
    }

    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// The interpreter, once it has spoken, and what it has used.
    pub(super) fn cpu(&self) -> Option<(Pid, Duration)> {
        let speaker = self.speaker.as_ref()?;
        let cpu = cpu_of(speaker.pid)?;
        // Alive still: then it was its time that we read.
        speaker.lives().then_some((speaker.pid, cpu))
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
                self.heard_from(credentials.pid);
            }
        }
        self.listener.hear(&buffer[..length]).map_or(Heard::Gone, Heard::Said)
    }

    /// Somebody who is not of the session is not taken for the interpreter: the message stands, but no signal goes there.
    fn heard_from(&mut self, pid: Pid) {
        if self.speaker.as_ref().is_some_and(|speaker| speaker.pid == pid && speaker.lives()) {
            return;
        }
        if let Some((speaker, session)) = Speaker::find(pid, self.session) {
            self.session.get_or_insert(session);
            self.speaker = Some(speaker);
        }
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
        let Some(speaker) = &self.speaker else { return };
        let Ok(Some(group)) = group_of(speaker.pid) else { return };
        // Looked at after the group was read: a process that lives keeps its number and its group's.
        if speaker.lives() && group_of(getpid()).is_ok_and(|own| own != Some(group)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn only_a_living_process_of_the_session_is_a_speaker() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let pid = Pid::from_child(&child);
        let own = session_of(getpid()).unwrap();
        let (speaker, session) = Speaker::find(pid, None).unwrap();
        assert!(session == own && speaker.lives());
        assert!(Speaker::find(pid, Some(own)).is_some());
        assert!(Speaker::find(pid, Some(own + 1)).is_none(), "another session");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!speaker.lives());
        assert!(Speaker::find(pid, Some(own)).is_none());
    }

    /// The last one that spoke has ended, and its number may be another's: nobody is signalled, nothing is told about it.
    #[test]
    fn a_speaker_that_ended_gets_no_signal() {
        let (mut control, _inside) = Control::pair().unwrap();
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        control.heard_from(Pid::from_child(&child));
        assert!(control.cpu().is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(control.cpu().is_none());
        control.interrupt();
        // Whoever speaks later has to be of the same session.
        control.session = Some(session_of(getpid()).unwrap() + 1);
        control.heard_from(getpid());
        assert!(control.cpu().is_none());
    }
}
