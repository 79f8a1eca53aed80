//! Records to write.

use crate::ledger::{Content, Ledger};
use crate::store::Store;
use actum_model::*;
use std::time::Duration;

pub(super) struct Place {
    _folder: tempfile::TempDir,
    pub(super) store: Store,
}

impl Place {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(&folder.path().join("store"));
        Self { _folder: folder, store }
    }

    pub(super) fn open(&self) -> Ledger {
        Ledger::open(&self.store, Moment(77)).unwrap()
    }
}

pub(super) fn run(number: u64) -> RunId {
    let mut random = [0; 10];
    random[2..].copy_from_slice(&number.to_be_bytes());
    RunId::new(1_000 + number, random)
}

pub(super) fn held(bytes: &[u8]) -> Held {
    Held { sha256: Digest::of(bytes), bytes: Bytes(bytes.len() as u64), redactions: 0 }
}

pub(super) fn started(number: u64) -> Started {
    Started {
        v: 1,
        run: run(number),
        attempt: 1,
        at: Moment(1_000_000 + number),
        command: format!("python job{number}.py"),
        language: "python".to_owned(),
        folder: "/home/u/project".to_owned(),
        labels: vec!["nightly".to_owned()],
    }
}

/// The record of a run that printed `stdout`, with what it names.
pub(super) fn record(number: u64, stdout: &[u8]) -> (Record, Vec<Content>) {
    let report = format!("{{\"run\":\"{}\"}}", run(number)).into_bytes();
    let at = |micros: u64| Instant { at: Moment(micros), monotonic: Span(Duration::from_micros(micros)) };
    let Started { command, language, folder, labels, .. } = started(number);
    let json = serde_json::json!({
        "v": 1, "run": run(number), "labels": labels, "command": command, "language": language,
        "source": { "kind": "file", "path": "job.py" }, "workspace": folder, "folder": folder,
        "variables": { "names": [] },
        "asked": {
            "policy": "default", "workspace_mode": "overlay",
            "limits": { "wall": 60.0, "cpu": 60.0, "memory": 1 << 30, "processes": 10, "descriptors": 64,
                        "file_size": 1 << 30, "disk": 1 << 30, "output": 1 << 30 },
            "approval": "risky", "risk": Risk::default(),
        },
        "key": "out-of-reach", "started": at(1_000_000 + number), "ended": at(1_500_000 + number),
        "outcome": "success", "exit_code": 0, "ending": Ending::Exited { code: 0 }, "attempts": [],
        "usage": Usage::default(), "stdout": held(stdout), "stderr": held(b""), "timeline": held(b""),
        "report": held(&report), "changes": "nothing", "actum": { "version": "0.1.0" },
    });
    let record = serde_json::from_value(json).unwrap();
    (record, vec![Content::Bytes(stdout.to_vec()), Content::Bytes(report)])
}

/// Writes a whole run.
pub(super) fn write(ledger: &Ledger, number: u64, stdout: &[u8]) -> u64 {
    ledger.append(&Entry::Started(started(number))).unwrap().wait().unwrap();
    let (record, contents) = record(number, stdout);
    ledger.seal(record, contents).unwrap().wait().unwrap()[0]
}
