//! Somebody who can write every file of a store, and has not the key: each kind of tampering that they could think of.
//!
//! [`forger`] has their tools: the log read, changed and written again with every hash, table and tree derived anew, as this
//! program itself would. The tables of cases say what is to be told of each. What no look at the store alone can tell is tried too,
//! and has to be refused as soon as somebody holds a checkpoint elsewhere.

mod forger;

use super::fixtures::Place;
use crate::ledger::Verified;
use forger::{Forger, Sample, text};

/// What verifying has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// It is not what was signed.
    Refused,
    /// Nothing in the store tells, and a checkpoint that is held elsewhere does.
    OnlyFromOutside,
    /// It holds together, and is said not to be signed.
    Unsigned,
}

use Told::{OnlyFromOutside, Refused, Unsigned};

type Case = (&'static str, Told, fn(&mut Forger));

/// Changes of what is written, with everything derived anew and the signatures left as they are.
const LOG: &[Case] = &[
    ("the first entry is dropped", Refused, |f| f.entries(|log| drop(log.remove(0)))),
    ("a record is dropped", Refused, |f| f.entries(|log| drop(log.remove(10)))),
    ("a whole run is dropped", Refused, |f| f.entries(|log| log.retain(|one| !one.contains("job7.py")))),
    ("the last entry is dropped", Refused, |f| f.entries(|log| drop(log.pop()))),
    ("two neighbours change places", Refused, |f| f.entries(|log| log.swap(20, 21))),
    ("two runs change places", Refused, |f| f.entries(|log| log.swap(9, 19))),
    ("everything behind the first is reversed", Refused, |f| f.entries(|log| log[1..].reverse())),
    ("the last becomes the second", Refused, |f| {
        f.entries(|log| {
            let last = log.pop().unwrap();
            log.insert(1, last);
        });
    }),
    ("a start stands twice", Refused, |f| f.entries(|log| log.insert(12, log[9].clone()))),
    ("a start stands twice, at the end", Unsigned, |f| f.entries(|log| log.push(log[9].clone()))),
    ("a run ends a second time, at the end", Refused, |f| f.end_again(10)),
    ("a forged run is put in between", Refused, |f| {
        let forged = f.forged_run(900);
        f.entries(|log| drop(log.splice(15..15, forged)));
    }),
    ("a forged run is put at the end", Unsigned, |f| {
        let forged = f.forged_run(900);
        f.entries(|log| log.extend(forged));
    }),
    ("a forged run takes the place of another", Refused, |f| {
        let forged = f.forged_run(900);
        f.entries(|log| drop(log.splice(15..17, forged)));
    }),
    ("a failure becomes a success", Refused, |f| {
        f.replace("\"outcome\":\"failure\"", "\"outcome\":\"success\"");
    }),
    ("an exit code becomes 0", Refused, |f| f.replace("\"exit_code\":1,", "\"exit_code\":0,")),
    ("an ending becomes another", Refused, |f| {
        f.replace("{\"how\":\"exited\",\"code\":1}", "{\"how\":\"exited\",\"code\":0}")
    }),
    ("a failed test is struck out", Refused, |f| f.replace("\"test_of_the_day\"", "")),
    ("a failed test is counted as passed", Refused, |f| {
        f.replace("\"passed\":41,\"failed\":1", "\"passed\":42,\"failed\":0");
    }),
    ("a metric is improved", Refused, |f| f.replace("0.8731", "0.9731")),
    ("a command becomes another", Refused, |f| f.replace("python job4.py", "python good.py")),
    ("a language becomes another", Refused, |f| {
        f.replace("\"language\":\"python\"", "\"language\":\"perl\"")
    }),
    ("a folder becomes another", Refused, |f| f.replace("/home/u/project", "/home/u/another")),
    ("a label is added", Refused, |f| f.replace("[\"nightly\"]", "[\"nightly\",\"release\"]")),
    ("a run began earlier", Refused, |f| {
        f.replace("1970-01-01T00:00:01.000005Z", "1970-01-01T00:00:00.000005Z")
    }),
    ("a run ended later", Refused, |f| {
        f.replace("1970-01-01T00:00:01.500006Z", "1970-01-01T00:00:09.500006Z")
    }),
    ("a host becomes another", Refused, |f| f.replace(&"ab".repeat(32), &"ac".repeat(32))),
    ("redactions are denied", Refused, |f| f.replace(",\"redactions\":3", "")),
    ("a seed becomes another", Refused, |f| f.replace("PYTHONHASHSEED=1", "PYTHONHASHSEED=2")),
    ("a repository becomes clean", Refused, |f| f.replace("\"dirty\":true", "\"dirty\":false")),
    ("the key was out of reach after all", Refused, |f| f.replace("within-reach", "out-of-reach")),
    ("a limit was wider", Refused, |f| f.replace("\"processes\":10", "\"processes\":99")),
    ("an output has another digest", Refused, |f| f.replace(&"cd".repeat(32), &"ce".repeat(32))),
    ("a record names what another run printed", Refused, |f| {
        let (one, other) = (f.stdout_of(5), f.stdout_of(6));
        f.replace(&one, &other);
    }),
    ("a lost run is forgotten", Refused, |f| f.entries(|log| log.retain(|one| !one.contains("run.lost")))),
    ("a lost run has ended well", Refused, |f| {
        let record = f.forged_run(30).remove(1);
        f.entries(|log| {
            let at = log.iter().position(|one| one.contains("run.lost")).unwrap();
            log[at] = record;
        });
    }),
    ("another key signs from here on", Refused, |f| f.replace(&"ef".repeat(32), &"ee".repeat(32))),
    ("the log is of another store", Refused, |f| {
        let origin = f.origin();
        f.replace(&origin, "actum/another");
        f.sql("UPDATE store SET origin = 'actum/another'");
    }),
    ("the log forks in the middle", Refused, |f| {
        let forged: Vec<_> = (900..910).flat_map(|number| f.forged_run(number)).collect();
        f.entries(|log| {
            let (middle, length) = (log.len() / 2, log.len());
            log.truncate(middle);
            log.extend(forged);
            log.truncate(length);
        });
    }),
    ("an entry is no entry", Refused, |f| f.raw("UPDATE entry SET bytes = x'7b7d' WHERE seq = 7")),
    ("a removal says more than was removed", Refused, |f| {
        f.replace("\"because\":\"a test\"", "\"because\":\"the law\"")
    }),
];

/// The same with signatures dropped, or replaced, so that nothing in the store disagrees.
const UNSIGNED: &[Case] = &[
    ("a failure becomes a success, and nothing is signed", OnlyFromOutside, |f| {
        f.replace("\"outcome\":\"failure\"", "\"outcome\":\"success\"");
        f.sql("DELETE FROM checkpoint");
    }),
    ("a run is dropped, and nothing is signed", OnlyFromOutside, |f| {
        f.entries(|log| log.retain(|one| !one.contains("job7.py")));
        f.sql("DELETE FROM checkpoint");
    }),
    ("a lost run is forgotten, and nothing is signed", OnlyFromOutside, |f| {
        f.entries(|log| log.retain(|one| !one.contains("run.lost") && !one.contains("job30.py")));
        f.sql("DELETE FROM checkpoint");
    }),
    ("a failure becomes a success, and another key signs it all", OnlyFromOutside, |f| {
        f.replace("\"outcome\":\"failure\"", "\"outcome\":\"success\"");
        f.sign_all_with_another_key();
    }),
    ("nothing but the signatures is dropped", Unsigned, |f| f.sql("DELETE FROM checkpoint")),
    ("the last signature is dropped", Unsigned, |f| {
        f.sql("DELETE FROM checkpoint WHERE size = (SELECT max(size) FROM checkpoint)");
    }),
];

/// The store goes back in time.
const BACK: &[Case] = &[
    ("an older copy takes its place", OnlyFromOutside, |f| f.go_back()),
    ("an older copy takes its place, with the newer signatures", Refused, |f| {
        let notes = f.notes();
        f.go_back();
        f.put_notes(&notes);
    }),
    ("an older copy takes its place, and grows another way", OnlyFromOutside, |f| {
        f.go_back();
        let forged: Vec<_> = (900..940).flat_map(|number| f.forged_run(number)).collect();
        f.entries(|log| log.extend(forged));
    }),
    ("the end is cut off", Refused, |f| f.entries(|log| log.truncate(50))),
    ("the end is cut off with its signatures", OnlyFromOutside, |f| {
        f.entries(|log| log.truncate(50));
        f.sql("DELETE FROM checkpoint WHERE size > 50");
    }),
    ("all but the first entry is cut off with all signatures", OnlyFromOutside, |f| {
        f.entries(|log| log.truncate(1));
        f.sql("DELETE FROM checkpoint");
    }),
    ("the end is cut off and another one grown, with the first signatures", OnlyFromOutside, |f| {
        let forged: Vec<_> = (900..960).flat_map(|number| f.forged_run(number)).collect();
        f.sql("DELETE FROM checkpoint WHERE size > 50");
        f.entries(|log| {
            log.truncate(50);
            log.extend(forged);
        });
    }),
];

/// What the tables say beside the log.
const TABLES: &[Case] = &[
    ("a run's beginning", Refused, |f| {
        f.raw("UPDATE run SET began = began - 1 WHERE run = (SELECT max(run) FROM run)")
    }),
    ("a run's command", Refused, |f| {
        f.raw("UPDATE run SET command = 'true' WHERE run = (SELECT max(run) FROM run)")
    }),
    ("a run's language", Refused, |f| {
        f.raw("UPDATE run SET language = 'c' WHERE run = (SELECT max(run) FROM run)")
    }),
    ("a run's folder", Refused, |f| {
        f.raw("UPDATE run SET folder = '/' WHERE run = (SELECT max(run) FROM run)")
    }),
    ("a run's end", Refused, |f| {
        f.raw("UPDATE run SET ended = ended + 1 WHERE run = (SELECT min(run) FROM run)")
    }),
    ("a run's outcome", Refused, |f| f.raw("UPDATE run SET outcome = 'success' WHERE outcome = 'failure'")),
    ("a lost run's outcome", Refused, |f| {
        f.raw("UPDATE run SET outcome = 'success', exit_code = 0 WHERE outcome = 'lost'")
    }),
    ("a run's exit code", Refused, |f| f.raw("UPDATE run SET exit_code = 0 WHERE exit_code = 1")),
    ("a run's last entry", Refused, |f| {
        f.raw("UPDATE run SET last = last + 1 WHERE run = (SELECT min(run) FROM run)")
    }),
    ("a run that ended goes on", Refused, |f| {
        f.raw("UPDATE run SET outcome = NULL, ended = NULL, exit_code = NULL, last = NULL WHERE run = (SELECT min(run) FROM run)")
    }),
    ("a run's name", Refused, |f| {
        f.raw("UPDATE run SET run = randomblob(16) WHERE run = (SELECT min(run) FROM run)")
    }),
    ("a run is not listed", Refused, |f| f.raw("DELETE FROM run WHERE run = (SELECT min(run) FROM run)")),
    ("a run is listed that never was", Refused, |f| {
        f.raw("INSERT INTO run SELECT randomblob(16), began, command, language, folder, ended, outcome, exit_code, last FROM run LIMIT 1")
    }),
    ("a label is another", Refused, |f| {
        f.raw("UPDATE label SET label = 'release' WHERE run = (SELECT min(run) FROM run)")
    }),
    ("a label is gone", Refused, |f| f.raw("DELETE FROM label WHERE run = (SELECT min(run) FROM run)")),
    ("a label is added", Refused, |f| f.raw("INSERT INTO label SELECT min(run), 'release' FROM run")),
    ("labels change their runs", Refused, |f| f.raw("UPDATE label SET run = randomblob(16)")),
    ("contents have another name", Refused, |f| {
        f.raw("UPDATE held SET name = 'stdin' WHERE name = 'stdout' AND run = (SELECT min(run) FROM run)")
    }),
    ("contents are of another run", Refused, |f| {
        f.raw(
            "UPDATE held SET run = randomblob(16) WHERE name = 'stdout' AND run = (SELECT min(run) FROM run)",
        )
    }),
    ("contents have another digest", Refused, |f| {
        f.raw("UPDATE held SET sha256 = (SELECT sha256 FROM held ORDER BY run DESC LIMIT 1) WHERE name = 'stdout' AND run = (SELECT min(run) FROM run)")
    }),
    ("contents are not named", Refused, |f| f.raw("DELETE FROM held WHERE run = (SELECT min(run) FROM run)")),
    ("an entry has another kind", Refused, |f| f.raw("UPDATE entry SET type = 'fact' WHERE seq = 40")),
    ("an entry is of another run", Refused, |f| {
        f.raw("UPDATE entry SET run = (SELECT max(run) FROM run) WHERE seq = 9")
    }),
    ("an entry is of no run", Refused, |f| f.raw("UPDATE entry SET run = NULL WHERE seq = 9")),
    ("an entry has another leaf", Refused, |f| f.raw("UPDATE entry SET leaf = zeroblob(32) WHERE seq = 9")),
    ("an entry has another place", Refused, |f| f.raw("UPDATE entry SET seq = 5000 WHERE seq = 9")),
    ("an entry before the first", Refused, |f| {
        f.raw("INSERT INTO entry SELECT -1, type, run, bytes, leaf FROM entry WHERE seq = 9")
    }),
    ("a hash of the tree is another", Refused, |f| f.raw("UPDATE tile SET hash = zeroblob(32)")),
    ("a hash of the tree is gone", Refused, |f| f.raw("DELETE FROM tile")),
    ("a hash of the tree is added", Refused, |f| f.raw("INSERT INTO tile VALUES (8, 77, zeroblob(32))")),
    ("the edge of the tree is another", Refused, |f| {
        f.raw("UPDATE store SET peaks = zeroblob(length(peaks))")
    }),
    ("the log is said to be shorter", Refused, |f| f.raw("UPDATE store SET size = size - 1")),
    ("the store has another name", Refused, |f| f.raw("UPDATE store SET origin = 'actum/another'")),
];

/// What was printed.
const CONTENTS: &[Case] = &[
    ("two large outputs change places", Refused, |f| f.swap_large()),
    ("a large output is another one, well packed", Refused, |f| {
        f.repack_large(b"all is well\n".repeat(9000))
    }),
    ("a large output is cut", Refused, |f| f.change_large(|bytes| bytes.truncate(bytes.len() / 2))),
    ("a large output goes on", Refused, |f| {
        f.change_large(|bytes| bytes.extend(zstd::bulk::compress(b"more", 1).unwrap()))
    }),
    ("a large output is empty", Refused, |f| f.change_large(Vec::clear)),
    ("a large output is gone", Refused, |f| f.remove_large()),
    ("two small outputs change places", Refused, |f| {
        f.raw("CREATE TEMP TABLE t AS SELECT sha256, size, form, bytes FROM blob WHERE form <> 'file' ORDER BY sha256 LIMIT 2;
            UPDATE blob SET bytes = (SELECT bytes FROM t ORDER BY sha256 DESC LIMIT 1), form = (SELECT form FROM t ORDER BY sha256 DESC LIMIT 1) WHERE sha256 = (SELECT min(sha256) FROM t)");
    }),
    ("a small output is another one", Refused, |f| {
        f.raw("UPDATE blob SET bytes = zeroblob(size), form = 'raw' WHERE sha256 = (SELECT sha256 FROM held WHERE name = 'stdout' LIMIT 1)")
    }),
    ("a small output is gone", Refused, |f| {
        f.raw("DELETE FROM blob WHERE sha256 = (SELECT sha256 FROM held WHERE name = 'stdout' LIMIT 1)")
    }),
    ("an output and its digest in the tables are others", Refused, |f| {
        f.raw("UPDATE held SET sha256 = (SELECT min(sha256) FROM blob) WHERE name = 'stdout' AND run = (SELECT max(run) FROM run WHERE outcome = 'failure')")
    }),
    ("a size is another", Refused, |f| f.raw("UPDATE blob SET size = size + 1 WHERE form = 'file'")),
    ("a form is another", Refused, |f| f.raw("UPDATE blob SET form = 'raw' WHERE form = 'zstd'")),
];

/// Bodies are made to look as if they had been removed by right.
const REMOVALS: &[Case] = &[
    ("a body is gone", Refused, |f| f.raw("UPDATE entry SET bytes = NULL WHERE seq = 40")),
    ("a body is gone, as if removed", Refused, |f| {
        f.raw("UPDATE entry SET bytes = NULL, run = NULL, type = '' WHERE seq = 40")
    }),
    ("a run is removed, and nothing says so", Refused, |f| f.remove_run(10)),
    ("a run is removed, and a forged entry at the end says so", Refused, |f| {
        f.remove_run(10);
        f.append_removal(10);
    }),
    ("all bodies are removed, and a forged entry at the end says so", Refused, |f| {
        (5..25).for_each(|number| f.remove_run(number));
        (5..25).for_each(|number| f.append_removal(number));
    }),
    ("the entry that says what was removed is itself removed", Refused, |f| {
        f.raw("UPDATE entry SET bytes = NULL, run = NULL, type = '' WHERE type = 'store.pruned'");
    }),
    ("what says that something was removed has another kind", Refused, |f| {
        f.raw("UPDATE entry SET type = 'fact' WHERE type = 'store.pruned'")
    }),
];

/// Signatures.
const SIGNATURES: &[Case] = &[
    ("a signature covers more than there is", Refused, |f| f.put_note(1 << 40, None)),
    ("a signature covers more than can be", Refused, |f| f.put_note(u64::MAX, None)),
    ("a signature stands for another size", Refused, |f| {
        f.raw("UPDATE checkpoint SET size = 5 WHERE size = (SELECT min(size) FROM checkpoint)")
    }),
    ("an older signature takes the place of a newer", Refused, |f| {
        f.raw("UPDATE checkpoint SET note = (SELECT note FROM checkpoint ORDER BY size LIMIT 1)")
    }),
    ("a signature is of another store", Refused, |f| f.put_note(40, Some("actum/another"))),
    ("a root is another", Refused, |f| f.change_last_note(|note| text::second_line_from(note, 2))),
    ("a signature is not that of its key", Refused, |f| f.change_last_note(text::bend_signature)),
    ("a signature is cut", Refused, |f| f.change_last_note(|note| note[..note.len() - 9].to_owned() + "\n")),
    ("a signature is none", Refused, |f| f.raw("UPDATE checkpoint SET note = 'signed by the queen'")),
    ("a signature is empty", Refused, |f| f.raw("UPDATE checkpoint SET note = ''")),
    ("another key signs the last", Refused, |f| f.sign_last_with_another_key()),
];

const ALL: [&[Case]; 7] = [LOG, UNSIGNED, BACK, TABLES, CONTENTS, REMOVALS, SIGNATURES];

fn is_told(told: Told, alone: &Verified, with: &Verified) -> bool {
    match told {
        Refused => !alone.is_intact() && !with.is_intact(),
        OnlyFromOutside => alone.is_intact() && !with.is_intact(),
        Unsigned => alone.is_intact() && alone.unsigned > 0 && with.is_intact() && with.unsigned > 0,
    }
}

#[test]
fn every_kind_of_tampering_is_told() {
    let place = Place::new();
    let sample = Sample::make(&place);
    let mut wrong = Vec::new();
    for (what, told, tamper) in ALL.into_iter().flatten() {
        let mut forger = sample.forger();
        tamper(&mut forger);
        let (alone, with) = (forger.verified(&sample, None), forger.verified(&sample, Some(&sample.outside)));
        if !is_told(*told, &alone, &with) {
            wrong.push(format!("{what}: {told:?}\n  alone: {alone:?}\n  with a checkpoint: {with:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_enough_kinds_and_each_changes_something() {
    assert!(ALL.iter().map(|cases| cases.len()).sum::<usize>() >= 60);
    let mut names: Vec<&str> = ALL.into_iter().flatten().map(|case| case.0).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert!(
        names.len() + 1 >= count,
        "a label is added to the log and to the tables, nothing else stands twice"
    );
}

#[test]
fn a_forger_who_changes_nothing_is_not_told() {
    let place = Place::new();
    let sample = Sample::make(&place);
    let mut forger = sample.forger();
    forger.entries(|_| {});
    let found = forger.verified(&sample, Some(&sample.outside));
    assert_eq!((found.problems.as_slice(), found.unsigned), ([].as_slice(), 0));
}
