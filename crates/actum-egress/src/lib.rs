//! The only way out of a sandbox whose network is granted host by host.
//!
//! The sandbox's init opens listeners on its own loopback and hands us the descriptors; we accept on them from the
//! host's side. The program inside has no route, so what is not carried by this room does not leave. A socket stays in
//! the network namespace it was made in: what we accept on is the sandbox's, what we dial from is the host's.
//!
//! The story of a connection: `gate` lets it in (one of 128), `carry` reads what is asked for, `judge` says yes
//! or no, and every verdict goes into `decided`. Judgement (`asked`, `address`, `judge`) and readers (`read/`) are
//! pure; hands (`gate`, `carry/`, `crew`, `outside`) only carry out. Start reading at [`Egress::start`], then
//! `judge.rs`. What this wall does not keep in is said in docs/design/egress.md.

mod address;
mod asked;
mod caps;
mod carry;
mod clock;
mod crew;
mod decided;
mod desk;
mod egress;
mod environment;
mod error;
mod gate;
mod judge;
mod outside;
mod read;
mod serve;
mod words;

pub use address::is_public;
pub use caps::Caps;
pub use decided::Decided;
pub use egress::{Egress, Forward, Gates};
pub use environment::proxy_variables;
pub use error::EgressError;
pub use outside::{Dial, Outside, Resolve};
pub use serve::{Server, serve, stop};
