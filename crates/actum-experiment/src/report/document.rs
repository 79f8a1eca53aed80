//! What a report consists of, whatever its form.

use crate::plot::Chart;

/// A whole report.
pub(super) struct Document {
    pub title: String,
    pub made_at: String,
    pub blocks: Vec<Block>,
}

/// One piece of a report. All texts in it are harmless lines, and still have to be escaped.
pub(super) enum Block {
    Heading(String),
    Paragraph(String),
    /// Names with values, side by side.
    Facts(Vec<Fact>),
    Table(Rows),
    List(Vec<String>),
    Checklist(Vec<Check>),
    /// A line as one types it.
    Command(String),
    /// Lines of a program's text.
    Source(String),
    Chart(Box<Chart>),
    /// Closed until a reader opens it, where the form can do that.
    Details {
        title: String,
        open: bool,
        blocks: Vec<Block>,
    },
}

pub(super) struct Fact {
    pub name: &'static str,
    pub value: Text,
    pub tone: Tone,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Good,
    Bad,
}

pub(super) struct Check {
    pub what: String,
    pub holds: bool,
    pub evidence: String,
}

#[derive(Default)]
pub(super) struct Rows {
    pub titles: Vec<String>,
    pub rows: Vec<Vec<Text>>,
    /// More rows than are shown.
    pub left_out: usize,
}

/// A value, and how it is set.
#[derive(Clone)]
pub(super) enum Text {
    Plain(String),
    Code(String),
    Number(String),
}

impl Text {
    pub fn as_str(&self) -> &str {
        let (Self::Plain(text) | Self::Code(text) | Self::Number(text)) = self;
        text
    }
}

/// Text from outside as one harmless line.
pub(super) fn shown(text: &str) -> String {
    actum_model::Untrusted::new(text).shown(400)
}

/// As it is typed, or a digest.
pub(super) fn code(text: &str) -> Text {
    Text::Code(shown(text))
}

pub(super) fn plain(text: &str) -> Text {
    Text::Plain(shown(text))
}

pub(super) fn fact(name: &'static str, value: Text) -> Fact {
    Fact { name, value, tone: Tone::Plain }
}

impl Rows {
    /// At most so many rows of what is given; the others are counted.
    pub fn of(titles: &[&str], rows: Vec<Vec<Text>>, most: usize) -> Self {
        let left_out = rows.len().saturating_sub(most);
        let titles = titles.iter().map(|title| (*title).to_owned()).collect();
        Self { titles, rows: rows.into_iter().take(most).collect(), left_out }
    }
}
