//! What the name of a script, a target or a stage says about its purpose.

/// What an entry is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    Train,
    Eval,
    /// Whatever the project does: `run`, `main`, `experiment`, `reproduce`.
    Run,
}

impl Goal {
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "train" => Goal::Train,
            "eval" => Goal::Eval,
            "run" => Goal::Run,
            _ => return None,
        })
    }
}

/// Words of names and the goal that they stand for.
const WORDS: [(&str, Goal); 18] = [
    ("train", Goal::Train),
    ("training", Goal::Train),
    ("trainer", Goal::Train),
    ("finetune", Goal::Train),
    ("finetuning", Goal::Train),
    ("pretrain", Goal::Train),
    ("fit", Goal::Train),
    ("sft", Goal::Train),
    ("eval", Goal::Eval),
    ("evaluate", Goal::Eval),
    ("evaluation", Goal::Eval),
    ("run", Goal::Run),
    ("main", Goal::Run),
    ("experiment", Goal::Run),
    ("experiments", Goal::Run),
    ("reproduce", Goal::Run),
    ("repro", Goal::Run),
    ("all", Goal::Run),
];

/// Parts of names that are about something else: `train_test_split`, `run_tests`, `prepare_train_data`.
const OTHER: [&str; 18] = [
    "test", "tests", "lint", "format", "docs", "doc", "clean", "install", "setup", "data", "utils", "util",
    "config", "dev", "server", "docker", "download", "split",
];

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) goal: Goal,
    /// The whole name is the goal: `train`, `fine-tune`, `run_eval`.
    pub(super) is_exact: bool,
}

/// Nothing where a name is not about starting the project.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    let name = name.to_ascii_lowercase().replace("fine-tun", "finetun").replace("fine_tun", "finetun");
    let parts: Vec<&str> =
        name.split(['_', '-', '.', ':', '/', ' ']).filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| OTHER.contains(part)) {
        return None;
    }
    let goal_of = |part: &str| WORDS.iter().find(|(word, _)| *word == part).map(|(_, goal)| *goal);
    let goals: Vec<Goal> = parts.iter().filter_map(|part| goal_of(part)).collect();
    // `run_train` trains: the word that says more counts.
    let goal = goals.iter().find(|goal| **goal != Goal::Run).or_else(|| goals.first()).copied()?;
    // `all` alone is an entry only of a Makefile; within a name it says nothing.
    if parts.contains(&"all") && parts.len() > 1 && goals.len() == 1 {
        return None;
    }
    Some(Meaning { goal, is_exact: goals.len() == parts.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_meant() {
        let exact = |goal| Some(Meaning { goal, is_exact: true });
        let part = |goal| Some(Meaning { goal, is_exact: false });
        for (name, expected) in [
            ("train", exact(Goal::Train)),
            ("Train", exact(Goal::Train)),
            ("fine-tune", exact(Goal::Train)),
            ("fine_tuning", exact(Goal::Train)),
            ("run_train", exact(Goal::Train)),
            ("run-eval", exact(Goal::Eval)),
            ("evaluate", exact(Goal::Eval)),
            ("main", exact(Goal::Run)),
            ("experiment", exact(Goal::Run)),
            ("reproduce", exact(Goal::Run)),
            ("train_small", part(Goal::Train)),
            ("train:gpu", part(Goal::Train)),
            ("run_ablation", part(Goal::Run)),
            ("eval_gsm8k", part(Goal::Eval)),
            ("run_tests", None),
            ("train_test_split", None),
            ("prepare_train_data", None),
            ("install-all", None),
            ("trainable", None),
            ("", None),
            ("lint", None),
        ] {
            assert_eq!(meaning(name), expected, "{name}");
        }
    }
}
