//! Bundles as strangers meet them: ours verifies them, and so do tools that know nothing of us.
//!
//! `records` makes records of many kinds, `exported` bundles of them. `changes` says which byte of which part a tool reads,
//! `tools` finds the tools, and the programs in `tests/outside` are the loops in which those tools are called.

#![allow(clippy::unwrap_used, reason = "tests and what serves them: what goes wrong here should be loud")]

mod bundle;
mod changes;
mod exported;
mod hostile;
mod manual;
mod outside;
mod records;
mod tools;

#[test]
fn no_file_of_these_tests_is_forgotten() {
    let map = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap();
        assert!(module == "main" || map.contains(&format!("mod {module};")), "{name} is not in main.rs");
    }
}
