//! The gate for foreign input: opens files that somebody else may have written, and nothing but files.
//!
//! - [`Root`]: names below one folder (a workspace, a project, an unpacked package). They cannot leave it.
//! - [`read_named`], [`open_named`]: a path that the user typed. Links are followed, because the user chose it; devices are
//!   refused and sizes are bounded all the same.
//! - [`own`]: folders and files of Actum itself, where another user could have been there first.
//!
//! What comes out is bytes, [`Untrusted`](actum_model::Untrusted) text, or an open regular file. Errors say which file and
//! why. No clock, no environment variables, no network. The threat model is docs/security/threat-model.md.

mod error;
mod facts;
mod named;
mod open;
pub mod own;
mod root;

pub use error::GateError;
pub use facts::{Facts, Kind, Owner};
pub use named::{
    Resolved, is_own_descriptor, list_named, open_named, read_named, read_named_or_pipe, read_named_text,
    real_path,
};
pub use root::{Root, Walked};
/// An open file. Only this crate opens files by name.
pub use std::fs::File;
/// What the system says about a file, for checks of owner and mode.
pub use std::fs::Metadata;

/// The largest number of bytes that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound(pub u64);

impl Bound {
    /// Configuration, manifests, front matter: written by hand.
    pub const SMALL: Self = Self::mib(1);
    /// Programs, answers, notebooks.
    pub const SOURCE: Self = Self::mib(64);

    pub const fn mib(mebibytes: u64) -> Self {
        Self(mebibytes << 20)
    }
}
