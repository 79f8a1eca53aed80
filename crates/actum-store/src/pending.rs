//! Requests that wait for somebody's approval.
//!
//! Each is sealed with the user's key: a program that can write in a store must not be able to ask for something in the
//! user's name. A file that is not sealed is set aside and told, never run.

use crate::error::StoreError;
use crate::store::{Store, draft_name, is_meant, make_all, open_plain, private};
use actum_model::{Moment, RunId, SealKey, SealKind};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// A request that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub run: RunId,
    pub asked_at: Moment,
    /// What was asked, in the form of whoever keeps it.
    pub request: serde_json::Value,
    /// Where it was asked.
    pub folder: OsString,
    /// Of what would be run. Approved is this, and nothing that took its place.
    pub digest: String,
    /// What is at stake, for people.
    pub question: Vec<String>,
}

impl Store {
    /// Keeps a request until somebody approves it.
    pub fn wait_for_approval(&self, pending: &Pending, key: &SealKey) -> Result<(), StoreError> {
        let path = self.pending_file(pending.run);
        let failed = |source| StoreError::Make { path: path.clone(), source };
        let text = serde_json::to_vec(pending).map_err(|error| failed(error.into()))?;
        let text = key.seal(SealKind::Pending, &pending.run.to_string(), &text);
        let text = text.map_err(|source| StoreError::Unsealed { path: path.clone(), source })?;
        make_all(&self.pending()).map_err(failed)?;
        // Whole or not there: one that is half written would not be believed.
        let draft = self.pending().join(draft_name());
        let mut file = private().create_new(true).open(&draft).map_err(failed)?;
        let written = file.write_all(&text).and_then(|()| std::fs::hard_link(&draft, &path));
        let _ = std::fs::remove_file(&draft);
        written.map_err(failed)
    }

    /// Sets aside what lies among the requests and is not sealed, under names that nothing reads. Gives the new names.
    pub fn refuse_forged_pending(&self, key: &SealKey) -> Result<Vec<PathBuf>, StoreError> {
        let mut refused = Vec::new();
        for (run, path) in self.pending_files()? {
            // Without a key nothing can be told apart: then nothing is run, and nothing is moved.
            let Err(SealFault::NotOurs) = read(&path, run, key) else { continue };
            let aside = path.with_extension("json.refused");
            let failed = |source| StoreError::Make { path: aside.clone(), source };
            std::fs::rename(&path, &aside).map_err(failed)?;
            refused.push(aside);
        }
        Ok(refused)
    }

    /// The request that a person means, as with [`Store::find`].
    pub fn find_pending(&self, text: &str, key: &SealKey) -> Result<Pending, StoreError> {
        let mut waiting = self.list_pending(key)?;
        let lower = text.to_ascii_lowercase();
        if text == "last" {
            return waiting.pop().ok_or_else(|| StoreError::NothingWaits { text: text.to_owned() });
        }
        let mut meant: Vec<Pending> =
            waiting.into_iter().filter(|pending| is_meant(&pending.run.to_string(), &lower)).collect();
        match meant.len() {
            0 => Err(StoreError::NothingWaits { text: text.chars().take(60).collect() }),
            1 => Ok(meant.remove(0)),
            _ => Err(StoreError::Ambiguous {
                text: text.to_owned(),
                candidates: meant.iter().map(|pending| pending.run.to_string()).collect(),
            }),
        }
    }

    /// Everything that waits and is sealed, oldest first.
    pub fn list_pending(&self, key: &SealKey) -> Result<Vec<Pending>, StoreError> {
        let files = self.pending_files()?;
        let mut waiting: Vec<Pending> =
            files.iter().filter_map(|(run, path)| read(path, *run, key).ok()).collect();
        waiting.sort_by_key(|pending| pending.run);
        Ok(waiting)
    }

    fn pending_files(&self) -> Result<Vec<(RunId, PathBuf)>, StoreError> {
        let failed = |source| StoreError::List { path: self.pending(), source };
        let entries = match std::fs::read_dir(self.pending()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            let run = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".json")?.parse().ok());
            files.extend(run.map(|run| (run, path)));
        }
        Ok(files)
    }

    /// Whoever takes it away first may run it: approved once is run once.
    pub fn take_pending(&self, pending: &Pending) -> Result<(), StoreError> {
        std::fs::remove_file(self.pending_file(pending.run))
            .map_err(|_| StoreError::NothingWaits { text: pending.run.to_string() })
    }

    fn pending(&self) -> PathBuf {
        self.root().join("pending")
    }

    fn pending_file(&self, run: RunId) -> PathBuf {
        self.pending().join(format!("{run}.json"))
    }
}

/// More than any command line and any code on stdin.
const LONGEST: u64 = 256 << 20;

/// Why a file is no request that can be approved.
enum SealFault {
    NotOurs,
    /// It is gone by now, or there is no key to tell.
    Unknown,
}

fn read(path: &Path, run: RunId, key: &SealKey) -> Result<Pending, SealFault> {
    let mut text = Vec::new();
    let file = match open_plain(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(SealFault::Unknown),
        file => file.map_err(|_| SealFault::NotOurs)?,
    };
    file.take(LONGEST).read_to_end(&mut text).map_err(|_| SealFault::Unknown)?;
    let body = key.open(SealKind::Pending, &run.to_string(), &text).map_err(|error| match error {
        actum_model::SealError::NoKey(_) => SealFault::Unknown,
        actum_model::SealError::Missing | actum_model::SealError::Wrong => SealFault::NotOurs,
    })?;
    let pending = serde_json::from_slice::<Pending>(body).ok();
    pending.filter(|pending| pending.run == run).ok_or(SealFault::NotOurs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approved_once_is_run_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        let pending = Pending {
            run: RunId::new(5, [7; 10]),
            asked_at: Moment(5),
            request: serde_json::json!({"source": {"Code": [0, 255]}}),
            folder: "/work".into(),
            digest: "d".to_owned(),
            question: vec!["deletes".to_owned()],
        };
        let key = SealKey::new([3; 32]);
        assert!(matches!(store.find_pending("last", &key), Err(StoreError::NothingWaits { .. })));
        store.wait_for_approval(&pending, &key).unwrap();
        assert_eq!(store.find_pending("last", &key).unwrap(), pending);
        assert_eq!(store.find_pending(&pending.run.short(), &key).unwrap(), pending);
        // Another key's, one that is not sealed, and one under another run's name.
        assert!(store.find_pending("last", &SealKey::new([4; 32])).is_err());
        let (planted, renamed) = (RunId::new(6, [8; 10]), RunId::new(7, [9; 10]));
        std::fs::write(store.pending_file(planted), serde_json::to_vec(&pending).unwrap()).unwrap();
        std::fs::copy(store.pending_file(pending.run), store.pending_file(renamed)).unwrap();
        assert_eq!(store.list_pending(&key).unwrap(), std::slice::from_ref(&pending));
        // Without a key what carries a code cannot be judged, and stays.
        assert_eq!(store.refuse_forged_pending(&SealKey::unusable("gone")).unwrap().len(), 1);
        assert_eq!(store.refuse_forged_pending(&key).unwrap().len(), 1);
        assert_eq!(store.refuse_forged_pending(&key).unwrap().len(), 0);
        store.take_pending(&pending).unwrap();
        assert!(matches!(store.take_pending(&pending), Err(StoreError::NothingWaits { .. })));
    }
}
