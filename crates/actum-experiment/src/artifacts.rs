//! What an experiment left in its output folder, with digests. The folder is the program's: no link is followed, and what changes while
//! it is read has no digest.

use crate::manifest::Manifest;
use crate::result::{Artifact, ArtifactKind, ExperimentResult};
use actum_gate::{File, Kind, Root};
use actum_model::{Bytes, Digest, path_text};
use sha2::{Digest as _, Sha256};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// More files than anybody lists.
const MOST: usize = 100_000;
/// Of these the record names each.
const MOST_LISTED: usize = 5000;

/// Files that are written by Actum and say when they were.
pub const OWN: [&str; 7] = [
    ".gitignore",
    Manifest::FILE,
    ExperimentResult::FILE,
    ExperimentResult::METRICS,
    "log.jsonl",
    "stdout.log",
    "stderr.log",
];

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Artifacts {
    pub listed: Vec<Artifact>,
    pub left_out: u64,
}

/// Lists an output folder, in the order of names.
pub fn list(folder: &Path) -> Artifacts {
    let Ok(root) = Root::open(folder) else { return Artifacts::default() };
    let mut walked = root.walk(MOST).unwrap_or_default();
    walked.retain(|entry| entry.facts.kind == Kind::File && !is_own(&entry.path));
    walked.sort_by(|one, other| one.path.cmp(&other.path));
    let left_out = walked.len().saturating_sub(MOST_LISTED) as u64;
    let listed = walked.into_iter().take(MOST_LISTED).map(|entry| Artifact {
        sha256: root.open_file(&entry.path).ok().and_then(|file| digest(file, entry.facts.size)),
        kind: kind_of(&entry.path),
        path: path_text(entry.path.as_os_str().as_bytes()),
        bytes: Bytes(entry.facts.size),
    });
    Artifacts { listed: listed.collect(), left_out }
}

fn is_own(path: &Path) -> bool {
    path.to_str().is_some_and(|path| OWN.contains(&path) || path.starts_with("config/"))
}

/// None for a file that is not what its size said: it is being written.
fn digest(file: File, size: u64) -> Option<Digest> {
    let mut file = file.take(size + 1);
    let (mut hash, mut read, mut piece) = (Sha256::new(), 0, vec![0; 256 << 10]);
    loop {
        match file.read(&mut piece).ok()? {
            0 => break,
            count => {
                hash.update(&piece[..count]);
                read += count as u64;
            }
        }
    }
    (read == size).then(|| Digest::finish(hash))
}

/// What a file is, by its name.
pub fn kind_of(path: &Path) -> ArtifactKind {
    let text = path.to_string_lossy().to_ascii_lowercase();
    let name = text.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_checkpoint = ["ckpt", "pt", "pth", "safetensors", "h5", "keras", "onnx", "joblib"]
        .contains(&ending)
        || text.contains("checkpoint")
        || name.starts_with("ckpt");
    match ending {
        _ if is_checkpoint => ArtifactKind::Checkpoint,
        _ if name.contains("tfevents") || name.starts_with("metrics.") || name.ends_with(".metrics.json") => {
            ArtifactKind::Metrics
        }
        "log" | "out" | "err" => ArtifactKind::Log,
        "yaml" | "yml" | "toml" | "ini" | "cfg" => ArtifactKind::Config,
        "png" | "jpg" | "jpeg" | "svg" | "gif" | "webp" | "pdf" => ArtifactKind::Image,
        _ => ArtifactKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_with_digests_and_links_are_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("checkpoint-10")).unwrap();
        for (name, text) in [("b.txt", "x"), ("checkpoint-10/model.bin", "y"), ("manifest.json", "{}")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
        let found = list(folder.path());
        let names: Vec<&str> = found.listed.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(names, ["b.txt", "checkpoint-10/model.bin"]);
        assert_eq!(found.listed[0].sha256, Some(Digest::of("x")));
        assert_eq!(found.listed[1].kind, ArtifactKind::Checkpoint);
    }

    #[test]
    fn kinds_are_told_by_names() {
        for (path, kind) in [
            ("last.ckpt", ArtifactKind::Checkpoint),
            ("events.out.tfevents.1.host", ArtifactKind::Metrics),
            ("loss.png", ArtifactKind::Image),
            ("config.yaml", ArtifactKind::Config),
            ("predictions.csv", ArtifactKind::Other),
        ] {
            assert_eq!(kind_of(Path::new(path)), kind, "{path}");
        }
    }
}
