//! `actum init --agent`: the hooks of a coding agent, in its settings.

use super::Init;
use super::settings::{Hooks, Unusable, with_hooks, without_hooks};
use crate::cli::agent::Agent;
use crate::cli::fail;
use crate::config::{ConfigError, Surroundings};
use crate::screen;
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why the settings could not be changed. Read after "failed to".
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("find your own settings: there is no HOME")]
    NoHome,
    #[error("find this program itself")]
    Itself { source: io::Error },
    #[error("use {}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("change {}", path.display())]
    Unusable { path: PathBuf, source: Unusable },
    #[error("write JSON")]
    Json(#[from] serde_json::Error),
}

impl Problem {
    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unusable { .. } => Some("mend it by hand and call this again; nothing was written"),
            Self::Config(error) => Some(error.hint()),
            Self::NoHome => Some("leave --user away, or set HOME"),
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
        let surroundings = Surroundings::read()?;
        let path = self.settings(agent, &surroundings)?;
        let before = read(&path)?;
        let text = before.as_deref().unwrap_or_default();
        let unusable = |source| Problem::Unusable { path: path.clone(), source };
        let binary = binary(&surroundings).map_err(|source| Problem::Itself { source })?;
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
                Some(text) => write(&path, text),
                None => fs::remove_file(&path),
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

    fn tell(&self, agent: Agent, path: &Path, done: Done, text: Option<&str>) -> Result<(), Problem> {
        let advice = agent.advice().filter(|_| !self.remove);
        let (shown, dry_run) = (path.display().to_string(), self.dry_run);
        if self.json {
            let told = Told { agent: agent.name(), path: shown, done, dry_run, text, advice };
            screen::say(&serde_json::to_string_pretty(&told)?);
            return Ok(());
        }
        if dry_run {
            screen::note(&format!("{shown} would be"));
            screen::say(text.map_or("nothing: the file goes", str::trim_end));
            return Ok(());
        }
        screen::say(&match done {
            Done::Written => format!("{} calls Actum from now on: {shown}", agent.title()),
            Done::Removed => format!("{} does not call Actum any more: {shown}", agent.title()),
            Done::Unchanged => format!("{shown} is as it should be"),
        });
        advice.filter(|_| done == Done::Written).into_iter().for_each(screen::note);
        Ok(())
    }
}

/// Settings that are not there are none.
fn read(path: &Path) -> Result<Option<String>, Problem> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Problem::File { path: path.to_path_buf(), source }),
    }
}

/// All of it or nothing, and through a link to where the file really is.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let draft = folder.join(format!(".actum-{}", std::process::id()));
    let written = fs::File::create_new(&draft).and_then(|mut file| {
        if let Ok(metadata) = path.metadata() {
            file.set_permissions(metadata.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let placed = written.and_then(|()| fs::rename(&draft, &path));
    if placed.is_err() {
        let _ = fs::remove_file(&draft);
    }
    placed
}

/// How a shell starts this program: by its name where that finds it, so that settings can be shared; else by its path.
pub(in crate::cli) fn binary(surroundings: &Surroundings) -> io::Result<String> {
    let itself = std::env::current_exe()?;
    let real = |path: &Path| path.canonicalize().ok();
    let found = std::env::split_paths(surroundings.path())
        .map(|folder| folder.join("actum"))
        .find(|path| path.is_file());
    let is_found = found.is_some_and(|found| real(&found).is_some() && real(&found) == real(&itself));
    Ok(if is_found { "actum".to_owned() } else { crate::cli::hook::quoted(&itself.to_string_lossy()) })
}
