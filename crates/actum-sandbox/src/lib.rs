//! Start a process that can touch only what the policy grants, and say truthfully how it was confined.
//!
//! The story: `main` forks the [`Warden`] before anything else. [`Machine::survey`] looks at what of the system and its
//! runtimes may be shown, [`Sandboxes::open`] lets the warden break ground and so finds out what this machine can do.
//! [`Sandboxes::start`] turns a [`Request`] into an order (`plan`, pure), has it carried out (`warden`, `init`), and
//! gives an [`Attempt`] to supervise. All `unsafe` is in [`sys`].

mod attempt;
mod cgroup;
pub mod changes;
mod clock;
mod disk;
mod environment;
mod error;
mod examine;
mod fence;
mod frame;
mod gather;
mod host;
mod init;
mod machine;
mod note;
mod order;
mod plan;
mod request;
mod sandboxes;
pub mod seccomp;
pub mod sys;
mod trees;
mod warden;

pub use attempt::{Attempt, Ended, Nowhere, Output, Phases, Resized, Watching};
pub use environment::Variable;
pub use error::SandboxError;
pub use examine::Abilities;
pub use init::gates::PROXY_PORT;
pub use machine::{Machine, find_command};
pub use order::Terminal;
pub use request::Request;
pub use sandboxes::{Sandboxes, Start, Streams};
pub use warden::Warden;
