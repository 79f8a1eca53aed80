//! The workspace of an agent's session, decided at its first command and kept for the later ones and for its last message.
//!
//! It lies in the private cache folder, which no sandbox shows, and is authenticated with the seal key. What cannot be read or
//! written is an error: without it a session could choose its workspace again.

use super::workspace::Workspace;
use crate::cli::agent::Agent;
use actum_engine::Surroundings;
use actum_engine::clock;
use actum_gate::own;
use actum_model::{SealKey, SealKind};
use actum_store::Keyring;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Sessions are resumed after days, seldom after weeks. In seconds, since the last use.
const LONGEST: u64 = 60 * DAY;
/// How often the time of the last use is renewed.
const DAY: u64 = 24 * 60 * 60;

pub(super) struct Session {
    folder: PathBuf,
    file: PathBuf,
    /// What the seal is about.
    about: String,
    key: SealKey,
}

impl Session {
    pub(super) fn new(agent: Agent, id: &str, surroundings: &Surroundings) -> Self {
        let about = format!("{} {id}", agent.name());
        let folder = surroundings.cache.join("hook/sessions");
        let name = actum_model::Digest::of(about.as_bytes()).to_string();
        let file = folder.join(name.replace(':', "-"));
        Self { folder, file, about, key: Keyring::at(&surroundings.keys).seal_key() }
    }

    /// The workspace of the session; `choose` is asked at the first command.
    pub(super) fn workspace(
        &self,
        choose: impl FnOnce() -> Result<Workspace, String>,
    ) -> Result<Workspace, String> {
        let failed = |why: String| format!("cannot use the workspace of the agent's session: {why}");
        own::private_folder(&self.folder).map_err(|error| failed(error.to_string()))?;
        if let Some(workspace) = self.read().map_err(failed)? {
            return Ok(workspace);
        }
        remove_old(&self.folder);
        let chosen = choose()?;
        match own::create_new(&self.file, &self.sealed(&chosen).map_err(failed)?) {
            Ok(()) => Ok(chosen),
            // Another command of the session was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                self.read().map_err(failed)?.ok_or_else(|| failed("it is gone".to_owned()))
            }
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// The workspace that was kept, if there is one.
    pub(super) fn kept(&self) -> Result<Option<Workspace>, String> {
        self.read().map_err(|why| format!("cannot use the workspace of the agent's session: {why}"))
    }

    fn read(&self) -> Result<Option<Workspace>, String> {
        let bytes = match own::read(&self.file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{}: {error}", self.file.display())),
        };
        let body = self.key.open(SealKind::HookSession, &self.about, &bytes);
        let body = body.map_err(|error| error.to_string())?;
        let workspace = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        if unused_for(&self.file) > DAY {
            own::replace(&self.file, &bytes).map_err(|error| error.to_string())?;
        }
        Ok(Some(workspace))
    }

    fn sealed(&self, workspace: &Workspace) -> Result<Vec<u8>, String> {
        let body = serde_json::to_vec(workspace).map_err(|error| error.to_string())?;
        self.key.seal(SealKind::HookSession, &self.about, &body).map_err(|error| error.to_string())
    }
}

/// Seconds since a file was written.
fn unused_for(file: &Path) -> u64 {
    let written = rustix::fs::lstat(file).map_or(0, |about| about.st_mtime);
    (clock::now().milliseconds() / 1000).saturating_sub(u64::try_from(written).unwrap_or_default())
}

fn remove_old(folder: &Path) {
    let files = own::names(folder).unwrap_or_default().into_iter().map(|name| folder.join(name));
    for old in files.filter(|file| unused_for(file) > LONGEST) {
        let _ = own::remove_file(&old);
    }
}
