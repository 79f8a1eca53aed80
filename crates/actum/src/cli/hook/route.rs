//! Before a command: the line that has Actum run it, or nothing.

use super::Said;
use super::background::{changes_folder, goes_on};
use super::event::Event;
use super::rules::{Judged, Rules};
use crate::cli::agent::Agent;
use crate::cli::init::binary;
use crate::cli::run::one_line;
use crate::clock;
use crate::config::{Commands, Config, Surroundings};
use actum_model::RunId;
use serde_json::json;
use std::path::{Path, PathBuf};

/// A line that has Actum run another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Routed {
    pub(super) run: RunId,
    /// The agent's own line.
    pub(super) line: String,
}

/// Kernels take no longer word than 128 KiB, and the agent puts quotes around ours once more.
const LONGEST: usize = 64 << 10;

pub(super) fn before(agent: Agent, event: &Event) -> Result<Said, String> {
    let (Some(line), Some(input)) = (event.line(), event.input()) else { return Ok(Said::Nothing) };
    if goes_on(line) {
        return Ok(Said::Nothing);
    }
    let surroundings = Surroundings::read().map_err(|error| one_line(&error))?;
    // Where two settings call us, the second finds the work done.
    if Routed::of(line, agent, &surroundings).is_some() {
        return Ok(Said::Nothing);
    }
    let folder = event.folder().unwrap_or_else(|| surroundings.folder.clone());
    let config = Config::resolve(&surroundings, Some(&folder)).map_err(|error| one_line(&error))?;
    if config.hook.commands == Commands::Observe {
        return Ok(Said::Nothing);
    }
    let judged = Rules::read(agent, &surroundings, &project(&folder, &surroundings)).judge(line);
    let run = clock::new_run();
    // Only Claude Code keeps the folder from one command to the next.
    let back = (agent == Agent::Claude && changes_folder(line)).then(|| folder_file(&surroundings, run));
    let binary = binary(&surroundings).map_err(|error| format!("this program is not found: {error}"))?;
    let text = written(&binary, agent, (run, line), back.as_deref());
    if judged == Judged::Guarded || text.len() > LONGEST {
        return Ok(Said::Nothing);
    }
    let mut input = input.clone();
    input.insert("command".to_owned(), text.into());
    let event = agent.moments().first().map_or("PreToolUse", |moment| moment.event);
    let mut answer = json!({ "hookEventName": event });
    match agent {
        Agent::Claude => {
            // The agent asks about our line as it would have about its own, unless its user's rules allow that by name.
            if judged == Judged::Allowed {
                answer["permissionDecision"] = "allow".into();
            }
            answer["updatedInput"] = input.into();
        }
        // Codex takes a changed line only with these words; its approvals and its sandbox come after.
        Agent::Codex => {
            answer["permissionDecision"] = "allow".into();
            answer["updatedInput"] = input.into();
        }
        Agent::Gemini => answer["tool_input"] = input.into(),
    }
    Ok(Said::Answer(json!({ "hookSpecificOutput": answer }).to_string()))
}

fn written(binary: &str, agent: Agent, (run, line): (RunId, &str), back: Option<&Path>) -> String {
    let routed = |option: &str| {
        format!("{binary} {WORDS}{} --run {run}{option} --name \"$0\" -- {}", agent.name(), quoted(line))
    };
    let Some(file) = back.map(|file| quoted(&file.to_string_lossy())) else { return routed("") };
    let routed = routed(&format!(" --folder-file {file}"));
    format!("{routed}; __actum=$?; [ -s {file} ] && cd \"$(cat {file})\"; rm -f {file}; (exit $__actum)")
}

/// By which a routed line is known again.
const WORDS: &str = "hook shell --agent ";

impl Routed {
    /// Reads a line that [`before`] wrote, all of it: in one that somebody else wrote, what is printed need not be of the command
    /// that it names.
    pub(super) fn of(text: &str, agent: Agent, surroundings: &Surroundings) -> Option<Self> {
        let read = Self::read(text)?;
        let (binary, file) = (binary(surroundings).ok()?, folder_file(surroundings, read.run));
        let again = |back| written(&binary, agent, (read.run, &read.line), back);
        (again(None) == text || again(Some(&file)) == text).then_some(read)
    }

    fn read(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once(WORDS)?;
        let (_, rest) = rest.split_once(" --run ")?;
        let (run, rest) = rest.split_once(' ')?;
        let (_, line) = rest.split_once("--name \"$0\" -- ")?;
        Some(Self { run: run.parse().ok()?, line: unquoted(line)? })
    }
}

/// Where a line that changes its folder leaves the new one.
fn folder_file(surroundings: &Surroundings, run: RunId) -> PathBuf {
    surroundings.cache.join("hook").join(run.to_string())
}

/// The project that a folder is in: the nearest one above that looks like one, and never a home or the whole machine.
pub(super) fn project(folder: &Path, surroundings: &Surroundings) -> PathBuf {
    const SIGNS: [&str; 4] = [".git", ".actum", "actum.toml", ".hg"];
    let is_too_wide =
        |above: &&Path| above.parent().is_none() || Some(*above) == surroundings.home.as_deref();
    let mut above = folder.ancestors().take_while(|above| !is_too_wide(above));
    let found = above.find(|above| SIGNS.iter().any(|sign| above.join(sign).exists()));
    found.unwrap_or(folder).to_path_buf()
}

/// As one word of a shell.
pub(in crate::cli) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The word at the beginning, which [`quoted`] wrote.
fn unquoted(text: &str) -> Option<String> {
    let mut rest = text.strip_prefix('\'')?;
    let mut word = String::new();
    loop {
        let (piece, behind) = rest.split_once('\'')?;
        word.push_str(piece);
        match behind.strip_prefix("\\''") {
            Some(more) => {
                word.push('\'');
                rest = more;
            }
            None => return Some(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever a line holds, it is found again, and a shell would hand over exactly it.
        #[test]
        fn a_routed_line_is_read_again(line in "[ -~\\n'é]{1,60}", goes: bool) {
            let run = RunId::new(1, [7; 10]);
            let file = PathBuf::from("/c/it's");
            let text = written("'/a b/actum'", Agent::Claude, (run, &line), goes.then_some(file.as_path()));
            prop_assert_eq!(Routed::read(&text), Some(Routed { run, line }));
        }
    }

    #[test]
    fn other_lines_are_not_routed() {
        for line in
            ["ls", "actum hook shell", "actum hook shell --agent claude --run x --name \"$0\" -- 'l'", ""]
        {
            assert_eq!(Routed::read(line), None, "{line}");
        }
    }
}
