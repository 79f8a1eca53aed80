//! An interpreter that stays between calls, so that variables last.
//!
//! The first call with a name starts a *holder*: this program again, detached, with a warden of its own, that starts one
//! attempt in which a Python or Bash with a small driver reads what it is asked to do. Every call, the first too, is a
//! client of the holder over a Unix socket in the session's folder. [`call`] is the client, [`serve`] the holder,
//! `python.py` and `bash.sh` are the drivers. See docs/design/sessions.md.
//!
//! Judgement apart from hands: `wire` (client and holder), `driver` (holder and driver), `stage` (when a call is asked to
//! stop and when it is killed) and `differ` (whether a call fits its session) touch nothing. `place` knows the folders and
//! locks, `relay` takes the output, `desk` is the holder's loop.

mod client;
mod control;
mod desk;
mod differ;
mod driver;
mod error;
mod guest;
mod holder;
mod line;
mod name;
mod place;
mod relay;
mod stage;
#[cfg(test)]
mod tests;
mod wire;

pub use client::{call, list, stop};
pub use differ::Difference;
pub use driver::{Echo, Language};
pub use error::SessionError;
pub use holder::serve;
pub use name::{SessionName, SessionNameError};
pub use place::Place;
pub(crate) use wire::parse_frames;
pub use wire::{Fate, Reply, Seen, Settled, Standing};

use actum_changes::settle::Keeping;
use actum_model::{Span, Tier};
use actum_sandbox::Request;
use std::ffi::OsString;

/// One call, as asked.
#[derive(Debug, Clone)]
pub struct Call {
    pub name: SessionName,
    pub language: Language,
    /// What the session's attempt is to be like. Its command is the interpreter alone (`python3`, `bash`). `limits.wall` is
    /// this call's; the other limits are those of the session's whole life.
    pub request: Request,
    /// The highest tier of walls to use.
    pub ceiling: Tier,
    pub code: Vec<u8>,
    /// What tracebacks call the code; a name of its own for each call where there is none.
    pub file: Option<String>,
    pub arguments: Vec<OsString>,
    pub echo: Echo,
    /// How long the session stays without a call. Heard when the session starts.
    pub idle: Span,
    /// Where the session's changes are kept: with the run that starts it. Heard when the session starts.
    pub keeping: Keeping,
}

/// 30 minutes: longer than an agent thinks between two calls, shorter than a day of forgotten memory.
pub const IDLE: Span = Span::seconds(30 * 60);
