//! `actum approve`

use super::fail;
use super::run::{Call, Presentation};
use crate::config::{self, Config, ConfigError};
use crate::screen;
use actum_engine::{EngineError, PendingRequest, Redact};
use actum_model::{Tier, path_text};
use actum_sandbox::Warden;
use actum_store::{Keyring, Store, StoreError};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

/// Run a request that waits for approval, or list them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum approve                 list the requests
  actum approve last            run the newest request
  actum approve 3f9a02          run the request with this id
  actum approve last --refuse   reject it")]
pub struct Approve {
    /// Request id, its beginning or end, or `last`
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Reject the request; do not run it
    #[arg(long, requires = "id")]
    refuse: bool,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot change to the folder of the request, {folder}")]
    Folder { folder: String, source: std::io::Error },
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Approve {
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.go(warden) {
            Ok(code) => code,
            Err(problem) => {
                let hint = match &problem {
                    Problem::Store(error) => error.hint(),
                    Problem::Engine(error) => error.hint(),
                    Problem::Config(_) | Problem::Folder { .. } => None,
                };
                fail(&problem, hint.as_deref())
            }
        }
    }

    fn go(&self, warden: Warden) -> Result<ExitCode, Problem> {
        let surroundings = config::surroundings()?;
        let store = Store::at(&surroundings.store);
        let key = Keyring::at(&surroundings.keys).seal_key();
        for path in store.refuse_forged_pending(&key)? {
            screen::problem(&StoreError::ForgedRequest { path }, None);
        }
        let Some(id) = &self.id else {
            let redact = Config::resolve(&surroundings, None)?.run.redact;
            let waiting = store.list_pending(&key)?.into_iter().map(PendingRequest::read);
            list(&waiting.collect::<Result<Vec<_>, _>>()?, &redact);
            return Ok(ExitCode::SUCCESS);
        };
        let pending = PendingRequest::read(store.find_pending(id, &key)?)?;
        if self.refuse {
            pending.take(&store)?;
            screen::note(&format!("actum: rejected request {}", pending.run().short()));
            return Ok(ExitCode::SUCCESS);
        }
        let shown = path_text(pending.folder().as_os_str().as_bytes());
        std::env::set_current_dir(pending.folder())
            .map_err(|source| Problem::Folder { folder: shown, source })?;
        let presentation = presentation(&pending);
        // Whoever takes it first runs it.
        let digest = pending.take(&store)?;
        let call = Call {
            asked: pending.asked,
            presentation,
            dry_run: false,
            ceiling: Tier::N,
            approved: Some(digest),
        };
        Ok(call.execute(warden.into()))
    }
}

/// How it was asked for. What another program asked is shown as people are shown things.
fn presentation(pending: &PendingRequest) -> Presentation {
    serde_json::from_value(pending.asked.presentation.clone()).unwrap_or_default()
}

fn list(waiting: &[PendingRequest], redact: &Redact) {
    if waiting.is_empty() {
        screen::note("actum: no request waits for approval");
    }
    for pending in waiting {
        // The words are kept as they were typed; they are not shown so.
        let redaction = pending.asked.redaction(redact);
        let line = presentation(pending).line;
        let words: Vec<String> = line.iter().skip(1).map(|word| redaction.text(&shown(word))).collect();
        screen::say(&format!("{}  {}  actum {}", pending.run().short(), pending.asked_at(), words.join(" ")));
        for line in pending.question() {
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
