//! What there is to look at: the ends of both streams, the languages whose words may be in them, the exceptions.

use super::Failed;
use super::pattern::Present;
use super::python::{self, Raised};
use super::table::Taxonomy;
use crate::analyse::Lines;
use actum_model::Stream;

/// 16 KiB: Java and Node say what happened before a long trace.
const FIRST: usize = 16 * 1024;
/// 64 KiB: Python and every shell say it last.
const LAST: usize = 64 * 1024;

/// 4000 lines of either end: of ordinary length, more than its bytes hold.
const LINES: usize = 4000;
/// 40 lines of stdout, from its end.
const LAST_LINES: usize = 40;

/// Languages whose programs start others and pass on what those print.
const SHELLS: &[&str] = &["", "bash", "sh"];

pub(super) struct Scene<'a> {
    pub(super) failed: &'a Failed<'a>,
    /// stderr before stdout: that is where failures are told.
    pub(super) streams: [Lines; 2],
    pub(super) languages: Vec<&'a str>,
    /// Python's exceptions: each by itself when tests ran, else the one that ended the program.
    pub(super) raised: Vec<Raised>,
    pub(super) present: Present,
}

impl<'a> Scene<'a> {
    pub(super) fn of(failed: &'a Failed<'a>, taxonomy: &Taxonomy) -> Self {
        let stderr = Lines::read(Stream::Stderr, &failed.stderr.narrowed(FIRST, LAST, LINES));
        let stdout = Lines::read(Stream::Stdout, &failed.stdout.narrowed(FIRST, LAST, LINES));
        let streams = [stderr, stdout];
        let raised = match failed.asked.language {
            "python" | "" | "bash" | "sh" => python::decisive(failed.asked, &streams),
            _ => Vec::new(),
        };
        let languages = languages(failed.asked.language, &streams, !raised.is_empty());
        let texts = [streams[0].words_of_all(), streams[1].words_of_all()];
        let present = taxonomy.prefilter().present(&texts);
        Self { failed, streams, languages, raised, present }
    }

    /// Whether a failing command is told line by line, the last one last.
    pub(super) fn is_of_shell(&self) -> bool {
        SHELLS.contains(&self.failed.asked.language) && self.languages.len() == 1
    }

    /// Where to begin in a stream: what was printed before the error that ended the program is not looked at.
    pub(super) fn first_line(&self, lines: &Lines) -> usize {
        let begins = |line: &str| match self.languages.last().copied().unwrap_or_default() {
            "javascript" | "typescript" => is_place_of_node(line),
            "java" => line.starts_with("Exception in thread "),
            _ => false,
        };
        let error = (0..lines.len()).rev().find(|index| begins(lines.at(*index))).unwrap_or(0);
        match lines.stream {
            Stream::Stderr => error,
            // What a program prints as its data is not its complaint: only the end of it is looked at.
            Stream::Stdout => error.max(lines.len().saturating_sub(LAST_LINES)),
        }
    }
}

/// `/workspace/main.js:3` or `node:internal/modules/cjs/loader:1210`: how Node begins to tell of an uncaught error.
fn is_place_of_node(line: &str) -> bool {
    let Some((path, number)) = line.rsplit_once(':') else { return false };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && !path.contains([' ', '(']) && (path.starts_with("node:") || path.contains(['/', '[']))
}

/// The declared language; where others may have been started, also the one whose shape the output has.
fn languages<'a>(declared: &'a str, streams: &[Lines; 2], has_raised: bool) -> Vec<&'a str> {
    let mut languages = vec![declared];
    if !SHELLS.contains(&declared) {
        return languages;
    }
    if has_raised {
        languages.push("python");
        return languages;
    }
    let stderr = &streams[0];
    let guessed = (0..stderr.len()).rev().find_map(|index| shape(stderr.at(index)));
    languages.extend(guessed);
    languages
}

/// A line that only one language prints.
fn shape(line: &str) -> Option<&'static str> {
    let shapes: [(bool, &'static str); 7] = [
        (line.starts_with("Node.js v"), "javascript"),
        (
            line.starts_with("Exception in thread \"") || line.contains(".java:") && line.contains("error: "),
            "java",
        ),
        (line.starts_with("goroutine ") && line.ends_with("[running]:") || line.contains(".go:"), "go"),
        (line.starts_with("error[E") || line.contains("' panicked at "), "rust"),
        (line.contains(": error: ") || line.starts_with("collect2: "), "c"),
        (line.starts_with("PHP Fatal error: "), "php"),
        (line.contains(".rb:") && line.contains(":in "), "ruby"),
    ];
    shapes.into_iter().find(|(is_so, _)| *is_so).map(|(_, language)| language)
}
