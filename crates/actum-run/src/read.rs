//! Has a program's text read by a worker that can be killed: parsers are given what strangers wrote, and a grammar has been
//! seen to hang on 35 bytes.
//!
//! The worker is this binary (`actum internal read`), inside the walls, without a network, with seconds to live. What it said
//! about a text is kept, so that the same text is read once.

use crate::digest;
use crate::listen::listen;
use crate::request::House;
use crate::worker::{self, Leave};
use actum_model::{Bytes, Completeness, Reading, Span};
use actum_sandbox::Request;
use rustix::fd::AsFd;
use sha2::{Digest as _, Sha256};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

/// A text that takes longer is one that a parser cannot cope with. Four megabytes of Python take half a second.
const PATIENCE: Span = Span::seconds(10);
/// A tree is many times as large as its text.
const MEMORY: Bytes = Bytes::gib(1);
/// A reading is bounded by its own caps; this is far above them.
const MOST: usize = 4 << 20;

/// What the text of a program says. Whatever goes wrong is a reading that says so: a run does not depend on it.
pub(crate) fn read(house: &House<'_>, attempt: &Request, language: &str, code: &[u8]) -> Reading {
    let kept = kept(house, language, code);
    let known = kept.as_ref().and_then(|path| std::fs::read(path).ok());
    if let Some(reading) = known.and_then(|text| serde_json::from_slice(&text).ok()) {
        return reading;
    }
    match ask(house, attempt, language, code) {
        Ok(text) => match serde_json::from_slice::<Reading>(&text) {
            Ok(reading) => {
                if let Some(path) = kept {
                    // Read anew the next time, where it cannot be kept.
                    let _ = keep(&path, &text);
                }
                reading
            }
            Err(_) => unread(language, "the reader did not come to an end"),
        },
        Err(error) => unread(language, &format!("the reader could not be started: {error}")),
    }
}

fn unread(language: &str, why: &str) -> Reading {
    Reading { complete: Completeness::Unread { why: why.to_owned() }, ..Reading::of(language) }
}

/// Where it is kept: by the text, its language, and the binary that reads it.
fn kept(house: &House<'_>, language: &str, code: &[u8]) -> Option<PathBuf> {
    let reader = std::fs::metadata(house.tools.reader.first()?).ok()?;
    let mut hash = Sha256::new();
    for part in [language.as_bytes(), code] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    for number in
        [reader.size(), reader.mtime() as u64, reader.mtime_nsec() as u64, u64::from(Reading::VERSION)]
    {
        hash.update(number.to_le_bytes());
    }
    let name = digest::finish(hash).to_string();
    let folder = house.cache.join("readings");
    // What somebody else could have written is not believed.
    let is_own = |metadata: std::fs::Metadata| {
        metadata.is_dir()
            && metadata.uid() == rustix::process::geteuid().as_raw()
            && metadata.mode() & 0o022 == 0
    };
    if !folder.symlink_metadata().map_or(true, is_own) {
        return None;
    }
    Some(folder.join(&name[..2]).join(&name[2..]))
}

fn keep(path: &std::path::Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Renamed into place: nobody reads half of it, and whoever is killed leaves nothing that is taken for whole.
    let half = path.with_extension(format!("{}-half", std::process::id()));
    std::fs::write(&half, text)?;
    std::fs::rename(&half, path)
}

fn ask(house: &House<'_>, attempt: &Request, language: &str, code: &[u8]) -> io::Result<Vec<u8>> {
    let stdin = worker::in_memory(&[code])?;
    let heard = listen(house.sandboxes, &request(house, attempt, language), stdin.as_fd(), MOST)?;
    Ok(heard.stdout)
}

fn request(house: &House<'_>, attempt: &Request, language: &str) -> Request {
    let mut command = house.tools.reader.to_vec();
    command.extend(["--language".into(), language.into()]);
    worker::request(house, attempt, command, Leave { patience: PATIENCE, memory: MEMORY })
}
