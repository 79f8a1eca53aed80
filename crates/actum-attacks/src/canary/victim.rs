//! A process of the same user that does nothing and must stay alive.

use crate::{AttackError, Token, User, canary::SECRET_VARIABLE};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

#[derive(Debug)]
pub(super) struct Victim {
    user: User,
    folder: PathBuf,
    /// In its command line.
    name: Token,
    /// In its environment.
    variable: Token,
    child: Child,
}

impl Victim {
    pub(super) fn start(user: &User, folder: &Path) -> Result<Victim, AttackError> {
        let (name, variable) = (Token::fresh("victim-name")?, Token::fresh("victim-variable")?);
        let child = spawn(user, folder, &name, &variable)?;
        Ok(Victim { user: user.clone(), folder: folder.to_owned(), name, variable, child })
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn tokens(&self) -> [Token; 2] {
        [self.name.clone(), self.variable.clone()]
    }

    /// Whether it was dead; if so, another takes its place.
    pub(super) fn revive(&mut self) -> Result<bool, AttackError> {
        let dead = !matches!(self.child.try_wait(), Ok(None));
        if dead {
            self.child = spawn(&self.user, &self.folder, &self.name, &self.variable)?;
        }
        Ok(dead)
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// It reads its input until the end, so that it also goes when the harness dies.
fn spawn(user: &User, folder: &Path, name: &Token, variable: &Token) -> Result<Child, AttackError> {
    let mut line = user.prefix();
    line.extend(["/usr/bin/env", "python3", "-c", "import sys; sys.stdin.read()"].map(OsString::from));
    line.push(format!("actum-victim-{}", name.text()).into());
    Command::new(&line[0])
        .args(&line[1..])
        .env_clear()
        .env("PATH", crate::observe::PATH)
        .env(SECRET_VARIABLE, variable.text())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| AttackError::StartCanary { name: "victim", source })
}
