//! Requests that wait for somebody's approval.

use crate::error::StoreError;
use crate::store::{Store, is_meant, make_all, private};
use actum_model::{Moment, RunId};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// A request that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub run: RunId,
    pub asked_at: Moment,
    /// The words that it was asked with, and where.
    pub words: Vec<OsString>,
    pub folder: OsString,
    /// Code that came on stdin, which cannot be read again.
    pub stdin: Option<Vec<u8>>,
    /// Of what would be run. Approved is this, and nothing that took its place.
    pub digest: String,
    /// What is at stake, for people.
    pub question: Vec<String>,
}

impl Store {
    /// Keeps a request until somebody approves it.
    pub fn wait_for_approval(&self, pending: &Pending) -> Result<(), StoreError> {
        let path = self.pending_file(pending.run);
        let failed = |source| StoreError::Make { path: path.clone(), source };
        let text = serde_json::to_vec(pending).map_err(|error| failed(error.into()))?;
        make_all(&self.pending()).map_err(failed)?;
        let mut file = private().create_new(true).open(&path).map_err(failed)?;
        file.write_all(&text).map_err(failed)
    }

    /// The request that a person means, as with [`Store::find`].
    pub fn find_pending(&self, text: &str) -> Result<Pending, StoreError> {
        let mut waiting = self.list_pending()?;
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

    /// Everything that waits, oldest first.
    pub fn list_pending(&self) -> Result<Vec<Pending>, StoreError> {
        let failed = |source| StoreError::List { path: self.pending(), source };
        let entries = match std::fs::read_dir(self.pending()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut waiting = Vec::new();
        for entry in entries {
            let text = std::fs::read(entry.map_err(failed)?.path()).map_err(failed)?;
            // One that is being written just now is not there yet.
            waiting.extend(serde_json::from_slice::<Pending>(&text).ok());
        }
        waiting.sort_by_key(|pending| pending.run);
        Ok(waiting)
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
            words: vec!["run".into(), "x.sh".into()],
            folder: "/work".into(),
            stdin: Some(vec![0, 255]),
            digest: "d".to_owned(),
            question: vec!["deletes".to_owned()],
        };
        assert!(matches!(store.find_pending("last"), Err(StoreError::NothingWaits { .. })));
        store.wait_for_approval(&pending).unwrap();
        assert_eq!(store.find_pending("last").unwrap(), pending);
        assert_eq!(store.find_pending(&pending.run.short()).unwrap(), pending);
        store.take_pending(&pending).unwrap();
        assert!(matches!(store.take_pending(&pending), Err(StoreError::NothingWaits { .. })));
    }
}
