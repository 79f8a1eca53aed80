//! Follows `HEAD` to a commit through the files of a repository. Files are of any origin: only small regular ones are read,
//! and nothing of them leaves but what has the form of a commit or of a branch's name.

use super::Head;
use actum_model::path_text;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
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
    for _ in 0..DEPTH {
        let text = [folder, common].iter().find_map(|place| small_text(&place.join(&name)));
        let Some(text) = text else {
            return Some(Head { commit: packed(common, &name)?, branch });
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

/// The text of a small regular file. A pipe that somebody put there is not waited for, a link not followed.
pub(super) fn small_text(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = open(path, SMALL)?;
    file.take(SMALL).read_to_string(&mut text).ok()?;
    Some(text)
}

fn open(path: &Path, most: u64) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && metadata.len() <= most).then_some(file)
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
fn packed(common: &Path, name: &str) -> Option<String> {
    let file = open(&common.join("packed-refs"), PACKED)?;
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
