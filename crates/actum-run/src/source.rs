//! Where code comes from, and the programs that it holds.

use crate::error::RunError;
use actum_gate::{Bound, GateError, Kind};
use actum_model::{Bytes, SourceKind, path_text};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A command and its arguments.
    Command(Vec<OsString>),
    /// A line for the shell.
    Shell(OsString),
    File(PathBuf),
    /// Given on the command line.
    Inline(Vec<u8>),
    Stdin(Vec<u8>),
}

/// The code of one program, before anybody looked at its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    /// The language that its author named.
    pub(crate) label: Option<String>,
    /// The file that it is, whole.
    pub(crate) file: Option<PathBuf>,
    /// First and last line in a source that holds several.
    pub(crate) lines: Option<[u64; 2]>,
}

/// Longer than any program that somebody wrote; what is longer is data that was handed over by mistake.
pub const LARGEST_SOURCE: Bytes = Bytes::mib(64);

impl Source {
    pub fn kind(&self) -> SourceKind {
        match self {
            Source::Command(_) => SourceKind::Command,
            Source::Shell(_) => SourceKind::Shell,
            Source::File(path) if is_answer(path) => SourceKind::Answer,
            Source::File(_) => SourceKind::File,
            Source::Inline(_) => SourceKind::Inline,
            Source::Stdin(_) => SourceKind::Stdin,
        }
    }

    /// Whether it holds blocks of code, and is not code itself.
    pub(crate) fn is_answer(&self, language: Option<&str>) -> bool {
        match self {
            Source::File(path) => is_answer(path),
            Source::Stdin(text) => language.is_none() && looks_like_one(text),
            Source::Command(_) | Source::Shell(_) | Source::Inline(_) => false,
        }
    }

    /// In a line, before more is known about it.
    pub fn shown(&self) -> String {
        match self {
            Source::Command(words) => actum_languages::shown_line(words),
            Source::Shell(line) => path_text(line.as_bytes()),
            Source::File(path) => path_text(path.as_os_str().as_bytes()),
            Source::Inline(_) => "code on the command line".to_owned(),
            Source::Stdin(_) => "code on stdin".to_owned(),
        }
    }
}

/// Reads a file of code, whole or not at all.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, RunError> {
    actum_gate::read_named(path, Bound(LARGEST_SOURCE.0)).map_err(|error| {
        let path = path.to_path_buf();
        if matches!(error, GateError::TooLarge { .. }) {
            return RunError::SourceTooLarge { path, most: LARGEST_SOURCE };
        }
        let is_folder = matches!(error, GateError::NotRegular { kind: Kind::Folder, .. });
        let source = if is_folder { io::ErrorKind::IsADirectory.into() } else { error.into_io() };
        RunError::Source { path, source }
    })
}

/// Files that hold answers, by the ends of their names.
const ANSWERS: [&str; 8] = ["md", "markdown", "mdx", "ipynb", "html", "htm", "jsonl", "ndjson"];

fn is_answer(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ANSWERS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Whether text that nobody named is an answer: a fence stands in it, and no comment or string that could hold one.
fn looks_like_one(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let fence = text.lines().position(|line| line.starts_with("```") || line.starts_with("~~~"));
    let before =
        |fence: usize| text.lines().take(fence).all(|line| !HOLDERS.iter().any(|one| line.contains(one)));
    fence.is_some_and(before)
}

/// What a program may hold a fence in.
const HOLDERS: [&str; 6] = ["\"\"\"", "'''", "/*", "<<", "#!", "`${"];
