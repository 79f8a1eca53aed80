//! What somebody expects of a run, before it is known what came of it.
//!
//! An expectation says one thing about one place, so that the check that is made of it can say what was found there. How
//! expectations are written is the business of who reads them (`actum-judge`); here they are what was meant.

use crate::{Bytes, Digest, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An expectation, and who has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expected {
    pub what: Expectation,
    pub origin: Origin,
}

/// Where an expectation was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    CommandLine,
    /// A file of expectations or of settings, by its path.
    File(String),
    /// The lines above an answer.
    FrontMatter(String),
    /// The workspace's mode: a run that must not change anything.
    ReadOnly,
}

/// One thing that is expected of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "of", rename_all = "kebab-case")]
pub enum Expectation {
    Exit {
        code: i32,
    },
    Stream {
        stream: Stream,
        test: TextTest,
    },
    /// A file of the workspace, by its path there.
    File {
        path: String,
        test: FileTest,
    },
    Numbers {
        series: Series,
        test: NumberTest,
    },
    /// In seconds.
    Duration {
        within: Interval,
    },
    /// The most that the whole tree had at one time, in bytes.
    Memory {
        within: Interval,
    },
}

/// What is expected of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "test", rename_all = "kebab-case")]
pub enum TextTest {
    /// The same text; a line end at the very end is left out of account.
    Equals {
        text: String,
    },
    Contains {
        text: String,
    },
    /// A regular expression that is found somewhere in it.
    Matches {
        pattern: String,
    },
    /// The same JSON value, with numbers as near as the tolerance says.
    Json {
        value: String,
        tolerance: f64,
    },
}

/// What is expected of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "test", rename_all = "kebab-case")]
pub enum FileTest {
    Exists,
    Absent,
    /// It can be read as what its name says: JSON, a table, a picture, Parquet.
    Readable,
    Size {
        within: Interval,
    },
    Sha256 {
        digest: Digest,
    },
    Json {
        value: String,
        tolerance: f64,
    },
    /// A JSON Schema: its text, and where it was read.
    Schema {
        schema: String,
        from: String,
    },
    /// The names in the first line of a CSV file, in order.
    Columns {
        names: Vec<String>,
    },
    /// Lines of a CSV file behind its first, or rows of a Parquet file.
    Rows {
        within: Interval,
    },
    /// In pixels.
    Image {
        width: u64,
        height: u64,
    },
    /// Columns of a Parquet file, in order; a type where one is expected.
    Parquet {
        columns: Vec<ParquetColumn>,
    },
}

/// One column of a Parquet file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParquetColumn {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<String>,
}

/// Numbers that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    pub place: Place,
    pub part: Part,
}

/// Where numbers stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Numbers that the program told about its own work.
    Metric,
    Stream(Stream),
    File(String),
}

/// Which of the numbers at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    All,
    /// A column, or what is printed behind a name.
    Named(String),
    /// A place in JSON: `/scores/*/value`, where `*` is every member.
    Pointer(String),
}

/// What is expected of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "test", rename_all = "kebab-case")]
pub enum NumberTest {
    Each {
        within: Interval,
    },
    Last {
        within: Interval,
    },
    Sum {
        within: Interval,
    },
    /// None of them is infinite or not a number.
    Finite,
    Monotone {
        direction: Direction,
    },
}

/// Which way numbers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    Up,
    Down,
    StrictlyUp,
    StrictlyDown,
}

/// Numbers from one to another, both among them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}

impl Interval {
    /// Whether a number is in it. What is not a number is in none.
    pub fn holds(&self, number: f64) -> bool {
        let (least, most) = (self.least.unwrap_or(f64::NEG_INFINITY), self.most.unwrap_or(f64::INFINITY));
        least <= number && number <= most
    }

    /// Whether some number is in both.
    pub fn meets(&self, other: &Self) -> bool {
        let least = self.least.into_iter().chain(other.least).fold(f64::NEG_INFINITY, f64::max);
        let most = self.most.into_iter().chain(other.most).fold(f64::INFINITY, f64::min);
        least <= most
    }

    /// In words, with numbers as `shown` writes them.
    pub fn words(&self, shown: impl Fn(f64) -> String) -> String {
        match (self.least, self.most) {
            (Some(least), Some(most)) if least == most => shown(least),
            (Some(least), Some(most)) => format!("{} to {}", shown(least), shown(most)),
            (Some(least), None) => format!("at least {}", shown(least)),
            (None, Some(most)) => format!("at most {}", shown(most)),
            (None, None) => "any number".to_owned(),
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(|number| number.to_string()))
    }
}

impl Direction {
    pub const ALL: [Self; 4] = [Self::Up, Self::Down, Self::StrictlyUp, Self::StrictlyDown];

    pub fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::StrictlyUp => "strictly-up",
            Self::StrictlyDown => "strictly-down",
        }
    }

    /// Whether a number may follow another. What is not a number follows none.
    pub fn allows(self, one: f64, next: f64) -> bool {
        match self {
            Self::Up => one <= next,
            Self::Down => one >= next,
            Self::StrictlyUp => one < next,
            Self::StrictlyDown => one > next,
        }
    }
}

impl Expectation {
    /// As it is named where it is written: `stdout-contains`, `rows:out.csv`.
    pub fn name(&self) -> String {
        match self {
            Self::Exit { .. } => "exit".to_owned(),
            Self::Stream { stream, test } => format!("{stream}{}", test.suffix()),
            Self::File { path, test } => format!("{}:{path}", test.name()),
            Self::Numbers { series, test } => format!("{}:{series}", test.name()),
            Self::Duration { .. } => "duration".to_owned(),
            Self::Memory { .. } => "memory".to_owned(),
        }
    }

    /// What is expected, behind "expected".
    pub fn words(&self) -> String {
        let span =
            |seconds: f64| Span(std::time::Duration::from_secs_f64(seconds.clamp(0.0, 1e9))).to_string();
        match self {
            Self::Exit { code } => format!("exit code {code}"),
            Self::Stream { stream, test } => test.words(stream.name()),
            Self::File { test, .. } => test.words(),
            Self::Numbers { test, .. } => test.words(),
            Self::Duration { within } => within.words(span),
            Self::Memory { within } => within.words(bytes),
        }
    }
}

impl TextTest {
    fn suffix(&self) -> &'static str {
        match self {
            Self::Equals { .. } => "",
            Self::Contains { .. } => "-contains",
            Self::Matches { .. } => "-matches",
            Self::Json { .. } => "-json",
        }
    }

    fn words(&self, name: &str) -> String {
        match self {
            Self::Equals { text } if text.is_empty() => format!("nothing on {name}"),
            Self::Equals { text } => format!("`{}`", shortened(text)),
            Self::Contains { text } => format!("`{}` somewhere", shortened(text)),
            Self::Matches { pattern } => format!("a match of `{}`", shortened(pattern)),
            Self::Json { value, tolerance } => json_words(value, *tolerance),
        }
    }
}

impl FileTest {
    fn name(&self) -> &'static str {
        match self {
            Self::Exists => "file",
            Self::Absent => "absent",
            Self::Readable => "readable",
            Self::Size { .. } => "size",
            Self::Sha256 { .. } => "sha256",
            Self::Json { .. } => "json",
            Self::Schema { .. } => "schema",
            Self::Columns { .. } => "columns",
            Self::Rows { .. } => "rows",
            Self::Image { .. } => "image",
            Self::Parquet { .. } => "parquet",
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Exists => "a file".to_owned(),
            Self::Absent => "no file".to_owned(),
            Self::Readable => "a valid file of its type".to_owned(),
            Self::Size { within } => within.words(bytes),
            Self::Sha256 { digest } => format!("sha256 {digest}"),
            Self::Json { value, tolerance } => json_words(value, *tolerance),
            Self::Schema { from, .. } => format!("JSON that matches {from}"),
            Self::Columns { names } => format!("the columns {}", shortened(&names.join(","))),
            Self::Rows { within } => format!("{within} rows"),
            Self::Image { width, height } => format!("{width}x{height} pixels"),
            Self::Parquet { columns } => {
                let shown: Vec<String> = columns.iter().map(ToString::to_string).collect();
                format!("the columns {}", shortened(&shown.join(", ")))
            }
        }
    }
}

impl NumberTest {
    fn name(&self) -> &'static str {
        match self {
            Self::Each { .. } => "number",
            Self::Last { .. } => "last",
            Self::Sum { .. } => "sum",
            Self::Finite => "finite",
            Self::Monotone { .. } => "monotone",
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Each { within } => format!("every number {within}"),
            Self::Last { within } => format!("{within}"),
            Self::Sum { within } => format!("a sum of {within}"),
            Self::Finite => "only finite numbers".to_owned(),
            Self::Monotone { direction } => format!("numbers going {}", direction.name()),
        }
    }
}

fn json_words(value: &str, tolerance: f64) -> String {
    match tolerance {
        0.0 => format!("the JSON {}", shortened(value)),
        tolerance => format!("the JSON {} within {tolerance}", shortened(value)),
    }
}

fn bytes(number: f64) -> String {
    Bytes(number.max(0.0) as u64).to_string()
}

/// As much of a text as a line holds.
fn shortened(text: &str) -> String {
    const MOST: usize = 120;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl fmt::Display for ParquetColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.holds {
            Some(holds) => write!(f, "{} {holds}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.place {
            Place::Metric => "metric",
            Place::Stream(stream) => stream.name(),
            Place::File(path) => path,
        };
        match &self.part {
            Part::All => f.write_str(place),
            Part::Named(part) | Part::Pointer(part) => write!(f, "{place}#{part}"),
        }
    }
}

/// Behind "from".
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine => f.write_str("the command line"),
            Self::File(path) => f.write_str(path),
            Self::FrontMatter(path) => write!(f, "the front matter of {path}"),
            Self::ReadOnly => f.write_str("--read-only"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn intervals_in_words() {
        for (least, most, words) in [
            (Some(1.0), Some(1.0), "1"),
            (Some(0.5), Some(2.0), "0.5 to 2"),
            (Some(3.0), None, "at least 3"),
            (None, Some(4.0), "at most 4"),
            (None, None, "any number"),
        ] {
            assert_eq!(Interval { least, most }.to_string(), words);
        }
        let memory = Expectation::Memory { within: Interval { least: None, most: Some(1048576.0) } };
        assert_eq!(memory.words(), "at most 1MiB");
    }

    proptest! {
        #[test]
        fn two_intervals_meet_where_one_number_is_in_both(a in -5i8..5, b in -5i8..5, c in -5i8..5, d in -5i8..5) {
            let interval = |least: i8, most: i8| Interval { least: Some(least.into()), most: Some(most.into()) };
            let (one, other) = (interval(a, b), interval(c, d));
            let both = (-5..5).any(|number| one.holds(number.into()) && other.holds(number.into()));
            prop_assert_eq!(one.meets(&other), both);
        }

        #[test]
        fn what_is_not_a_number_is_nowhere(least in proptest::option::of(-5.0..5.0), most in proptest::option::of(-5.0..5.0)) {
            let interval = Interval { least, most };
            prop_assert!(!interval.holds(f64::NAN));
            prop_assert!(Direction::ALL.iter().all(|one| !one.allows(f64::NAN, 1.0) && !one.allows(1.0, f64::NAN)));
        }
    }
}
