//! What is known about an attempt that failed, and what it is taken for.

use super::care::Care;
use super::provide::Providing;
use crate::analyse::{Asked, Text};
use crate::capture::{Part as Shown, View};
use crate::course::Done;
use crate::diagnose;
use actum_model::{Diagnosis, Ending, Stream, Usage};
use std::path::Path;
use std::time::Duration;

/// Languages say the cause first (Java, Node) or last (Python).
const LOOKED_AT: Shown = Shown { head: 16 << 10, tail: 64 << 10 };

/// An attempt that failed.
pub(crate) struct Failed<'a> {
    pub(crate) ending: &'a Ending,
    pub(crate) usage: &'a Usage,
    pub(crate) still_printing: bool,
    done: &'a Done,
    stdout: View,
    stderr: View,
}

impl<'a> Failed<'a> {
    /// `last` is when something was printed last, since the run began.
    pub(crate) fn of(done: &'a Done, folder: &Path, last: Duration) -> Self {
        let view = |stream: Stream| {
            let at = stream.index();
            View::read(&folder.join(stream.name()), done.from[at], done.to[at], LOOKED_AT).unwrap_or_default()
        };
        let usage = &done.ended.usage;
        Self {
            ending: &done.ended.ending,
            usage,
            still_printing: last >= usage.wall.0 * 2 / 3,
            stdout: view(Stream::Stdout),
            stderr: view(Stream::Stderr),
            done,
        }
    }
}

/// What it is taken for. Lines are those of the whole stream.
pub(crate) fn diagnose(care: &Care<'_>, failed: &Failed<'_>, providing: &Providing<'_>) -> Option<Diagnosis> {
    let text = |view: &View| Text::of_ends(&view.head, view.left_out, view.left_out_line_ends, &view.tail);
    let (stdout, stderr) = (text(&failed.stdout), text(&failed.stderr));
    let ready = &failed.done.ready;
    let own: Vec<String> = ready.own.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let workspace = providing.request.attempt.workspace.to_string_lossy();
    let language = if care.part.is_python() { "python" } else { ready.program.language.as_str() };
    let asked = Asked { language, command: &ready.program.shown, workspace: &workspace, own: &own };
    let mut found = diagnose::diagnose(&diagnose::Failed {
        asked: &asked,
        ending: failed.ending,
        usage: failed.usage,
        stdout: &stdout,
        stderr: &stderr,
        reading: care.reading.as_ref(),
        processors: None,
    })?;
    if let Some(matched) = &mut found.matched {
        matched.line += failed.done.from[matched.stream.index()].line_ends;
    }
    Some(found)
}
