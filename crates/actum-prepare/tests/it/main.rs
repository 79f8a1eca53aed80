//! This room as its callers meet it, where that takes a process of its own: the walls can only be built by one that has a
//! single thread, and a test has two. `world` starts `examples/prepare` and reads what came out.

#![allow(clippy::unwrap_used, reason = "tests and what serves them: what goes wrong here should be loud")]

mod prepare;
mod prepare_faults;
mod prepare_node;
mod scout;
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
