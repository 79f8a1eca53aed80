//! Workers of our own that are handed what strangers wrote: inside the walls, without a network, with seconds to live.

use actum_model::{Bytes, Grant, Network, Profile, Span, WorkspaceMode};
use actum_sandbox::Request;
use rustix::fd::OwnedFd;
use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

/// How long a worker lives, and how much memory it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leave {
    pub(crate) patience: Span,
    pub(crate) memory: Bytes,
}

/// What the sandbox is asked for: it sees itself, the folder that it is started in, and what it is handed on stdin.
pub(crate) fn request(folder: &Path, attempt: &Request, command: Vec<OsString>, leave: Leave) -> Request {
    let mut request = attempt.clone();
    request.policy = Profile::Default.policy();
    request.policy.network = Network::None;
    request.policy.workspace = WorkspaceMode::ReadOnly;
    request.policy.grants = command.first().map(|program| Grant::Read(program.into())).into_iter().collect();
    request.command = command;
    request.workspace = folder.to_path_buf();
    request.folder = folder.to_path_buf();
    request.granted_variables = Vec::new();
    request.limits.wall = leave.patience;
    request.limits.memory = leave.memory;
    request.grace = Span::default();
    request.terminal = None;
    request.layer = None;
    request.forwards.clear();
    request.listeners.clear();
    request.shown_at = None;
    request
}

/// A file in memory, read from its beginning: a pipe would be full before the reader starts.
pub(crate) fn in_memory(pieces: &[&[u8]]) -> io::Result<OwnedFd> {
    let memory = memfd_create("handed-over", MemfdFlags::CLOEXEC)?;
    let mut file = actum_gate::File::from(memory);
    pieces.iter().try_for_each(|piece| file.write_all(piece))?;
    let memory = OwnedFd::from(file);
    seek(&memory, SeekFrom::Start(0))?;
    Ok(memory)
}
