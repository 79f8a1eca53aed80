//! Has a program's text read by a worker that can be killed: parsers are given what strangers wrote, and a grammar has been
//! seen to hang on 35 bytes.
//!
//! The worker is this binary (`actum internal read`), inside the walls, without a network, with seconds to live. What it said
//! about a text is kept, so that the same text is read once.

use crate::digest;
use crate::listen::listen;
use crate::request::House;
use actum_model::{Bytes, Completeness, Grant, Network, Profile, Reading, Span, WorkspaceMode};
use actum_sandbox::Request;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

/// A text that takes longer is one that a parser cannot cope with. Four megabytes of Python take half a second.
const PATIENCE: Span = Span::seconds(10);
/// A tree is many times as large as its text.
const MEMORY: Bytes = Bytes::gib(1);
/// A reading is bounded by its own caps; this is far above them.
const MOST: usize = 4 << 20;

/// A text of a program, and the language that it is read in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) language: &'a str,
    pub(crate) code: &'a [u8],
}

/// What the text of a program says. Whatever goes wrong is a reading that says so: a run does not depend on it.
pub(crate) fn read(house: &House<'_>, attempt: &Request, language: &str, code: &[u8]) -> Reading {
    if let Some(reading) = known(house, Text { language, code }) {
        return reading;
    }
    match ask(house, attempt, language, code) {
        Ok(text) => match serde_json::from_slice::<Reading>(&text) {
            Ok(reading) => {
                remember(house, Text { language, code }, &text);
                reading
            }
            Err(_) => unread(language, UNFINISHED),
        },
        Err(error) => unread(language, &format!("the reader could not be started: {error}")),
    }
}

const UNFINISHED: &str = "the reader did not come to an end";

/// What many texts say, in their order, by one worker for as many as it can read in its time. The one at which a worker ends is
/// the one that it could not cope with; the others are given to the next.
pub(crate) fn read_many(house: &House<'_>, attempt: &Request, texts: &[Text<'_>]) -> Vec<Reading> {
    let mut readings: Vec<Option<Reading>> = texts.iter().map(|text| known(house, *text)).collect();
    let mut workers = WORKERS;
    loop {
        let open: Vec<usize> = (0..texts.len()).filter(|at| readings[*at].is_none()).collect();
        let batch = &open[..within(&open, texts)];
        if batch.is_empty() {
            break;
        }
        if workers == 0 {
            open.iter().for_each(|at| {
                readings[*at] =
                    Some(unread(texts[*at].language, "too many texts of this answer took too long"))
            });
            break;
        }
        workers -= 1;
        let told = ask_many(house, attempt, batch.iter().map(|at| texts[*at]));
        let lines: Vec<&[u8]> = told
            .as_deref()
            .unwrap_or_default()
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .collect();
        for (at, line) in batch.iter().zip(&lines) {
            readings[*at] =
                serde_json::from_slice(line).ok().or_else(|| Some(unread(texts[*at].language, UNFINISHED)));
            remember(house, texts[*at], line);
        }
        match told {
            Ok(_) => {
                if let Some(at) = batch.get(lines.len()) {
                    readings[*at] = Some(unread(texts[*at].language, UNFINISHED));
                }
            }
            Err(error) => batch.iter().for_each(|at| {
                readings[*at] =
                    Some(unread(texts[*at].language, &format!("the reader could not be started: {error}")));
            }),
        }
    }
    readings.into_iter().flatten().collect()
}

/// An answer whose texts end more workers than this is not read further.
const WORKERS: usize = 64;
/// A worker is given as much as it reads in a part of its time.
const BATCH: usize = 4 << 20;
/// What one worker says is bounded, and a reading is seldom longer than this.
const BATCH_TEXTS: usize = 400;

/// How many of the open texts one worker takes: at least one.
fn within(open: &[usize], texts: &[Text<'_>]) -> usize {
    let mut bytes = 0;
    let fits = |at: &&usize| {
        bytes += texts[**at].code.len();
        bytes <= BATCH
    };
    open.iter().take(BATCH_TEXTS).take_while(fits).count().max(usize::from(!open.is_empty()))
}

fn ask_many<'a>(
    house: &House<'_>,
    attempt: &Request,
    texts: impl Iterator<Item = Text<'a>>,
) -> io::Result<Vec<u8>> {
    let mut asked = Vec::new();
    for text in texts {
        serde_json::to_writer(&mut asked, &(text.language, String::from_utf8_lossy(text.code)))?;
        asked.push(b'\n');
    }
    let stdin = text_to_read(&asked)?;
    let mut request = request(house, attempt, "");
    request.command = house.tools.reader.to_vec();
    request.command.push("--many".into());
    let mut said = listen(house.sandboxes, &request, stdin.as_fd(), MOST_OF_MANY)?.stdout;
    // A line without an end was being written when the worker ended.
    let whole = said.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    said.truncate(whole);
    Ok(said)
}

/// As many readings of ordinary length as a worker is asked for.
const MOST_OF_MANY: usize = 64 << 20;

fn known(house: &House<'_>, text: Text<'_>) -> Option<Reading> {
    let path = kept(house, text.language, text.code)?;
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

fn remember(house: &House<'_>, text: Text<'_>, reading: &[u8]) {
    if let Some(path) = kept(house, text.language, text.code) {
        // Read anew the next time, where it cannot be kept.
        let _ = keep(&path, reading);
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
    let stdin = text_to_read(code)?;
    let heard = listen(house.sandboxes, &request(house, attempt, language), stdin.as_fd(), MOST)?;
    Ok(heard.stdout)
}

/// It sees itself and what it reads.
fn request(house: &House<'_>, attempt: &Request, language: &str) -> Request {
    let mut request = attempt.clone();
    request.command = house.tools.reader.to_vec();
    request.command.extend(["--language".into(), language.into()]);
    request.policy = Profile::Default.policy();
    request.policy.network = Network::None;
    request.policy.workspace = WorkspaceMode::ReadOnly;
    request.policy.grants =
        house.tools.reader.first().map(|program| Grant::Read(program.into())).into_iter().collect();
    request.workspace = house.folder.to_path_buf();
    request.folder = house.folder.to_path_buf();
    request.granted_variables = Vec::new();
    request.limits.wall = PATIENCE;
    request.limits.memory = MEMORY;
    request.grace = Span::default();
    request.terminal = None;
    request.layer = None;
    request.forwards.clear();
    request
}

/// A file in memory, read from its beginning: a pipe would be full before the reader starts.
fn text_to_read(code: &[u8]) -> io::Result<OwnedFd> {
    let memory = memfd_create("program", MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(memory);
    file.write_all(code)?;
    let memory = OwnedFd::from(file);
    seek(&memory, SeekFrom::Start(0))?;
    Ok(memory)
}
