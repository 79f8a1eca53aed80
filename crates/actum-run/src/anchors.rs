//! Names of the evidence that a run left, the most telling first. As many as a reader can use: every piece has a name
//! whether it is listed or not.

use crate::capture::Captured;
use crate::outcome::RunOutcome;
use actum_model::{Analysis, Anchor, Change, Git, Node, Piece, RunId, Stream, path_text};
use actum_output::analyse;

/// Of each kind. Whoever wants more finds the names themselves in the report.
const MOST: usize = 10;

/// The names, as a report lists them.
pub(crate) fn anchors(outcome: &RunOutcome<'_>, analysis: &Analysis) -> Vec<String> {
    let left = Left {
        captured: &outcome.captured,
        changes: &outcome.changes.changes,
        git: outcome.seen.git.as_ref(),
    };
    of(outcome.subject.run, &left, analysis)
}

/// What a run left that has a name.
pub(crate) struct Left<'a> {
    pub(crate) captured: &'a [Captured; 2],
    pub(crate) changes: &'a [Change],
    pub(crate) git: Option<&'a Git>,
}

/// The names of what one run left.
pub(crate) fn of(run: RunId, left: &Left<'_>, analysis: &Analysis) -> Vec<String> {
    let mut pieces = vec![Piece::Command, Piece::Exit];
    let printed = |stream: &Stream| left.captured[stream.index()].end.bytes > 0;
    pieces.extend(Stream::ALL.into_iter().filter(printed).map(|stream| Piece::Output(stream, None)));
    let stretches = analyse::anchors(analysis).into_iter();
    pieces.extend(stretches.map(|(stream, first, last)| Piece::Output(stream, Some([first, last]))));
    pieces.extend(tests(analysis));
    pieces.extend(metrics(analysis));
    pieces.extend(files(left.changes));
    pieces.extend(left.git.iter().map(|_| Piece::Git));
    pieces.into_iter().map(|piece| Anchor::of(run, piece).to_string()).collect()
}

fn tests(analysis: &Analysis) -> impl Iterator<Item = Piece> {
    let names = analysis.tests.iter().flat_map(|tests| tests.failed_names.iter());
    names.take(MOST).map(|name| Piece::Test(name.clone()))
}

/// Each name once, without a step: that is the last value.
fn metrics(analysis: &Analysis) -> Vec<Piece> {
    let mut names: Vec<&str> = Vec::new();
    for metric in analysis.metrics.iter().rev() {
        if names.len() < MOST && !names.contains(&metric.name.as_str()) {
            names.push(&metric.name);
        }
    }
    names.into_iter().map(|name| Piece::Metric { name: name.to_owned(), step: None }).collect()
}

fn files(changes: &[Change]) -> impl Iterator<Item = Piece> {
    let holds = |change: &&Change| matches!(change.after.node, Node::File | Node::Link { .. });
    changes.iter().filter(holds).take(MOST).map(|change| Piece::File(path_text(&change.path)))
}
