//! One client as the holder sees it.

use super::wire::{Asked, CallAsked, Fate, Frame, Incoming, Told, understand};
use rustix::fd::AsFd;
use rustix::net::sockopt;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;

#[derive(Debug)]
pub(super) struct Guest {
    pub(super) number: u64,
    pub(super) socket: UnixStream,
    incoming: Incoming,
    outgoing: Vec<u8>,
    code: Option<Vec<u8>>,
    pub(super) is_gone: bool,
    /// It wants its call to be stopped.
    pub(super) has_cancelled: bool,
}

/// What a guest wants.
#[derive(Debug)]
pub(super) enum Wish {
    Call { asked: Box<CallAsked>, code: Vec<u8> },
    Stop(Fate),
    Look,
}

/// 256 KiB: what waits for a slow client before nothing more is taken for it.
const MOST: usize = 256 << 10;

impl Guest {
    /// Lets in who has the same user id as we do, and nobody else.
    pub(super) fn welcome(number: u64, socket: UnixStream) -> io::Result<Self> {
        let peer = sockopt::socket_peercred(socket.as_fd())?;
        if peer.uid != rustix::process::geteuid() {
            return Err(ErrorKind::PermissionDenied.into());
        }
        socket.set_nonblocking(true)?;
        Ok(Self {
            number,
            socket,
            incoming: Incoming::default(),
            outgoing: Vec::new(),
            code: None,
            is_gone: false,
            has_cancelled: false,
        })
    }

    /// Reads once; gives the wishes that are now whole.
    pub(super) fn listen(&mut self) -> Vec<Wish> {
        let mut buffer = vec![0; 64 << 10];
        match self.socket.read(&mut buffer) {
            Ok(length @ 1..) => self.incoming.add(&buffer[..length]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Ok(0) | Err(_) => self.is_gone = true,
        }
        let mut wishes = Vec::new();
        loop {
            match self.incoming.next() {
                Ok(Some(frame)) => wishes.extend(self.take(frame)),
                Ok(None) => return wishes,
                Err(_) => {
                    self.is_gone = true;
                    return wishes;
                }
            }
        }
    }

    fn take(&mut self, frame: Frame) -> Option<Wish> {
        let words = match frame {
            Frame::Code(code) => {
                self.code = Some(code);
                return None;
            }
            Frame::Words(words) => words,
            Frame::Stdout(_) | Frame::Stderr(_) => return None,
        };
        match understand::<Asked>(&words) {
            Ok(Asked::Call(asked)) => Some(Wish::Call { asked, code: self.code.take().unwrap_or_default() }),
            Ok(Asked::Stop(fate)) => Some(Wish::Stop(fate)),
            Ok(Asked::Look) => Some(Wish::Look),
            Ok(Asked::Cancel) => {
                self.has_cancelled = true;
                None
            }
            // Another version of this program, perhaps.
            Err(_) => {
                self.is_gone = true;
                None
            }
        }
    }

    pub(super) fn tell(&mut self, told: &Told) {
        match Frame::words(told) {
            Ok(frame) => frame.put(&mut self.outgoing),
            Err(_) => self.is_gone = true,
        }
        self.push();
    }

    pub(super) fn pass(&mut self, frame: &Frame) {
        frame.put(&mut self.outgoing);
        self.push();
    }

    pub(super) fn has_room(&self) -> bool {
        self.outgoing.len() < MOST
    }

    pub(super) fn has_more(&self) -> bool {
        !self.outgoing.is_empty() && !self.is_gone
    }

    /// Writes as much as is taken without a wait.
    pub(super) fn push(&mut self) {
        while self.has_more() {
            match self.socket.write(&self.outgoing) {
                Ok(taken @ 1..) => drop(self.outgoing.drain(..taken)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Ok(0) | Err(_) => self.is_gone = true,
            }
        }
    }
}
