use super::fixtures::Place;
use super::fixtures::*;
use crate::error::StoreError;
use crate::ledger::{Filter, Reader};
use actum_model::*;
use std::io::Read;

fn names(reader: &Reader, filter: Filter) -> Vec<RunId> {
    let listed = reader.list(&filter).unwrap();
    let all = reader.count(&filter).unwrap();
    assert_eq!(listed.len() as u64, filter.limit.map_or(all, |limit| limit.min(all)));
    listed.into_iter().map(|run| run.run).collect()
}

#[test]
fn lists_by_what_is_asked() {
    let place = Place::new();
    let ledger = place.open();
    for number in 0..5 {
        write(&ledger, number, b"x");
    }
    let going_on = Started { folder: "/home/u/project/deep".to_owned(), labels: Vec::new(), ..started(9) };
    ledger.append(&Entry::Started(going_on)).unwrap().wait().unwrap();
    let reader = ledger.reader().unwrap();
    let all = || Filter::default();
    assert_eq!(names(&reader, all()).len(), 6);
    assert_eq!(names(&reader, Filter { limit: Some(2), ..all() }), [run(9), run(4)]);
    assert_eq!(
        names(&reader, Filter { since: Some(Moment(1_000_003)), until: Some(Moment(1_000_005)), ..all() }),
        [run(4), run(3)]
    );
    assert_eq!(names(&reader, Filter { outcomes: vec![Outcome::Failure], ..all() }), []);
    assert_eq!(
        names(&reader, Filter { outcomes: vec![Outcome::Failure], going_on: true, ..all() }),
        [run(9)]
    );
    assert_eq!(names(&reader, Filter { labels: vec!["nightly".to_owned()], ..all() }).len(), 5);
    assert_eq!(names(&reader, Filter { labels: vec!["night".to_owned()], ..all() }), []);
    for (below, count) in [
        ("/home/u/project", 6),
        ("/home/u/project/", 6),
        ("/home/u/proj", 0),
        ("/home/u/project/deep", 1),
        ("/", 6),
        ("/home/u/%", 0),
    ] {
        assert_eq!(names(&reader, Filter { below: Some(below.to_owned()), ..all() }).len(), count, "{below}");
    }
    assert_eq!(names(&reader, Filter { command: Some("job3".to_owned()), ..all() }), [run(3)]);
    assert_eq!(names(&reader, Filter { languages: vec!["it's".to_owned()], ..all() }), []);
}

#[test]
fn finds_what_a_person_means() {
    let place = Place::new();
    let ledger = place.open();
    assert!(matches!(ledger.reader().unwrap().find("last"), Err(StoreError::Nothing { .. })));
    for number in 0..3 {
        write(&ledger, number, b"x");
    }
    let reader = ledger.reader().unwrap();
    assert_eq!(reader.find("last").unwrap(), run(2));
    assert_eq!(reader.find(&run(1).to_string()).unwrap(), run(1));
    assert_eq!(reader.find(&run(1).short()).unwrap(), run(1));
    assert!(matches!(reader.find("0000"), Err(StoreError::Ambiguous { .. })));
    assert!(matches!(reader.find("zz"), Err(StoreError::Unknown { .. })));
    assert!(matches!(reader.find(&run(7).to_string()), Err(StoreError::Unknown { .. })));
}

#[test]
fn what_was_changed_behind_our_back_is_told() {
    let place = Place::new();
    let ledger = place.open();
    let large = vec![3; 100_000];
    let seq = write(&ledger, 1, &large);
    write(&ledger, 2, b"small but compressible: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    let reader = ledger.reader().unwrap();
    let stdout = reader.sealed(run(1)).unwrap().unwrap().record.stdout.sha256;
    let path = place.store.root().join("blobs").join(&stdout.to_string()[..2]).join(stdout.to_string());
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let read = |sha256: &Digest| {
        let mut all = Vec::new();
        reader
            .blob(sha256)
            .map_err(|error| error.to_string())?
            .read_to_end(&mut all)
            .map_err(|e| e.to_string())
    };
    assert!(read(&stdout).is_err());
    std::fs::remove_file(&path).unwrap();
    assert!(read(&stdout).is_err());
    let small = reader.sealed(run(2)).unwrap().unwrap().record.stdout.sha256;
    assert!(read(&small).is_ok());
    let change = |sql: &str| {
        let connection = rusqlite::Connection::open(place.store.ledger_file()).unwrap();
        connection.execute_batch(sql).unwrap();
    };
    change("UPDATE blob SET form = 'raw' WHERE form = 'zstd'");
    assert!(read(&small).is_err());
    change("UPDATE blob SET bytes = NULL");
    assert!(read(&small).is_err());
    change(&format!(
        "UPDATE entry SET bytes = CAST(replace(CAST(bytes AS TEXT), 'success', 'failure') AS BLOB) WHERE seq = {seq}"
    ));
    assert!(matches!(reader.sealed(run(1)), Err(StoreError::Damaged { .. })));
}

#[test]
fn a_store_that_cannot_be_written_can_be_read() {
    let place = Place::new();
    write(&place.open(), 1, b"x");
    let connection = rusqlite::Connection::open(place.store.ledger_file()).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    // As root permissions do not count, so it is asked for by name.
    let frozen =
        crate::ledger::schema::connect(&place.store.ledger_file(), crate::ledger::schema::Access::Frozen);
    let (connection, _) = frozen.unwrap();
    let runs: i64 = connection.query_row("SELECT count(*) FROM run", [], |row| row.get(0)).unwrap();
    assert_eq!(runs, 1);
    assert!(connection.execute("DELETE FROM run", []).is_err());
}
