//! Prepares environments: what a program needs around it, made once, kept by what it holds, and shown to runs read-only.
//!
//! [`prepare`] tells the story: what is wanted is looked up; else it is resolved to a lock, and the lock is the identity of an
//! environment that is looked up again; else it is built, and kept. Tools run inside the walls with the package index as
//! their whole network (`confined`, `index`); packages come as wheels, and nothing of them runs before the program does.
//!
//! What is promised: an environment is there whole or not at all, whoever is killed when; the same one is built once, however
//! many want it; one that is there costs the reading of two small files. docs/design/environments.md says why.
//!
//! | word | files |
//! |---|---|
//! | declared | `declared/`: what a project's own files say |
//! | wanted, prepared | `wanted`, `error` |
//! | Python, Node | `python`, `node`: what each wish and each lock is; `once`: how one is made once |
//! | travel | `era` (which day fits an interpreter), `scout/` (which release still has a name) |
//! | others | `others`: languages that the user installs for |
//! | find | `candidates`, `uv`, `interpreter`, `shim`; `own` (an interpreter that a project brings) |
//! | resolve | `requirement` (one line, parsed), `resolve`, `index`, `words`, `source` (wheels from sources) |
//! | build, keep | `build`, `old` (Python 2), `bytecode.py`, `data`, `cache`; `collect` makes room |

mod build;
mod cache;
mod candidates;
mod clock;
mod collect;
mod confined;
mod data;
pub mod declared;
pub mod era;
mod error;
mod index;
mod interpreter;
pub mod needs;
mod node;
mod old;
mod once;
mod others;
mod own;
pub mod packages;
mod python;
mod requirement;
mod resolve;
pub mod scout;
mod shim;
mod source;
mod uv;
mod wanted;
mod wish;
mod words;

pub use candidates::ToolCandidates;
pub use candidates::is_script;
pub use collect::{Collected, Keep, collect};
pub use error::{PrepareError, Trouble};
pub use interpreter::{Interpreter, Range, Version, ask, choose, holds_module, interpreters};
pub use node::{NodeProject, WantedNode, prepare_node};
pub use others::unsupported;
pub use own::OwnPython;
pub use python::prepare;
pub use wanted::{
    Builds, Carrier, Judge, Kit, Locked, Newest, Packages, Prepared, ProjectLock, Reach, Registry, Stage,
    Wanted,
};
pub use wish::{Of, Wish, bare};

use actum_model::{Digest, Grant, Span};
use cache::Cache;
use std::io;

/// The name of the project that something is prepared for, as a folder: what its packages' code made stays with it.
fn project_of(kit: &Kit<'_>) -> String {
    use std::os::unix::ffi::OsStrExt;
    Digest::of(kit.attempt.workspace.as_os_str().as_bytes()).to_string()
}

/// The name in front of a requirement.
pub(crate) fn name_of(requirement: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let end = requirement.trim_start().find(|c| !is_name(c)).unwrap_or(requirement.trim_start().len());
    &requirement.trim_start()[..end]
}

impl Prepared {
    fn new(cache: &Cache, found: once::Found, took: Span) -> Self {
        let once::Found { manifest, in_use, cached } = found;
        let folder = cache.kept(&manifest.key);
        let shown = folder.to_string_lossy();
        let led = |(name, value): &(String, String)| (name.into(), value.replace("{}", &shown).into());
        Self {
            key: manifest.key,
            interpreter: folder.join(&manifest.program),
            packages: manifest.packages,
            lock: manifest.lock,
            tool: manifest.tool,
            cached,
            took,
            grants: vec![Grant::Read(folder.clone())],
            variables: manifest.variables.iter().map(led).collect(),
            path: manifest.path.iter().map(|below| folder.join(below)).collect(),
            notes: manifest.notes,
            folder,
            _in_use: in_use,
        }
    }

    /// The lock: requirements with their hashes.
    pub fn lock_text(&self) -> io::Result<String> {
        actum_gate::own::read_text(&self.folder.join(cache::LOCK))
    }
}

/// The text of a user's settings for pip, uv or npm.
fn settings_text(path: &std::path::Path) -> Option<String> {
    actum_gate::read_named_text(path, actum_gate::Bound::SMALL).ok().map(actum_model::Untrusted::into_string)
}
