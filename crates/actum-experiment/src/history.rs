//! Curves over several attempts: each line of `curves.jsonl` says of which attempt its point is, and where a later one repeats steps,
//! what it reported stands.
//!
//! The file lies in the program's folder, so what is read is bounded and may be anything.

use crate::result::ExperimentResult;
use actum_gate::{File, Root};
use actum_metrics::MetricPoint;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// More attempts than anybody starts. Only a program that writes our file says so.
const MOST_ATTEMPTS: u32 = 1_000_000;

/// The points of earlier runs.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) points: Vec<(MetricPoint, u32)>,
    /// The last attempt, counted from 1.
    pub(crate) attempts: u32,
    /// There were more points.
    pub(crate) is_cut: bool,
    known: HashSet<Known>,
}

/// What a point says, without its time.
type Known = (String, Option<u64>, u64);

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    point: &'a MetricPoint,
    #[serde(skip_serializing_if = "is_first")]
    attempt: u32,
}

#[derive(Deserialize)]
struct AttemptPart {
    #[serde(default = "first")]
    attempt: u32,
}

impl History {
    /// Whether it has a point of the same value at the same step.
    pub(crate) fn has(&self, point: &MetricPoint) -> bool {
        self.known.contains(&known(point))
    }
}

/// Reads the curves of an output folder, at most so many bytes of them.
pub(crate) fn read(root: &Root, most: usize) -> History {
    let mut bytes = Vec::new();
    let file = root.open_file(Path::new(ExperimentResult::METRICS));
    let read = file.map(|file| file.take(most as u64 + 1).read_to_end(&mut bytes).is_ok());
    let is_cut = bytes.len() > most || read.is_ok_and(|read| !read);
    bytes.truncate(most);
    let points: Vec<(MetricPoint, u32)> =
        points(&bytes).map(|(point, attempt, _)| (point, attempt)).collect();
    let attempts = points.iter().map(|(_, attempt)| *attempt).max().unwrap_or(1);
    let known = points.iter().map(|(point, _)| known(point)).collect();
    History { points, attempts, is_cut, known }
}

/// One line of `curves.jsonl`, with its line feed.
pub(crate) fn line(point: &MetricPoint, attempt: u32) -> String {
    let line = serde_json::to_string(&Line { point, attempt });
    line.expect("BUG: a metric point is text and numbers") + "\n"
}

/// The lines without points that a later attempt reported again.
pub(crate) fn join(lines: &[u8]) -> Vec<u8> {
    let mut latest: HashMap<(String, u64), u32> = HashMap::new();
    for (point, attempt, _) in points(lines) {
        if let Some(step) = point.step {
            let last = latest.entry((point.key, step)).or_insert(attempt);
            *last = attempt.max(*last);
        }
    }
    let mut joined = Vec::new();
    for (point, attempt, text) in points(lines) {
        let is_latest = |step| latest.get(&(point.key.clone(), step)).is_none_or(|last| *last == attempt);
        if point.step.is_none_or(is_latest) {
            joined.extend_from_slice(text.as_bytes());
            joined.push(b'\n');
        }
    }
    joined
}

/// Whether a file ends with a whole line: one that is not there or empty does.
pub(crate) fn ends_whole(root: &Root, name: &str) -> bool {
    let last = |mut file: File| {
        let mut byte = [0];
        file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut byte)).map(|()| byte[0])
    };
    let is_cut = root.open_file(Path::new(name)).is_ok_and(|file| last(file).is_ok_and(|byte| byte != b'\n'));
    !is_cut
}

/// What can be read of lines, and the lines themselves.
fn points(lines: &[u8]) -> impl Iterator<Item = (MetricPoint, u32, &str)> {
    lines.split(|byte| *byte == b'\n').filter_map(|line| {
        let text = std::str::from_utf8(line).ok()?;
        let point = MetricPoint::from_line(text).ok()?;
        let AttemptPart { attempt } = serde_json::from_str(text).ok()?;
        Some((point, attempt.clamp(1, MOST_ATTEMPTS), text))
    })
}

fn known(point: &MetricPoint) -> Known {
    (point.key.clone(), point.step, point.value.to_bits())
}

fn first() -> u32 {
    1
}

fn is_first(attempt: &u32) -> bool {
    *attempt <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_metrics::PointSource;
    use proptest::prelude::*;

    fn point(step: u64, value: f64) -> MetricPoint {
        MetricPoint::new("loss", value, Some(step), PointSource::Stdout).unwrap()
    }

    #[test]
    fn a_later_attempt_stands_where_it_repeats_steps() {
        let lines: String = [(1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (4, 3)]
            .map(|(step, attempt)| line(&point(step, f64::from(attempt)), attempt))
            .concat();
        let joined = join(lines.as_bytes());
        let steps: Vec<(Option<u64>, f64, u32)> =
            points(&joined).map(|(point, attempt, _)| (point.step, point.value, attempt)).collect();
        assert_eq!(steps, [(Some(1), 1.0, 1), (Some(2), 1.0, 1), (Some(3), 2.0, 2), (Some(4), 3.0, 3)]);
    }

    #[test]
    fn the_first_attempt_is_not_written_and_not_a_number_is() {
        assert!(!line(&point(1, 0.5), 1).contains("attempt"));
        let text = line(&point(1, f64::NAN), 2);
        let read: Vec<_> = points(text.as_bytes()).collect();
        assert!(read[0].0.value.is_nan() && read[0].1 == 2, "{text}");
    }

    #[test]
    fn a_folder_is_read_with_a_line_that_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let text = line(&point(1, 1.0), 1) + &line(&point(2, 2.0), 3) + "{\"key\":\"lo";
        std::fs::write(folder.path().join(ExperimentResult::METRICS), text).unwrap();
        let root = Root::open(folder.path()).unwrap();
        let history = read(&root, 1 << 20);
        assert_eq!((history.points.len(), history.attempts, history.is_cut), (2, 3, false));
        assert!(history.has(&point(2, 2.0)) && !history.has(&point(2, 1.0)));
        assert!(!ends_whole(&root, ExperimentResult::METRICS) && ends_whole(&root, "log.jsonl"));
        assert!(read(&root, 10).is_cut);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let joined = join(&bytes);
            prop_assert!(joined.len() <= bytes.len() + 1);
        }

        #[test]
        fn each_step_stays_with_its_last_attempt(steps in proptest::collection::vec((0..20_u64, 1..4_u32), 0..60)) {
            let lines: String = steps.iter().map(|(step, attempt)| line(&point(*step, 1.0), *attempt)).collect();
            let joined = join(lines.as_bytes());
            for (point, attempt, _) in points(&joined) {
                let last = steps.iter().filter(|(step, _)| Some(*step) == point.step).map(|(_, last)| *last).max();
                prop_assert_eq!(last, Some(attempt));
            }
            let left: HashSet<u64> = points(&joined).filter_map(|(point, _, _)| point.step).collect();
            prop_assert_eq!(left, steps.iter().map(|(step, _)| *step).collect::<HashSet<u64>>());
        }
    }
}
