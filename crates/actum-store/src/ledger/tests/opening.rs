use super::fixtures::*;
use crate::error::StoreError;
use crate::ledger::schema::{Access, Found, connect, make};
use crate::ledger::{Ledger, Reader};
use actum_model::Moment;
use rusqlite::Connection;
use std::sync::atomic::{AtomicBool, Ordering};

fn refusal(place: &Place) -> StoreError {
    let refused = Ledger::open(&place.store, Moment(1)).expect_err("this store should be refused");
    // Whoever reads is told the same.
    assert_eq!(Reader::open(&place.store).err().map(|error| error.to_string()), Some(refused.to_string()));
    refused
}

#[test]
fn what_is_not_ours_is_refused_and_not_touched() {
    for bytes in [b"not a database at all, but long enough to look at".to_vec(), vec![0xa5; 70_000]] {
        let place = Place::new();
        std::fs::create_dir_all(place.store.root()).unwrap();
        std::fs::write(place.store.ledger_file(), &bytes).unwrap();
        assert!(matches!(refusal(&place), StoreError::NotOurs { .. }));
        assert_eq!(std::fs::read(place.store.ledger_file()).unwrap(), bytes);
    }
    let place = Place::new();
    std::fs::create_dir_all(place.store.root()).unwrap();
    Connection::open(place.store.ledger_file()).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    assert!(matches!(refusal(&place), StoreError::NotOurs { .. }));
}

#[test]
fn a_newer_format_is_never_written() {
    let place = Place::new();
    write(&place.open(), 1, b"x");
    let connection = Connection::open(place.store.ledger_file()).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    assert!(matches!(refusal(&place), StoreError::Newer { format: 2, .. }));
}

#[test]
fn many_who_open_a_new_ledger_at_once_all_have_it() {
    for _ in 0..20 {
        let place = Place::new();
        let together = std::sync::Barrier::new(6);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    together.wait();
                    place.open();
                });
            }
        });
        write(&place.open(), 1, b"out");
    }
}

#[test]
fn a_ledger_is_seen_whole_or_not_at_all() {
    let place = Place::new();
    std::fs::create_dir_all(place.store.root()).unwrap();
    let file = place.store.ledger_file();
    let (mut writer, _) = connect(&file, Access::Write).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                // What is refused here is a ledger that was half made when it was looked at.
                connect(&file, Access::Read).unwrap();
            }
        });
        for _ in 0..500 {
            assert_eq!(make(&writer, &file).unwrap(), Found::Nothing);
            writer.execute_batch("COMMIT").unwrap();
            unmake(&mut writer);
        }
        is_done.store(true, Ordering::Relaxed);
    });
}

/// All tables and marks, in one moment.
fn unmake(connection: &mut Connection) {
    let whole = connection.transaction().unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let tables: Vec<String> =
        whole.prepare(tables).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for table in tables {
        whole.execute_batch(&format!("DROP TABLE {table}")).unwrap();
    }
    whole.execute_batch("PRAGMA application_id = 0; PRAGMA user_version = 0").unwrap();
    whole.commit().unwrap();
}

#[test]
fn looking_makes_nothing() {
    let place = Place::new();
    assert!(matches!(Reader::open(&place.store), Err(StoreError::Nothing { .. })));
    assert!(!place.store.root().exists());
}

#[test]
fn a_mark_of_a_failed_disk_is_settled_by_the_next() {
    let place = Place::new();
    write(&place.open(), 1, b"x");
    let mark = place.store.ledger_file().with_extension("poisoned");
    std::fs::write(&mark, b"").unwrap();
    let ledger = place.open();
    assert!(!mark.exists());
    assert!(ledger.reader().unwrap().sealed(run(1)).unwrap().is_some());
}

#[test]
fn a_truncated_file_is_an_error_and_no_panic() {
    let place = Place::new();
    let ledger = place.open();
    for number in 0..50 {
        write(&ledger, number, b"some output");
    }
    drop(ledger);
    let connection = Connection::open(place.store.ledger_file()).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    let whole = std::fs::read(place.store.ledger_file()).unwrap();
    for length in (100..whole.len()).step_by(1021) {
        std::fs::write(place.store.ledger_file(), &whole[..length]).unwrap();
        let _ = std::fs::remove_file(place.store.root().join("ledger.db-wal"));
        let _ = std::fs::remove_file(place.store.root().join("ledger.db-shm"));
        let _ = Ledger::open(&place.store, Moment(1)).and_then(|ledger| ledger.reader()?.sealed(run(3)));
    }
}
