//! One piece of code found in an answer: what it is, and what is done with it.
//!
//! Every text in here was chosen by whoever wrote the answer; it must be neutralised where it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found in one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum blocks")]
pub struct Blocks {
    /// In the order in which they stand.
    pub blocks: Vec<Block>,
    pub form: AnswerForm,
    /// Stretches of prose that look like code and carry no mark of it: shown, never run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// What somebody should know about the answer as a whole, a sentence each.
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
    /// A notebook of Jupyter.
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
    /// The language that it is in, by its own name; the label where no language here has that name; empty where nobody says.
    pub language: String,
    /// As it stands in the answer, without what the mark-up around it adds.
    pub code: String,
    pub kind: BlockKind,
    pub disposition: Disposition,
    /// Why that is done with it: a sentence.
    pub why: String,
    /// Its first and last line in the answer, with its fences, counted from 1.
    pub lines: [u64; 2],
    /// The file that it is, inside the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    pub holds: Holds,
    /// The first word behind its fence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What is run, written or applied, where that is not the code as it stands: prompts, magics and installations are taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What the answer says that it prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Of a transcript: each thing that was typed, and what was printed then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// The block whose output this one shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_of: Option<u32>,
    /// Packages that it says are to be installed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<PackageWish>,
    /// Why it is believed not to be all there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// What of it is not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// The first block of those that share an interpreter with this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<u32>,
    /// The block in whose place this one is offered, or that is taken in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<u32>,
    /// It stands within a list or a quotation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nested: bool,
    /// The message of a transcript, or the cell of a notebook, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<u32>,
    /// What somebody should know before it runs.
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
    /// Why it is believed not to be all there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// What of it was not run.
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

/// How a block stands in its answer.
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
    /// What an agent handed to a tool.
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
    /// It is shown and left alone.
    #[default]
    Skip,
}

/// What a block turned out to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    Program,
    /// Lines for a shell.
    Commands,
    /// Commands behind prompts, and what they printed.
    ShellTranscript,
    /// Statements behind the prompts of an interpreter, and what it answered.
    ReplTranscript,
    /// Only what is to be installed.
    Installation,
    /// What a program printed.
    Output,
    /// Changes of files.
    Patch,
    /// Data and configuration.
    Data,
    /// A part of a page: its text, its style, or what runs in a browser.
    Page,
    #[default]
    Unknown,
}

/// Something that was typed, and what was printed then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    pub code: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// A package that an answer says is to be installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageWish {
    /// Whose package: `pip`, `conda`, `npm`, `apt`, `gem`, `cargo`, `go`, `brew`.
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

/// A stretch of prose that looks like code.
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
