//! Where code comes from, and the programs that it holds.

use crate::error::RunError;
use crate::language;
use crate::markdown;
use actum_model::{Bytes, SourceKind, path_text};
use std::ffi::OsString;
use std::io::{self, Read};
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
            Source::File(path) if is_markdown(path) => SourceKind::Markdown,
            Source::File(_) => SourceKind::File,
            Source::Inline(_) => SourceKind::Inline,
            Source::Stdin(_) => SourceKind::Stdin,
        }
    }

    /// In a line, before more is known about it.
    pub fn shown(&self) -> String {
        match self {
            Source::Command(words) => language::shown_line(words),
            Source::Shell(line) => path_text(line.as_bytes()),
            Source::File(path) => path_text(path.as_os_str().as_bytes()),
            Source::Inline(_) => "code on the command line".to_owned(),
            Source::Stdin(_) => "code on stdin".to_owned(),
        }
    }
}

/// Reads a file of code, whole or not at all.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, RunError> {
    let failed = |source: io::Error| RunError::Source { path: path.to_path_buf(), source };
    let file = std::fs::File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    // A pipe or a device tells no length: one byte more than is taken shows that there is more.
    let mut bytes = Vec::with_capacity(metadata.len().min(LARGEST_SOURCE.0) as usize);
    file.take(LARGEST_SOURCE.0 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST_SOURCE.0 {
        return Err(RunError::SourceTooLarge { path: path.to_path_buf(), most: LARGEST_SOURCE });
    }
    Ok(bytes)
}

/// Takes a source's text apart. One program, unless it is an answer in Markdown, which holds those that are labelled with a
/// language that we know.
pub(crate) fn programs(
    path: Option<&Path>,
    bytes: Vec<u8>,
    is_language: &dyn Fn(&str) -> bool,
) -> Result<Vec<Code>, RunError> {
    let Some(path) = path.filter(|path| is_markdown(path)) else {
        return Ok(vec![Code { bytes, label: None, file: path.map(Path::to_path_buf), lines: None }]);
    };
    let text = String::from_utf8(bytes).map_err(|_| RunError::NotText { path: path.to_path_buf() })?;
    let blocks = markdown::blocks(&text, is_language);
    if blocks.is_empty() {
        return Err(RunError::NoBlocks { path: path.to_path_buf() });
    }
    let code = |block: markdown::Block| Code {
        bytes: block.code.into_bytes(),
        label: Some(block.label),
        file: None,
        lines: Some(block.lines),
    };
    Ok(blocks.into_iter().map(code).collect())
}

fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["md", "markdown"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}
