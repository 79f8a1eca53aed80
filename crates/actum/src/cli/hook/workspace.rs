//! Which folder is the workspace of an agent's sandboxed commands.
//!
//! A sandboxed command can rename the folders of its workspace and put links in their place, so the folder that a later event
//! names may lead anywhere. Three rules keep the workspace where it was: a session has one workspace, decided at its first
//! command ([`super::session`]); a folder that is reached through a link which a program could have made is refused; and a
//! workspace never lies among keys, programs or the system, however it was reached. Start at [`Workspace::of_event`].

use super::event::{Event, SessionId};
use super::route::{find_project, project};
use super::session::Session;
use crate::cli::agent::Agent;
use actum_engine::Surroundings;
use actum_gate::own;
use actum_sandbox::protected_rows;
use actum_sandbox::{SYSTEM_FOLDERS, ToolPlaces, key_rows};
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A folder by its path without links and by what it is, so that another folder under its name is not taken for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Workspace {
    pub(super) path: PathBuf,
    device: u64,
    inode: u64,
}

impl Workspace {
    /// The workspace for the command of an event, or why there is none. `folder` is where the agent is.
    pub(super) fn of_event(
        agent: Agent,
        event: &Event,
        folder: &Path,
        surroundings: &Surroundings,
    ) -> Result<Self, String> {
        let choose = || Self::choose(folder, surroundings);
        let workspace = match event.session() {
            SessionId::Absent => choose()?,
            SessionId::Unknown => {
                return Err("the event has a session in an unknown form".to_owned());
            }
            SessionId::Text(id) => Session::new(agent, id, surroundings).workspace(choose)?,
        };
        workspace.check_unchanged()?;
        workspace.check_links(folder, surroundings)?;
        workspace.check_place(surroundings)?;
        let real = real_folder(folder)?;
        if !workspace.covers(&real) {
            return Err(format!(
                "the agent is in {}, outside the workspace of its session, {}",
                real.display(),
                workspace.path.display()
            ));
        }
        Ok(workspace)
    }

    /// Keeps the project of a session at its first event in one. Without a sandbox nothing depends on it but what its messages are
    /// compared with, so a failure is passed over.
    pub(super) fn keep(agent: Agent, event: &Event, surroundings: &Surroundings) {
        let folder = event.folder().unwrap_or_else(|| surroundings.folder.clone());
        let Ok(real) = real_folder(&folder) else { return };
        if let (SessionId::Text(id), Some(project)) = (event.session(), find_project(&real, surroundings)) {
            let _ = Session::new(agent, id, surroundings).workspace(|| Self::at(project.to_path_buf()));
        }
    }

    /// The project that a message of a session is about: the kept one, wherever the agent went since.
    pub(super) fn of_message(
        agent: Agent,
        event: &Event,
        folder: &Path,
        surroundings: &Surroundings,
    ) -> Result<PathBuf, String> {
        let kept = match event.session() {
            SessionId::Text(id) => Session::new(agent, id, surroundings).kept()?,
            SessionId::Absent | SessionId::Unknown => None,
        };
        let Some(workspace) = kept else { return Ok(project(folder, surroundings)) };
        workspace.check_unchanged()?;
        Ok(workspace.path)
    }

    /// The project of a folder, if it can be a workspace.
    pub(super) fn choose(folder: &Path, surroundings: &Surroundings) -> Result<Self, String> {
        let workspace = Self::at(project(&real_folder(folder)?, surroundings))?;
        workspace.check_links(folder, surroundings)?;
        workspace.check_place(surroundings)?;
        Ok(workspace)
    }

    /// A folder as it is now. Its path has no links.
    fn at(path: PathBuf) -> Result<Self, String> {
        let about = rustix::fs::lstat(&path)
            .map_err(|error| format!("cannot find the workspace {}: {error}", path.display()))?;
        if FileType::from_raw_mode(about.st_mode) != FileType::Directory {
            return Err(format!("the workspace {} is not a folder", path.display()));
        }
        Ok(Self { path, device: about.st_dev, inode: about.st_ino })
    }

    /// Whether the same folder still lies at the path.
    pub(super) fn check_unchanged(&self) -> Result<(), String> {
        if Self::at(self.path.clone())? == *self {
            return Ok(());
        }
        let path = self.path.display();
        Err(format!(
            "{path} is another folder than the one that was the workspace; start a new session of the agent"
        ))
    }

    /// `folder` is given without links.
    pub(super) fn covers(&self, folder: &Path) -> bool {
        folder.starts_with(&self.path)
    }

    fn check_place(&self, surroundings: &Surroundings) -> Result<(), String> {
        let refused = |what: &str| Err(format!("{} cannot be a workspace: {what}", self.path.display()));
        let home = surroundings.home.as_ref().and_then(|home| home.canonicalize().ok());
        if is_of_system(&self.path, home.as_deref()) {
            return refused("it is a system folder");
        }
        if is_of_keys(&self.path, home.as_deref()) {
            return refused("it is a folder for keys or credentials");
        }
        if surroundings.hidden().iter().any(|own| self.path.starts_with(own)) {
            return refused("it belongs to Actum itself");
        }
        let searched =
            std::env::split_paths(surroundings.path()).filter_map(|folder| folder.canonicalize().ok());
        let mut searched =
            searched.filter(|folder| folder.parent().is_some() && home.as_ref() != Some(folder));
        if searched.any(|folder| folder == self.path) {
            return refused("PATH names it as a folder of programs");
        }
        if home.is_some_and(|home| is_acted_on(&self.path, &home)) {
            return refused("it is a folder for programs or settings");
        }
        Ok(())
    }

    /// A link that a program could have made, or that came with a project, does not choose where the next command runs.
    fn check_links(&self, folder: &Path, surroundings: &Surroundings) -> Result<(), String> {
        let links = own::links_on_way(folder)
            .map_err(|error| format!("cannot follow the folder {}: {error}", folder.display()))?;
        let places = ToolPlaces::new(surroundings.home.as_deref(), &[], Some(&surroundings.cache));
        let is_doubtful = |link: &&PathBuf| {
            link.parent().is_some_and(|above| {
                self.covers(above)
                    || find_project(above, surroundings).is_some()
                    || places.may_be_written(above)
            })
        };
        match links.iter().find(is_doubtful) {
            Some(link) => Err(format!("the agent's folder leads through the link {}", link.display())),
            None => Ok(()),
        }
    }
}

fn real_folder(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize().map_err(|error| format!("cannot find the folder {}: {error}", path.display()))
}

/// Folders of the system beside those that every sandbox shows.
const SYSTEM: [&str; 7] = ["/etc", "/var", "/boot", "/dev", "/proc", "/sys", "/run"];
/// What everybody may use in them, and where containers and web servers have the code under work.
const SHARED: [&str; 5] = ["/var/tmp", "/dev/shm", "/usr/src", "/usr/local/src", "/var/www"];

fn is_of_system(path: &Path, home: Option<&Path>) -> bool {
    let roots = || SYSTEM_FOLDERS.iter().chain(&SYSTEM).map(Path::new);
    // Services have their home in /var.
    let is_home_usable = |home: &Path| home.parent().is_some() && !roots().any(|root| root == home);
    let is_at_home = home.is_some_and(|home| is_home_usable(home) && path.starts_with(home));
    let is_shared = || SHARED.iter().any(|shared| path.starts_with(shared));
    path.parent().is_none() || roots().any(|root| path.starts_with(root)) && !is_at_home && !is_shared()
}

/// Names that begin with a dot count in every home: there may be others than the caller's.
fn is_of_keys(path: &Path, home: Option<&Path>) -> bool {
    key_rows().any(|row| {
        let mut homes = path.ancestors().filter(|above| row.path.starts_with('.') || Some(*above) == home);
        homes.any(|home| lies_in(path, &home.join(row.path)))
    })
}

/// Whether other programs act on what lies there without being asked: programs, start-up files, settings.
fn is_acted_on(path: &Path, home: &Path) -> bool {
    const WHOLE: [&str; 2] = [".config", ".local/bin"];
    const THEMSELVES: [&str; 4] = [".local", ".local/share", ".local/state", ".cache"];
    let rows = protected_rows().filter(|row| matches!(row.scope, "home" | "folder")).map(|row| row.pattern);
    THEMSELVES.iter().any(|folder| path == home.join(folder))
        || rows.chain(WHOLE).any(|row| lies_in(path, &home.join(row)))
}

/// Whether a path is a folder or lies in it. Agents keep checkouts of projects in `worktrees` of their own folders; those
/// are projects like others.
fn lies_in(path: &Path, folder: &Path) -> bool {
    const CHECKOUTS: &str = "worktrees";
    let rest = path.strip_prefix(folder).ok();
    rest.is_some_and(|rest| !rest.starts_with(CHECKOUTS) || rest == Path::new(CHECKOUTS))
}

#[cfg(test)]
impl Workspace {
    pub(super) fn for_tests(path: &str) -> Self {
        Self { path: path.into(), device: 1, inode: 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_no_workspace() {
        let home = Path::new("/home/ann");
        let is_refused = |path: &str| {
            let path = Path::new(path);
            is_of_system(path, Some(home)) || is_of_keys(path, Some(home)) || is_acted_on(path, home)
        };
        for path in [
            "/",
            "/etc",
            "/etc/ssl",
            "/usr/lib",
            "/var/lib/x",
            "/home/ann/.ssh",
            "/home/bob/.ssh/x",
            "/home/ann/.aws",
            "/home/ann/.config",
            "/home/ann/.config/any",
            "/home/ann/.local/bin",
            "/home/ann/.local/share",
            "/home/ann/.cargo/bin",
            "/home/ann/bin/x",
            "/home/ann/.codex",
            "/home/ann/.codex/worktrees",
            "/home/ann/snap/x",
        ] {
            assert!(is_refused(path), "{path}");
        }
        for path in [
            "/home/ann",
            "/home/ann/project",
            "/home/ann/project/bin",
            "/home/ann/.codex/worktrees/1/project",
            "/home/ann/project/.claude/worktrees/x",
            "/home/ann/.local/share/chezmoi",
            "/var/tmp/x",
            "/tmp/x",
            "/srv/x",
        ] {
            assert!(!is_refused(path), "{path}");
        }
        assert!(!is_of_system(Path::new("/var/lib/ci/work"), Some(Path::new("/var/lib/ci"))));
        assert!(is_of_system(Path::new("/etc/x"), Some(Path::new("/"))));
    }
}
