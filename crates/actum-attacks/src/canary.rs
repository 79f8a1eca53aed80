//! The canaries of one suite: secrets, services and processes on the host that no run may touch.
//!
//! Everything is made fresh with random tokens when the suite begins and is gone when the value is dropped.
//! [`Canaries::look`] says what happened to them since the last look, and puts them right again.

mod files;
mod helper;
mod listeners;
mod victim;

use crate::{AttackError, Parameters, Token, User};
use files::Files;
use helper::Helper;
use listeners::Listeners;
use std::path::{Path, PathBuf};
use victim::Victim;

/// The name of the secret variable in the environment of every runner.
pub(crate) const SECRET_VARIABLE: &str = "ACTUM_CANARY_SECRET";

/// All canaries of one suite.
#[derive(Debug)]
pub(crate) struct Canaries {
    pub tokens: Vec<Token>,
    pub parameters: Parameters,
    files: Files,
    listeners: Listeners,
    victim: Victim,
    helper: Helper,
    variable: Token,
}

/// What became of the canaries during one run.
#[derive(Debug, Default)]
pub(crate) struct Look {
    pub contacts: Vec<String>,
    pub victim_dead: bool,
    pub changed: Vec<String>,
}

impl Canaries {
    /// Plants everything. `base` is the folder of the suite, outside every workspace.
    pub(crate) fn plant(base: &Path, user: &User, label: &str) -> Result<Canaries, AttackError> {
        let files = Files::plant(base, user, label)?;
        let listeners = Listeners::start(files.home(), user, label)?;
        let victim = Victim::start(user, &files.home().join("victim"))?;
        let helper = Helper::start(user, files.home(), base)?;
        let variable = Token::fresh("variable")?;
        let mut parameters = files.parameters();
        parameters.extend(&listeners.parameters());
        parameters.extend(&helper.parameters);
        parameters.set("secret_variable", SECRET_VARIABLE);
        let mut tokens = files.tokens();
        tokens.extend(listeners.tokens());
        tokens.extend(victim.tokens());
        tokens.extend(helper.tokens.iter().cloned());
        tokens.push(variable.clone());
        Ok(Canaries { tokens, parameters, files, listeners, victim, helper, variable })
    }

    /// What an attempt is told now; the victim may be a new one.
    pub(crate) fn parameters(&self) -> Parameters {
        let mut parameters = self.parameters.clone();
        parameters.set("victim_pid", self.victim.pid());
        parameters
    }

    /// What happened during the run with that marker. Host files and the victim are put right again.
    pub(crate) fn look(&mut self, marker: &str) -> Result<Look, AttackError> {
        let mut contacts = self.listeners.heard(marker);
        if self.helper.ask("terminal")?.contains(marker) {
            contacts.push("terminal".to_owned());
        }
        Ok(Look { contacts, victim_dead: self.victim.revive()?, changed: self.files.changes(marker)? })
    }

    /// How many inotify instances the user could still make at this moment.
    pub(crate) fn inotify_left(&mut self) -> Result<u64, AttackError> {
        Ok(self.helper.ask("inotify")?.parse().unwrap_or(0))
    }

    pub(crate) fn variable(&self) -> &str {
        self.variable.text()
    }

    /// The folder that the leaking wrapper keeps open.
    pub(crate) fn leaked_folder(&self) -> PathBuf {
        self.files.home().join("leak")
    }

    pub(crate) fn tcp_port(&self) -> u16 {
        self.listeners.tcp_port
    }

    pub(crate) fn home(&self) -> &Path {
        self.files.home()
    }

    /// Device and inode of each secret file.
    pub(crate) fn inodes(&self) -> Vec<(u64, u64)> {
        self.files.inodes()
    }
}
