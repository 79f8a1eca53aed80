//! What the door asks this room for.

use crate::environment::Variable;
use crate::machine::{ToolPlaces, note_written};
use crate::order::Terminal;
use actum_model::{Bytes, Grant, Limits, Policy, Span};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Stores of other projects that a run could reach.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Stores {
    /// Those that there were when the run was asked for. Absolute, without links.
    pub known: Vec<PathBuf>,
    /// The file that lists them, paths that each end in a NUL: read again after a run that wrote directly, because a store
    /// may have been made meanwhile.
    pub list: Option<PathBuf>,
}

impl Stores {
    /// Those that were made meanwhile. A list that cannot be read lists none. What stands now in the place of one that was known is not
    /// among them: a program can move a folder away and put a store of its own there.
    pub fn made_meanwhile(&self) -> Vec<PathBuf> {
        let text = self.list.as_ref().and_then(|list| std::fs::read(list).ok()).unwrap_or_default();
        let listed = text.split(|byte| *byte == 0).map(|path| PathBuf::from(OsStr::from_bytes(path)));
        listed.filter(|path| path.is_absolute() && !self.known.contains(path)).collect()
    }
}

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
    /// The most that may be written to granted folders, where that is not a part of `limits.disk`: tools of ours that fill
    /// a cache.
    pub written: Option<Bytes>,
    /// Folders that the user granted: sockets of the machine in them are hidden.
    pub searched: Vec<PathBuf>,
    /// Where layers on disk and temporary folders may be made.
    pub layers: PathBuf,
    pub home: Option<PathBuf>,
    /// Folders of ours that no program sees, wherever they lie: what is kept there is trusted later. Absolute, without links.
    pub hidden: Vec<PathBuf>,
    /// Stores of other projects of the same user. They are hidden like `hidden` where there are mounts; a run is not
    /// refused because of them, since what they hold is authenticated.
    pub stores: Stores,
    /// A folder on disk that keeps the workspace's layer from one attempt to the next, so that the second sees what the
    /// first changed. The caller makes it, and takes it away with [`crate::remove_layer`].
    pub layer: Option<PathBuf>,
    /// Where the program sees the workspace, if not at its own path. Needs a mount namespace.
    pub shown_at: Option<PathBuf>,
    /// Ports of the program's own loopback that the caller serves. They are opened where the sandbox has a network of its own.
    pub listeners: Vec<u16>,
}

impl Request {
    /// The path at which the program sees the workspace.
    pub fn seen_workspace(&self) -> &Path {
        self.shown_at.as_deref().unwrap_or(&self.workspace)
    }

    /// A word or a value with the workspace's own path replaced by the one at which the program sees it.
    pub(crate) fn seen(&self, text: &OsStr) -> OsString {
        let Some(shown) = &self.shown_at else { return text.to_owned() };
        let (own, shown) = (self.workspace.as_os_str().as_bytes(), shown.as_os_str().as_bytes());
        let mut seen = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let Some(at) = rest.windows(own.len()).position(|part| part == own) {
            seen.extend_from_slice(&rest[..at]);
            seen.extend_from_slice(shown);
            rest = &rest[at + own.len()..];
        }
        seen.extend_from_slice(rest);
        OsString::from_vec(seen)
    }

    /// Which programs may be used as tools beside this request: none that its programs could have written, nor those of the
    /// earlier runs that are noted in `cache`.
    pub fn tool_places(&self, cache: &Path) -> ToolPlaces {
        let granted = self.policy.grants.iter().filter_map(|grant| match grant {
            Grant::Write(folder) => Some(folder.clone()),
            Grant::Read(_) => None,
        });
        let start = Some(self.folder.clone()).filter(|folder| !folder.starts_with(&self.workspace));
        let written: Vec<PathBuf> =
            [self.workspace.clone()].into_iter().chain(start).chain(granted).collect();
        ToolPlaces::new(self.home.as_deref(), &written, Some(cache)).with_variables(&self.variables)
    }

    /// Notes the folders that its programs may write, for later runs.
    pub fn note_written(&self, cache: &Path) {
        let granted = self.policy.grants.iter().filter_map(|grant| match grant {
            Grant::Write(folder) => Some(folder.as_path()),
            Grant::Read(_) => None,
        });
        let folders: Vec<&Path> = [self.workspace.as_path()].into_iter().chain(granted).collect();
        note_written(cache, &folders);
    }
}
