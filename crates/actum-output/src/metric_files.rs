//! Files of metrics among what a run wrote: `metrics.json`, `metrics.jsonl`, `train.metrics.json`.

use crate::analyse::{self, Metrics};
use actum_gate::File;
use actum_model::{Change, Digest, Node, path_text};
use rustix::fd::BorrowedFd;
use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use std::io::Read;

/// More than anybody writes; what is longer is data.
const LARGEST: u64 = 1 << 20;
const MOST: usize = 16;

/// Reads those that are among these changes. `folder` is where the changes were taken from.
pub fn read(folder: BorrowedFd<'_>, changes: &[Change]) -> Metrics {
    let files = changes.iter().filter(|change| change.after.node == Node::File && is_meant(&change.path));
    let read = files.take(MOST).filter_map(|change| {
        let text = contents(folder, change)?;
        Some(analyse::metrics_of_file(&path_text(&change.path), &text))
    });
    read.fold(Metrics::default(), Metrics::and)
}

fn is_meant(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let stem = name.strip_suffix(b".json").or_else(|| name.strip_suffix(b".jsonl"));
    stem.is_some_and(|stem| stem == b"metrics" || stem.ends_with(b".metrics"))
}

/// What was listed, and nothing that stands there now instead of it: no link is followed, and the digest has to be the one
/// that the list has.
fn contents(folder: BorrowedFd<'_>, change: &Change) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let file = openat2(folder, change.path.as_slice(), flags, Mode::empty(), inside).ok()?;
    let mut bytes = Vec::new();
    File::from(file).take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    let is_listed = change.after.sha256 == Some(Digest::of(&bytes));
    String::from_utf8(bytes).ok().filter(|_| is_listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::Standing;
    use rustix::fd::AsFd;

    fn change(path: &str, text: &str) -> Change {
        let sha256 = Some(Digest::of(text.as_bytes()));
        let after = Standing { node: Node::File, sha256, ..Standing::default() };
        Change::between(path.as_bytes(), Standing::default(), after)
    }

    #[test]
    fn only_what_was_listed_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let text = "{\"accuracy\": 0.5}";
        std::fs::create_dir(folder.path().join("out")).unwrap();
        for name in ["out/metrics.json", "a.metrics.jsonl", "other.json", "metrics.json.txt", "secret"] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::os::unix::fs::symlink("secret", folder.path().join("metrics.json")).unwrap();
        std::os::unix::fs::symlink("out", folder.path().join("link")).unwrap();
        let opened = File::open(folder.path()).unwrap();
        let count = |changes: &[Change]| read(opened.as_fd(), changes).listed.len();
        for (path, expected) in [
            ("out/metrics.json", 1),
            ("a.metrics.jsonl", 1),
            ("other.json", 0),
            ("metrics.json.txt", 0),
            ("metrics.json", 0),
            ("link/metrics.json", 0),
            ("../out/metrics.json", 0),
            ("gone/metrics.json", 0),
        ] {
            assert_eq!(count(&[change(path, text)]), expected, "{path}");
        }
        assert_eq!(count(&[change("out/metrics.json", "other bytes")]), 0, "it is no longer what was listed");
    }
}
