//! Reads both streams with the languages' shapes and keeps what they found: neutral, bounded, each once.

use super::asked::Asked;
use super::language;
use super::lines::Lines;
use super::shown::{MESSAGE, NAME, shown};
use super::sight::{Draft, Look, Phase, RunEnded, Scene, What};
use actum_model::{Failure, Frame};

/// 50: more than anybody reads. The last one is kept as well, for that is often what ended the run.
pub(super) const MOST: usize = 50;

/// A list that holds the first ones and the last one, and counts the rest.
#[derive(Debug)]
pub(super) struct Bounded<T> {
    pub(super) items: Vec<T>,
    pub(super) left_out: u64,
}

impl<T> Default for Bounded<T> {
    fn default() -> Self {
        Self { items: Vec::new(), left_out: 0 }
    }
}

impl<T: PartialEq> Bounded<T> {
    pub(super) fn push(&mut self, item: T) {
        if self.items.contains(&item) {
            return;
        }
        if self.items.len() >= MOST {
            self.items.pop();
            self.left_out += 1;
        }
        self.items.push(item);
    }
}

/// What was picked out of the output.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) warnings: Bounded<String>,
    pub(super) failures: Bounded<Picked>,
}

/// A failure, and when it happened.
#[derive(Debug)]
pub(super) struct Picked {
    pub(super) failure: Failure,
    pub(super) phase: Phase,
}

/// The same failure printed twice (a runner's summary, PHP's log) is one.
impl PartialEq for Picked {
    fn eq(&self, other: &Self) -> bool {
        let same = |one: &Failure, two: &Failure| {
            (&one.kind, &one.message, &one.file, one.line) == (&two.kind, &two.message, &two.file, two.line)
        };
        same(&self.failure, &other.failure)
    }
}

/// Whether lines that only say `error` are worth a look. Where tests were counted they are the runner's own layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastResort {
    Allowed,
    Needless,
}

/// Reads stderr, then stdout. What a program prints on stdout when it ends well is data: only the declared language is
/// asked about it, so that `cat build.log` does not fail.
pub(super) fn collect(
    asked: &Asked<'_>,
    run: RunEnded,
    [stdout, stderr]: [&Lines; 2],
    last_resort: LastResort,
) -> Found {
    let mut found = Found::default();
    read(&Scene { lines: stderr, asked, run }, language::look, &mut found);
    let look = match run {
        RunEnded::Badly => language::look,
        RunEnded::Well => language::look_declared,
    };
    let mut of_stdout = Found::default();
    read(&Scene { lines: stdout, asked, run }, look, &mut of_stdout);
    found.take(of_stdout);
    let nothing = found.failures.items.is_empty() && run == RunEnded::Badly;
    if nothing && last_resort == LastResort::Allowed {
        for lines in [stderr, stdout] {
            read(&Scene { lines, asked, run }, language::look_generic, &mut found);
        }
    }
    found
}

fn read(scene: &Scene<'_>, look: Look, found: &mut Found) {
    let mut at = 0;
    while at < scene.lines.len() {
        let Some(sighting) = look(scene, at) else {
            at += 1;
            continue;
        };
        let taken = sighting.taken.clamp(1, scene.lines.len() - at);
        match sighting.what {
            What::Failure(draft) => {
                let span = [at.saturating_sub(draft.above), at + taken - 1];
                found.failures.push(settle(scene, *draft, span));
            }
            What::Warning(text) => found.warnings.push(shown(&text, MESSAGE)),
            What::Aside => {}
        }
        at += taken;
    }
}

impl Found {
    /// Takes over what another stream had, before what is there: the last of stderr stays the last.
    fn take(&mut self, other: Found) {
        self.warnings.left_out += other.warnings.left_out;
        other.warnings.items.into_iter().for_each(|warning| self.warnings.push(warning));
        let of_stderr = std::mem::replace(&mut self.failures, other.failures);
        self.failures.left_out += of_stderr.left_out;
        of_stderr.items.into_iter().for_each(|failure| self.failures.push(failure));
    }
}

fn settle(scene: &Scene<'_>, draft: Draft, [first, last]: [usize; 2]) -> Picked {
    let neutral = |frame: Frame| Frame {
        function: frame.function.map(|function| shown(&function, NAME)),
        file: shown(scene.asked.relative(&frame.file), MESSAGE),
        ..frame
    };
    let frame = draft.frame.map(neutral);
    let place = frame.clone().or_else(|| draft.place.map(neutral));
    let failure = Failure {
        kind: shown(&draft.kind, NAME),
        message: shown(&draft.message, MESSAGE),
        language: draft.language.to_owned(),
        line: place.as_ref().and_then(|place| place.line),
        column: place.as_ref().and_then(|place| place.column),
        file: place.map(|place| place.file),
        // Without the name of a function a frame says no more than the place.
        frame: frame.filter(|frame| frame.function.is_some()),
        causes: draft.causes.iter().map(|cause| shown(cause, MESSAGE)).collect(),
        stream: scene.lines.stream,
        lines: [scene.lines.number(first), scene.lines.number(last)],
    };
    Picked { failure, phase: draft.phase }
}
