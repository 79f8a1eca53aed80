//! The way out from end to end, on loopback only: a fake resolver and a fake dialler stand in for the internet, so the
//! rules are the real ones. One promise a file; `world` holds the fakes.

#![expect(clippy::unwrap_used, reason = "tests, fakes included: what goes wrong here should be loud")]

mod bounds;
mod connect;
mod curl;
mod dns;
mod forward;
mod plain;
mod socks;
mod world;

#[test]
fn no_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = std::fs::read_to_string(here.join("main.rs")).unwrap();
    for entry in std::fs::read_dir(here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "{name} is in no module");
    }
}
