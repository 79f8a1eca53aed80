//! Makes a request and a program ready for a situation: what the program will really meet.

use super::care::Care;
use super::situation::{Situation, Way};
use crate::error::RunError;
use crate::extract::Part;
use crate::request::{House, Request};
use crate::stage::{self, Ready};
use actum_gate::own;
use actum_model::{ExitCode, Grant};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The launcher, as it is written beside the program.
const LAUNCHER: &str = include_str!("launcher.py");

impl Care<'_> {
    /// The request as this program meets it: its environment first on the path, its limits, its variables.
    pub(crate) fn dressed(&self, request: &Request) -> Request {
        let mut request = request.clone();
        let attempt = &mut request.attempt;
        attempt.limits = self.situation.limits;
        if let Some(prepared) = &self.prepared {
            lead_path(&mut attempt.variables, &prepared.path);
            attempt.policy.grants.extend(prepared.grants.iter().cloned());
        }
        request
    }

    /// The program, staged as it is to be started.
    pub(crate) fn ready(&self, request: &Request, house: &House<'_>) -> Result<Ready, RunError> {
        let mut ready = match &self.situation.copy {
            Some(copy) => {
                stage::stage_copy(&self.part, (&copy.name, &copy.bytes), self.number, request, house)?
            }
            None => stage::stage(&self.part, self.number, request, house)?,
        };
        let prepared = self.prepared.iter().flat_map(|prepared| prepared.variables.iter().cloned());
        ready.variables.extend(prepared);
        for (name, value) in &self.situation.variables {
            set(&mut ready.variables, name, value);
        }
        if let Some(interpreter) = self.started_by(&ready) {
            ready.program.command[0] = interpreter.clone().into_os_string();
            ready.program.runtime = Some(interpreter);
        }
        launch(&mut ready, &self.situation.ways, house)?;
        Ok(ready)
    }
}

impl Care<'_> {
    /// The interpreter of its environment, by its path: one of another version may not be called `python3`. Without an
    /// environment, the one behind a shim, which is a script that takes longer to choose than most programs to run.
    fn started_by(&self, ready: &Ready) -> Option<PathBuf> {
        let is_python = ready.program.language == "python" && !matches!(self.part, Part::Command(_));
        let first = ready.program.command.first().filter(|_| is_python)?;
        match &self.prepared {
            Some(prepared) => Some(prepared.interpreter.clone()),
            None => self.interpreter.clone().filter(|_| actum_prepare::is_script(Path::new(first))),
        }
    }
}

/// Sets a variable. Options of Node that an environment needs stay in front of those that are added.
fn set(variables: &mut Vec<(OsString, OsString)>, name: &str, value: &str) {
    let there = variables.iter_mut().find(|(other, _)| other == name && name == "NODE_OPTIONS");
    match there {
        Some((_, options)) => {
            options.push(" ");
            options.push(value);
        }
        None => variables.push((name.into(), value.into())),
    }
}

/// Puts folders of commands in front of those that are there.
fn lead_path(variables: &mut Vec<(OsString, OsString)>, folders: &[PathBuf]) {
    let position = variables.iter().position(|(name, _)| name == "PATH");
    let old = position.map(|at| variables[at].1.clone()).unwrap_or_default();
    let mut path = OsString::new();
    for folder in folders.iter().map(|folder| folder.as_os_str()).chain([old.as_os_str()]) {
        if !path.is_empty() {
            path.push(":");
        }
        path.push(folder);
    }
    match position {
        Some(at) => variables[at].1 = path,
        None => variables.push(("PATH".into(), path)),
    }
}

/// Has a Python program started by the launcher, where there is another way to start it.
fn launch(ready: &mut Ready, ways: &BTreeSet<Way>, house: &House<'_>) -> Result<(), RunError> {
    if ways.is_empty() || ready.program.language != "python" {
        return Ok(());
    }
    let Some(at) = ready.own.first().and_then(|file| position(&ready.program.command, file)) else {
        return Ok(());
    };
    let folder = house.folder.join("launcher");
    let file = folder.join("launcher.py");
    let written = own::make_folders(&folder).and_then(|()| own::write(&file, LAUNCHER.as_bytes()));
    written.map_err(|source| RunError::Keep { path: file.clone(), source })?;
    let words: Vec<&str> = ways.iter().map(|way| way.word()).collect();
    let launcher = [file.into_os_string(), words.join(",").into()];
    ready.program.command.splice(at..at, launcher);
    ready.grants.push(Grant::Read(folder));
    Ok(())
}

fn position(command: &[OsString], file: &Path) -> Option<usize> {
    command.iter().position(|word| word.as_os_str() == file.as_os_str())
}

impl Situation {
    /// The command with the folders made before it, inside the sandbox: whatever is made there is a change like any other.
    pub(crate) fn command(&self, command: Vec<OsString>) -> Vec<OsString> {
        if self.folders.is_empty() {
            return command;
        }
        let script = format!(
            r#"n=$1; shift; while [ "$n" -gt 0 ]; do mkdir -p -- "$1" || exit {}; shift; n=$((n - 1)); done; exec "$@""#,
            ExitCode::OWN_ERROR
        );
        let shell: [OsString; 4] = ["/bin/sh".into(), "-c".into(), script.into(), "sh".into()];
        let folders = self.folders.iter().map(|folder| folder.as_os_str().to_owned());
        let count = OsString::from(self.folders.len().to_string());
        shell.into_iter().chain([count]).chain(folders).chain(command).collect()
    }
}
