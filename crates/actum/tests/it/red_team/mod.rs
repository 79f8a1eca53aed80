//! Attacks that go around the sandbox: text or a file that an attacker chose, believed by a part of Actum that runs
//! outside it. One file per area. For each finding of the threat model (docs/security/threat-model.md) there is a
//! reproduction and at least two variations that reach the same cause by another way.

mod claims;
mod config;
mod evidence;
mod hook_workspaces;
mod hooks;
mod input;
mod inside;
mod limits;
mod repository;
mod second;
mod stores;
mod tools;
mod users;

/// docs/security/findings.md names the tests of each finding; one that is renamed or removed is missed here.
#[test]
fn tests_of_findings_exist() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/docs/security/findings.md")).unwrap();
    let mut sources = String::new();
    for folder in ["actum/tests/it/red_team", "actum/src/config/rights", "actum-run/src/session"] {
        for entry in std::fs::read_dir(format!("{root}/crates/{folder}")).unwrap() {
            sources += &std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default();
        }
    }
    let rows: Vec<&str> =
        page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| #")).collect();
    assert!(rows.len() >= 28, "{} findings", rows.len());
    for row in rows {
        let tests = row.rsplit(" | ").next().unwrap_or_default();
        let names: Vec<&str> =
            tests.split('`').skip(1).step_by(2).filter(|name| name.contains('_')).collect();
        assert!(!names.is_empty(), "{row}");
        for name in names {
            assert!(sources.contains(&format!("fn {name}(")), "{name} is no test: {row}");
        }
    }
}
