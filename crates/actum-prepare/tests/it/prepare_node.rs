//! Environments of Node: found by `import` and by `require`, installed without running a script.

use crate::world::{Came, World};
use actum_testkit::package_index::{Conduct, Package, Release};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn packages() -> Vec<Package> {
    let plain = Release::new("1.2.0").module("index.js", "exports.value = 12;\n");
    let touching = Release::new("1.0.0")
        .module("index.js", "exports.ran = require('fs').existsSync(__dirname + '/ran');\n")
        .on_build("require('fs').writeFileSync(__dirname + '/ran', 'x');\n");
    vec![
        Package::new("plain")
            .with(Release::new("1.0.0").module("index.js", "exports.value = 10;\n"))
            .with(plain),
        Package::new("touching").with(touching),
    ]
}

fn node() -> Option<(PathBuf, PathBuf)> {
    let found = |name: &str| {
        ["/usr/bin", "/usr/local/bin"]
            .iter()
            .map(|folder| Path::new(folder).join(name))
            .find(|path| path.is_file())
    };
    let both = found("node").zip(found("npm"));
    if both.is_none() {
        actum_testkit::skip("there is no node with npm in the system's folders");
    }
    both
}

fn prepare(world: &World, packages: &[&str], more: Value) -> Option<Came> {
    let (node, npm) = node()?;
    let mut wish = json!({ "node": [node, npm, packages], "registry": world.index.npm_url() });
    for (name, value) in more.as_object().unwrap() {
        wish[name] = value.clone();
    }
    Some(world.prepare(&[], wish))
}

const BOTH: &str = "import { createRequire } from 'node:module'; import plain from 'plain';
const require = createRequire('file:///tmp/x.js');
console.log(plain.value, require('plain').value, (await import('plain')).default.value)";

#[test]
fn packages_are_found_by_import_and_by_require() {
    let Some(world) = World::new(packages()) else { return };
    let Some(came) = prepare(&world, &["plain"], json!({ "then": BOTH })) else { return };
    assert_eq!(came.packages(), ["plain==1.2.0"], "{came:?}");
    assert_eq!(came.printed().trim(), "12 12 12", "{came:?}");
    let again = prepare(&world, &["plain"], json!({})).unwrap();
    assert_eq!((&again.told["cached"], &again.told["key"]), (&json!(true), &came.told["key"]), "{again:?}");
    let missing = prepare(&world, &["plain"], json!({ "then": "import 'absent'" })).unwrap();
    assert!(missing.printed().contains("Cannot find package 'absent' imported from /"), "{missing:?}");
    assert!(!missing.printed().contains("resolve.mjs\n"), "the program's own place is told: {missing:?}");
}

#[test]
fn a_project_brings_its_versions_and_no_script_runs() {
    let Some(world) = World::new(packages()) else { return };
    let package = r#"{"name":"p","version":"1.0.0","scripts":{"preinstall":"exit 1"},"dependencies":{"plain":"1.0.0"}}"#;
    let code =
        "import plain from 'plain'; import touching from 'touching'; console.log(plain.value, touching.ran)";
    let more = json!({ "project": [package, null], "then": code });
    let Some(came) = prepare(&world, &["plain", "touching"], more) else { return };
    assert_eq!(came.printed().trim(), "10 false", "{came:?}");
}

#[test]
fn what_cannot_be_had_is_told() {
    let Some(world) = World::new(packages()) else { return };
    for (package, trouble) in [("plainn", "not-found"), ("plain@9", "no-version")] {
        let Some(came) = prepare(&world, &[package], json!({})) else { return };
        assert_eq!((came.code, came.text("trouble")), (Some(122), trouble), "{came:?}");
    }
    let came = prepare(&world, &["x@git+https://a.example/x"], json!({})).unwrap();
    assert_eq!(came.code, Some(122), "{came:?}");
    let package = r#"{"dependencies":{"plain":"https://a.example/x.tgz"}}"#;
    let came = prepare(&world, &[], json!({ "project": [package, null] })).unwrap();
    assert!(came.text("error").contains("URL"), "{came:?}");
    world.index.behave(Conduct::Failing(500));
    let came = prepare(&world, &["plain"], json!({ "offline": true })).unwrap();
    assert_eq!(came.code, Some(122), "{came:?}");
    assert!(world.kept().is_empty());
}

#[test]
fn nothing_of_a_project_s_file_is_kept_beside_its_packages() {
    let Some(world) = World::new(packages()) else { return };
    let hostile = r#"{"name":"victim","version":"1.0.0","exports":"./evil.js","main":"evil.js","dependencies":{"plain":"1.0.0"}}"#;
    let Some(came) = prepare(&world, &[], json!({ "project": [hostile, null] })) else { return };
    assert_eq!(came.code, Some(0), "{came:?}");
    for folder in world.kept() {
        let text = std::fs::read_to_string(folder.join("package.json")).unwrap();
        assert!(!text.contains("victim") && !text.contains("exports"), "{text}");
        // The lock that npm wrote is usable as one that a project brings.
        let lock = std::fs::read_to_string(folder.join("package-lock.json")).unwrap();
        let came = prepare(&world, &[], json!({ "project": [hostile, lock] })).unwrap();
        assert_eq!((came.code, came.packages()), (Some(0), vec!["plain==1.0.0"]), "{came:?}");
    }
    let denied = prepare(&world, &[], json!({ "project": [hostile, null], "deny": ["plain"] })).unwrap();
    assert_eq!(denied.code, Some(122), "{denied:?}");
}
