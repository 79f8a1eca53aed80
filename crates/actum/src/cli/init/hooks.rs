//! `actum init --agent`: the hooks of a coding agent, in its settings.

use super::Init;
use super::settings::{Hooks, Unusable, with_hooks, without_hooks};
use crate::cli::agent::Agent;
use crate::cli::{fail, itself};
use crate::config::{self, ConfigError};
use crate::screen;
use actum_engine::Surroundings;
use actum_gate::Bound;
use actum_sandbox::Distrust;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why the settings could not be changed.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("cannot find your settings: HOME is not set")]
    NoHome,
    #[error("cannot find the actum program")]
    Itself { source: io::Error },
    #[error("cannot add hooks: other users could replace this program: {0}")]
    Replaceable(Distrust),
    #[error("cannot use {}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("cannot write {}: it is a symbolic link, and project settings are not written through links", path.display())]
    Link { path: PathBuf },
    #[error("cannot change {}", path.display())]
    Unusable { path: PathBuf, source: Unusable },
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
}

impl Problem {
    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unusable { .. } => Some("fix the file, then run this command again; nothing was written"),
            Self::Config(error) => Some(error.hint()),
            Self::Link { .. } => Some("replace the link with a file, or use --user for your own settings"),
            Self::NoHome => Some("omit --user, or set HOME"),
            Self::Replaceable(_) => {
                Some("install actum outside the project, where only you or root can write")
            }
            Self::Itself { .. } | Self::File { .. } | Self::Json(_) => None,
        }
    }
}

/// What happened to the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Done {
    Written,
    Removed,
    /// They were as they should be.
    Unchanged,
}

/// As programs read it.
#[derive(Debug, Serialize)]
struct Told<'a> {
    agent: &'static str,
    path: String,
    done: Done,
    dry_run: bool,
    /// The whole text of the settings; absent where the file goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'static str>,
}

impl Init {
    pub(super) fn hooks(&self, agent: Agent) -> ExitCode {
        match self.change(agent) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => fail(&problem, problem.hint()),
        }
    }

    fn change(&self, agent: Agent) -> Result<(), Problem> {
        let surroundings = config::surroundings()?;
        let path = self.settings(agent, &surroundings)?;
        let place = self.place_of(&path, &surroundings)?;
        let before = place.read()?;
        let text = before.as_deref().unwrap_or_default();
        let unusable = |source| Problem::Unusable { path: path.clone(), source };
        if !self.remove {
            let project = surroundings.folder.join(&self.folder);
            itself::check_replaceable(&project, &surroundings).map_err(Problem::Replaceable)?;
        }
        let binary = itself::quoted_path().map_err(|source| Problem::Itself { source })?;
        let after = match self.remove {
            true => without_hooks(text, agent).map_err(unusable)?,
            false => with_hooks(text, Hooks { agent, binary: &binary }).map_err(unusable)?,
        };
        // A file that would hold nothing is none, and one that is not there is not made for that.
        let after = Some(after).filter(|after| !self.remove || after.trim() != "{}");
        let done = match (after == before, self.remove) {
            (true, _) => Done::Unchanged,
            (false, true) => Done::Removed,
            (false, false) => Done::Written,
        };
        if done != Done::Unchanged && !self.dry_run {
            let written = match &after {
                Some(text) => place.write(text),
                None => actum_gate::own::remove_file(&path),
            };
            written.map_err(|source| Problem::File { path: path.clone(), source })?;
        }
        self.tell(agent, &path, done, after.as_deref())
    }

    fn settings(&self, agent: Agent, surroundings: &Surroundings) -> Result<PathBuf, Problem> {
        if self.user {
            return agent.user_settings(surroundings).ok_or(Problem::NoHome);
        }
        let folder = surroundings.folder.join(&self.folder);
        let folder = folder.canonicalize().map_err(|source| Problem::File { path: folder, source })?;
        Ok(agent.project_settings(&folder))
    }

    /// Settings of a project come with the project, and so do links in it: they could name any file of the user. Those of
    /// the user are where the user put them, also behind links of their own.
    fn place_of(&self, path: &Path, surroundings: &Surroundings) -> Result<Place, Problem> {
        let failed = |source| Problem::File { path: path.to_path_buf(), source };
        let root = match self.user {
            true => {
                let checked = actum_gate::own::check_file_place(path);
                let real = checked.map_err(|error| failed(error.into_io()))?;
                let folder = real.parent().unwrap_or(Path::new("/")).to_path_buf();
                actum_gate::own::make_private_folders(&folder).map_err(failed)?;
                return Ok(Place {
                    name: real.file_name().unwrap_or_default().into(),
                    root: folder,
                    path: real,
                });
            }
            false => surroundings.folder.join(&self.folder),
        };
        let root = root.canonicalize().map_err(failed)?;
        let name = path.strip_prefix(&root).map_err(|error| failed(io::Error::other(error)))?.to_path_buf();
        Ok(Place { root, name, path: path.to_path_buf() })
    }

    fn tell(&self, agent: Agent, path: &Path, done: Done, text: Option<&str>) -> Result<(), Problem> {
        let advice = agent.advice().filter(|_| !self.remove);
        let (shown, dry_run) = (path.display().to_string(), self.dry_run);
        if self.json {
            let told = Told { agent: agent.name(), path: shown, done, dry_run, text, advice };
            screen::say(&serde_json::to_string_pretty(&told)?);
            return Ok(());
        }
        if dry_run {
            screen::note(&format!("{shown} would contain:"));
            screen::say(text.map_or("nothing: the file would be deleted", str::trim_end));
            return Ok(());
        }
        screen::say(&match done {
            Done::Written => format!("{} will call Actum from now on: {shown}", agent.title()),
            Done::Removed => format!("{} will no longer call Actum: {shown}", agent.title()),
            Done::Unchanged => format!("{shown} is already up to date"),
        });
        advice.filter(|_| done == Done::Written).into_iter().for_each(screen::note);
        Ok(())
    }
}

/// A file of settings: a folder that was chosen, and a name below it on whose way no link is followed.
struct Place {
    root: PathBuf,
    name: PathBuf,
    path: PathBuf,
}

impl Place {
    /// Settings that are not there are none.
    fn read(&self) -> Result<Option<String>, Problem> {
        let failed = |source| Problem::File { path: self.path.clone(), source };
        let on_the_way = self.name.ancestors().filter(|name| !name.as_os_str().is_empty());
        if let Some(link) = on_the_way.map(|name| self.root.join(name)).find(|path| path.is_symlink()) {
            return Err(Problem::Link { path: link });
        }
        let root = actum_gate::Root::open(&self.root).map_err(|error| failed(error.into_io()))?;
        match root.read(&self.name, Bound::SMALL) {
            Ok(bytes) => String::from_utf8(bytes)
                .map(Some)
                .map_err(|_| failed(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(failed(error.into_io())),
        }
    }

    /// All of it or nothing.
    fn write(&self, text: &str) -> io::Result<()> {
        let mode = rustix::fs::Mode::from_raw_mode(0o666);
        actum_gate::own::replace_below(&self.root, &self.name, text.as_bytes(), mode)
            .map_err(actum_gate::GateError::into_io)
    }
}
