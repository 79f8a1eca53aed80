//! What a client and the holder say to each other. Judgement only.
//!
//! Frames: one byte for the kind, four for the length, the body. Words are JSON, because what is told is the model's own
//! types; code and output are bytes as they are.

use super::differ::Difference;
use super::driver::{Echo, Language};
use super::name::SessionName;
use actum_model::{Applied, Change, Confinement, Conflict, Ending, Moment, Span, Tier, Usage};
use actum_sandbox::Request;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// What a client asks.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Asked {
    /// Its code came before it.
    Call(Box<CallAsked>),
    Cancel,
    Stop(Fate),
    Look,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CallAsked {
    pub(super) language: Language,
    pub(super) request: Request,
    pub(super) ceiling: Tier,
    pub(super) file: Option<String>,
    pub(super) arguments: Vec<OsString>,
    pub(super) echo: Echo,
}

/// What the holder tells.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Told {
    Ended(Box<Reply>),
    Differs(Vec<Difference>),
    Seen(Seen),
    Stopped(Settled),
    /// The session ends and takes nothing on.
    Leaving,
}

/// What is to become of a session's changes when it is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// Applied to the workspace, as after a run that ended well.
    Apply,
    Discard,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    pub ending: Ending,
    /// Of this call. `cpu` counts the interpreter and those of its children that it waited for.
    pub usage: Usage,
    pub confinement: Confinement,
    /// The session began with this call.
    pub fresh: bool,
    pub standing: Standing,
}

/// What became of the session meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    Lives,
    /// The interpreter is gone and everything that it knew with it.
    Gone(Settled),
}

/// What became of a session's changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    pub applied: Applied,
    pub changes: Vec<Change>,
    /// What prevented them from being applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// The run that they are kept with: `actum changes RUN`, `actum apply RUN`, `actum undo RUN`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What went wrong with them, if something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A session as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub name: SessionName,
    pub language: Language,
    pub workspace: PathBuf,
    /// The holder.
    pub pid: u32,
    pub started: Moment,
    pub calls: u64,
    /// Whether a call is being carried out.
    pub busy: bool,
    /// How long the last call is over.
    pub quiet: Span,
    pub idle: Span,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Frame {
    Words(Vec<u8>),
    Code(Vec<u8>),
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
}

/// 64 MiB: more code than anybody writes, less than hurts.
pub(super) const LARGEST: usize = 64 << 20;
const HEAD: usize = 5;

impl Frame {
    pub(super) fn words<T: Serialize>(words: &T) -> io::Result<Self> {
        Ok(Self::Words(serde_json::to_vec(words)?))
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Words(_) => 0,
            Self::Code(_) => 1,
            Self::Stdout(_) => 2,
            Self::Stderr(_) => 3,
        }
    }

    fn body(&self) -> &[u8] {
        match self {
            Self::Words(body) | Self::Code(body) | Self::Stdout(body) | Self::Stderr(body) => body,
        }
    }

    fn of(kind: u8, body: Vec<u8>) -> Option<Self> {
        match kind {
            0 => Some(Self::Words(body)),
            1 => Some(Self::Code(body)),
            2 => Some(Self::Stdout(body)),
            3 => Some(Self::Stderr(body)),
            4.. => None,
        }
    }

    pub(super) fn put(&self, into: &mut Vec<u8>) {
        into.push(self.kind());
        into.extend_from_slice(&(self.body().len() as u32).to_le_bytes());
        into.extend_from_slice(self.body());
    }
}

/// Reads what a frame of words says.
pub(super) fn understand<T: DeserializeOwned>(words: &[u8]) -> io::Result<T> {
    serde_json::from_slice(words).map_err(io::Error::from)
}

/// Puts frames together from what comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    waiting: Vec<u8>,
    /// So much of it was given out. Moved away when more arrives, not after each frame: many small ones would take quadratic time.
    taken: usize,
}

impl Incoming {
    pub(super) fn add(&mut self, piece: &[u8]) {
        self.waiting.drain(..self.taken);
        self.taken = 0;
        self.waiting.extend_from_slice(piece);
    }

    /// The next frame, if all of it is there.
    pub(super) fn next(&mut self) -> io::Result<Option<Frame>> {
        let Some((head, rest)) = self.waiting[self.taken..].split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let [kind, length @ ..] = *head;
        let length = u32::from_le_bytes(length) as usize;
        if length > LARGEST {
            return Err(io::Error::other("a message is too large"));
        }
        if rest.len() < length {
            return Ok(None);
        }
        let body = rest[..length].to_vec();
        self.taken += HEAD + length;
        Frame::of(kind, body).map(Some).ok_or_else(|| io::Error::other("a message of unknown type"))
    }
}

/// Reads frames and what they say as both sides do, and drops it.
pub(crate) fn parse_frames(bytes: &[u8]) {
    let mut incoming = Incoming::default();
    for piece in bytes.chunks(4096) {
        incoming.add(piece);
        while let Ok(Some(frame)) = incoming.next() {
            if let Frame::Words(words) = frame {
                let _ = (understand::<Asked>(&words).is_ok(), understand::<Told>(&words).is_ok());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame() -> impl Strategy<Value = Frame> {
        (0..4_u8, prop::collection::vec(any::<u8>(), 0..300))
            .prop_map(|(kind, body)| Frame::of(kind, body).unwrap())
    }

    proptest! {
        #[test]
        fn frames_arrive_however_they_are_cut(
            frames in prop::collection::vec(frame(), 0..12),
            cut in 1..400_usize,
        ) {
            let mut bytes = Vec::new();
            frames.iter().for_each(|frame| frame.put(&mut bytes));
            let mut incoming = Incoming::default();
            let mut arrived = Vec::new();
            for piece in bytes.chunks(cut) {
                incoming.add(piece);
                while let Some(frame) = incoming.next().unwrap() {
                    arrived.push(frame);
                }
            }
            prop_assert_eq!(arrived, frames);
            prop_assert_eq!(incoming.waiting.len(), incoming.taken);
        }

        #[test]
        fn garbage_is_an_error_or_waits(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut incoming = Incoming::default();
            incoming.add(&bytes);
            while let Ok(Some(_)) = incoming.next() {}
        }
    }

    #[test]
    fn a_length_beyond_all_is_refused_before_it_is_waited_for() {
        let mut incoming = Incoming::default();
        incoming.add(&[0, 255, 255, 255, 255]);
        assert!(incoming.next().is_err());
    }
}
