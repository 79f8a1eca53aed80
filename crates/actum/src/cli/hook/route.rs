//! Before a command: the line that has Actum run it, nothing, or a refusal.

use super::background::{changes_folder, goes_on};
use super::decide::{Decision, decide};
use super::event::{AgentFolder, CommandLine, Event};
use super::rules::{Judged, Rules};
use super::ticket::Ticket;
use super::workspace::Workspace;
use super::{BLOCKED, Said};
use crate::cli::agent::Agent;
use crate::cli::itself;
use crate::config::{self, Commands, Config, SandboxRequest};
use crate::screen;
use actum_engine::clock;
use actum_engine::{Surroundings, describe};
use actum_model::RunId;
use actum_model::command_line::single_quoted;
use actum_store::Keyring;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A line that has Actum run another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Routed {
    pub(super) run: RunId,
    /// The agent's own line.
    pub(super) line: String,
    /// The sandbox that was decided on.
    ticket: Option<String>,
}

/// Kernels take no longer word than 128 KiB, and the agent puts quotes around ours once more.
const LONGEST: usize = 64 << 10;

/// Agents run the command when a hook takes longer than its 10 s.
const WATCHDOG: Duration = Duration::from_secs(8);

/// What becomes of a line.
enum Routing {
    /// Nothing is run.
    NoCommand,
    /// Another hook has routed it already.
    Done,
    /// It is left to the agent, with the reason.
    Left(&'static str),
    /// The agent's answer with the routed line.
    Routed(String),
}

pub(super) fn before(agent: Option<Agent>, event: Result<Event, String>) -> Result<Said, String> {
    let asked = event.as_ref().map_or_else(|_| SandboxRequest::read(None), read_request);
    if asked != SandboxRequest::No {
        refuse_when_stuck();
    }
    let routing = event.and_then(|event| route(agent.unwrap_or_else(|| event.sender()), &event, &asked));
    let obstacle = match &routing {
        Ok(Routing::NoCommand | Routing::Done | Routing::Routed(_)) => None,
        Ok(Routing::Left(reason)) => Some((*reason).to_owned()),
        Err(why) => Some(why.clone()),
    };
    match (decide(&asked, obstacle), routing) {
        (_, Ok(Routing::NoCommand)) => Ok(Said::Nothing),
        (Decision::Refused(refused), _) => Ok(Said::Back(refused.message())),
        (Decision::Sandboxed(_) | Decision::Plain(_), Ok(Routing::Done)) => Ok(Said::Nothing),
        (Decision::Sandboxed(_) | Decision::Plain(_), Ok(Routing::Routed(answer))) => {
            Ok(Said::Answer(answer))
        }
        (Decision::Plain(_), Ok(Routing::Left(_))) => Ok(Said::Nothing),
        (Decision::Plain(_), Err(why)) => Err(why),
        // An obstacle is never sandboxed.
        (Decision::Sandboxed(_), Ok(Routing::Left(why))) => Ok(Said::Back(why.to_owned())),
        (Decision::Sandboxed(_), Err(why)) => Ok(Said::Back(why)),
    }
}

/// Reads what is asked for where the agent is. A folder that is gone does not hide the files above its name, and a command from
/// there cannot be put into a sandbox.
fn read_request(event: &Event) -> SandboxRequest {
    let named = match event.agent_folder() {
        AgentFolder::Absent => return SandboxRequest::read(None),
        AgentFolder::Folder(folder) => return SandboxRequest::read(Some(&folder)),
        AgentFolder::Unusable(named) => named,
    };
    let above = named.as_deref().map_or(SandboxRequest::No, |named| SandboxRequest::read(Some(named)));
    match SandboxRequest::read(None).stricter(above) {
        SandboxRequest::Yes(_) => {
            let named =
                named.map_or_else(|| "that the event names".to_owned(), |named| named.display().to_string());
            SandboxRequest::Unknown(format!("the agent's folder {named} cannot be used"))
        }
        asked @ (SandboxRequest::No | SandboxRequest::Unknown(_)) => asked,
    }
}

/// A hook that crashes or takes too long must not let the command run outside the sandbox.
fn refuse_when_stuck() {
    std::panic::set_hook(Box::new(|_| refuse("the hook failed")));
    std::thread::spawn(|| {
        std::thread::sleep(WATCHDOG);
        refuse("the hook took too long");
    });
}

fn refuse(reason: &str) {
    screen::note(&format!("actum: the command was not run: {reason}"));
    std::process::exit(i32::from(BLOCKED));
}

fn route(agent: Agent, event: &Event, asked: &SandboxRequest) -> Result<Routing, String> {
    if let (SandboxRequest::No, Ok(surroundings)) = (asked, config::surroundings()) {
        Workspace::keep(agent, event, &surroundings);
    }
    let line = match event.command() {
        CommandLine::Absent => return Ok(Routing::NoCommand),
        CommandLine::Line(line) => line,
        CommandLine::Unknown => return Ok(Routing::Left("the event has no command in a known form")),
    };
    let Some(input) = event.input() else { return Ok(Routing::Left("the event has no input for the tool")) };
    if goes_on(line) {
        return Ok(Routing::Left(
            "it may leave a background process (`&`, nohup, tmux and others), which the sandbox would kill",
        ));
    }
    let surroundings = config::surroundings().map_err(|error| describe(&error))?;
    let folder = event.folder().unwrap_or_else(|| surroundings.folder.clone());
    let ticket = ticket(agent, event, asked, (&folder, &surroundings))?;
    if let Some(ticket) = &ticket
        && !starts_inside(event, &folder, ticket)
    {
        return Ok(Routing::Left("the tool would start in a folder outside the agent's project"));
    }
    // Where two settings call us, the second finds the work done. Without a ticket only where no sandbox is asked for.
    if let Some(routed) = Routed::of(line, agent, &surroundings) {
        return Ok(match ticket.is_none_or(|ticket| routed.carries(&ticket, &surroundings)) {
            true => Routing::Done,
            false => Routing::Left("it calls `actum hook shell` itself"),
        });
    }
    let config = Config::resolve(&surroundings, Some(&folder)).map_err(|error| describe(&error))?;
    // A sandbox needs a routed line.
    if config.hook.commands == Commands::Observe && *asked == SandboxRequest::No {
        return Ok(Routing::Left("commands are observed"));
    }
    let judged = Rules::read(agent, &surroundings, &project(&folder, &surroundings)).judge(line);
    let run = clock::new_run();
    // Only Claude Code keeps the folder from one command to the next.
    let back = (agent == Agent::Claude && changes_folder(line)).then(|| folder_file(&surroundings, run));
    let binary = itself::quoted_path().map_err(|error| format!("cannot find this program: {error}"))?;
    let key = || Keyring::at(&surroundings.keys).seal_key();
    let ticket = ticket.map(|ticket| ticket.seal(&key(), run, line.as_bytes())).transpose()?;
    let text = written(&binary, agent, (run, line, ticket.as_deref()), back.as_deref());
    if judged == Judged::Guarded {
        return Ok(Routing::Left("a `deny` or `ask` rule in the agent's settings may apply to it"));
    }
    if text.len() > LONGEST {
        return Ok(Routing::Left("it is longer than 64 KiB"));
    }
    let mut input = input.clone();
    input.insert("command".to_owned(), text.into());
    Ok(Routing::Routed(answer(agent, input, judged)))
}

/// The sandbox that is asked for, where it can be made for this event.
fn ticket(
    agent: Agent,
    event: &Event,
    asked: &SandboxRequest,
    (folder, surroundings): (&Path, &Surroundings),
) -> Result<Option<Ticket>, String> {
    let profile = match asked {
        SandboxRequest::Yes(profile) => *profile,
        SandboxRequest::No => return Ok(None),
        SandboxRequest::Unknown(why) => return Err(why.clone()),
    };
    if let Some(key) = event.unknown_key() {
        return Err(format!("its tool is called with the unknown field `{}`", screen::harmless(key)));
    }
    let workspace = Workspace::of_event(agent, event, folder, surroundings)?;
    itself::check_replaceable(&workspace.path, surroundings)
        .map_err(|distrust| format!("other users could replace this program: {distrust}"))?;
    Ok(Some(Ticket { profile, workspace }))
}

/// The agent's answer with the tool's new input.
fn answer(agent: Agent, input: Map<String, Value>, judged: Judged) -> String {
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
    json!({ "hookSpecificOutput": answer }).to_string()
}

/// Whether every folder that the tool may start in is one of the project.
fn starts_inside(event: &Event, folder: &Path, ticket: &Ticket) -> bool {
    let is_inside = |named: Option<&Path>| {
        named.is_some_and(|named| {
            folder.join(named).canonicalize().is_ok_and(|real| ticket.workspace.covers(&real))
        })
    };
    event.tool_folders().all(is_inside)
}

fn written(
    binary: &str,
    agent: Agent,
    (run, line, ticket): (RunId, &str, Option<&str>),
    back: Option<&Path>,
) -> String {
    let ticket = ticket.map(|ticket| format!("{TICKET}{}", single_quoted(ticket))).unwrap_or_default();
    let routed = |option: &str| {
        let agent = agent.name();
        format!(
            "{binary} {WORDS}{agent} --run {run}{ticket}{option} --name \"$0\" -- {}",
            single_quoted(line)
        )
    };
    let Some(file) = back.map(|file| single_quoted(&file.to_string_lossy())) else { return routed("") };
    let routed = routed(&format!(" --folder-file {file}"));
    format!("{routed}; __actum=$?; [ -s {file} ] && cd \"$(cat {file})\"; rm -f {file}; (exit $__actum)")
}

/// By which a routed line is known again.
const WORDS: &str = "hook shell --agent ";
const TICKET: &str = " --ticket ";

impl Routed {
    /// Reads a line that [`before`] wrote, all of it: in one that somebody else wrote, what is printed need not be of the command
    /// that it names.
    pub(super) fn of(text: &str, agent: Agent, surroundings: &Surroundings) -> Option<Self> {
        let read = Self::read(text)?;
        let (binary, file) = (itself::quoted_path().ok()?, folder_file(surroundings, read.run));
        let again = |back| written(&binary, agent, (read.run, &read.line, read.ticket.as_deref()), back);
        (again(None) == text || again(Some(&file)) == text).then_some(read)
    }

    fn read(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once(WORDS)?;
        let (_, rest) = rest.split_once(" --run ")?;
        let run = rest.split(' ').next()?;
        let ticket = rest.strip_prefix(run)?.strip_prefix(TICKET).map(unquoted);
        let (_, line) = rest.split_once("--name \"$0\" -- ")?;
        let ticket = match ticket {
            Some(ticket) => Some(ticket?),
            None => None,
        };
        Some(Self { run: run.parse().ok()?, line: unquoted(line)?, ticket })
    }

    /// Whether the line has the sandbox that is asked for now, as [`before`] wrote it.
    fn carries(&self, asked: &Ticket, surroundings: &Surroundings) -> bool {
        let key = Keyring::at(&surroundings.keys).seal_key();
        let opened = |text: &String| Ticket::open(text, &key, self.run, self.line.as_bytes());
        self.ticket.as_ref().is_some_and(|text| opened(text).is_ok_and(|ticket| ticket == *asked))
    }
}

/// Where a line that changes its folder leaves the new one.
fn folder_file(surroundings: &Surroundings, run: RunId) -> PathBuf {
    surroundings.cache.join("hook").join(run.to_string())
}

/// The project that a folder is in, or the folder itself.
pub(super) fn project(folder: &Path, surroundings: &Surroundings) -> PathBuf {
    find_project(folder, surroundings).unwrap_or(folder).to_path_buf()
}

/// The nearest folder above that looks like a project, and never a home or the whole machine. A sign that another user could
/// have left does not count: it would widen what a command can write.
pub(super) fn find_project<'f>(folder: &'f Path, surroundings: &Surroundings) -> Option<&'f Path> {
    const SIGNS: [&str; 4] = [".git", ".actum", "actum.toml", ".hg"];
    let home = surroundings.home.as_deref();
    let real_home = home.and_then(|home| home.canonicalize().ok());
    let is_too_wide = |above: &&Path| {
        above.parent().is_none() || Some(*above) == home || Some(*above) == real_home.as_deref()
    };
    let mut above = folder.ancestors().take_while(|above| !is_too_wide(above));
    above.find(|above| SIGNS.iter().any(|sign| actum_gate::own::is_safe_entry(above, sign.as_ref())))
}

/// The word at the beginning, which [`single_quoted`] wrote.
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
            let carried = goes.then_some("{\"seal\":\"it's\"}");
            let text = written("'/a b/actum'", Agent::Claude, (run, &line, carried), goes.then_some(file.as_path()));
            prop_assert_eq!(Routed::read(&text), Some(Routed { run, line, ticket: carried.map(str::to_owned) }));
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
