//! What a runtime says about its version, asked inside the walls: whatever PATH leads to is not ours.

use crate::listen::listen;
use crate::request::House;
use actum_gate::own;
use actum_languages::Installed;
use actum_model::{Network, Profile, Span, WorkspaceMode};
use actum_sandbox::{Sandboxes, find_command};
use rustix::fd::AsFd;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// What is installed on this machine, as a program of this request would find it.
pub(crate) struct Versions<'a> {
    pub(crate) house: &'a House<'a>,
    pub(crate) attempt: &'a actum_sandbox::Request,
}

impl Versions<'_> {
    /// A command as a person types it, where its name leads to the same file: programs tell their own name by it.
    pub(crate) fn typed(&self, mut command: Vec<OsString>) -> Vec<OsString> {
        if let Some(first) = command.first_mut() {
            let name = Path::new(first).file_name().map(OsStr::to_owned);
            let leads_there = |name: &OsString| {
                name.to_str().and_then(|name| self.find(name)).is_some_and(|found| found.as_os_str() == first)
            };
            if let Some(name) = name.filter(leads_there) {
                *first = name;
            }
        }
        command
    }
}

/// A version is told at once or not at all.
const PATIENCE: Span = Span::seconds(10);
/// And in a line or two.
const MOST: usize = 4096;

impl Installed for Versions<'_> {
    fn find(&self, command: &str) -> Option<PathBuf> {
        let path = self.attempt.variables.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.as_os_str()).unwrap_or_default();
        find_command(OsStr::new(command), path, &self.attempt.folder)
    }

    fn version(&self, program: &Path, arguments: &[OsString]) -> Option<String> {
        let mut request = self.attempt.clone();
        request.command =
            [program.as_os_str().to_owned()].into_iter().chain(arguments.iter().cloned()).collect();
        request.limits.wall = PATIENCE;
        request.grace = Span::default();
        request.terminal = None;
        if request.policy.profile != Profile::Open {
            request.policy.profile = Profile::Default;
            request.policy.network = Network::None;
        }
        request.policy.cards.clear();
        request.policy.workspace = WorkspaceMode::ReadOnly;
        told(self.house.sandboxes, &request).ok().flatten()
    }
}

/// What it prints to either stream.
fn told(sandboxes: &Sandboxes, request: &actum_sandbox::Request) -> io::Result<Option<String>> {
    let nothing = own::null()?;
    let heard = listen(sandboxes, request, nothing.as_fd(), MOST)?;
    let text = String::from_utf8_lossy(&[heard.stdout, heard.stderr].concat()).into_owned();
    Ok(heard.ending.is_success().then_some(text))
}
