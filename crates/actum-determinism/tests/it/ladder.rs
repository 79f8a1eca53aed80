//! Thirteen sources of difference in a Python program, in each profile: how many give the same in every run.

use crate::world::{World, packages, printed, python, request};
use actum_determinism::{ProcessIds, Profile};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const PROBE: &str = include_str!("probe.py");
const RUNS: usize = 5;

/// What each profile promises beside what is the same anyway.
const PINNED: &[&str] = &[
    "random.random",
    "random.Random()",
    "numpy.random.rand",
    "numpy default_rng()",
    "set order",
    "temporary names",
    "time zone and locale",
    "listdir",
];
const STRICT: &[&str] = &["os.urandom", "uuid4 and secrets", "time.time_ns"];
/// A namespace gives this one, as that of a sandbox does.
const PROCESS: &str = "pid";
const NUMPY: &str = "numpy";

/// The rows that were the same in all runs. Each run has a caller with another time zone and language.
fn stable_rows(world: &World, wrapper: &[&str], packages: &str) -> BTreeSet<String> {
    let python = python().unwrap();
    world.file("probe.py", PROBE);
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for run in 0..RUNS {
        let zone = format!("XYZ{run}");
        let language = ["C", "C.UTF-8", "POSIX"][run % 3];
        let callers = [("PYTHONPATH", packages), ("TZ", zone.as_str()), ("LC_ALL", language)];
        let words = [wrapper, &[&python, "probe.py"]].concat();
        let output = world.command(words[0], &callers).args(&words[1..]).output().unwrap();
        let rows: BTreeMap<String, serde_json::Value> = serde_json::from_str(&printed(&output)).unwrap();
        for (name, value) in rows {
            seen.entry(name).or_default().insert(value.to_string());
        }
    }
    seen.into_iter().filter(|(_, values)| values.len() == 1).map(|(name, _)| name).collect()
}

/// A command that gives what follows it a namespace of process numbers, where that is allowed.
fn namespace() -> Option<Vec<&'static str>> {
    let ways =
        [vec!["unshare", "--pid", "--fork"], vec!["unshare", "--user", "--map-root-user", "--pid", "--fork"]];
    let works = |way: &Vec<&str>| {
        let tried = Command::new(way[0]).args(&way[1..]).arg("true").output();
        tried.is_ok_and(|output| output.status.success())
    };
    ways.into_iter().find(works)
}

#[test]
fn eight_of_thirteen_are_the_same_when_pinned_and_twelve_in_a_strict_run() {
    if python().is_none() {
        return;
    }
    let folder = packages(&["numpy"]);
    let packages = folder.as_ref().map_or("", |folder| folder.path().to_str().unwrap());
    let is_promised = |row: &&str| folder.is_some() || !row.contains(NUMPY);
    let expect = |stable: &BTreeSet<String>, rows: &[&str]| {
        for row in rows.iter().filter(|row| is_promised(row)) {
            assert!(stable.contains(*row), "{row} differs; the same are {stable:?}");
        }
    };

    let bare = stable_rows(&World::bare(), &[], packages);
    for row in PINNED.iter().chain(STRICT).filter(|row| is_promised(row) && **row != "listdir") {
        assert!(!bare.contains(*row), "{row} is the same without us, so it proves nothing");
    }
    let pinned = stable_rows(&World::new(Profile::Pinned), &[], packages);
    expect(&pinned, PINNED);
    assert!(!pinned.contains("os.urandom"), "keys are made of it");

    let Some(namespace) = namespace() else {
        actum_testkit::skip("no namespace of process numbers is allowed, so one of thirteen is not tried");
        let strict = stable_rows(&World::new(Profile::Strict), &[], packages);
        return expect(&strict, &[PINNED, STRICT].concat());
    };
    let mut request = request(Profile::Strict);
    request.process_ids = ProcessIds::Own;
    let strict = stable_rows(&World::with(&request), &namespace, packages);
    expect(&strict, &[PINNED, STRICT, &[PROCESS]].concat());
}
