//! Follows `HEAD` to a commit through the files of a repository. Files are of any origin: only small regular ones are read, below
//! the repository's folder whatever links lie in it, and nothing of them leaves but what has the form of a commit or of a
//! branch's name.

use super::Head;
use actum_gate::{Bound, Root};
use actum_model::path_text;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Longer than any reference.
const SMALL: u64 = 4096;
/// A million references.
const PACKED: u64 = 64 << 20;
/// One reference may name another; more than this is a circle.
const DEPTH: usize = 5;

/// Follows `HEAD`.
pub(super) fn head(folder: &Path, common: &Path) -> Option<Head> {
    let mut name = "HEAD".to_owned();
    let mut branch = None;
    let (folder, common) = (Root::open(folder).ok()?, Root::open(common).ok()?);
    for _ in 0..DEPTH {
        let text = [&folder, &common].iter().find_map(|place| small_text(place, &name));
        let Some(text) = text else {
            return Some(Head { commit: packed(&common, &name)?, branch });
        };
        let text = text.trim_end_matches(['\n', '\r']);
        match text.strip_prefix("ref: ").map(str::trim_start) {
            None => return Some(Head { commit: commit(text)?, branch }),
            Some(next) => name = reference(next)?.to_owned(),
        }
        // The first name is the one that a person gave; what it leads to is how it is kept.
        branch = branch.or_else(|| name.strip_prefix("refs/heads/").map(|short| path_text(short.as_bytes())));
    }
    None
}

/// The text of a small regular file below a folder.
pub(super) fn small_text(folder: &Root, name: &str) -> Option<String> {
    String::from_utf8(folder.read(Path::new(name), Bound(SMALL)).ok()?).ok()
}

/// A name that stays below `refs/`. A repository with another form of references (reftable) names one that begins with a dot.
fn reference(name: &str) -> Option<&str> {
    let plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('\0');
    let rest = name.strip_prefix("refs/")?;
    (name.len() < SMALL as usize && rest.split('/').all(plain)).then_some(name)
}

fn commit(text: &str) -> Option<String> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)).then(|| text.to_owned())
}

/// Looks a reference up among those that are kept in one file.
fn packed(common: &Root, name: &str) -> Option<String> {
    let (file, facts) = common.open_with_facts(Path::new("packed-refs")).ok()?;
    if facts.size > PACKED {
        return None;
    }
    let mut lines = BufReader::with_capacity(64 << 10, file.take(PACKED));
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).ok()? > 0 {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if let Some(before) = text.strip_suffix(name.as_bytes()).and_then(|rest| rest.strip_suffix(b" ")) {
            return commit(std::str::from_utf8(before).ok()?);
        }
        line.clear();
    }
    None
}
