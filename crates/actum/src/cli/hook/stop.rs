//! When an agent stops: its last message is held against the ledger, and it is sent back once with what does not hold.
//!
//! A message that cannot be judged, or not in time, is sent back as well: it must not pass as judged.

use super::Said;
use super::event::{Event, Message};
use super::workspace::Workspace;
use crate::cli::agent::Agent;
use crate::cli::claims;
use crate::config::{self, Block, Config};
use crate::screen;
use actum_engine::describe;
use actum_sandbox::Warden;
use serde_json::Value;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// An agent's user waits for this, so it is not much; agents themselves give up after a minute.
const PATIENCE: Duration = Duration::from_secs(20);
/// As many as a model can take up.
const MOST: usize = 20;

/// Kinds of claims that only a command can make true. An agent writes files and commits by other ways than commands, so that nothing is
/// recorded about those means nothing.
const OF_COMMANDS: [&str; 14] = [
    "ran",
    "exit",
    "tests",
    "test",
    "metric",
    "ratio",
    "duration",
    "count",
    "clean",
    "absent",
    "run_id",
    "installed",
    "seed",
    "device",
];

pub(super) fn stop(
    agent: Option<Agent>,
    event: Result<Event, String>,
    warden: Warden,
) -> Result<Said, String> {
    let never = || Config::users_hook_rules().is_ok_and(|rules| rules.block == Block::Never);
    // What is no event does not say whether the agent was sent back before: it would be sent back without end.
    let event = event?;
    let message = match event.message() {
        _ if event.was_sent_back() => return Ok(Said::Nothing),
        Message::Text(text) if !text.trim().is_empty() => text,
        Message::Absent | Message::Text(_) => return Ok(Said::Nothing),
        Message::Unknown if never() => return Ok(Said::Nothing),
        Message::Unknown => return Ok(Said::Back(not_judged("the message is not text"))),
    };
    let message = message.as_str();
    let ready = config::surroundings().and_then(|surroundings| {
        let folder = event.folder().unwrap_or_else(|| surroundings.folder.clone());
        let config = Config::resolve(&surroundings, Some(&folder))?;
        let agent = agent.unwrap_or_else(|| event.sender());
        // Where the agent ended is its own choice.
        Ok((config.hook.block, Workspace::of_message(agent, &event, &folder, &surroundings)))
    });
    // A project can make the configuration unreadable, so that is no reason to let a message pass as judged.
    let judged = match ready {
        Ok((Block::Never, _)) => return Ok(Said::Nothing),
        Ok((block, folder)) => {
            folder.and_then(|folder| judged(message, &folder, warden)).map(|findings| (block, findings))
        }
        Err(error) => match Config::users_hook_rules() {
            Ok(rules) if rules.block == Block::Never => return Ok(Said::Nothing),
            Ok(_) | Err(_) => Err(describe(&error)),
        },
    };
    let (block, findings) = match judged {
        Ok(judged) => judged,
        Err(why) => return Ok(Said::Back(not_judged(&why))),
    };
    let mut lines: Vec<String> = findings.iter().filter(|finding| blocks(finding, block)).map(told).collect();
    // A sentence that says two things with one reason is told once.
    lines.dedup();
    lines.truncate(MOST);
    if lines.is_empty() {
        return Ok(Said::Nothing);
    }
    Ok(Said::Back(format!(
        "Actum compared your message with the recorded runs of this folder. These claims are contradicted or unsupported:\n{}\n\
         Run what you claim to have run, or correct the message. Actum reports this only once.",
        lines.join("\n")
    )))
}

fn not_judged(why: &str) -> String {
    format!(
        "Actum could not compare your message with the recorded runs of this folder: {}\n\
         None of its claims is verified. Say so, or shorten the message. Actum reports this only once.",
        screen::harmless(why)
    )
}

/// What the ledger says about each claim of a message. A thread judges, so that a slow ledger is given up and a failure of ours
/// stays there; what it leaves behind ends with this process.
fn judged(message: &str, folder: &Path, warden: Warden) -> Result<Vec<Value>, String> {
    let could_not = |error: &dyn std::error::Error| format!("cannot check the claims: {error}");
    std::env::set_current_dir(folder).map_err(|error| could_not(&error))?;
    let (tell, told) = mpsc::channel();
    let message = message.to_owned();
    std::thread::spawn(move || {
        let found = claims::judge_message(&message, warden).map_err(|error| describe(&error));
        let found = found.and_then(|found| {
            let values = found.findings.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
            values.map_err(|error| describe(&error))
        });
        let _ = tell.send(found);
    });
    match told.recv_timeout(PATIENCE) {
        Ok(found) => found.map_err(|why| format!("cannot check the claims: {why}")),
        Err(RecvTimeoutError::Timeout) => {
            Err(format!("the claims were not checked within {} seconds", PATIENCE.as_secs()))
        }
        Err(RecvTimeoutError::Disconnected) => Err("cannot check the claims".to_owned()),
    }
}

fn text<'v>(finding: &'v Value, name: &str) -> &'v str {
    finding.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn has_note(finding: &Value, wanted: &str) -> bool {
    let notes = finding.get("notes").and_then(Value::as_array);
    notes.is_some_and(|notes| notes.iter().any(|note| note.as_str() == Some(wanted)))
}

/// Whether a finding sends the agent back.
fn blocks(finding: &Value, block: Block) -> bool {
    let is_of_commands = OF_COMMANDS.contains(&text(finding, "kind"));
    // A claim may stand where nothing was read.
    let is_unjudged = text(finding, "why").starts_with(actum_claims::NOT_JUDGED);
    match (block, text(finding, "status")) {
        (Block::Never, _) => false,
        (Block::Contradicted, "unsupported") => is_unjudged,
        (Block::Contradicted | Block::Unsupported, "contradicted" | "invalid record") => true,
        // Which run is meant is open, and the newest one failed, or the newest one of all tests.
        (Block::Contradicted | Block::Unsupported, "ambiguous") => {
            has_note(finding, actum_claims::NEWEST_FAILED) || has_note(finding, actum_claims::WIDER_FAILED)
        }
        (Block::Unsupported, "unsupported" | "stale") => is_of_commands,
        (Block::Contradicted | Block::Unsupported, _) => false,
    }
}

/// One finding as a line: what was said, what is recorded, and where.
fn told(finding: &Value) -> String {
    let mut line = format!("- {}: \"{}\"", text(finding, "status"), text(finding, "claim"));
    for (before, name, behind) in [(": ", "why", ""), ("; recorded: ", "observed", ""), (" (", "anchor", ")")]
    {
        let value = text(finding, name);
        if !value.is_empty() {
            line.push_str(&format!("{before}{value}{behind}"));
        }
    }
    // What a program printed may stand in it, and it goes to a model: one line, and nothing that acts on a screen.
    screen::harmless(&line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_sends_an_agent_back() {
        use Block::{Contradicted, Never, Unsupported};
        for (kind, status, strictest) in [
            ("tests", "contradicted", Some(Contradicted)),
            ("file", "contradicted", Some(Contradicted)),
            ("tests", "unsupported", Some(Unsupported)),
            ("ran", "stale", Some(Unsupported)),
            ("file", "unsupported", None),
            ("commit", "unsupported", None),
            ("tests", "ambiguous", None),
            ("tests", "not judged", None),
            ("tests", "verified", None),
        ] {
            let finding = json!({ "kind": kind, "status": status });
            for block in [Never, Contradicted, Unsupported] {
                let expected = strictest.is_some_and(|least| block >= least);
                assert_eq!(blocks(&finding, block), expected, "{kind} {status} {block:?}");
            }
        }
    }

    #[test]
    fn a_finding_is_one_harmless_line() {
        let finding = json!({
            "claim": "all 12 passed", "status": "contradicted", "why": "11 passed\nand \u{1b}[31m1 failed",
            "observed": "11 passed", "anchor": "actum:x#stdout",
        });
        let line = told(&finding);
        assert!(line.starts_with("- contradicted: \"all 12 passed\": 11 passed"), "{line}");
        assert!(line.ends_with("(actum:x#stdout)") && !line.contains(['\n', '\u{1b}']), "{line}");
    }
}
