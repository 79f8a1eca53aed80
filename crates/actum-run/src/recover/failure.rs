//! What is known about an attempt that failed, and what it is taken for.

use super::care::Care;
use super::provide::Providing;
use crate::capture::{Part as Shown, View};
use crate::course::Done;
use actum_model::{Diagnosis, Ending, Stream, Usage};
use actum_output::analyse::{Asked, Text};
use actum_output::diagnose;
use std::path::Path;
use std::time::Duration;

/// Languages say the cause first (Java, Node) or last (Python).
const LOOKED_AT: Shown = Shown { head: 16 << 10, tail: 64 << 10 };

/// An attempt that failed, or a check before it.
pub(crate) struct Failed {
    pub(crate) ending: Ending,
    pub(crate) usage: Usage,
    pub(crate) still_printing: bool,
    /// Both streams.
    texts: [Text; 2],
    /// Line ends that each stream had before it; none where what it printed is not kept.
    before: Option<[u64; 2]>,
    language: String,
    shown: String,
    own: Vec<String>,
}

impl Failed {
    /// `last` is when something was printed last, since the run began.
    pub(crate) fn of(done: &Done, folder: &Path, last: Duration) -> Self {
        let text = |stream: Stream| {
            let at = stream.index();
            let path = folder.join(stream.name());
            let view = View::read(&path, done.from[at], done.to[at], LOOKED_AT).unwrap_or_default();
            Text::of_ends(&view.head, view.left_out, view.left_out_line_ends, &view.tail)
        };
        let (usage, program) = (&done.ended.usage, &done.ready.program);
        Self {
            ending: done.ended.ending.clone(),
            usage: usage.clone(),
            still_printing: last >= usage.wall.0 * 2 / 3,
            texts: Stream::ALL.map(text),
            before: Some(done.from.map(|from| from.line_ends)),
            language: program.language.clone(),
            shown: program.shown.clone(),
            own: done.ready.own.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        }
    }

    /// A check that was made before the program, whose words are kept nowhere else.
    pub(crate) fn of_check(care: &Care<'_>, ending: Ending, usage: Usage, stderr: Vec<u8>) -> Self {
        Self {
            ending,
            usage,
            still_printing: false,
            texts: [Text::default(), Text::of_ends(&stderr, 0, 0, &[])],
            before: None,
            language: care.part.language().to_owned(),
            shown: String::new(),
            own: Vec::new(),
        }
    }
}

/// What it is taken for. Lines are those of the whole stream.
pub(crate) fn diagnose(care: &Care<'_>, failed: &Failed, providing: &Providing<'_>) -> Option<Diagnosis> {
    let [stdout, stderr] = &failed.texts;
    let workspace = providing.request.attempt.workspace.to_string_lossy();
    let language = if care.part.is_python() { "python" } else { failed.language.as_str() };
    let asked = Asked {
        language,
        command: &failed.shown,
        workspace: &workspace,
        own: &failed.own,
        ..Asked::default()
    };
    let mut found = diagnose::diagnose(&diagnose::Failed {
        asked: &asked,
        ending: &failed.ending,
        usage: &failed.usage,
        stdout,
        stderr,
        reading: care.reading.as_ref(),
        processors: None,
    })?;
    found.matched = found.matched.zip(failed.before).map(|(mut matched, before)| {
        matched.line += before[matched.stream.index()];
        matched
    });
    Some(found)
}
