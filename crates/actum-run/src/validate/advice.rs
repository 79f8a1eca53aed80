//! What is looked at where nobody expects anything: whether a run that ended well did what programs usually mean to. It is
//! told as advice, and changes no outcome.

use super::contents::Kept;
use super::judging::Judging;
use super::{LARGEST, Matter};
use crate::recover::Care;
use actum_judge::{Format, quoted};
use actum_model::{
    Advice, Analysis, Anchor, Change, Expectation, Expected, FileMode, FileTest, Node, NumberTest, Origin,
    Part, Piece, Place, Series, Stream, path_text,
};

/// Files that are looked into; who writes more has his own tests.
const MOST_FILES: usize = 16;
/// Output that is looked through for numbers; the rest is only longer.
const MOST_OUTPUT: u64 = 1 << 20;

/// Words by which programs print.
const PRINTS: &[(&str, &[&str])] = &[
    ("python", &["print("]),
    ("javascript", &["console.log("]),
    ("typescript", &["console.log("]),
    ("bash", &["echo ", "printf "]),
    ("ruby", &["puts "]),
    ("c", &["printf("]),
    ("cpp", &["cout <<", "printf("]),
    ("go", &["fmt.Print"]),
    ("rust", &["println!"]),
    ("java", &["System.out.print"]),
];

/// Everything that looks odd.
pub(super) fn advise(matter: &Matter<'_>, kept: &Kept<'_>, judging: &Judging<'_>) -> Vec<Advice> {
    let mut all: Vec<Advice> = printed_nothing(matter, kept).into_iter().collect();
    all.extend(printed_none(matter, kept));
    all.extend(matter.outcome.programs.cares.iter().flat_map(|care| missing(matter, kept, care)));
    all.extend(unreadable(matter, judging));
    all
}

/// Warnings that were printed, counted.
pub(crate) fn of_warnings(analysis: &Analysis) -> Option<Advice> {
    let count = analysis.warnings.len() as u64 + analysis.warnings_left_out;
    let first = analysis.warnings.first()?;
    let says = if count == 1 { "1 warning".to_owned() } else { format!("{count} warnings, the first") };
    Some(Advice { about: "warnings".to_owned(), says, quote: Some(quoted(first)), anchor: None })
}

fn advice(matter: &Matter<'_>, about: &str, says: String, piece: Piece) -> Advice {
    let anchor = Some(Anchor::of(matter.house.run, piece).to_string());
    Advice { about: about.to_owned(), says, quote: None, anchor }
}

/// A program that prints, and nothing came out on either stream.
fn printed_nothing(matter: &Matter<'_>, kept: &Kept<'_>) -> Option<Advice> {
    let is_silent = |stream| {
        kept.short(stream, MOST_OUTPUT).is_some_and(|bytes| bytes.iter().all(u8::is_ascii_whitespace))
    };
    if !Stream::ALL.into_iter().all(is_silent) {
        return None;
    }
    let prints = |care: &Care<'_>| {
        let words = PRINTS.iter().find(|(language, _)| *language == care.part.language());
        let code = String::from_utf8_lossy(care.part.code());
        words.is_some_and(|(_, words)| words.iter().any(|word| code.contains(word)))
    };
    let says = "the program printed nothing, although its code prints".to_owned();
    matter
        .outcome
        .programs
        .cares
        .iter()
        .any(prints)
        .then(|| advice(matter, "stdout", says, Piece::Output(Stream::Stdout, None)))
}

/// A number that is none among what was printed.
fn printed_none(matter: &Matter<'_>, kept: &Kept<'_>) -> Option<Advice> {
    let bytes = kept.short(Stream::Stdout, MOST_OUTPUT)?;
    let text = String::from_utf8_lossy(bytes);
    let (line, words) = actum_judge::not_finite(&text)?;
    let line = line + matter.outcome.stretch[0][Stream::Stdout.index()].line_ends;
    let piece = Piece::Output(Stream::Stdout, Some([line, line]));
    let says = format!("line {line} has a number that is not finite");
    Some(Advice { quote: Some(quoted(words)), ..advice(matter, "stdout", says, piece) })
}

/// Files that the text says are written, and that are not there. A program that takes files away is left alone.
fn missing(matter: &Matter<'_>, kept: &Kept<'_>, care: &Care<'_>) -> Vec<Advice> {
    const TAKES_AWAY: [&str; 6] = ["remove", "unlink", "rename", "replace(", "rmtree", "rm "];
    let code = String::from_utf8_lossy(care.part.code());
    if TAKES_AWAY.iter().any(|word| code.contains(word)) {
        return Vec::new();
    }
    let workspace = &matter.outcome.subject.request.attempt.workspace;
    let inside = |path: &str| {
        let whole = matter.outcome.subject.request.attempt.folder.join(path);
        whole.strip_prefix(workspace).ok().and_then(|path| path.to_str()).map(str::to_owned)
    };
    let files = care.reading.iter().flat_map(|reading| &reading.files);
    let written = files.filter(|file| matches!(file.mode, FileMode::Write | FileMode::Append));
    let mut paths: Vec<String> = written.filter_map(|file| inside(&file.path)).collect();
    paths.sort();
    paths.dedup();
    paths.retain(|path| !path.split('/').any(|part| part == "..") && kept.at(path).standing.is_nothing());
    let says = "the code writes this file, but it does not exist";
    let told = |path: &String| advice(matter, path, says.to_owned(), Piece::File(path.clone()));
    paths.iter().take(MOST_FILES).map(told).collect()
}

/// Files that are not what their names say, and tables with numbers that are none.
fn unreadable(matter: &Matter<'_>, judging: &Judging<'_>) -> Vec<Advice> {
    let is_small = |change: &Change| change.after.size.is_some_and(|size| size <= LARGEST);
    let files = matter
        .outcome
        .changes
        .changes
        .iter()
        .filter(|change| change.after.node == Node::File && is_small(change));
    let known = files.filter_map(|change| {
        let path = String::from_utf8(change.path.clone()).ok()?;
        Format::of(&path).map(|format| (path, format))
    });
    let mut expected = Vec::new();
    for (path, format) in known.take(MOST_FILES) {
        expected.push(Expectation::File { path: path.clone(), test: FileTest::Readable });
        if format == Format::Table {
            let series = Series { place: Place::File(path), part: Part::All };
            expected.push(Expectation::Numbers { series, test: NumberTest::Finite });
        }
    }
    let whole = |what: Expectation| Expected { what, origin: Origin::CommandLine };
    let expected: Vec<Expected> = expected.into_iter().map(whole).collect();
    let findings = if expected.is_empty() { Vec::new() } else { judging.judge(&expected) };
    let odd =
        expected.iter().zip(findings).filter(|(_, finding)| !finding.held && finding.undecided.is_none());
    odd.filter_map(|(expected, finding)| {
        let (path, says) = match &expected.what {
            Expectation::File { path, .. } => (path, finding.found),
            // A table without a number is one of words.
            Expectation::Numbers { series: Series { place: Place::File(path), .. }, .. } => {
                (path, format!("line {} has a number that is not finite", finding.lines?[0]))
            }
            Expectation::Numbers { .. }
            | Expectation::Exit { .. }
            | Expectation::Stream { .. }
            | Expectation::Duration { .. }
            | Expectation::Memory { .. } => return None,
        };
        Some(advice(matter, &path_text(path.as_bytes()), says, Piece::File(path.clone())))
    })
    .collect()
}
