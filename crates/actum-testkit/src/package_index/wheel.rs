//! Wheels: the files, METADATA, WHEEL and a RECORD that is right.

use super::archive::{self, Entry};
use super::package::Release;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// The name of the file.
pub(super) fn file_name(package: &str, release: &Release, tag: &str) -> String {
    format!("{}-{}-{tag}.whl", escaped(package), release.version)
}

/// A name as file names write it: without dashes, since dashes part the fields.
pub(super) fn escaped(package: &str) -> String {
    package.replace(['-', '.'], "_")
}

/// The whole wheel.
pub(super) fn wheel(package: &str, release: &Release, tag: &str) -> Vec<u8> {
    let folder = format!("{}-{}.dist-info", escaped(package), release.version);
    let modules = release.modules.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes()));
    let mut entries: Vec<Entry> = modules.collect();
    let about = format!("Wheel-Version: 1.0\nGenerator: actum-testkit\nRoot-Is-Purelib: true\nTag: {tag}\n");
    entries.push((format!("{folder}/METADATA"), metadata(package, release).into_bytes()));
    entries.push((format!("{folder}/WHEEL"), about.into_bytes()));
    let record = format!("{folder}/RECORD");
    let mut lines: String = entries.iter().map(recorded).collect();
    lines += &format!("{record},,\n");
    entries.push((record, lines.into_bytes()));
    archive::zip(&entries)
}

/// What the release says of itself, for METADATA and PKG-INFO.
pub(super) fn metadata(package: &str, release: &Release) -> String {
    let mut text = format!("Metadata-Version: 2.1\nName: {package}\nVersion: {}\n", release.version);
    if let Some(range) = &release.requires_python {
        text += &format!("Requires-Python: {range}\n");
    }
    for requirement in &release.requires {
        text += &format!("Requires-Dist: {requirement}\n");
    }
    text
}

fn recorded((path, bytes): &Entry) -> String {
    let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
    format!("{path},sha256={digest},{}\n", bytes.len())
}
