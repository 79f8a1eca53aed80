//! The forms in which code comes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The form in which the code of a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    Command,
    Shell,
    File,
    /// Given on the command line.
    Inline,
    Stdin,
    /// Text of an agent that contains code blocks: Markdown, a transcript, a notebook, a web page.
    #[serde(alias = "markdown")]
    Answer,
}
