//! Names in a crate: harmless on any file system, and each only once.

use super::{CrateFile, CrateSource, FileRole, METADATA};
use actum_model::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A component of a path, in bytes: file systems take 255, and encrypted ones 143.
const LONGEST: usize = 120;

pub(super) fn place(sources: &[CrateSource]) -> Vec<CrateFile> {
    let mut taken: BTreeSet<String> = BTreeSet::from([METADATA.to_owned()]);
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut files = Vec::with_capacity(sources.len());
    for (source, facts) in sources.iter().enumerate() {
        let wanted = path(facts);
        let mut path = wanted.clone();
        let number = numbers.entry(wanted.to_lowercase()).or_insert(1);
        // File systems that fold case would write two files into one; a file cannot be a folder as well.
        while !is_free(&path, &taken) {
            *number += 1;
            path = numbered(&wanted, *number, source);
        }
        taken.insert(path.to_lowercase());
        files.push(CrateFile { source, path });
    }
    files
}

fn is_free(path: &str, taken: &BTreeSet<String>) -> bool {
    let folded = path.to_lowercase();
    let folder = format!("{folded}/");
    let is_folder = taken.range(folder.clone()..).next().is_some_and(|next| next.starts_with(&folder));
    let below_file = folded.match_indices('/').any(|(at, _)| taken.contains(&folded[..at]));
    !taken.contains(&folded) && !is_folder && !below_file
}

/// `a/b.txt` as `a (2)/b.txt` would not help where `a` is a file, so the number is with the whole name.
fn numbered(wanted: &str, number: u32, source: usize) -> String {
    let (folder, rest) = wanted.split_once('/').unwrap_or(("", wanted));
    let name = rest.rsplit('/').next().unwrap_or(rest);
    match (folder, number < 10) {
        ("", _) => format!("{number}-{name}"),
        (folder, true) => format!("{folder}/{number}/{rest}"),
        (folder, false) => format!("{folder}/{source}-{number}/{name}"),
    }
}

fn path(source: &CrateSource) -> String {
    let own = match source.role {
        FileRole::Manifest => "manifest.json",
        FileRole::Result => "results.json",
        FileRole::Metrics => "metrics.jsonl",
        FileRole::Stdout => "stdout.txt",
        FileRole::Stderr => "stderr.txt",
        FileRole::Record => "record.json",
        FileRole::Patch => "changes.patch",
        FileRole::Lock => return format!("environment/{}", name(&source.path)),
        FileRole::Config => return format!("configuration/{}", relative(&source.path)),
        FileRole::Input => return format!("inputs/{}", relative(&source.path)),
        FileRole::Output => return format!("outputs/{}", relative(&source.path)),
    };
    own.to_owned()
}

fn name(path: &str) -> String {
    component(path.rsplit('/').next().unwrap_or(path))
}

fn relative(path: &str) -> String {
    let parts: Vec<String> =
        path.split('/').filter(|part| !part.is_empty() && *part != ".").map(component).collect();
    if parts.is_empty() { "unnamed".to_owned() } else { parts.join("/") }
}

fn component(part: &str) -> String {
    let is_odd = |c: char| {
        c.is_control()
            || "\\:*?\"<>|".contains(c)
            || actum_model::path_text(c.to_string().as_bytes()).len() > c.len_utf8()
    };
    let mut safe: String = part.chars().map(|c| if is_odd(c) { '_' } else { c }).collect();
    if safe.trim_matches(['.', ' ']).is_empty() {
        safe = "_".repeat(safe.len().clamp(1, 8));
    }
    if safe.len() > LONGEST {
        let digest = Digest::of(&safe).to_string();
        let start = safe.floor_char_boundary(LONGEST - 20);
        let tail = safe.ceil_char_boundary(safe.len() - 8);
        safe = format!("{}~{}{}", &safe[..start], &digest[..8], &safe[tail..]);
    }
    safe
}

/// A path as the relative address of an entity.
pub(super) fn address(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte))
            }
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}
