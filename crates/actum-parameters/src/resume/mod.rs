//! How a program goes on from a checkpoint, and which checkpoint is the newest.

mod checkpoints;
#[cfg(test)]
mod tests;

pub use checkpoints::{Checkpoint, FileFacts, newest_checkpoint};

use crate::declared::can_be_given;
use crate::help::HelpOption;
use actum_model::{DeclaredParameter, ParameterKind};
use serde_json::Value;

/// An option that resumes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct ResumeOption {
    pub flag: String,
    pub value: ResumeValue,
    /// Its name says that it goes on with a run. Others load a checkpoint, perhaps for something else.
    pub is_sure: bool,
}

/// What an option that resumes is given.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResumeValue {
    /// The path of a checkpoint.
    Path,
    /// Nothing: the program finds the checkpoint itself.
    Flag,
    /// A word, such as `auto` or `latest`, with which the program finds it itself.
    Word(String),
}

impl ResumeOption {
    /// The words to add to a command.
    pub fn words(&self, checkpoint: &str) -> Vec<String> {
        let value = match &self.value {
            ResumeValue::Flag => return vec![self.flag.clone()],
            ResumeValue::Path => checkpoint,
            ResumeValue::Word(word) => word,
        };
        match self.flag.strip_suffix('=') {
            Some(_) => vec![format!("{}{value}", self.flag)],
            None => vec![self.flag.clone(), value.to_owned()],
        }
    }
}

/// Names of options that resume, the surest first, and whether they can mean nothing else.
const NAMES: [(&str, bool); 28] = [
    ("resume_from_checkpoint", true),
    ("resume_from", true),
    ("resume_checkpoint", true),
    ("resume_path", true),
    ("resume_ckpt", true),
    ("resume_dir", true),
    ("resume_run", true),
    ("resume", true),
    ("auto_resume", true),
    ("resume_training", true),
    ("continue_from", true),
    ("continue_training", true),
    ("continue_train", true),
    ("restart_from", true),
    ("restore_from", true),
    ("init_from", true),
    ("ckpt_path", false),
    ("checkpoint_path", false),
    ("restore_checkpoint", false),
    ("restore_path", false),
    ("load_checkpoint", false),
    ("load_ckpt", false),
    ("load_from", false),
    ("checkpoint", false),
    ("ckpt", false),
    ("restore", false),
    ("load", false),
    ("model_checkpoint", false),
];

/// The option by which a program resumes, from what it declares and from its help.
pub fn resume_option(declared: &[&DeclaredParameter], help: &[HelpOption]) -> Option<ResumeOption> {
    NAMES.iter().find_map(|(name, is_sure)| {
        let is_named = |one: &&&DeclaredParameter| {
            let last = one.name.rsplit('.').next().unwrap_or_default();
            last.replace('-', "_") == *name && can_be_given(one) && one.kind != ParameterKind::Position
        };
        let by_declaration = declared.iter().find(is_named).map(|one| of_declared(name, one, *is_sure));
        let by_help =
            || help.iter().find(|option| option.name() == *name).and_then(|one| of_help(name, one, *is_sure));
        by_declaration.or_else(by_help)
    })
}

fn of_declared(name: &str, parameter: &DeclaredParameter, is_sure: bool) -> ResumeOption {
    let long = parameter.flags.iter().find(|flag| flag.starts_with("--")).or_else(|| parameter.flags.first());
    let flag = match (long, parameter.kind) {
        (Some(flag), ParameterKind::Option)
            if parameter.framework == actum_model::Framework::Configurator =>
        {
            format!("{flag}=")
        }
        (Some(flag), _) => flag.clone(),
        // A pair without a flag.
        (None, _) => format!("{}=", parameter.name),
    };
    let default = parameter.default.as_ref().and_then(|default| default.literal());
    let choices: Vec<String> =
        parameter.choices.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let is_switch = matches!(parameter.kind, ParameterKind::Switch | ParameterKind::Count)
        || default.is_some_and(Value::is_boolean)
            && parameter.kind == ParameterKind::Option
            && parameter.count.as_deref() == Some("?");
    let is_boolean = default.is_some_and(Value::is_boolean);
    let value = match is_switch {
        true => ResumeValue::Flag,
        false if is_boolean => ResumeValue::Word("true".to_owned()),
        false => value(name, &choices, parameter.help.as_deref().unwrap_or_default()),
    };
    ResumeOption { flag, value, is_sure }
}

fn of_help(name: &str, option: &HelpOption, is_sure: bool) -> Option<ResumeOption> {
    let flag =
        option.flags.iter().find(|flag| flag.starts_with("--")).or_else(|| option.flags.first())?.clone();
    let value = if option.is_switch() {
        ResumeValue::Flag
    } else {
        value(name, &option.choices, &option.description)
    };
    Some(ResumeOption { flag, value, is_sure })
}

/// Words by which programs look for the newest checkpoint themselves.
const WORDS: [&str; 5] = ["auto", "latest", "last", "resume", "must"];

fn value(name: &str, choices: &[String], description: &str) -> ResumeValue {
    if let Some(word) = WORDS.iter().find(|word| choices.iter().any(|choice| choice == *word)) {
        return ResumeValue::Word((*word).to_owned());
    }
    let is_quoted = |word: &&&str| {
        ["'", "\"", "`"].iter().any(|quote| description.contains(&format!("{quote}{word}{quote}")))
    };
    if let Some(word) = WORDS.iter().find(is_quoted) {
        return ResumeValue::Word((*word).to_owned());
    }
    // Of nanoGPT and what came of it: `scratch`, `resume` or the name of a model.
    if name == "init_from" { ResumeValue::Word("resume".to_owned()) } else { ResumeValue::Path }
}
