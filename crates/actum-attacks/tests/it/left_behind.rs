//! Traces that a suite could leave on the host. Only those with our own label: other suites may run on the machine.

use crate::alone;
use actum_attacks::{Filter, Matrix, Options, Runner, Verdict, run};
use std::{
    collections::BTreeSet,
    fs,
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

/// Runs a suite under a label of its own; panics if anything with that label is there afterwards.
pub(crate) fn run_without_traces(options: Options) -> Matrix {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let label = format!("t{}x{}x", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let options = Options { label: Some(label.clone()), ..options };
    let (mut done, mut during) = (0, BTreeSet::new());
    let matrix = run(&options, &mut |progress| {
        done = progress.done;
        if during.is_empty() {
            during = processes(&label);
        }
    })
    .unwrap();
    assert_eq!(done, matrix.rows.len());
    assert!(!during.is_empty(), "the canaries carry the label while the suite goes on");
    let left: Vec<String> =
        files(&label).into_iter().chain(sockets(&label)).chain(segments_of(&during)).collect();
    assert!(left.is_empty() && processes(&label).is_empty(), "{left:?}, processes {:?}", processes(&label));
    matrix
}

fn files(label: &str) -> Vec<String> {
    let folders =
        ["/tmp", "/var/tmp", "/dev/shm", "/run", "/usr", "/usr/local", "/usr/local/bin", "/etc", "/root"];
    let homes = fs::read_dir("/home").into_iter().flatten().flatten().map(|entry| entry.path());
    let places = folders.into_iter().map(PathBuf::from).chain(homes);
    let entries = places.flat_map(|place| fs::read_dir(place).into_iter().flatten().flatten());
    entries.map(|entry| entry.path().display().to_string()).filter(|path| path.contains(label)).collect()
}

fn sockets(label: &str) -> Vec<String> {
    let table = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    table.lines().filter(|line| line.contains(label)).map(str::to_owned).collect()
}

/// Segments and queues that one of these processes made or used last.
fn segments_of(processes: &BTreeSet<String>) -> Vec<String> {
    let tables =
        ["/proc/sysvipc/shm", "/proc/sysvipc/msg"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let lines = tables.iter().flat_map(|table| table.lines());
    lines
        .filter(|line| line.split_whitespace().any(|word| processes.contains(word)))
        .map(str::to_owned)
        .collect()
}

/// Processes whose command line carries the label, by their id.
fn processes(label: &str) -> BTreeSet<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let carries = |path: PathBuf| {
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(label)
    };
    entries
        .filter(|entry| carries(entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// The messiest attempts alone: quick, and still a fair test of the cleaning.
#[test]
fn nothing_is_left_after_the_messiest() {
    let _alone = alone();
    let ids = [
        "fs-write-home",
        "fs-write-usr",
        "fs-rename-root",
        "ar-many-files",
        "ar-late-write",
        "lc-double-fork-daemon",
        "rs-shm-fill",
        "sc-warm-residue",
        "sc-sysv-shm",
    ];
    let filter = Filter::Ids(ids.map(str::to_owned).into());
    let matrix = run_without_traces(Options { filter, ..Options::new(Runner::Bare) });
    assert_eq!(matrix.rows.len(), ids.len());
}

/// A runner that starts nothing must not look like one that holds everything.
#[test]
fn a_broken_runner_proves_nothing() {
    let _alone = alone();
    let runner = Runner::Actum { binary: "/bin/false".into(), prefix: Vec::new(), flags: Vec::new() };
    let filter = Filter::Ids(vec!["fs-read-ssh-key".to_owned()]);
    let matrix = run(&Options { filter, ..Options::new(runner) }, &mut |_| {}).unwrap();
    assert!(matches!(matrix.rows[0].verdict, Verdict::NotStarted { .. }));
    assert_eq!(matrix.unexpected(actum_model::Tier::N).unwrap().len(), 1);
}
