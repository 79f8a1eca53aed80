//! What a conductor of agents leaves behind: a list of task results, and what running their code comes to.
//!
//! The list is a stranger's: it is read for the few fields below, and everything else in it stays as it was written. A task
//! carries its action, its status, perhaps the approvals of agents, and what each agent answered. What was run for it is
//! written back as `execution`.

use crate::{Digest, Outcome, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `actum tasks` reads: a list of task results, or an object that has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "Actum task results")]
pub enum TaskResults {
    List(Vec<TaskResult>),
    Object { task_results: Vec<TaskResult> },
}

/// One task, as reported by an agent orchestrator. Additional fields are kept unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskResult {
    /// Its unique name. A task without one is named by its position, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<TaskName>,
    /// The task, in one sentence.
    #[serde(default)]
    pub action: String,
    /// Its status in the orchestrator's wording; `completed` tasks are run.
    #[serde(default)]
    pub status: String,
    /// Which agents approved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvals: Option<Approvals>,
    /// The response of each agent, by the agent's name. Null means no response.
    #[serde(default)]
    pub agent_responses: BTreeMap<String, Option<String>>,
    /// What was run for it. Written by `actum tasks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<TaskExecution>,
}

/// A task's name: a text or a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TaskName {
    Number(i64),
    Text(String),
}

impl std::fmt::Display for TaskName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TaskName::Number(number) => write!(f, "{number}"),
            TaskName::Text(text) => f.write_str(text),
        }
    }
}

/// The approvals of agents: a word for each, or the list of those that approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Approvals {
    Words(BTreeMap<String, ApprovalWord>),
    Names(Vec<String>),
}

/// An agent's decision about a task: true or false, or a word. `approved`, `approve`, `accepted`, `yes` and `true` approve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ApprovalWord {
    Flag(bool),
    Word(String),
}

impl ApprovalWord {
    const YES: [&str; 5] = ["approved", "approve", "accepted", "yes", "true"];

    pub fn approves(&self) -> bool {
        match self {
            ApprovalWord::Flag(approves) => *approves,
            ApprovalWord::Word(word) => Self::YES.iter().any(|yes| word.trim().eq_ignore_ascii_case(yes)),
        }
    }
}

impl Approvals {
    /// Whether this agent approved. One that is not named did not.
    pub fn has(&self, agent: &str) -> bool {
        match self {
            Approvals::Words(words) => words.get(agent).is_some_and(ApprovalWord::approves),
            Approvals::Names(names) => names.iter().any(|name| name == agent),
        }
    }

    /// Those that were asked and did not approve.
    pub fn missing(&self) -> Vec<&str> {
        match self {
            Approvals::Words(words) => {
                words.iter().filter(|(_, word)| !word.approves()).map(|(name, _)| name.as_str()).collect()
            }
            Approvals::Names(_) => Vec::new(),
        }
    }
}

/// What was run for a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskExecution {
    /// At least one block of the response succeeded.
    pub code_executed: bool,
    /// The id in an external system that the code created and that was found there (MLflow). Null if there is none.
    #[serde(default)]
    pub run_id: Option<String>,
    /// The outcome of all blocks; one failing block makes it a failure.
    pub outcome: Outcome,
    /// Actum's own runs, which `actum show` and `actum verify` take.
    pub runs: Vec<RunId>,
    /// The agent whose response was run.
    pub agent: String,
    /// Of the response as it was run, without lines appended later.
    pub source_sha256: Digest,
    /// Each block in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockExecution>,
    /// Ids in external systems that were printed or left in variables, each with its verification.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_ids: Vec<ExternalId>,
    /// Digests of what was printed and of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digests: Option<ExecutionDigests>,
    /// Names of pieces of evidence; `actum evidence` prints them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<String>,
    /// Why it failed, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Warnings, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The result of one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockExecution {
    /// Counted from 1.
    pub block: u32,
    pub language: String,
    /// First and last line in the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u64; 2]>,
    pub outcome: Outcome,
    /// Where its output is stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<String>,
    /// The last line of its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Digests for checking an execution against the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionDigests {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// Of the record's bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Digest>,
}

/// An id in an external system that code printed or left in a variable, and its verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExternalId {
    /// `mlflow`
    pub system: String,
    pub id: String,
    /// Where it was found: an anchor of a line, or `variable run_id`.
    pub told: String,
    /// Whether the system's own store, written by this run, contains it.
    pub credited: bool,
    /// The reason, in one sentence.
    pub why: String,
    /// The file of the store that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
}

/// The result of a whole list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum tasks summary")]
pub struct TasksSummary {
    /// The version of this form.
    pub v: u32,
    /// Tasks in the list.
    pub processed: usize,
    /// Tasks whose code was run.
    pub executed: usize,
    /// Of these, those whose blocks all succeeded.
    pub succeeded: usize,
    /// Of these, those in which something failed.
    pub failed: usize,
    /// Tasks that were not run.
    pub skipped: usize,
    pub blocks: BlockCounts,
    /// Reported ids that the external system's store does not contain.
    pub not_credited: usize,
    /// It was cancelled before the end of the list.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Where the results were written; absent if they went to stdout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    pub tasks: Vec<TaskOutcome>,
}

impl TasksSummary {
    /// The form that is written now.
    pub const VERSION: u32 = 1;
}

/// Blocks of code, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockCounts {
    pub executed: usize,
    pub succeeded: usize,
    pub failed: usize,
}

/// The result of one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskOutcome {
    /// Its name, or its position in the list, counted from 1.
    pub id: String,
    pub action: String,
    pub outcome: Outcome,
    /// Why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<TaskExecution>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_shapes_and_every_form_of_approval_are_read() {
        let task = json!({
            "action": "Run the baseline", "status": "completed", "agent_responses": {"a": "text", "b": null}
        });
        let list: TaskResults = serde_json::from_value(json!([task])).unwrap();
        let object: TaskResults = serde_json::from_value(json!({"task_results": [task]})).unwrap();
        let (TaskResults::List(one), TaskResults::Object { task_results: other }) = (list, object) else {
            panic!("read as something else");
        };
        assert_eq!(one, other);
        for (approvals, a, b) in [
            (json!({"a": true, "b": false}), true, false),
            (json!({"a": "Approved", "b": "rejected"}), true, false),
            (json!(["a"]), true, false),
            (json!({"b": "yes"}), false, true),
        ] {
            let read: Approvals = serde_json::from_value(approvals.clone()).unwrap();
            assert_eq!((read.has("a"), read.has("b")), (a, b), "{approvals}");
        }
    }

    #[test]
    fn what_was_run_reads_back() {
        let execution = TaskExecution {
            code_executed: true,
            run_id: None,
            outcome: Outcome::Success,
            runs: Vec::new(),
            agent: "ops_commander".to_owned(),
            source_sha256: Digest([1; 32]),
            blocks: Vec::new(),
            external_ids: Vec::new(),
            digests: None,
            anchors: Vec::new(),
            error: None,
            notes: Vec::new(),
        };
        let told = serde_json::to_value(&execution).unwrap();
        // The first users' field is there also where there is nothing to say.
        assert_eq!((&told["code_executed"], &told["run_id"]), (&json!(true), &json!(null)));
        assert_eq!(serde_json::from_value::<TaskExecution>(told).unwrap(), execution);
    }
}
