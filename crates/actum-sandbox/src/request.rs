//! What the door asks this room for.

use crate::environment::Variable;
use crate::order::Terminal;
use actum_model::{Limits, Policy, Span};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// One attempt, as asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    pub policy: Policy,
    pub limits: Limits,
    /// How long a program that is to stop has after its signal before everything is killed. Zero: no signal, killed.
    pub grace: Span,
    /// Run it on a terminal of its own instead of on streams.
    pub terminal: Option<Terminal>,
    /// The folder that the program may change, absolute and without links.
    pub workspace: PathBuf,
    /// Where the program starts; the workspace or below it.
    pub folder: PathBuf,
    /// The command and its arguments.
    pub command: Vec<OsString>,
    /// The caller's variables; most of them stay outside.
    pub variables: Vec<(OsString, OsString)>,
    pub granted_variables: Vec<Variable>,
    /// What leads a program to the gates of the allow-list, if they are opened: see [`crate::PROXY_PORT`].
    pub gate_variables: Vec<(OsString, OsString)>,
    /// Ports of the program's own loopback that lead to one server each; handed out behind the gates, so only where hosts
    /// are granted.
    pub forwards: Vec<u16>,
    /// Where layers on disk and temporary folders may be made.
    pub layers: PathBuf,
    pub home: Option<PathBuf>,
    /// Folders of ours that no program sees, wherever they lie: what is kept there is trusted later. Absolute, without links.
    pub hidden: Vec<PathBuf>,
    /// A folder on disk that keeps the workspace's layer from one attempt to the next, so that the second sees what the
    /// first changed. The caller makes it, and takes it away with [`crate::remove_layer`].
    pub layer: Option<PathBuf>,
}
