//! The binary as its users meet it: each promise tried as root and as an ordinary user, with namespaces and without.
//!
//! `world` makes the place where a run happens and knows who calls, `run` starts the binary and reads what came out,
//! `leftovers` counts what should not have stayed. Every other file is one promise. The binary is the one that
//! `ACTUM_BINARY` names, else the one that cargo built; `docker-rules` plays a container's rules.

#![allow(clippy::unwrap_used, reason = "tests and what serves them: what goes wrong here should be loud")]

mod agents;
mod anchors;
mod answers;
mod attacks;
mod bad_input;
mod bombs;
mod changes;
mod claimed;
mod claims;
mod contract;
mod endings;
mod environment;
mod expectations;
mod experiments;
mod extract;
mod files;
mod hooks;
mod hostile;
mod interrupted;
mod killed;
mod languages;
mod ledger;
mod leftovers;
mod lost;
mod manners;
mod network;
mod postgres;
mod preparing;
mod program_reading;
mod promises;
mod pty;
mod reading;
mod record;
mod red_team;
mod redaction;
mod rerun;
mod resumed;
mod run;
mod samples;
mod scenarios;
mod sessions;
mod sources;
mod sql;
mod stores;
mod sweeps;
mod tasks;
mod taxonomy;
mod terminal;
mod tiers;
mod trust;
mod world;

#[test]
fn no_file_of_these_tests_is_forgotten() {
    let map = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(room) = name.strip_suffix(".rs") else { continue };
        assert!(room == "main" || map.contains(&format!("mod {room};")), "{name} is not in the map");
    }
}
