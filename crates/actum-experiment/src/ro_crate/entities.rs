//! The entities around the run: files, parameters, people, licence.

use super::{CrateFile, CrateSource, FileRole, Organization, Publication, paths};
use actum_model::{Moment, Untrusted};
use serde_json::{Map, Value, json};

/// Where no licence was chosen, the address that RO-Crate's own examples name.
const NO_LICENSE: &str = "https://choosealicense.com/no-permission/";
/// Nobody was named: a host that cannot exist (RFC 2606), because an organization has to have an address.
const UNNAMED: &str = "https://unnamed.invalid/";
/// The longest value that a description has.
const LONGEST: usize = 2000;

/// One harmless line that is not empty: names of entities have to be.
pub(super) fn line(text: &str) -> String {
    let shown = Untrusted::new(text).shown(LONGEST);
    if shown.trim().is_empty() { "(empty)".to_owned() } else { shown }
}

/// As the profile wants it: milliseconds and an offset.
pub(super) fn time(moment: Moment) -> String {
    let text = moment.to_string();
    // `2026-11-15T10:30:00.123456Z` without the last three digits and the letter.
    format!("{}+00:00", text.get(..text.len().saturating_sub(4)).unwrap_or(&text))
}

/// A reference to an entity, to several, or to none. A list of one is not a list.
pub(super) fn put_references(entity: &mut Map<String, Value>, property: &str, ids: &[String]) {
    let reference = |id: &String| json!({ "@id": id });
    let value = match ids {
        [] => return,
        [only] => reference(only),
        several => several.iter().map(reference).collect(),
    };
    entity.insert(property.to_owned(), value);
}

pub(super) fn file(source: &CrateSource, placed: &CrateFile) -> Value {
    let (what, format) = (description(source), media_type(source));
    json!({
        "@id": paths::address(&placed.path),
        "@type": "File",
        "name": line(&source.path),
        "description": what,
        "contentSize": source.bytes.0.to_string(),
        "sha256": source.sha256.to_string(),
        "encodingFormat": format,
    })
}

fn description(source: &CrateSource) -> String {
    let own = match source.role {
        FileRole::Manifest => "What is needed to repeat the run: command, commit, seed, environment, machine",
        FileRole::Result => "What the run came to: metrics, artifacts, checklist",
        FileRole::Metrics => "All values of all metrics, one JSON object for each line",
        FileRole::Stdout => "Standard output of the program",
        FileRole::Stderr => "Standard error of the program",
        FileRole::Record => "The sealed account of the run: digests of everything",
        FileRole::Patch => "Uncommitted changes of tracked files, for git apply",
        FileRole::Lock => "The exact packages that the program ran with",
        FileRole::Config => return format!("Configuration that the program read: {}", line(&source.path)),
        FileRole::Input => return format!("File that the program read: {}", line(&source.path)),
        FileRole::Output => return format!("File that the program wrote: {}", line(&source.path)),
    };
    own.to_owned()
}

/// By the role, else by the extension. What is not known is bytes.
fn media_type(source: &CrateSource) -> &'static str {
    match source.role {
        FileRole::Manifest | FileRole::Result | FileRole::Record => return "application/json",
        FileRole::Metrics => return "application/jsonl",
        FileRole::Stdout | FileRole::Stderr => return "text/plain",
        FileRole::Patch => return "text/x-diff",
        FileRole::Lock | FileRole::Config | FileRole::Input | FileRole::Output => {}
    }
    let extension = source.path.rsplit_once('.').map_or("", |(_, extension)| extension);
    TYPES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(extension))
        .map_or("application/octet-stream", |(_, format)| *format)
}

const TYPES: &[(&str, &str)] = &[
    ("py", "text/x-python"),
    ("ipynb", "application/x-ipynb+json"),
    ("r", "text/x-r"),
    ("jl", "text/x-julia"),
    ("sh", "application/x-sh"),
    ("js", "text/javascript"),
    ("c", "text/x-c"),
    ("rs", "text/rust"),
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("txt", "text/plain"),
    ("log", "text/plain"),
    ("md", "text/markdown"),
    ("json", "application/json"),
    ("jsonl", "application/jsonl"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("toml", "application/toml"),
    ("lock", "text/plain"),
    ("html", "text/html"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("parquet", "application/vnd.apache.parquet"),
];

/// A name with a value, such as a parameter or a variable.
pub(super) fn property(id: &str, name: &str, value: &str, what: &str) -> Value {
    json!({
        "@id": id,
        "@type": "PropertyValue",
        "name": line(name),
        "value": Untrusted::new(value).shown(LONGEST),
        "description": what,
    })
}

/// The address of the licence, and its entity.
pub(super) fn license(publication: &Publication) -> (String, Value) {
    let chosen = publication.license.as_deref().filter(|address| is_web_address(address));
    let id = chosen.unwrap_or(NO_LICENSE);
    let (name, what) = match chosen {
        Some(address) => (
            address.rsplit('/').find(|part| !part.is_empty()).unwrap_or(address),
            "The licence of this crate",
        ),
        None => ("No licence", "No licence was chosen: all rights are reserved"),
    };
    (
        id.to_owned(),
        json!({ "@id": id, "@type": "CreativeWork", "name": line(name), "description": what, "url": id }),
    )
}

/// Who answers for the crate.
pub(super) fn people(publication: &Publication) -> [Value; 2] {
    let unknown = || Organization { name: "No organization named".to_owned(), url: UNNAMED.to_owned() };
    let organization = publication.organization.clone().unwrap_or_else(unknown);
    let mut organization_entity = json!({
        "@id": ORGANIZATION,
        "@type": "Organization",
        "name": line(&organization.name),
        "description": "The publisher of this crate",
    });
    let has_address = is_web_address(&organization.url);
    organization_entity["url"] = json!(if has_address { &organization.url } else { UNNAMED });
    let author = publication.author.as_deref().unwrap_or("No author named");
    let person = json!({
        "@id": AUTHOR,
        "@type": "Person",
        "name": line(author),
        "description": "Who had the run carried out",
        "affiliation": { "@id": ORGANIZATION },
    });
    [person, organization_entity]
}

pub(super) const AUTHOR: &str = "#author";
pub(super) const ORGANIZATION: &str = "#organization";

/// An address that can be an identifier as it is.
pub(super) fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && rest.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&byte))
    })
}
