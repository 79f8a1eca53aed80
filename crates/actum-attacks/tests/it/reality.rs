//! Where little or nothing confines, the attempts must succeed: otherwise they would prove nothing elsewhere.

use crate::whole_suite;
use actum_attacks::{Matrix, Runner};
use actum_model::Tier;
use std::path::Path;

/// Aims that no unconfined run of any user may fail at; each stands for one kind of evidence.
const SURE_WHEN_BARE: [&str; 12] = [
    "fs-read-ssh-key",
    "fs-write-home",
    "fs-inherited-dirfd",
    "nw-udp-host",
    "nw-inherited-socket",
    "lc-double-fork-daemon",
    "lc-signal-supervisor",
    "rs-output-flood",
    "rs-memory-bomb",
    "rs-fork-bomb",
    "sc-env-secret",
    "sc-sysv-shm",
];

#[test]
fn bare_attempts_achieve_their_aims() {
    let matrix = whole_suite(Runner::Bare);
    for id in SURE_WHEN_BARE {
        assert!(achieved(&matrix, id), "{id} must succeed where nothing confines it");
    }
    assert!(matrix.achieved().count() >= 50);
    assert!(matrix.unexpected(Tier::None).unwrap().is_empty());
    assert!(matrix.unexpected(Tier::N).unwrap().len() >= 50);
}

#[test]
fn bubblewrap_holds_some_and_not_all() {
    if !Path::new("/usr/bin/bwrap").exists() {
        println!("skipped: there is no bwrap on this machine");
        return;
    }
    let matrix = whole_suite(Runner::Bubblewrap);
    assert!(matrix.achieved().count() >= 25);
    for id in ["nw-loopback-host-service", "lc-signal-supervisor", "sc-sysv-shm", "ps-see-host-processes"] {
        assert!(!achieved(&matrix, id), "{id} is what namespaces are for");
    }
}

fn achieved(matrix: &Matrix, id: &str) -> bool {
    matrix.achieved().any(|row| row.id == id)
}
