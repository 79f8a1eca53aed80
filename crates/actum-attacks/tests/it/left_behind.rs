//! Traces that a suite could leave on the host.

use crate::alone;
use actum_attacks::{Filter, Options, Runner, Verdict, run};
use std::{collections::BTreeSet, fs};

/// Every process, file, segment, queue and socket on this machine that carries one of our names.
pub(crate) fn traces() -> BTreeSet<String> {
    let mut traces = BTreeSet::new();
    let folders =
        ["/tmp", "/var/tmp", "/dev/shm", "/run", "/usr", "/usr/local", "/usr/local/bin", "/etc", "/root"];
    let homes = fs::read_dir("/home").into_iter().flatten().flatten().map(|entry| entry.path());
    for folder in folders.into_iter().map(Into::into).chain(homes) {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if ["actum-canary-", "actum-attacks-", "actum-planted-", "actum-mark-"]
                .iter()
                .any(|word| name.contains(word))
            {
                traces.insert(entry.path().display().to_string());
            }
        }
    }
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if ["actum-mark-", "actum-victim-", "actum-canary-"].iter().any(|word| line.contains(word)) {
            traces.insert(format!("process {}", entry.path().display()));
        }
    }
    for table in ["/proc/sysvipc/shm", "/proc/sysvipc/msg", "/proc/net/unix"] {
        for line in fs::read_to_string(table).unwrap_or_default().lines() {
            let key = line.split_whitespace().next().and_then(|key| key.parse::<u64>().ok()).unwrap_or(0);
            if key >> 16 == 0x4143 || line.contains("actum-canary-") {
                traces.insert(format!("{table}: {line}"));
            }
        }
    }
    traces
}

/// The messiest attempts alone: quick, and still a fair test of the cleaning.
#[test]
fn nothing_is_left_after_the_messiest() {
    let _alone = alone();
    let before = traces();
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
    let options =
        Options { filter: Filter::Ids(ids.map(str::to_owned).into()), ..Options::new(Runner::Bare) };
    let mut seen = 0;
    let matrix = run(&options, &mut |progress| seen = progress.done).unwrap();
    assert_eq!((seen, matrix.rows.len()), (ids.len(), ids.len()));
    let left: Vec<String> = traces().difference(&before).cloned().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A runner that starts nothing must not look like one that holds everything.
#[test]
fn a_broken_runner_proves_nothing() {
    let _alone = alone();
    let options = Options {
        filter: Filter::Ids(vec!["fs-read-ssh-key".to_owned()]),
        ..Options::new(Runner::Actum { binary: "/bin/false".into(), prefix: Vec::new(), flags: Vec::new() })
    };
    let matrix = run(&options, &mut |_| {}).unwrap();
    assert!(matches!(matrix.rows[0].verdict, Verdict::NotStarted { .. }));
    assert_eq!(matrix.unexpected(actum_model::Tier::N).unwrap().len(), 1);
}
