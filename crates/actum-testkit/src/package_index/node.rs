//! The same packages for Node: a registry's document about a package, and its tarballs.

use super::archive::{self, Entry};
use super::package::{Damage, Package, Release};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha512};

/// The name of the tarball.
pub(super) fn file_name(package: &str, release: &Release) -> String {
    let bare = package.rsplit('/').next().unwrap_or(package);
    format!("{bare}-{}.tgz", release.version)
}

/// The tarball: the modules below `package/`, and a `package.json` unless the release brings one. `on_build`, where there
/// is any, becomes a script that runs after installing.
pub(super) fn tarball(package: &str, release: &Release) -> Vec<u8> {
    let manifest = manifest(package, release).to_string().into_bytes();
    let mut entries: Vec<Entry> = vec![("package/package.json".to_owned(), manifest)];
    if !release.on_build.is_empty() {
        entries.push(("package/on-install.js".to_owned(), release.on_build.clone().into_bytes()));
    }
    for (path, text) in &release.modules {
        entries.retain(|(there, _)| *there != format!("package/{path}"));
        entries.push((format!("package/{path}"), text.clone().into_bytes()));
    }
    archive::tar_gz(&entries)
}

/// What the registry says of a package. `base` is the registry's own address.
pub(super) fn document(package: &Package, base: &str) -> Value {
    let mut versions = Map::new();
    let mut times = Map::new();
    for release in &package.releases {
        let mut version = manifest(&package.name, release);
        version["dist"] = dist(package, release, base);
        if let Some(reason) = &release.yanked {
            version["deprecated"] = json!(reason);
        }
        versions.insert(release.version.clone(), version);
        times.insert(release.version.clone(), json!(release.uploaded));
    }
    let latest = package.releases.last().map(|release| release.version.clone());
    json!({
        "name": package.name,
        "dist-tags": { "latest": latest },
        "versions": versions,
        "time": times,
    })
}

fn dist(package: &Package, release: &Release, base: &str) -> Value {
    let bytes = match release.damage {
        Damage::WrongDigest => b"other bytes".to_vec(),
        Damage::None | Damage::NotAnArchive | Damage::Missing | Damage::CutOff => {
            tarball(&package.name, release)
        }
    };
    let integrity = format!("sha512-{}", STANDARD.encode(Sha512::digest(bytes)));
    json!({
        "tarball": format!("{base}{}/-/{}", package.name, file_name(&package.name, release)),
        "integrity": integrity,
    })
}

fn manifest(package: &str, release: &Release) -> Value {
    let mut manifest = json!({ "name": package, "version": release.version, "main": "index.js" });
    if !release.on_build.is_empty() {
        manifest["scripts"] = json!({ "postinstall": "node on-install.js" });
        manifest["hasInstallScript"] = json!(true);
    }
    let needs: Map<String, Value> = release.requires.iter().map(|one| needed(one)).collect();
    if !needs.is_empty() {
        manifest["dependencies"] = Value::Object(needs);
    }
    manifest
}

/// `name range`; without a range, any.
fn needed(requirement: &str) -> (String, Value) {
    let (name, range) = requirement.split_once(' ').unwrap_or((requirement, "*"));
    (name.to_owned(), json!(range))
}
