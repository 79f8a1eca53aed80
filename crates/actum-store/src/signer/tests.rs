use super::*;
use crate::store::Store;
use actum_model::{Entry, Fact, Moment};
use std::path::Path;

/// A signer in a thread of this process, which is the same to whoever asks.
fn signer(keys: &Path) -> Signer {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let keyring = Keyring::at(keys);
    std::thread::spawn(move || serve(theirs, &keyring, None));
    Signer::greet(ours).unwrap().signer().unwrap()
}

fn grow(ledger: &Ledger, count: u64) {
    for n in 0..count {
        let fact = Fact { v: 1, run: None, at: Moment(n), name: "n".to_owned(), data: n.into() };
        ledger.append(&Entry::Fact(fact)).unwrap().wait().unwrap();
    }
}

fn open(root: &Path) -> (Ledger, Reader) {
    let ledger = Ledger::open(&Store::at(root), Moment(1)).unwrap();
    let reader = ledger.reader().unwrap();
    (ledger, reader)
}

#[test]
fn a_growing_log_is_signed_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut signer = signer(&folder.path().join("keys"));
    let (ledger, reader) = open(&folder.path().join("store"));
    for count in [0, 1, 5, 0, 300] {
        grow(&ledger, count);
        let note = signer.seal(&ledger, &reader).unwrap();
        let head = reader.head().unwrap();
        let checkpoint = Checkpoint { origin: ledger.origin().to_owned(), size: head.size, root: head.root };
        assert_eq!(note.checkpoint(), Ok(checkpoint));
        assert!(note.is_signed_by(&signer.public(), ledger.origin()));
        assert_eq!(reader.last_checkpoint().unwrap(), Some((head.size, note.to_string())));
    }
    assert!(signer.public().signed(b"{}", &signer.sign(b"{}").unwrap()));
    let text = Checkpoint { origin: "x".to_owned(), size: 1, root: Digest([0; 32]) }.text();
    assert!(signer.sign(text.as_bytes()).is_err(), "a checkpoint by the back door");
}

#[test]
fn several_signers_of_one_store_agree() {
    let folder = tempfile::tempdir().unwrap();
    let (keys, root) = (folder.path().join("keys"), folder.path().join("store"));
    drop(open(&root));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let (ledger, reader) = open(&root);
                let mut signer = signer(&keys);
                for _ in 0..10 {
                    grow(&ledger, 1);
                    signer.seal(&ledger, &reader).unwrap();
                }
            });
        }
    });
    let (_ledger, reader) = open(&root);
    assert_eq!(reader.last_checkpoint().unwrap().map(|(size, _)| size), Some(41));
}

#[test]
fn a_log_that_was_rolled_back_or_forked_is_not_signed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("store");
    let copy = folder.path().join("copy.db");
    let mut signer = signer(&folder.path().join("keys"));
    let (ledger, reader) = open(&root);
    grow(&ledger, 3);
    drop((reader, ledger));
    let rows =
        |sql: &str| rusqlite::Connection::open(root.join("ledger.db")).unwrap().execute_batch(sql).unwrap();
    rows(&format!("VACUUM INTO '{}'", copy.display()));
    let (ledger, reader) = open(&root);
    grow(&ledger, 4);
    signer.seal(&ledger, &reader).unwrap();
    drop((reader, ledger));
    let back = || {
        for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
            let _ = std::fs::remove_file(root.join(name));
        }
        std::fs::copy(&copy, root.join("ledger.db")).unwrap();
        open(&root)
    };
    let (ledger, reader) = back();
    assert!(matches!(signer.seal(&ledger, &reader), Err(SealError::Broken { signed: 8 })));
    // It grows past what was signed, another way.
    let fact = Fact { v: 1, run: None, at: Moment(9), name: "other".to_owned(), data: 1.into() };
    for _ in 0..6 {
        ledger.append(&Entry::Fact(fact.clone())).unwrap().wait().unwrap();
    }
    assert!(matches!(signer.seal(&ledger, &reader), Err(SealError::Broken { signed: 8 })));
    Keyring::at(&folder.path().join("keys")).forget(ledger.origin()).unwrap();
    assert!(signer.seal(&ledger, &reader).is_ok());
}

#[test]
fn a_signer_without_a_key_says_why() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("agent"), "SHA256:x\n").unwrap();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let keyring = Keyring::at(folder.path());
    std::thread::spawn(move || serve(theirs, &keyring, None));
    let error = Signer::greet(ours).unwrap().signer().unwrap_err().to_string();
    assert!(error.contains("SSH_AUTH_SOCK is not set"), "{error}");
}
