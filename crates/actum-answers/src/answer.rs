//! What an answer holds before anybody decides about it.

use actum_model::{AnswerForm, BlockKind, Candidate, Example};

/// An answer, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub form: AnswerForm,
    pub pieces: Vec<Piece>,
    pub candidates: Vec<Candidate>,
    pub notes: Vec<String>,
    /// The text that the pieces were found in, with line feeds only. Empty where they come from JSON.
    pub text: String,
}

/// No answer has more blocks; what comes behind them is not looked at, and that is said.
pub(crate) const MOST: usize = 20_000;

impl Answer {
    /// Without the pieces that nobody looks at.
    pub(crate) fn bounded(mut self) -> Self {
        if self.pieces.len() > MOST {
            self.pieces.truncate(MOST);
            let last = self.pieces.last().map_or(1, |piece| piece.lines[1]);
            self.notes
                .push(format!("it has more than {MOST} blocks; everything after line {last} is ignored"));
        }
        self
    }
}

/// One piece of code, as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    pub kind: BlockKind,
    /// The first word behind the fence, in lower case, without its attributes.
    pub label: Option<String>,
    /// The rest of what stands behind the fence.
    pub attributes: Vec<(String, String)>,
    /// The file that it is said to be.
    pub named: Option<Named>,
    pub code: String,
    /// First and last line of the whole block in the answer, counted from 1.
    pub lines: [u64; 2],
    /// The line of the answer in which the code begins.
    pub first_code_line: u64,
    pub before: Before,
    pub nested: bool,
    /// Nothing closes it before the text ends.
    pub is_open: bool,
    /// The message or cell that it stands in, counted from 1; zero in an answer that has none.
    pub part: u32,
    /// What a notebook or a transcript says that it printed.
    pub printed: Option<String>,
    /// Commands that a tool was given one by one.
    pub examples: Vec<Example>,
    /// The source itself says that it was cut.
    pub cut: Option<String>,
    /// It is a change of the file that is named: what a tool was told to replace.
    pub is_patch: bool,
}

/// The name of a file, and how it is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub path: String,
    pub saying: Saying,
}

/// How a file is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saying {
    /// Behind the fence, as a title above, or in a comment on the first line.
    Title,
    /// In a sentence that speaks of a file that is to be made.
    Sentence,
    /// In a sentence that speaks of adding to a file that is there.
    Addition,
}

/// What stands before a piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Before {
    /// The last paragraph or heading since the piece before it; code in it between backticks.
    pub text: String,
    /// The heading that it stands below.
    pub heading: String,
    /// Nothing stands between it and the piece before.
    pub is_bare: bool,
}
