//! What is served under which path. Pure: an address and what the client accepts in, an answer out.

use super::archive::sha256;
use super::package::{Damage, Form, Package, Release, normalised};
use super::{node, sdist, wheel};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The media type that asks for JSON.
const JSON: &str = "application/vnd.pypi.simple.v1+json";

/// Everything on offer.
#[derive(Debug)]
pub(super) struct Shelf {
    packages: BTreeMap<String, Package>,
    files: BTreeMap<String, Stored>,
    base: String,
}

#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) bytes: Vec<u8>,
    pub(super) damage: Damage,
}

/// What to answer.
#[derive(Debug)]
pub(super) enum Answer<'a> {
    Page { kind: &'static str, text: String },
    File(&'a Stored),
    Missing,
}

/// Whether a client gets JSON where it asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Both,
    Pages,
}

impl Shelf {
    /// `base` is the server's address without a path, `http://127.0.0.1:PORT`.
    pub(super) fn new(packages: Vec<Package>, base: &str) -> Shelf {
        let mut files = BTreeMap::new();
        for package in &packages {
            for release in &package.releases {
                files.extend(python_files(package, release));
                let path = format!("npm/{}/-/{}", package.name, node::file_name(&package.name, release));
                let bytes = node::tarball(&package.name, release);
                files.extend(stored(path, bytes, release.damage));
            }
        }
        let packages = packages.into_iter().map(|package| (normalised(&package.name), package)).collect();
        Shelf { packages, files, base: base.to_owned() }
    }

    /// What `path`, without its leading slash, leads to.
    pub(super) fn answer(&self, path: &str, accept: &str, dialect: Dialect) -> Answer<'_> {
        if let Some(file) = self.files.get(path) {
            return Answer::File(file);
        }
        let json = dialect == Dialect::Both && accept.contains(JSON);
        if path == "simple" || path == "simple/" {
            return self.list(json);
        }
        if let Some(name) = path.strip_prefix("npm/") {
            return self.node(name);
        }
        let package = path.strip_prefix("simple/").map(|name| normalised(name.trim_end_matches('/')));
        match package.and_then(|name| self.packages.get(&name)) {
            Some(package) => self.project(package, json),
            None => Answer::Missing,
        }
    }

    fn list(&self, json: bool) -> Answer<'_> {
        if json {
            let names: Vec<Value> = self.packages.keys().map(|name| json!({ "name": name })).collect();
            let text = json!({ "meta": { "api-version": "1.1" }, "projects": names }).to_string();
            return Answer::Page { kind: JSON, text };
        }
        let links = self.packages.keys().map(|name| format!("<a href=\"/simple/{name}/\">{name}</a>\n"));
        page(links.collect())
    }

    fn node(&self, name: &str) -> Answer<'_> {
        let name = name.replace("%2f", "/").replace("%2F", "/");
        let Some(package) = self.packages.values().find(|package| package.name == name) else {
            return Answer::Missing;
        };
        let text = node::document(package, &format!("{}/npm/", self.base)).to_string();
        Answer::Page { kind: "application/json", text }
    }

    fn project(&self, package: &Package, json: bool) -> Answer<'_> {
        let files = package.releases.iter().flat_map(|release| {
            release.forms.iter().map(move |form| (release, form, file_name(package, release, form)))
        });
        if json {
            let files: Vec<Value> =
                files.map(|(release, form, name)| self.described(release, form, &name, package)).collect();
            let versions: Vec<&String> = package.releases.iter().map(|one| &one.version).collect();
            let text = json!({
                "meta": { "api-version": "1.1" },
                "name": normalised(&package.name),
                "versions": versions,
                "files": files,
            });
            return Answer::Page { kind: JSON, text: text.to_string() };
        }
        page(files.map(|(release, _, name)| self.link(release, &name)).collect())
    }

    fn described(&self, release: &Release, form: &Form, name: &str, package: &Package) -> Value {
        let mut file = json!({
            "filename": name,
            "url": format!("{}/files/{name}", self.base),
            "hashes": { "sha256": self.claimed(release, name) },
            "size": self.files.get(&format!("files/{name}")).map_or(0, |stored| stored.bytes.len()),
            "upload-time": release.uploaded,
            "yanked": match &release.yanked { Some(reason) => json!(reason), None => json!(false) },
        });
        if let Some(range) = &release.requires_python {
            file["requires-python"] = json!(range);
        }
        if matches!(form, Form::Wheel(_)) {
            let metadata = wheel::metadata(&package.name, release);
            file["core-metadata"] = json!({ "sha256": sha256(metadata.as_bytes()) });
        }
        file
    }

    fn link(&self, release: &Release, name: &str) -> String {
        let mut marks = String::new();
        if let Some(range) = &release.requires_python {
            let range = range.replace('>', "&gt;").replace('<', "&lt;");
            marks += &format!(" data-requires-python=\"{range}\"");
        }
        if let Some(reason) = &release.yanked {
            marks += &format!(" data-yanked=\"{reason}\"");
        }
        let claimed = self.claimed(release, name);
        format!("<a href=\"{}/files/{name}#sha256={claimed}\"{marks}>{name}</a>\n", self.base)
    }

    /// The digest that the page gives for a file.
    fn claimed(&self, release: &Release, name: &str) -> String {
        let served = self.files.get(&format!("files/{name}")).map(|stored| stored.bytes.as_slice());
        match release.damage {
            Damage::WrongDigest => sha256(b"other bytes"),
            Damage::None | Damage::NotAnArchive | Damage::CutOff | Damage::Missing => {
                sha256(served.unwrap_or_default())
            }
        }
    }
}

fn page(body: String) -> Answer<'static> {
    let text = format!("<!DOCTYPE html>\n<html><body>\n{body}</body></html>\n");
    Answer::Page { kind: "text/html", text }
}

fn file_name(package: &Package, release: &Release, form: &Form) -> String {
    match form {
        Form::Wheel(tag) => wheel::file_name(&package.name, release, tag),
        Form::Source => sdist::file_name(&package.name, release),
    }
}

fn python_files(package: &Package, release: &Release) -> Vec<(String, Stored)> {
    let mut files = Vec::new();
    for form in &release.forms {
        let path = format!("files/{}", file_name(package, release, form));
        let bytes = match form {
            Form::Wheel(tag) => wheel::wheel(&package.name, release, tag),
            Form::Source => sdist::sdist(&package.name, release),
        };
        if matches!(form, Form::Wheel(_)) {
            let bytes = wheel::metadata(&package.name, release).into_bytes();
            files.push((format!("{path}.metadata"), Stored { bytes, damage: Damage::None }));
        }
        files.extend(stored(path, bytes, release.damage));
    }
    files
}

fn stored(path: String, bytes: Vec<u8>, damage: Damage) -> Option<(String, Stored)> {
    match damage {
        Damage::None | Damage::WrongDigest | Damage::CutOff => Some((path, Stored { bytes, damage })),
        Damage::NotAnArchive => Some((path, Stored { bytes: b"not an archive".to_vec(), damage })),
        Damage::Missing => None,
    }
}
