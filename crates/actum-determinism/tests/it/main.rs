//! Real programs with the pinning applied: what is promised repeats, what is not named as pinned may differ, and nothing breaks.
//! `world` lays the files and sets the variables as a caller would.

#![expect(clippy::unwrap_used, reason = "tests: what goes wrong here should be loud")]

mod children;
mod ladder;
mod languages;
mod programs;
mod python;
mod world;

#[test]
fn no_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = std::fs::read_to_string(here.join("main.rs")).unwrap();
    for entry in std::fs::read_dir(here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
            assert!(main.contains(&format!("mod {module};")), "{module} is not compiled");
        }
    }
}
