use super::fixtures::Place;
use super::fixtures::*;
use crate::error::StoreError;
use crate::ledger::{Content, Filter, Ledger};
use crate::merkle;
use actum_model::*;
use std::io::Read;

#[test]
fn what_was_acknowledged_is_there_after_reopening() {
    let place = Place::new();
    let ledger = place.open();
    let large: Vec<u8> = (0..300_000_u32).flat_map(|n| (n / 7).to_be_bytes()).collect();
    assert_eq!(write(&ledger, 1, b"hello\n"), 2);
    assert_eq!(write(&ledger, 2, &large), 4);
    drop(ledger);
    let reader = place.open().reader().unwrap();
    let sealed = reader.sealed(run(2)).unwrap().unwrap();
    assert_eq!((sealed.seq, sealed.record.run), (4, run(2)));
    let mut bytes = Vec::new();
    reader.blob(&sealed.record.stdout.sha256).unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, large);
    assert_eq!(reader.head().unwrap().size, 5);
    assert_eq!(reader.entries(run(1)).unwrap().len(), 2);
}

#[test]
fn a_run_ends_once() {
    let place = Place::new();
    let ledger = place.open();
    write(&ledger, 1, b"x");
    let (record, contents) = record(1, b"y");
    let again = ledger.seal(record, contents).unwrap().wait();
    assert!(matches!(again, Err(StoreError::EndedBefore { run: other }) if other == run(1)));
    assert_eq!(ledger.reader().unwrap().head().unwrap().size, 3);
    // Whoever asked at the same time is not refused with it.
    write(&ledger, 2, b"z");
}

#[test]
fn a_start_without_an_end_is_lost_unless_it_goes_on() {
    let place = Place::new();
    let ledger = place.open();
    for number in [1, 2] {
        place.store.begin(run(number)).unwrap();
        ledger.append(&Entry::Started(started(number))).unwrap().wait().unwrap();
    }
    let goes_on = place.store.hold(run(2)).unwrap();
    drop(ledger);
    let outcomes = |ledger: &Ledger| {
        let listed = ledger.reader().unwrap().list(&Filter::default()).unwrap();
        listed.into_iter().map(|run| run.outcome).collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&place.open()), [None, Some(Outcome::Lost)]);
    drop(goes_on);
    assert_eq!(outcomes(&place.open()), [Some(Outcome::Lost), Some(Outcome::Lost)]);
    assert_eq!(place.open().reader().unwrap().head().unwrap().size, 5, "found once");
}

#[test]
fn many_write_at_once_and_every_place_is_taken_once() {
    let place = Place::new();
    let ledgers = [place.open(), place.open(), place.open()];
    let mut places: Vec<u64> = std::thread::scope(|scope| {
        let each = |worker: u64| {
            let ledger = &ledgers[worker as usize % ledgers.len()];
            scope.spawn(move || (0..20).map(|n| write(ledger, worker * 100 + n, b"out")).collect::<Vec<_>>())
        };
        let workers: Vec<_> = (0..9).map(each).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 180);
    let reader = place.open().reader().unwrap();
    let head = reader.head().unwrap();
    assert_eq!(head.size, 361);
    assert_eq!(reader.head_at(361).unwrap(), head);
}

#[test]
fn proofs_hold_for_every_entry_and_every_beginning() {
    let place = Place::new();
    let ledger = place.open();
    let fact =
        |n: u64| Entry::Fact(Fact { v: 1, run: None, at: Moment(n), name: "n".to_owned(), data: n.into() });
    let tickets: Vec<_> = (0..600).map(|n| ledger.append(&fact(n)).unwrap()).collect();
    for ticket in tickets {
        ticket.wait().unwrap();
    }
    let reader = ledger.reader().unwrap();
    let head = reader.head().unwrap();
    for seq in [0, 1, 255, 256, 257, 511, 512, 600] {
        let bytes: Vec<u8> = reader
            .connection
            .query_row("SELECT bytes FROM entry WHERE seq = ?1", [seq as i64], |row| row.get(0))
            .unwrap();
        let proof = reader.inclusion(seq, head.size).unwrap();
        assert!(merkle::verify_inclusion(&merkle::leaf(&bytes), seq, head.size, &head.root, &proof));
        let old = reader.head_at(seq).unwrap();
        assert!(merkle::verify_consistency(old, head, &reader.consistency(seq, head.size).unwrap()));
    }
}

#[test]
fn the_same_contents_are_kept_once() {
    let place = Place::new();
    let ledger = place.open();
    let large = vec![7; 200_000];
    write(&ledger, 1, &large);
    write(&ledger, 2, &large);
    let count = |sql: &str| {
        ledger.reader().unwrap().connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(count("SELECT count(*) FROM blob WHERE form = 'file'"), 1);
    assert_eq!(count("SELECT count(*) FROM held WHERE name = 'stdout'"), 2);
    let missing = ledger.seal(record(3, b"").0, vec![Content::File("/nowhere/at/all".into())]);
    assert!(matches!(missing, Err(StoreError::Blob { .. })));
}
