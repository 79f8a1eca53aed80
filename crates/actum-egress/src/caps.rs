//! How much one sandbox may ask of us, and how long we wait for anything.

use std::time::Duration;

/// Bounds on what is held and waited for. The defaults are for real runs; tests shorten the times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Connections at once, DNS included: 128, two descriptors and two threads each, below the usual limit of 1024.
    pub connections: usize,
    /// A request's head: 32 KiB, four times what common servers take.
    pub head_bytes: usize,
    /// From being let in to the last byte of a request's head: 10 s, however slowly it drips.
    pub head_time: Duration,
    /// The same for a TLS hello, and for the silence before it on port 443: 10 s.
    pub hello_time: Duration,
    /// All attempts to dial one host together: 15 s.
    pub connect_time: Duration,
    /// Silence in both directions after which a connection is closed: 60 s.
    pub idle_time: Duration,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            connections: 128,
            head_bytes: 32 * 1024,
            head_time: Duration::from_secs(10),
            hello_time: Duration::from_secs(10),
            connect_time: Duration::from_secs(15),
            idle_time: Duration::from_secs(60),
        }
    }
}
