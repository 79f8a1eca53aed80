//! The engine as an embedder meets it: in a process that has threads, with helper processes that are another program.

#![allow(clippy::unwrap_used, reason = "tests and what serves them: what goes wrong here should be loud")]

mod approval;
mod life;
mod many;
mod requests;
mod runs;
mod sessions;
mod sinks;
mod world;

#[test]
fn no_file_of_these_tests_is_forgotten() {
    let map = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs") else { continue };
        assert!(module == "main" || map.contains(&format!("mod {module};")), "{name} is not in the map");
    }
}
