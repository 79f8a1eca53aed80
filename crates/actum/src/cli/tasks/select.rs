//! Which tasks are run, and why the others are not. Judgement only.
//!
//! A task is run when its status says that it is done, when the agents that have to approve did, when its action holds one of
//! the words that ask for something to be executed, and when the agent whose code counts has answered.

use actum_model::TaskResult;

/// What selects a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Whose response holds the code.
    pub agent: String,
    /// Who has to approve. Nobody named: all that were asked.
    pub required: Vec<String>,
    /// One of these in the action asks for execution. None: every action does.
    pub words: Vec<String>,
    pub matching: Matching,
}

/// How a word is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Matching {
    /// Anywhere, also inside another word: `run` in `prune`. The rule of the first users.
    #[default]
    Part,
    /// Between characters that belong to no word.
    Whole,
}

/// Why a task is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skipped {
    NotCompleted {
        status: String,
    },
    NotApproved {
        agents: Vec<String>,
    },
    NoWord,
    NoResponse {
        agent: String,
    },
    NoCode {
        agent: String,
    },
    /// There are blocks, and none is one to run.
    NothingToRun {
        agent: String,
        why: String,
    },
    /// It was run before, and its response is the same.
    Done,
    /// Somebody stopped before it was its turn.
    Interrupted,
}

impl Skipped {
    /// In a sentence without its end.
    pub fn words(&self) -> String {
        match self {
            Skipped::NotCompleted { status } if status.is_empty() => "it has no status".to_owned(),
            Skipped::NotCompleted { status } => format!("its status is `{status}`, not `completed`"),
            Skipped::NotApproved { agents } => format!("not approved by {}", agents.join(", ")),
            Skipped::NoWord => "its action does not ask for execution".to_owned(),
            Skipped::NoResponse { agent } => format!("there is no response from {agent}"),
            Skipped::NoCode { agent } => format!("the response of {agent} contains no code"),
            Skipped::NothingToRun { agent, why } => {
                format!("the response of {agent} contains no code that can run: {why}")
            }
            Skipped::Done => "the same code was run before".to_owned(),
            Skipped::Interrupted => "stopped before it was its turn".to_owned(),
        }
    }
}

/// The status that counts.
const COMPLETED: &str = "completed";

/// The response to run, or why there is nothing to do.
pub(super) fn select<'t>(task: &'t TaskResult, selection: &Selection) -> Result<&'t str, Skipped> {
    if task.status != COMPLETED {
        return Err(Skipped::NotCompleted { status: task.status.clone() });
    }
    let missing = not_approved(task, &selection.required);
    if !missing.is_empty() {
        return Err(Skipped::NotApproved { agents: missing });
    }
    if !asks(&task.action, selection) {
        return Err(Skipped::NoWord);
    }
    let response = task.agent_responses.get(&selection.agent).and_then(Option::as_deref);
    let response = response.filter(|response| !response.trim().is_empty());
    response.ok_or_else(|| Skipped::NoResponse { agent: selection.agent.clone() })
}

/// A task without approvals was approved by being completed.
fn not_approved(task: &TaskResult, required: &[String]) -> Vec<String> {
    let Some(approvals) = &task.approvals else { return Vec::new() };
    match required {
        [] => approvals.missing().into_iter().map(str::to_owned).collect(),
        required => required.iter().filter(|agent| !approvals.has(agent)).cloned().collect(),
    }
}

fn asks(action: &str, selection: &Selection) -> bool {
    let action = action.to_lowercase();
    let holds = |word: &String| {
        let word = word.to_lowercase();
        match selection.matching {
            Matching::Part => action.contains(&word),
            Matching::Whole => is_whole(&action, &word),
        }
    };
    selection.words.is_empty() || selection.words.iter().any(holds)
}

fn is_whole(action: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    action.match_indices(word).any(|(at, found)| {
        !action[..at].ends_with(in_word) && !action[at + found.len()..].starts_with(in_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn selection() -> Selection {
        Selection {
            agent: "ops_commander".to_owned(),
            required: Vec::new(),
            words: ["execute", "run", "test"].map(str::to_owned).into(),
            matching: Matching::Part,
        }
    }

    fn task(changed: Value) -> TaskResult {
        let mut task = json!({
            "action": "Execute the baseline", "status": "completed", "agent_responses": {"ops_commander": "code"}
        });
        for (key, value) in changed.as_object().unwrap() {
            task[key] = value.clone();
        }
        serde_json::from_value(task).unwrap()
    }

    #[test]
    fn tasks_are_chosen_by_status_approvals_words_and_response() {
        let (part, whole) = (selection(), Selection { matching: Matching::Whole, ..selection() });
        let required = Selection { required: vec!["critic".to_owned()], ..selection() };
        let any = Selection { words: Vec::new(), ..selection() };
        let other = Selection { agent: "quality".to_owned(), ..selection() };
        let critic = |agents: &[&str]| {
            Err(Skipped::NotApproved { agents: agents.iter().map(|&agent| agent.to_owned()).collect() })
        };
        let no_response = |agent: &str| Err(Skipped::NoResponse { agent: agent.to_owned() });
        let status = |status: &str| Err(Skipped::NotCompleted { status: status.to_owned() });
        for (changed, selection, expected) in [
            (json!({}), &part, Ok("code")),
            (json!({"status": "failed"}), &part, status("failed")),
            (json!({"status": ""}), &part, status("")),
            (json!({"status": "Completed"}), &part, status("Completed")),
            (json!({"action": "Write the documentation"}), &part, Err(Skipped::NoWord)),
            (json!({"action": "PRUNE the tree"}), &part, Ok("code")),
            (json!({"action": "PRUNE the tree"}), &whole, Err(Skipped::NoWord)),
            (json!({"action": "Re-run: all"}), &whole, Ok("code")),
            (json!({"action": "run_all"}), &whole, Err(Skipped::NoWord)),
            (json!({"action": "Write the documentation"}), &any, Ok("code")),
            (json!({"approvals": {"critic": true, "quality": true}}), &part, Ok("code")),
            (json!({"approvals": {"critic": true, "quality": false}}), &part, critic(&["quality"])),
            (json!({"approvals": {"critic": true, "quality": false}}), &required, Ok("code")),
            (json!({"approvals": {"quality": true}}), &required, critic(&["critic"])),
            (json!({"approvals": ["critic"]}), &required, Ok("code")),
            (json!({"approvals": {}}), &part, Ok("code")),
            (json!({}), &required, Ok("code")),
            (json!({"agent_responses": {}}), &part, no_response("ops_commander")),
            (json!({"agent_responses": {"ops_commander": null}}), &part, no_response("ops_commander")),
            (json!({"agent_responses": {"ops_commander": " \n"}}), &part, no_response("ops_commander")),
            (json!({}), &other, no_response("quality")),
        ] {
            let task = task(changed.clone());
            assert_eq!(select(&task, selection), expected, "{changed}");
        }
    }
}
