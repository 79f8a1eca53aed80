use super::fixtures::Place;
use super::fixtures::*;
use crate::error::StoreError;
use crate::ledger::{Against, Filter, Ledger, Reader, announce_removal, backup, prune, verify};
use crate::merkle;
use crate::store::Store;
use actum_model::*;

fn intact(store: &Store) -> u64 {
    let found = verify(&Reader::open(store).unwrap(), &Against::default());
    assert_eq!(found.problems, []);
    found.pruned
}

#[test]
fn bodies_go_and_leaves_stay() {
    let place = Place::new();
    let ledger = place.open();
    let shared = vec![5; 150_000];
    for number in 0..20 {
        let own: Vec<u8> = (0..100_000_u32).flat_map(|n| (n * number as u32).to_be_bytes()).collect();
        write(&ledger, number, if number % 2 == 0 { &shared } else { &own });
    }
    ledger.append(&Entry::Started(started(50))).unwrap().wait().unwrap();
    let reader = ledger.reader().unwrap();
    let sealed = reader.sealed(run(3)).unwrap().unwrap();
    let before = reader.head().unwrap();
    let proof = reader.inclusion(sealed.seq, before.size).unwrap();
    let going: Vec<RunId> = (0..10).chain([50, 99]).map(run).collect();
    let removal = reader.removal(going.clone()).unwrap();
    let pruned = announce_removal(&ledger, &reader, &going, "older than a test", Moment(9)).unwrap();
    // Said and not done yet: nothing is wrong with that.
    intact(&place.store);
    prune(&place.store, &pruned).unwrap();
    assert_eq!(pruned.runs.len(), 10, "what goes on, and what was never there, is left alone");
    // The shared contents are still named by others; each run has a report of its own.
    assert_eq!((pruned.blobs, removal.blobs), (15, 15));
    assert!(pruned.freed.0 > 5 * 400_000 && pruned.freed <= removal.bytes);
    assert!(matches!(reader.sealed(run(3)), Ok(None)));
    assert_eq!(reader.list(&Filter::default()).unwrap().len(), 11);
    assert_eq!(intact(&place.store), 20);
    // Who kept the record proves that it was there.
    let leaf = merkle::leaf(&sealed.bytes);
    assert!(merkle::verify_inclusion(&leaf, sealed.seq, before.size, &before.root, &proof));
    let now = reader.head().unwrap();
    let proof = reader.inclusion(sealed.seq, now.size).unwrap();
    assert!(merkle::verify_inclusion(&leaf, sealed.seq, now.size, &now.root, &proof));
    assert!(merkle::verify_consistency(before, now, &reader.consistency(before.size, now.size).unwrap()));
    // And the ledger goes on.
    write(&ledger, 60, b"more");
    intact(&place.store);
}

#[test]
fn what_nobody_names_is_swept() {
    let place = Place::new();
    let ledger = place.open();
    write(&ledger, 1, &vec![1; 100_000]);
    let blobs = place.store.root().join("blobs");
    std::fs::write(blobs.join("new-1-1"), b"half").unwrap();
    std::fs::create_dir_all(blobs.join("00")).unwrap();
    std::fs::write(blobs.join("00").join("0".repeat(64)), b"orphan").unwrap();
    let nothing = announce_removal(&ledger, &ledger.reader().unwrap(), &[], "nothing", Moment(9)).unwrap();
    prune(&place.store, &nothing).unwrap();
    assert!(!blobs.join("new-1-1").exists() && !blobs.join("00").join("0".repeat(64)).exists());
    intact(&place.store);
}

#[test]
fn a_copy_is_a_store_of_its_own() {
    let place = Place::new();
    let ledger = place.open();
    for number in 0..5 {
        write(&ledger, number, &vec![number as u8; 100_000]);
    }
    let to = place.store.root().with_file_name("copy of 'it'");
    let copied = backup(&ledger.reader().unwrap(), &to).unwrap();
    assert_eq!((copied.entries, copied.blobs), (11, 5));
    assert!(matches!(backup(&ledger.reader().unwrap(), &to), Err(StoreError::Make { .. })));
    let copy = Store::at(&to);
    intact(&copy);
    let ledger = Ledger::open(&copy, Moment(1)).unwrap();
    write(&ledger, 6, b"goes on");
    intact(&copy);
}
