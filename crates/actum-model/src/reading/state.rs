//! The state of a text: whether it is whole, how it is laid out, and where it begins to run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a program is all there. Lines count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Completeness {
    /// It can be read to its end. A text that was cut between two statements looks the same.
    #[default]
    Complete,
    /// It stops in the middle of something.
    Truncated { line: u32, why: String },
    /// Its author left something out and says so: `# ... rest of the code`.
    Elided { line: u32, what: String },
    /// It is not a program of this language.
    Wrong { line: u32, message: String },
    /// It is a program of an older language of the same name: Python 2.
    Legacy { line: u32, what: String },
    /// It was not read: too long, too deep, or there is no reader for its language.
    Unread { why: String },
}

impl Completeness {
    /// Whether an interpreter of today could take it.
    pub fn is_complete(&self) -> bool {
        *self == Completeness::Complete
    }
}

/// Where a program begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryPoint {
    /// `if __name__ == "__main__":`, or a `main` that the language itself calls.
    MainGuard,
    /// Statements at the top level do something.
    Script,
    /// A `main` is defined, and nothing calls it.
    MainNotCalled,
    /// Only tests for a test runner.
    Tests,
    /// Only definitions: running it shows nothing.
    Definitions,
    /// Nothing that could run.
    #[default]
    Nothing,
}

/// A line that means something to a notebook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Magic {
    pub kind: MagicKind,
    /// The line as it stands.
    pub text: String,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MagicKind {
    /// `%matplotlib inline`
    Line,
    /// `%%bash`: the rest of the cell is for it.
    Cell,
    /// `!ls`
    Shell,
    /// `df.head?`
    Help,
}

/// Something unusual about a text as text, and where it is seen first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Layout {
    pub kind: LayoutKind,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutKind {
    /// It begins with a byte order mark.
    ByteOrderMark,
    /// Spaces that an interpreter does not take for spaces.
    NonBreakingSpace,
    /// Characters that nobody sees.
    ZeroWidth,
    /// Typographic quotation marks outside strings and comments.
    SmartQuotes,
    /// Every line is indented by the same amount.
    Indented,
    /// Lines begin with the prompts of an interpreter: `>>>`, `In [1]:`, `$`.
    Prompts,
    /// Lines end in a carriage return, alone or before the line feed.
    CarriageReturn,
    /// It is not UTF-8; what could not be decoded was read as a replacement character.
    Encoding,
    /// It holds bytes that are zero.
    ZeroBytes,
}
