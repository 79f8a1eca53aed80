//! `actum approve`

use super::run::{Run, Said, Words};
use super::{Command, fail};
use crate::config::{Config, ConfigError, Redact, Surroundings};
use crate::screen;
use actum_model::path_text;
use actum_sandbox::Warden;
use actum_store::{Keyring, Pending, Store, StoreError};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

/// Run what waits for approval, or list what does
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum approve                 what waits
  actum approve last
  actum approve 3f9a02          by the end of its id
  actum approve last --refuse   take it away without running it")]
pub struct Approve {
    /// The request: its id, the beginning or end of it, or `last`
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Take it away without running it
    #[arg(long, requires = "id")]
    refuse: bool,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("go to the folder where it was asked, {folder}")]
    Folder { folder: String, source: std::io::Error },
    #[error("understand what was asked")]
    Words,
}

impl Approve {
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.go(warden) {
            Ok(code) => code,
            Err(problem) => {
                let hint = match &problem {
                    Problem::Store(error) => error.hint(),
                    Problem::Config(_) | Problem::Folder { .. } | Problem::Words => None,
                };
                fail(&problem, hint.as_deref())
            }
        }
    }

    fn go(&self, warden: Warden) -> Result<ExitCode, Problem> {
        let surroundings = Surroundings::read()?;
        let store = Store::at(&surroundings.store);
        let key = Keyring::at(&surroundings.keys).seal_key();
        for path in store.refuse_forged_pending(&key)? {
            screen::problem(&StoreError::ForgedRequest { path }, None);
        }
        let Some(id) = &self.id else {
            let redact = Config::resolve(&surroundings, None)?.redact;
            list(&store.list_pending(&key)?, &redact);
            return Ok(ExitCode::SUCCESS);
        };
        let pending = store.find_pending(id, &key)?;
        if self.refuse {
            store.take_pending(&pending)?;
            screen::note(&format!("actum: {} is taken away", pending.run.short()));
            return Ok(ExitCode::SUCCESS);
        }
        let shown = path_text(pending.folder.as_bytes());
        std::env::set_current_dir(&pending.folder)
            .map_err(|source| Problem::Folder { folder: shown, source })?;
        let run = read(&pending)?;
        // Whoever takes it first runs it.
        store.take_pending(&pending)?;
        let Pending { words, stdin, digest, .. } = pending;
        let said =
            Said { words: Words::read(&words, &run.words), line: words, stdin, approved: Some(digest) };
        Ok(run.carry_out(warden, None, said))
    }
}

/// The command as it was typed, read once more.
fn read(pending: &Pending) -> Result<Run, Problem> {
    match super::read(pending.words.iter().cloned()).map(|actum| actum.command) {
        Ok(Command::Run(run)) => Ok(*run),
        Ok(_) | Err(_) => Err(Problem::Words),
    }
}

fn list(waiting: &[Pending], redact: &Redact) {
    if waiting.is_empty() {
        screen::note("actum: nothing waits for approval");
    }
    for pending in waiting {
        // The words are kept as they were typed, because they will be carried out; they are not shown so.
        let redaction = read(pending).map(|run| run.redaction(redact)).unwrap_or_default();
        let words: Vec<String> =
            pending.words.iter().skip(1).map(|word| redaction.text(&shown(word))).collect();
        screen::say(&format!("{}  {}  actum {}", pending.run.short(), pending.asked_at, words.join(" ")));
        for line in &pending.question {
            screen::say(&format!("    {}", redaction.text(line)));
        }
    }
}

/// A word as a shell would take it; what an address holds before its host is nobody's business.
fn shown(word: &OsStr) -> String {
    let text = path_text(word.as_bytes());
    let text = match (text.find("://"), text.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => format!("{}…{}", &text[..scheme + 3], &text[at..]),
        _ => text,
    };
    let plain = text.chars().all(|c| c.is_alphanumeric() || "_-./:=@%+,…".contains(c)) && !text.is_empty();
    if plain { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
