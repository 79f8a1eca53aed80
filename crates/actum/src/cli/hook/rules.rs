//! What the agent's own rules say about a line.
//!
//! Claude Code holds its rules against the line that it is told to run *instead*: a rule that forbids `rm` does not see it inside ours. So
//! a line that a rule may forbid, or ask about, is left as it is, for the agent to judge. And a line that the user's own rules allow by
//! name stays allowed. Codex holds its approvals and its sandbox against whatever runs, and Gemini asks before it calls us.

use crate::cli::agent::Agent;
use crate::config::read_setting_file;
use actum_engine::Surroundings;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the rules say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// Nothing about this line.
    Open,
    /// This very line may run without a question.
    Allowed,
    /// It may be forbidden, or asked about.
    Guarded,
}

/// Rules of all settings that are in force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rules {
    /// The user's own: those of a project count only where the agent trusts it.
    allow: Vec<String>,
    guard: Vec<String>,
}

impl Rules {
    pub(super) fn read(agent: Agent, surroundings: &Surroundings, project: &Path) -> Self {
        let mut rules = Self::default();
        if agent != Agent::Claude {
            return rules;
        }
        let project = surroundings.path_named("CLAUDE_PROJECT_DIR").unwrap_or_else(|| project.to_path_buf());
        let users = agent.user_settings(surroundings);
        let local = agent.project_settings(&project).with_file_name("settings.local.json");
        let managed = PathBuf::from("/etc/claude-code/managed-settings.json");
        for path in [agent.project_settings(&project), local, managed] {
            rules.guard.extend(settings(&path).into_iter().flat_map(|settings| guards(&settings)));
        }
        if let Some(settings) = users.as_deref().and_then(settings) {
            rules.guard.extend(guards(&settings));
            rules.allow.extend(list(&settings, "allow"));
        }
        rules
    }

    pub(super) fn judge(&self, line: &str) -> Judged {
        if self.guard.iter().any(|rule| may_be_about(rule, line)) {
            return Judged::Guarded;
        }
        match is_plain(line) && self.allow.iter().any(|rule| allows(rule, line)) {
            true => Judged::Allowed,
            false => Judged::Open,
        }
    }
}

/// Settings that cannot be read have no rules that the agent could have read.
fn settings(path: &Path) -> Option<Value> {
    serde_json::from_str(&read_setting_file(path).ok()??).ok()
}

fn guards(settings: &Value) -> Vec<String> {
    let mut rules = list(settings, "deny");
    rules.extend(list(settings, "ask"));
    rules
}

fn list(settings: &Value, name: &str) -> Vec<String> {
    let listed = settings.get("permissions").and_then(|rules| rules.get(name)).and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// `Bash(npm test:*)` as `Bash` and `npm test:*`.
fn parted(rule: &str) -> (&str, &str) {
    let (tool, rest) = rule.split_once('(').unwrap_or((rule, ""));
    (tool.trim(), rest.trim_end().strip_suffix(')').unwrap_or(rest))
}

/// Rather too often than too seldom: a line that is left as it is loses nothing but strength of evidence. Rules about files are about
/// the commands that read and write them as well.
fn may_be_about(rule: &str, line: &str) -> bool {
    let (tool, what) = parted(rule);
    let mut words = what
        .split(|c: char| !c.is_alphanumeric() && !"._-".contains(c))
        .filter(|word| word.chars().any(char::is_alphanumeric));
    let is_in_line = |word: &str| line.contains(word);
    match tool {
        "Bash" => words.next().is_none_or(is_in_line),
        "Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            let words: Vec<&str> = words.collect();
            words.is_empty() || words.into_iter().any(is_in_line)
        }
        _ => false,
    }
}

/// One command with its words, as a rule can name it.
fn is_plain(line: &str) -> bool {
    !line.contains(|c: char| ";|&<>$`(){}\n\\*?[]~#!\"'".contains(c))
}

fn allows(rule: &str, line: &str) -> bool {
    let (tool, what) = parted(rule);
    let begins =
        |prefix: &str| line == prefix || line.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(' '));
    match (tool, what) {
        ("Bash", "" | "*") => true,
        ("Bash", what) => match what.strip_suffix(":*").or_else(|| what.strip_suffix(" *")) {
            Some(prefix) => !prefix.contains('*') && begins(prefix),
            None => what == line,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str], guard: &[&str]) -> Rules {
        let owned = |rules: &[&str]| rules.iter().map(ToString::to_string).collect();
        Rules { allow: owned(allow), guard: owned(guard) }
    }

    #[test]
    fn what_may_be_forbidden_is_left_to_the_agent() {
        for (rule, line) in [
            ("Bash(rm:*)", "rm -rf x"),
            ("Bash(rm:*)", "make && rm x"),
            ("Bash(git push:*)", "git status"),
            ("Bash", "ls"),
            ("Bash(*)", "ls"),
            ("Read(./.env)", "cat .env"),
            ("Read(./secrets/**)", "head secrets/a"),
            ("Edit(**)", "sed -i s/a/b/ x"),
        ] {
            assert_eq!(rules(&["Bash"], &[rule]).judge(line), Judged::Guarded, "{rule} {line}");
        }
        for (rule, line) in [("Bash(rm:*)", "ls"), ("WebFetch", "ls"), ("Read(./.env)", "pytest -q")] {
            assert_eq!(rules(&[], &[rule]).judge(line), Judged::Open, "{rule} {line}");
        }
    }

    #[test]
    fn what_is_allowed_by_name_stays_allowed_and_nothing_more() {
        for (rule, line) in [
            ("Bash(npm test:*)", "npm test -- --watch=false"),
            ("Bash(ls)", "ls"),
            ("Bash", "ls -la"),
            ("Bash(go *)", "go test"),
        ] {
            assert_eq!(rules(&[rule], &[]).judge(line), Judged::Allowed, "{rule} {line}");
        }
        for (rule, line) in [
            ("Bash(npm test:*)", "npm testing"),
            ("Bash(npm test:*)", "npm test; rm -rf x"),
            ("Bash(npm test:*)", "npm test $(rm x)"),
            ("Bash(ls)", "ls -la"),
            ("Read(x)", "ls"),
        ] {
            assert_eq!(rules(&[rule], &[]).judge(line), Judged::Open, "{rule} {line}");
        }
    }
}
