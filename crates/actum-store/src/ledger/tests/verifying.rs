use super::fixtures::*;
use crate::key::{KeyFile, Signs};
use crate::ledger::{Against, Problem, Reader, Verified, verify};
use crate::note::Checkpoint;
use crate::store::Store;

struct Signed {
    place: Place,
    key: KeyFile,
    checkpoint: Checkpoint,
}

/// A store with 300 runs and a checkpoint over all but the last few.
fn signed() -> Signed {
    let place = Place::new();
    let ledger = place.open();
    for number in 0..300 {
        write(&ledger, number, format!("output {number}\n").repeat(40).as_bytes());
    }
    let mut key = KeyFile::in_memory([8; 32]);
    let head = ledger.reader().unwrap().head().unwrap();
    let checkpoint = Checkpoint { origin: ledger.origin().to_owned(), size: head.size, root: head.root };
    let note = checkpoint.sign(&mut key).unwrap();
    ledger.keep_checkpoint(head.size, note.to_string()).unwrap().wait().unwrap();
    write(&ledger, 1000, &vec![1; 90_000]);
    drop(ledger);
    Signed { place, key, checkpoint }
}

impl Signed {
    fn look(&self) -> Verified {
        self.look_at(&self.place.store)
    }

    fn look_at(&self, store: &Store) -> Verified {
        let against = Against { keys: vec![self.key.public()], ..Against::default() };
        verify(&Reader::open(store).unwrap(), &against)
    }

    /// A copy in which something was changed behind our back.
    fn changed(&self, sql: &str) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("store");
        let copied =
            std::process::Command::new("cp").arg("-a").arg(self.place.store.root()).arg(&copy).status();
        assert!(copied.unwrap().success());
        let store = Store::at(&copy);
        rusqlite::Connection::open(store.ledger_file()).unwrap().execute_batch(sql).unwrap();
        (folder, store)
    }
}

#[test]
fn an_untouched_ledger_is_intact() {
    let signed = signed();
    let found = signed.look();
    assert_eq!(found.problems, []);
    assert_eq!((found.entries, found.runs, found.unsigned), (603, 301, 2));
    assert_eq!((found.checkpoints, found.signers.as_slice()), (1, [signed.key.public()].as_slice()));
    assert_eq!(found.blobs, 602, "each with its output and its report");
}

#[test]
fn a_checkpoint_from_outside_shows_a_log_that_was_rolled_back_or_forked() {
    let signed = signed();
    let outside = |checkpoint: Checkpoint| {
        let against = Against { outside: vec![checkpoint], ..Against::default() };
        verify(&signed.place.open().reader().unwrap(), &against)
    };
    assert_eq!(outside(signed.checkpoint.clone()).outside, 601);
    let ahead = Checkpoint { size: 700, ..signed.checkpoint.clone() };
    assert_eq!(outside(ahead).problems, [Problem::RolledBack { size: 700, now: 603 }]);
    let other = Checkpoint { size: 602, ..signed.checkpoint.clone() };
    assert_eq!(outside(other).problems, [Problem::Forked { size: 602 }]);
}

#[test]
fn every_table_is_held_against_the_log() {
    let signed = signed();
    assert!(
        {
            let (_folder, store) = signed.changed("");
            signed.look_at(&store).is_intact()
        },
        "a copy alone changes nothing"
    );
    for sql in [
        "UPDATE run SET outcome = 'failure' WHERE run = (SELECT min(run) FROM run)",
        "UPDATE run SET exit_code = NULL WHERE run = (SELECT min(run) FROM run)",
        "UPDATE run SET began = began + 1 WHERE run = (SELECT max(run) FROM run)",
        "UPDATE run SET command = 'rm' WHERE run = (SELECT max(run) FROM run)",
        "UPDATE run SET last = last + 1 WHERE run = (SELECT max(run) FROM run)",
        "DELETE FROM run WHERE run = (SELECT max(run) FROM run)",
        "INSERT INTO run (run, began, command, language, folder) VALUES (x'00112233445566778899aabbccddeeff', 1, '', '', '')",
        "UPDATE label SET label = 'x' WHERE run = (SELECT min(run) FROM run)",
        "INSERT INTO label SELECT run, 'more' FROM run LIMIT 1",
        "DELETE FROM held WHERE name = 'stdout' AND run = (SELECT min(run) FROM run)",
        "UPDATE held SET sha256 = x'00' WHERE name = 'stdout' AND run = (SELECT min(run) FROM run)",
        "UPDATE tile SET hash = zeroblob(32)",
        "DELETE FROM tile",
        "UPDATE store SET size = size - 1",
        "UPDATE store SET peaks = zeroblob(length(peaks))",
        "UPDATE store SET origin = 'other'",
        "DELETE FROM entry WHERE seq = 100",
        "DELETE FROM entry WHERE seq = 602",
        "UPDATE entry SET bytes = NULL WHERE seq = 40",
        "UPDATE entry SET bytes = NULL, run = NULL, type = '' WHERE seq = 40",
        "UPDATE entry SET bytes = CAST(replace(CAST(bytes AS TEXT), 'success', 'failure') AS BLOB) WHERE seq = 40",
        "UPDATE entry SET leaf = zeroblob(32) WHERE seq = 40",
        "UPDATE entry SET type = 'fact' WHERE seq = 40",
        "UPDATE entry SET run = (SELECT max(run) FROM run) WHERE seq = 40",
        "UPDATE entry SET seq = -1 WHERE seq = 40; UPDATE entry SET seq = 40 WHERE seq = 42; UPDATE entry SET seq = 42 WHERE seq = -1",
        "UPDATE checkpoint SET size = 5",
        "UPDATE checkpoint SET note = replace(note, 'actum', 'other')",
        "DELETE FROM blob WHERE sha256 = (SELECT sha256 FROM held WHERE name = 'stdout' LIMIT 1)",
        "UPDATE blob SET bytes = zeroblob(9) WHERE sha256 = (SELECT sha256 FROM held WHERE name = 'stdout' LIMIT 1)",
        "UPDATE blob SET size = size + 1 WHERE form = 'file'",
        "UPDATE blob SET form = 'raw' WHERE form = 'zstd'",
    ] {
        let (_folder, store) = signed.changed(sql);
        assert!(!signed.look_at(&store).is_intact(), "unnoticed: {sql}");
    }
}
