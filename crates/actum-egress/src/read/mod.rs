//! The readers: bytes from an untrusted program in, plain values out.
//!
//! One protocol a file: `head` (HTTP), `framing` (an HTTP body's length), `socks`, `hello` (TLS) and `dns`. Each is a
//! function over the bytes that have arrived so far, so that how they were cut into segments cannot matter. All are
//! pure and never index past the end: a panic here would take the supervisor with it.

pub(crate) mod dns;
pub(crate) mod framing;
pub(crate) mod head;
pub(crate) mod hello;
pub(crate) mod socks;

mod cursor;

/// How far the bytes at hand lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading<T> {
    /// The whole thing, and how many bytes it took.
    Whole { value: T, used: usize },
    /// Good so far; more is needed.
    Short,
    /// No continuation can make this right.
    Broken,
}
