//! Start a process that can touch only what the policy grants, and say truthfully how it was confined.
//!
//! The story: `main` forks the [`Warden`] before anything else. [`Opening::begin`] lets it break ground, while
//! [`Machine::survey`] looks for runtimes that may be shown; [`Opening::finish`] tells what this machine can do.
//! [`Sandboxes::start`] turns a [`Request`] into an order (`plan`, pure), has it carried out (`warden`, `init`), and
//! gives an [`Attempt`] to supervise. All `unsafe` is in [`sys`].

mod aside;
mod attempt;
mod cgroup;
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
mod protect;
mod request;
mod sandboxes;
mod search;
pub mod seccomp;
pub mod sys;
mod trees;
mod warden;

pub use aside::{Aside, AsideProcess, aside, serve_aside, start_aside};
pub use attempt::{Attempt, Ended, Lasts, Nowhere, Output, Phases, Resized, Watching};
pub use disk::remove as remove_layer;
pub use environment::{Variable, handed_over};
pub use error::SandboxError;
pub use examine::Abilities;
pub use gather::graphics_cards;
pub use init::gates::PROXY_PORT;
pub use machine::{
    Distrust, KeyRow, Machine, SYSTEM_FOLDERS, ToolPlaces, TrustedTool, find_command, key_rows, note_written,
};
pub use order::Terminal;
pub use protect::{Guard, ProtectedRow, folded, protected_rows};
pub use request::{Request, Stores};
pub use sandboxes::{Leaves, Opening, Sandboxes, Start, Streams, View};
pub use warden::Warden;
