//! Has a program's text read by a worker that can be killed: parsers are given what strangers wrote, and a grammar has been
//! seen to hang on 35 bytes.
//!
//! The worker is this binary (`actum internal read`), inside the walls, without a network, with seconds to live. What it said
//! about a text is kept, so that the same text is read once.

mod many;
use crate::listen::listen;
use crate::worker::{self, Leave};
use actum_gate::own;
use actum_languages::Languages;
use actum_model::{Bytes, Completeness, Digest, Reading, Span};
use actum_sandbox::{Request, Sandboxes};
use rustix::fd::AsFd;
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A text that takes longer is one that a parser cannot cope with. Four megabytes of Python take half a second.
const PATIENCE: Span = Span::seconds(10);
/// A tree is many times as large as its text.
const MEMORY: Bytes = Bytes::gib(1);
/// A reading is bounded by its own caps; this is far above them.
const MOST: usize = 4 << 20;

/// Where programs are read, and what their readings are kept in.
#[derive(Debug, Clone, Copy)]
pub struct Desk<'a> {
    pub sandboxes: &'a Sandboxes,
    /// The command by which Actum reads a program inside the sandbox.
    pub reader: &'a [OsString],
    pub cache: &'a Path,
    /// A folder for the worker to be started in.
    pub folder: &'a Path,
    /// What the sandbox of a run would be asked for.
    pub attempt: &'a Request,
}

/// Reads the blocks of an answer.
#[derive(Debug)]
pub struct AnswerReader<'a> {
    pub desk: Desk<'a>,
    pub languages: &'a Languages,
}

impl actum_answers::Reader for AnswerReader<'_> {
    fn language(&self, label: &str) -> Option<String> {
        let by_extension = || {
            let label = label.to_ascii_lowercase();
            self.languages.iter().find(|language| language.extensions.contains(&label))
        };
        self.languages.called(label).or_else(by_extension).map(|language| language.name.clone())
    }

    fn read(&mut self, programs: &[actum_answers::Program<'_>]) -> Vec<Reading> {
        let text = programs.iter().map(|one| Text { language: one.language, code: one.code.as_bytes() });
        many::read(&self.desk, &text.collect::<Vec<_>>())
    }
}

/// A text of a program, and the language that it is read in.
#[derive(Debug, Clone, Copy)]
struct Text<'a> {
    language: &'a str,
    code: &'a [u8],
}

/// What the text of a program says. Whatever goes wrong is a reading that says so: a run does not depend on it.
pub(crate) fn read(desk: &Desk<'_>, language: &str, code: &[u8]) -> Reading {
    let text = Text { language, code };
    if let Some(reading) = known(desk, text) {
        return reading;
    }
    match ask(desk, language, code) {
        Ok(said) => match serde_json::from_slice::<Reading>(&said) {
            Ok(reading) => {
                remember(desk, text, &said);
                reading
            }
            Err(_) => unread(language, UNFINISHED),
        },
        Err(error) => unread(language, &format!("cannot start the parser: {error}")),
    }
}

const UNFINISHED: &str = "the parser did not finish";

fn known(desk: &Desk<'_>, text: Text<'_>) -> Option<Reading> {
    let path = kept(desk, text.language, text.code)?;
    serde_json::from_slice(&own::read(&path).ok()?).ok()
}

fn remember(desk: &Desk<'_>, text: Text<'_>, said: &[u8]) {
    if let Some(path) = kept(desk, text.language, text.code) {
        // Read anew the next time, where it cannot be kept.
        let _ = keep(&path, said);
    }
}

fn unread(language: &str, why: &str) -> Reading {
    Reading { complete: Completeness::Unread { why: why.to_owned() }, ..Reading::of(language) }
}

/// Where it is kept: by the text, its language, and the binary that reads it.
fn kept(desk: &Desk<'_>, language: &str, code: &[u8]) -> Option<PathBuf> {
    let reader = Path::new(desk.reader.first()?).metadata().ok()?;
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
    let name = Digest::finish(hash).to_string();
    let folder = desk.cache.join("readings");
    // What somebody else could have written is not believed.
    if let Err(error) = own::open_private_folder(&folder)
        && !error.is_missing()
    {
        return None;
    }
    Some(folder.join(&name[..2]).join(&name[2..]))
}

fn keep(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    own::make_private_folders(folder)?;
    // Renamed into place: nobody reads half of it, and whoever is killed leaves nothing that is taken for whole.
    let half = path.with_extension(format!("{}-half", own::draft_name()));
    own::write(&half, text)?;
    own::rename(&half, path)
}

fn ask(desk: &Desk<'_>, language: &str, code: &[u8]) -> io::Result<Vec<u8>> {
    let stdin = worker::in_memory(&[code])?;
    let mut command = desk.reader.to_vec();
    command.extend(["--language".into(), language.into()]);
    let leave = Leave { patience: PATIENCE, memory: MEMORY };
    let request = worker::request(desk.folder, desk.attempt, command, leave);
    Ok(listen(desk.sandboxes, &request, stdin.as_fd(), MOST)?.stdout)
}
