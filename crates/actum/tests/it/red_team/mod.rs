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
    let mut folders = vec![std::path::PathBuf::from(format!("{root}/crates"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(ending) if ending == "rs" => sources += &std::fs::read_to_string(path).unwrap(),
                Some(_) | None => {}
            }
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
