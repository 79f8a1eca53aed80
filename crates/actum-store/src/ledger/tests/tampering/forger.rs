//! The tools of somebody who can write every file of a store, and has not the key.

use crate::key::{KeyFile, Signs};
use crate::ledger::append::{Batch, Writing};
use crate::ledger::tests::fixtures::Place;
use crate::ledger::tests::fixtures::*;
use crate::ledger::{Against, Problem, Reader, Verified, announce_removal, index, prune, verify};
use crate::merkle;
use crate::note::Checkpoint;
use crate::store::Store;
use actum_model::*;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The store that is tampered with, an older copy of it, and what somebody holds elsewhere.
pub(super) struct Sample {
    store: Store,
    older: PathBuf,
    key: KeyFile,
    pub(super) outside: Checkpoint,
}

/// Runs of the sample: the third fails a test, the thirtieth is lost, the first is removed.
const RUNS: u64 = 40;
const LOST: u64 = 30;

impl Sample {
    pub(super) fn make(place: &Place) -> Self {
        let mut key = KeyFile::in_memory([8; 32]);
        let older = place.store.root().with_extension("older");
        let ledger = place.open();
        let fact = KeyChanged { v: 1, at: Moment(3), key: Digest([0xef; 32]), before: None };
        ledger.append(&Entry::KeyChanged(fact)).unwrap().wait().unwrap();
        drop(ledger);
        for number in 0..RUNS {
            let ledger = place.open();
            ledger.append(&Entry::Started(started(number))).unwrap().wait().unwrap();
            if number == LOST {
                continue;
            }
            let (record, contents) = sample_record(number);
            ledger.seal(record, contents).unwrap().wait().unwrap();
            if number == 2 {
                let reader = ledger.reader().unwrap();
                let going = announce_removal(&ledger, &reader, &[run(0)], "a test", Moment(9)).unwrap();
                prune(&place.store, &going).unwrap();
            }
            if number % 10 == 4 {
                sign(place, &mut key);
            }
            if number == 20 {
                copy(place.store.root(), &older);
            }
        }
        drop(place.open());
        // Enough for one hash of the tree that is kept.
        let ledger = place.open();
        for number in 0..200 {
            let data = number.into();
            let fact = Fact { v: 1, run: None, at: Moment(number), name: "tick".to_owned(), data };
            ledger.append(&Entry::Fact(fact)).unwrap().wait().unwrap();
        }
        let outside = sign(place, &mut key);
        Self { store: place.store.clone(), older, key, outside }
    }

    pub(super) fn forger(&self) -> Forger {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("store");
        copy(self.store.root(), &root);
        Forger { _folder: folder, store: Store::at(&root), older: self.older.clone() }
    }
}

fn sign(place: &Place, key: &mut KeyFile) -> Checkpoint {
    let ledger = place.open();
    let head = ledger.reader().unwrap().head().unwrap();
    let checkpoint = Checkpoint { origin: ledger.origin().to_owned(), size: head.size, root: head.root };
    let note = checkpoint.sign(key).unwrap();
    ledger.keep_checkpoint(head.size, note.to_string()).unwrap().wait().unwrap();
    checkpoint
}

/// A record with everything in it that somebody might want to change.
fn sample_record(number: u64) -> (Record, Vec<crate::ledger::Content>) {
    let printed = format!("output of {number}\n").repeat(if number % 9 == 2 { 9_000 } else { 30 });
    let (record, contents) = record(number, printed.as_bytes());
    let mut json = serde_json::to_value(record).unwrap();
    let more = serde_json::json!({
        "host": "ab".repeat(32), "seeds": ["PYTHONHASHSEED=1"],
        "git": { "commit": "0123456789abcdef0123456789abcdef01234567", "dirty": true },
        "outputs": [{ "path": "model.bin", "kind": "created", "sha256": "cd".repeat(32), "size": 7 }],
        "metrics": [{ "name": "accuracy", "value": 0.8731, "literal": "0.8731", "source": { "json": "stdout" }, "line": 1 }],
    });
    json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json["stdout"]["redactions"] = 3.into();
    if number % 7 == 3 {
        json["outcome"] = "failure".into();
        json["exit_code"] = 1.into();
        json["ending"] = serde_json::to_value(Ending::Exited { code: 1 }).unwrap();
        json["key"] = "within-reach".into();
        json["tests"] = serde_json::json!({
            "runner": "pytest", "counted": "tests", "passed": 41, "failed": 1, "skipped": 0, "total": 42,
            "failed_names": ["test_of_the_day"], "stream": "stdout", "lines": [1, 1],
        });
    }
    (serde_json::from_value(json).unwrap(), contents)
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}

pub(super) struct Forger {
    _folder: tempfile::TempDir,
    store: Store,
    older: PathBuf,
}

impl Forger {
    /// Changes the log and writes it again as this program would. Bodies that were removed stay so.
    pub(super) fn entries(&mut self, change: impl FnOnce(&mut Vec<String>)) {
        let connection = self.connection();
        let mut select = connection.prepare("SELECT bytes, hex(leaf) FROM entry ORDER BY seq").unwrap();
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, Option<Vec<u8>>>(0)?, row.get::<_, String>(1)?));
        let rows = select.query_map([], row).unwrap().map(Result::unwrap);
        // Where a body was removed, its leaf stands for it.
        let mut log: Vec<String> =
            rows.map(|(bytes, leaf)| bytes.map_or(leaf, |bytes| String::from_utf8(bytes).unwrap())).collect();
        drop(select);
        change(&mut log);
        let path = self.store.ledger_file();
        connection
            .execute_batch(
                "BEGIN IMMEDIATE; DELETE FROM entry; DELETE FROM tile; DELETE FROM run; DELETE FROM label;
                DELETE FROM held; UPDATE store SET size = 0, peaks = x''",
            )
            .unwrap();
        let mut writing = Writing::within(&connection, &path).unwrap();
        let mut removed = Vec::new();
        for (seq, entry) in log.into_iter().enumerate() {
            let is_leaf = !entry.starts_with('{');
            if is_leaf {
                removed.push((seq, entry.clone()));
            }
            let bytes = if is_leaf { b"{\"type\":\"\"}".to_vec() } else { entry.into_bytes() };
            writing.add(&Batch { entries: vec![bytes], ..Batch::default() }).unwrap();
        }
        writing.commit().unwrap();
        if !removed.is_empty() {
            rewrite_tree(&connection, &removed);
        }
    }

    /// Replaces a text wherever it stands in the log.
    pub(super) fn replace(&mut self, from: &str, to: &str) {
        self.entries(|log| {
            assert!(log.iter().any(|entry| entry.contains(from)), "nothing says {from}");
            log.iter_mut().for_each(|entry| *entry = entry.replace(from, to));
        });
    }

    /// Changes tables and nothing else.
    pub(super) fn sql(&self, sql: &str) {
        self.connection().execute_batch(sql).unwrap();
    }

    /// The same, where something has to be changed by it.
    pub(super) fn raw(&self, sql: &str) {
        let connection = self.connection();
        connection.execute_batch(sql).unwrap();
        assert!(connection.total_changes() > 0, "{sql} changes nothing");
    }

    /// A run that never was, as the log would have it.
    pub(super) fn forged_run(&self, number: u64) -> Vec<String> {
        let (record, _) = record(number, b"");
        let (mut record, blobs) = (record, self.connection());
        // It names contents that are there.
        let report = serde_json::to_value(&record.report).unwrap();
        let held = blobs.query_row("SELECT sha256, size FROM blob LIMIT 1", [], |row| {
            Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, i64>(1)?))
        });
        let (sha256, size) = held.unwrap();
        assert!(report.is_object());
        record.report = Held { sha256: Digest(sha256), bytes: Bytes(size as u64), redactions: 0 };
        let text = |entry: Entry| String::from_utf8(index::bytes_of(&entry).unwrap()).unwrap();
        vec![text(Entry::Started(started(number))), text(Entry::Ended(Box::new(record)))]
    }

    pub(super) fn origin(&self) -> String {
        self.connection().query_row("SELECT origin FROM store", [], |row| row.get(0)).unwrap()
    }

    pub(super) fn stdout_of(&self, number: u64) -> String {
        let reader = Reader::open(&self.store).unwrap();
        reader.sealed(run(number)).unwrap().unwrap().record.stdout.sha256.to_string()
    }

    pub(super) fn go_back(&mut self) {
        std::fs::remove_dir_all(self.store.root()).unwrap();
        copy(&self.older, self.store.root());
    }

    pub(super) fn notes(&self) -> Vec<(i64, String)> {
        let connection = self.connection();
        let mut select = connection.prepare("SELECT size, note FROM checkpoint").unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    pub(super) fn put_notes(&self, notes: &[(i64, String)]) {
        let connection = self.connection();
        for (size, note) in notes {
            connection
                .execute("INSERT OR REPLACE INTO checkpoint VALUES (?1, ?2)", rusqlite::params![size, note])
                .unwrap();
        }
    }

    /// A note that a stranger signed, over the true root where there is one.
    pub(super) fn put_note(&self, size: u64, origin: Option<&str>) {
        let reader = Reader::open(&self.store).unwrap();
        let root = reader.head_at(size.min(40)).unwrap().root;
        let origin = origin.map_or_else(|| self.origin(), str::to_owned);
        let note = Checkpoint { origin, size, root }.sign(&mut stranger()).unwrap();
        self.put_notes(&[(size as i64, note.to_string())]);
    }

    pub(super) fn change_last_note(&self, change: impl FnOnce(&str) -> String) {
        let (size, note) = self.notes().pop().unwrap();
        self.put_notes(&[(size, change(&note))]);
    }

    pub(super) fn sign_last_with_another_key(&self) {
        let size = self.notes().last().unwrap().0 as u64;
        self.sign_again(&[size]);
    }

    pub(super) fn sign_all_with_another_key(&self) {
        let sizes: Vec<u64> = self.notes().iter().map(|note| note.0 as u64).collect();
        self.sign_again(&sizes);
    }

    fn sign_again(&self, sizes: &[u64]) {
        let reader = Reader::open(&self.store).unwrap();
        for size in sizes {
            let root = reader.head_at(*size).unwrap().root;
            let note = Checkpoint { origin: self.origin(), size: *size, root }.sign(&mut stranger()).unwrap();
            self.put_notes(&[(*size as i64, note.to_string())]);
        }
    }

    /// As `actum gc` would, but for the entry that says so.
    pub(super) fn remove_run(&self, number: u64) {
        let connection = self.connection();
        for sql in [
            "UPDATE entry SET type = '', run = NULL, bytes = NULL WHERE run = ?1",
            "DELETE FROM run WHERE run = ?1",
            "DELETE FROM label WHERE run = ?1",
            "DELETE FROM held WHERE run = ?1",
        ] {
            assert!(connection.execute(sql, [run(number).to_bytes()]).unwrap() > 0);
        }
    }

    pub(super) fn append_removal(&self, number: u64) {
        // Behind the first entry, a change of key, and the true removal.
        let first = 3 + 2 * number;
        let pruned = Pruned {
            v: 1,
            at: Moment(9),
            because: "old".to_owned(),
            runs: vec![run(number)],
            entries: vec![[first, first + 1]],
            blobs: 0,
            freed: Bytes(0),
        };
        let bytes = index::bytes_of(&Entry::Pruned(pruned)).unwrap();
        let connection = self.connection();
        let path = self.store.ledger_file();
        let mut writing = Writing::begin(&connection, &path).unwrap();
        writing.add(&Batch { entries: vec![bytes], ..Batch::default() }).unwrap();
        writing.commit().unwrap();
    }

    /// What our own writer refuses: the same record once more.
    pub(super) fn end_again(&self, seq: u64) {
        self.raw(&format!(
            "INSERT INTO entry SELECT (SELECT size FROM store), type, run, bytes, leaf FROM entry WHERE seq = {seq};
            UPDATE store SET size = size + 1"
        ));
        rewrite_tree(&self.connection(), &[]);
    }

    pub(super) fn swap_large(&self) {
        let large = self.large();
        let (one, other) = (&large[0], &large[1]);
        let between = one.with_extension("x");
        std::fs::rename(one, &between).unwrap();
        std::fs::rename(other, one).unwrap();
        std::fs::rename(&between, other).unwrap();
    }

    pub(super) fn change_large(&self, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.large().remove(0);
        let mut bytes = std::fs::read(&path).unwrap();
        change(&mut bytes);
        std::fs::write(path, bytes).unwrap();
    }

    pub(super) fn repack_large(&self, printed: Vec<u8>) {
        self.change_large(|bytes| *bytes = zstd::bulk::compress(&printed, 1).unwrap());
    }

    pub(super) fn remove_large(&self) {
        std::fs::remove_file(self.large().remove(0)).unwrap();
    }

    fn large(&self) -> Vec<PathBuf> {
        let shelves = std::fs::read_dir(self.store.root().join("blobs")).unwrap();
        let files = shelves.flat_map(|shelf| std::fs::read_dir(shelf.unwrap().path()).unwrap());
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        assert!(files.len() >= 2);
        files
    }

    /// What verifying says, with the owner's key, and with a checkpoint from outside or without. What cannot be opened is refused.
    pub(super) fn verified(&self, sample: &Sample, outside: Option<&Checkpoint>) -> Verified {
        let against = Against {
            keys: vec![sample.key.public()],
            outside: outside.into_iter().cloned().collect(),
            ..Against::default()
        };
        match Reader::open(&self.store) {
            Ok(reader) => verify(&reader, &against),
            Err(error) => Verified {
                problems: vec![Problem::Unreadable { why: error.to_string() }],
                ..Verified::default()
            },
        }
    }

    fn connection(&self) -> Connection {
        Connection::open(self.store.ledger_file()).unwrap()
    }
}

fn stranger() -> KeyFile {
    KeyFile::in_memory([66; 32])
}

/// Puts leaves of removed bodies back, and reckons the tree again.
fn rewrite_tree(connection: &Connection, removed: &[(usize, String)]) {
    for (seq, leaf) in removed {
        let sql = format!("UPDATE entry SET bytes = NULL, leaf = x'{leaf}' WHERE seq = {seq}");
        connection.execute_batch(&sql).unwrap();
    }
    connection.execute_batch("DELETE FROM tile").unwrap();
    let mut frontier = merkle::Frontier::default();
    let mut select = connection.prepare("SELECT leaf FROM entry ORDER BY seq").unwrap();
    let leaves = select.query_map([], |row| row.get::<_, [u8; 32]>(0)).unwrap();
    for leaf in leaves.map(Result::unwrap) {
        frontier.push(Digest(leaf), |subtree, hash| {
            if crate::ledger::tree::is_kept(subtree) {
                let sql = "INSERT INTO tile VALUES (?1, ?2, ?3)";
                connection
                    .execute(sql, rusqlite::params![subtree.level, subtree.index as i64, hash.0])
                    .unwrap();
            }
        });
    }
    let peaks: Vec<u8> = frontier.peaks().iter().flat_map(|peak| peak.0).collect();
    connection.execute("UPDATE store SET peaks = ?1", [peaks]).unwrap();
}

/// Notes as texts.
pub(super) mod text {
    /// The root, which is the third line, is another one.
    pub(crate) fn second_line_from(note: &str, line: usize) -> String {
        let mut lines: Vec<String> = note.split('\n').map(str::to_owned).collect();
        lines[line] = format!("{}A{}", &lines[line][..4], &lines[line][5..]);
        lines.join("\n")
    }

    /// One letter in the middle of the signature.
    pub(crate) fn bend_signature(note: &str) -> String {
        let at = note.len() - 30;
        let other = if &note[at..=at] == "A" { "B" } else { "A" };
        format!("{}{other}{}", &note[..at], &note[at + 1..])
    }
}
