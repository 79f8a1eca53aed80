//! One piece of code found in an answer: what it is, and what is done with it.
//!
//! Every text in here was chosen by whoever wrote the answer; it must be neutralised where it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found in one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum blocks")]
pub struct Blocks {
    /// In the order of the answer.
    pub blocks: Vec<Block>,
    pub form: AnswerForm,
    /// Parts of prose that look like code but are not marked as code: shown, never run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// Warnings about the answer as a whole, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The form in which an answer came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerForm {
    #[default]
    Markdown,
    /// Messages and tool calls of an agent, as JSON or JSON lines.
    Transcript,
    /// A Jupyter notebook.
    Notebook,
    Html,
    /// Text without any mark-up.
    Text,
}

/// One piece of code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Counted from 1.
    pub index: u32,
    /// The name of its language; the label where the language is not known; empty where there is no label.
    pub language: String,
    /// As written in the answer, without surrounding mark-up.
    pub code: String,
    pub kind: BlockKind,
    pub disposition: Disposition,
    /// The reason for that, in one sentence.
    pub why: String,
    /// First and last line in the answer, including fences, counted from 1.
    pub lines: [u64; 2],
    /// The path of the file that it is, inside the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    pub holds: Holds,
    /// The first word after the opening fence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What is run, written or applied, if it differs from the code in the answer: prompts, magics and installations are
    /// removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The output that the answer shows for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Of a transcript: each input and its output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// The block whose output this one shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_of: Option<u32>,
    /// Packages that it installs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<PackageWish>,
    /// Why it seems to be incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// The part of it that is not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// The first block of those that share an interpreter with this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<u32>,
    /// The block that is an alternative to this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<u32>,
    /// It is inside a list or a quotation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nested: bool,
    /// The message of a transcript, or the cell of a notebook, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<u32>,
    /// Warnings before it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Block {
    /// What is run, written or applied.
    pub fn text(&self) -> &str {
        self.program.as_deref().unwrap_or(&self.code)
    }
}

/// What a report says about a block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockFacts {
    pub index: u32,
    pub language: String,
    pub holds: Holds,
    pub disposition: Disposition,
    pub why: String,
    pub lines: [u64; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Why it seems to be incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// The part of it that was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

impl BlockFacts {
    /// No report says more: `actum extract` does.
    pub const MOST: usize = 200;

    /// The lines that were not run, and why. What was cut behind a block that was run is missing at its last line.
    pub fn missing(&self) -> ([u64; 2], &str) {
        match (&self.left_out, &self.truncated) {
            (Some(left), _) => (left.lines, &left.why),
            (None, Some(why)) if self.disposition != Disposition::Skip => ([self.lines[1]; 2], why),
            (None, Some(_) | None) => (self.lines, &self.why),
        }
    }

    /// Whether somebody who takes the run for the whole answer should know about it.
    pub fn is_left_out(&self) -> bool {
        let is_code = matches!(
            self.holds,
            Holds::Program | Holds::Commands | Holds::ShellTranscript | Holds::ReplTranscript
        );
        // A label that no language here has.
        let is_foreign = self.holds == Holds::Unknown && !self.language.is_empty();
        let is_skipped = self.disposition == Disposition::Skip;
        self.left_out.is_some() || self.truncated.is_some() || is_skipped && (is_code || is_foreign)
    }
}

impl From<&Block> for BlockFacts {
    fn from(block: &Block) -> Self {
        Self {
            index: block.index,
            language: block.language.clone(),
            holds: block.holds,
            disposition: block.disposition,
            why: block.why.clone(),
            lines: block.lines,
            path: block.path.clone(),
            truncated: block.truncated.clone(),
            left_out: block.left_out.clone(),
        }
    }
}

/// How a block is marked in its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    /// Between fences of backticks or tildes.
    #[default]
    Fence,
    /// Indented by four spaces.
    Indented,
    /// In `<pre><code>`.
    Html,
    /// A cell of a notebook.
    Cell,
    /// What an agent passed to a tool.
    ToolCall,
    /// Text without any mark.
    Text,
}

/// What is done with a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Disposition {
    /// It is run; where it has a path, it is written there first.
    Run,
    /// It is written to its path.
    File,
    /// It changes files of the workspace.
    Apply,
    /// It is what another block is expected to print.
    Expect,
    /// It is shown and not run.
    #[default]
    Skip,
}

/// What a block contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    Program,
    /// Shell commands.
    Commands,
    /// Commands after prompts, with their output.
    ShellTranscript,
    /// Statements after interpreter prompts, with their results.
    ReplTranscript,
    /// Only package installations.
    Installation,
    /// What a program printed.
    Output,
    /// Changes of files.
    Patch,
    /// Data and configuration.
    Data,
    /// A part of a web page: its text, its style, or code for a browser.
    Page,
    #[default]
    Unknown,
}

/// One input and its output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    pub code: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// A package that an answer installs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageWish {
    /// The package manager: `pip`, `conda`, `npm`, `apt`, `gem`, `cargo`, `go`, `brew`.
    pub tool: String,
    /// As written, with its version: `pandas==2.1`.
    pub package: String,
}

/// The part of a block that is not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// In the answer, counted from 1.
    pub lines: [u64; 2],
    pub why: String,
}

/// A part of prose that looks like code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    pub lines: [u64; 2],
    /// The language that its first lines are written in.
    pub language: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_is_absent_and_reads_back() {
        let block = Block {
            index: 1,
            language: "python".to_owned(),
            code: "print(1)\n".to_owned(),
            disposition: Disposition::Run,
            why: "a program".to_owned(),
            lines: [3, 5],
            holds: Holds::Program,
            ..Block::default()
        };
        let json = serde_json::to_value(&block).unwrap();
        let expected = serde_json::json!({
            "index": 1, "language": "python", "code": "print(1)\n", "kind": "fence", "disposition": "run",
            "why": "a program", "lines": [3, 5], "holds": "program"
        });
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<Block>(json).unwrap(), block);
    }
}
