//! Why an answer could not be read.

use actum_model::Bytes;

/// An answer that cannot be read at all. A block that cannot be run is no error: it is left alone, and says why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswersError {
    #[error("cannot read the answer: it has more than {most}")]
    TooLarge { most: Bytes },
    #[error("cannot read the answer: it is binary: byte {at} is zero")]
    Binary { at: usize },
    #[error("cannot read the answer: it is not UTF-8: byte {at} is not valid")]
    NotUtf8 { at: usize },
    #[error("cannot read the answer: it is truncated or damaged UTF-16")]
    NotUtf16,
    #[error("cannot read the answer: it is empty")]
    Empty,
    #[error("cannot read the notebook: line {line}: {problem}")]
    Notebook { line: u64, problem: String },
    #[error("cannot read the transcript: line {line}: {problem}")]
    Transcript { line: u64, problem: String },
}

impl AnswersError {
    /// What the reader can do next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::TooLarge { .. } => {
                Some("an answer is text that an agent wrote; pass the file that contains it")
            }
            Self::Binary { .. } => Some("an answer is text: Markdown, JSON, a notebook, HTML or plain text"),
            Self::NotUtf8 { .. } => Some("convert it first: iconv -f latin1 -t utf8"),
            Self::NotUtf16 => Some("save it again as UTF-8"),
            Self::Empty => None,
            Self::Notebook { .. } => Some("open it in Jupyter and save it again"),
            Self::Transcript { .. } => Some(
                "supported are JSON lines of Claude Code or Codex, and messages of the OpenAI or Anthropic API",
            ),
        }
    }
}
