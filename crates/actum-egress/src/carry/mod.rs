//! Carries one client's bytes out, once they have been judged.
//!
//! [`proxy`] tells HTTP from SOCKS5 by the first byte; `http` and `socks` read what is asked for; `way_out` judges,
//! looks up and dials; `tunnel` judges the stream's first bytes and `relay` moves the rest; `body` moves exactly one
//! request's body. [`answerer`] is the DNS side, [`forward`] leads to one named server. Everything is read through `inlet`, which bounds size and time.

pub(crate) mod answerer;
pub(crate) mod forward;
pub(crate) mod proxy;

mod body;
mod http;
mod inlet;
mod relay;
mod socks;
mod tunnel;
mod way_out;
