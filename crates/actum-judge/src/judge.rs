//! Judges an expectation by what is known about a run, without parsing anything that the program wrote.

use crate::finding::Finding;
use crate::numbers;
use crate::text::Text;
use actum_model::{
    Bytes, Ending, Expectation, FileTest, Interval, Metric, Node, NumberTest, Part, Place, Series, Span,
    Standing, Stream,
};
use std::cell::OnceCell;

/// What is known about a run when it is over.
pub struct Seen<'a> {
    pub ending: &'a Ending,
    pub wall: Span,
    /// Absent where nobody counted.
    pub memory: Option<Bytes>,
    pub metrics: &'a [Metric],
    /// What a stream holds; why not, where it cannot be told.
    pub stream: &'a dyn Fn(Stream) -> Result<&'a [u8], String>,
    /// What stands at a path of the workspace.
    pub file: &'a dyn Fn(&str) -> At,
}

/// What stands at a path after a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct At {
    pub standing: Standing,
    /// The run left it as it was.
    pub untouched: bool,
}

/// What came of each expectation, in their order; none where contents have to be parsed for it.
pub fn judge<'e>(all: impl IntoIterator<Item = &'e Expectation>, seen: &Seen<'_>) -> Vec<Option<Finding>> {
    let texts = Texts::default();
    all.into_iter().map(|expectation| one(expectation, seen, &texts)).collect()
}

/// Both streams, each read when it is first asked for.
type Texts<'a> = [OnceCell<Result<Text<'a>, String>>; 2];

fn one<'a>(expectation: &Expectation, seen: &Seen<'a>, texts: &Texts<'a>) -> Option<Finding> {
    match expectation {
        Expectation::Exit { code } => Some(exit(*code, seen.ending)),
        Expectation::Stream { stream, test } => {
            match texts[stream.index()].get_or_init(|| (seen.stream)(*stream).map(Text::of)) {
                Ok(text) => text.judge(test),
                Err(why) => Some(Finding::undecided(why.clone())),
            }
        }
        Expectation::File { path, test } => file(test, &(seen.file)(path)),
        Expectation::Numbers { series, test } => told(series, test, seen.metrics),
        Expectation::Duration { within } => {
            let found = within.holds(seen.wall.0.as_secs_f64());
            Some(Finding::of(found, format!("{}", Span(seen.wall.0))))
        }
        Expectation::Memory { within } => Some(memory(within, seen.memory)),
    }
}

fn exit(code: i32, ending: &Ending) -> Finding {
    match ending {
        Ending::Exited { code: found } => Finding::of(*found == code, format!("exit code {found}")),
        Ending::Signalled { signal } => Finding::broken(format!("killed by signal {signal}")),
        Ending::TimedOut { max, .. } => Finding::broken(format!("a timeout after {max}")),
        Ending::OutOfMemory { max, .. } => Finding::broken(format!("its memory limit of {max} reached")),
        Ending::OverLimit { limit, max, .. } => Finding::broken(format!("the limit {limit}={max} reached")),
        Ending::Cancelled => Finding::broken("the run was cancelled"),
        Ending::NotStarted { .. } => Finding::broken("the program was not started"),
    }
}

fn memory(within: &Interval, found: Option<Bytes>) -> Finding {
    match found {
        Some(bytes) => Finding::of(within.holds(bytes.0 as f64), bytes.approximate()),
        None => Finding::undecided("memory use is not measured on this machine"),
    }
}

fn told(series: &Series, test: &NumberTest, metrics: &[Metric]) -> Option<Finding> {
    match (&series.place, &series.part) {
        (Place::Metric, Part::Named(name) | Part::Pointer(name)) => {
            Some(numbers::judge(test, &numbers::of_metrics(name, metrics)))
        }
        (Place::Metric, Part::All) => {
            let all: Vec<numbers::Found> =
                metrics.iter().map(|metric| numbers::Found { value: metric.value, line: 0 }).collect();
            Some(numbers::judge(test, &all))
        }
        (Place::Stream(_) | Place::File(_), _) => None,
    }
}

fn file(test: &FileTest, at: &At) -> Option<Finding> {
    let standing = &at.standing;
    if *test == FileTest::Absent {
        return Some(Finding::of(standing.is_nothing(), what(at)));
    }
    if standing.node != Node::File {
        return Some(Finding::broken(what(at)));
    }
    match test {
        FileTest::Exists | FileTest::Absent => Some(Finding::held(what(at))),
        FileTest::Size { within } => Some(match standing.size {
            Some(size) => Finding::of(within.holds(size.0 as f64), size.to_string()),
            None => Finding::undecided("its size is not known"),
        }),
        FileTest::Sha256 { digest } => Some(match standing.sha256 {
            Some(found) => Finding::of(found == *digest, format!("sha256 {found}")),
            None => Finding::undecided("it is too large to read"),
        }),
        FileTest::Readable
        | FileTest::Json { .. }
        | FileTest::Schema { .. }
        | FileTest::Columns { .. }
        | FileTest::Rows { .. }
        | FileTest::Image { .. }
        | FileTest::Parquet { .. } => None,
    }
}

/// What stands at a path, in words.
fn what(at: &At) -> String {
    let since = if at.untouched { ", which existed before the run" } else { "" };
    let size = || at.standing.size.map_or_else(String::new, |size| format!(" of {size}"));
    match &at.standing.node {
        Node::File => format!("a file{}{since}", size()),
        Node::Folder => format!("a folder{since}"),
        Node::Link { .. } => format!("a link, which is not followed{since}"),
        Node::Fifo | Node::Socket | Node::Device => format!("something that is not a file{since}"),
        Node::Nothing => "no such file".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Settings, line};

    fn judged(text: &str, ending: &Ending, at: &At) -> Finding {
        let metric = Metric {
            name: "loss".to_owned(),
            value: 0.25,
            literal: "0.25".to_owned(),
            step: None,
            source: actum_model::MetricSource::Text(Stream::Stdout),
            line: 1,
        };
        let seen = Seen {
            ending,
            wall: Span::seconds(2),
            memory: Some(Bytes::mib(20)),
            metrics: &[metric],
            stream: &|_| Ok(b"hello\n"),
            file: &|_| at.clone(),
        };
        judge([&line(text, &Settings::default()).unwrap().unwrap()], &seen).remove(0).unwrap()
    }

    #[test]
    fn by_facts_alone() {
        let well = Ending::Exited { code: 0 };
        let standing = Standing { node: Node::File, size: Some(Bytes(12)), ..Standing::default() };
        let there = At { standing, untouched: false };
        for (text, held, found) in [
            ("exit=0", true, "exit code 0"),
            ("exit=1", false, "exit code 0"),
            ("stdout=hello", true, "equal text"),
            ("stderr-contains=ell", true, "it"),
            ("file=a", true, "a file of 12B"),
            ("absent=a", false, "a file of 12B"),
            ("size:a=1..", true, "12B"),
            ("size:a=1KiB..", false, "12B"),
            ("duration=..1s", false, "2s"),
            ("memory=..64MiB", true, "20.0 MiB"),
            ("metric:loss=..0.3", true, "0.25"),
            ("metric:accuracy=0..1", false, "no number found"),
        ] {
            let finding = judged(text, &well, &there);
            assert_eq!((finding.held, finding.found.as_str()), (held, found), "{text}");
        }
        assert_eq!(judged("file=a", &well, &At::default()).found, "no such file");
        assert!(judged("absent=a", &well, &At::default()).held);
        let killed = Ending::Signalled { signal: 9 };
        assert_eq!(judged("exit=137", &killed, &there).found, "killed by signal 9");
        let digest = format!("sha256:a={}", "0".repeat(64));
        assert!(judged(&digest, &well, &there).undecided.is_some());
    }
}
