//! The taxonomy: what is known about failures, as data.

use super::facts::When;
use super::pattern::{Pattern, Prefilter};
use actum_model::{Class, Diagnosis, Mode, Priority, Touches, Whose};
use serde::Deserialize;
use std::sync::OnceLock;

/// In the order in which they are tried.
const FILES: &[&str] = &[
    include_str!("../../data/taxonomy/limits.toml"),
    include_str!("../../data/taxonomy/python-imports.toml"),
    include_str!("../../data/taxonomy/imports.toml"),
    include_str!("../../data/taxonomy/versions.toml"),
    include_str!("../../data/taxonomy/files.toml"),
    include_str!("../../data/taxonomy/world.toml"),
    include_str!("../../data/taxonomy/logic.toml"),
];

/// All rows, in the order in which they are tried.
#[derive(Debug)]
pub struct Taxonomy {
    /// Goes up when a row changes its meaning; rows keep their names.
    pub version: u32,
    pub rows: Vec<Row>,
    prefilter: Prefilter,
}

/// One kind of failure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub id: String,
    /// 0 what really happened, 1 special, 2 general, 3 the last resort. The smallest that fits wins.
    pub rank: u8,
    pub class: Class,
    pub priority: Priority,
    /// Canonical names of languages, or `any`.
    pub languages: Vec<String>,
    /// Any of these facts is enough.
    #[serde(default)]
    pub(super) when: Vec<When>,
    /// Without this fact the marks say nothing.
    pub(super) only: Option<When>,
    /// Any of these is enough.
    #[serde(default)]
    pub(super) marks: Vec<Mark>,
    /// A sentence; `{1}` is the first subject, `{1|words}` says what stands there when there is none.
    pub cause: String,
    pub touches: Touches,
    pub mode: Mode,
    /// What may be done, in the order in which it is tried.
    pub remedies: Vec<String>,
    /// Who decides about this row, where it is not told by a failing attempt.
    pub elsewhere: Option<String>,
}

/// What a failure of a kind looks like. All that is said must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Mark {
    /// In one line of the output, or of the exception's message.
    pub(super) pattern: Option<Pattern>,
    /// In the line of source that the interpreter shows.
    pub(super) source: Option<Pattern>,
    /// In `file function` of the innermost frame.
    pub(super) innermost: Option<Pattern>,
    /// The exception is one of these.
    pub(super) kinds: Vec<String>,
    /// Whose code raised it.
    pub(super) raised_in: Vec<Whose>,
    /// The function or class that the message names is not the program's own.
    pub(super) callee: Option<Callee>,
    /// The exit status is one of these.
    pub(super) exit: Vec<i32>,
    /// Only an exception that was read as one.
    pub(super) exception: bool,
    /// Also in the output around an exception.
    pub(super) anywhere: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Callee {
    Foreign,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    row: Vec<Row>,
}

impl Taxonomy {
    /// The one that is built in.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Taxonomy> = OnceLock::new();
        BUILTIN.get_or_init(|| Self::read(FILES))
    }

    fn read(files: &[&str]) -> Self {
        let mut rows = Vec::new();
        let mut version = 0;
        for text in files {
            let file: File = toml::from_str(text).expect("the built-in taxonomy is tested to be readable");
            version = version.max(file.version);
            rows.extend(file.row);
        }
        rows.sort_by_key(|row| row.rank);
        let prefilter = Prefilter::over(
            rows.iter_mut().flat_map(|row| &mut row.marks).filter_map(|mark| mark.pattern.as_mut()),
        );
        Self { version, rows, prefilter }
    }

    pub fn row(&self, id: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// What may be done about it, in words.
    pub fn remedies(&self, diagnosis: &Diagnosis) -> &[String] {
        self.row(&diagnosis.row).map_or(&[], |row| &row.remedies)
    }

    pub(super) fn prefilter(&self) -> &Prefilter {
        &self.prefilter
    }
}

impl Row {
    pub(super) fn speaks(&self, languages: &[&str]) -> bool {
        self.languages.iter().any(|language| language == "any" || languages.contains(&language.as_str()))
    }
}

impl Mark {
    /// Whether it looks at more than a line of text.
    pub(super) fn is_of_exceptions(&self) -> bool {
        self.exception
            || self.source.is_some()
            || self.innermost.is_some()
            || self.callee.is_some()
            || !self.kinds.is_empty()
            || !self.raised_in.is_empty()
    }
}
