//! What `pre-tool-use` decided about a command, carried in the routed line to `hook shell`.
//!
//! The two run in different folders: an agent can have its tool start anywhere, and the second one would find other files.
//! So the first decision travels along, authenticated with the seal key, which no sandbox shows.

use super::workspace::Workspace;
use actum_model::{Profile, RunId, SealKey, SealKind};
use serde::{Deserialize, Serialize};

/// The sandbox that a command was promised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) profile: Profile,
    /// The workspace of the agent's session, or the project of the folder that it is in.
    pub(super) workspace: Workspace,
}

#[derive(Debug, Serialize, Deserialize)]
struct Written {
    profile: String,
    workspace: Workspace,
    /// The digest of the command, so that a ticket is good for that one only.
    line: String,
}

impl Ticket {
    /// As one word of the routed line.
    pub(super) fn seal(&self, key: &SealKey, run: RunId, line: &[u8]) -> Result<String, String> {
        let written = Written {
            profile: self.profile.name().to_owned(),
            workspace: self.workspace.clone(),
            line: digest(line),
        };
        let body = serde_json::to_vec(&written).map_err(|error| error.to_string())?;
        let sealed =
            key.seal(SealKind::HookDecision, &run.to_string(), &body).map_err(|error| error.to_string())?;
        String::from_utf8(sealed).map_err(|error| error.to_string())
    }

    /// The ticket, if this user's Actum wrote it for this run and this command.
    pub(super) fn open(text: &str, key: &SealKey, run: RunId, line: &[u8]) -> Result<Self, String> {
        let failed = |why: String| format!("the decision in the routed line cannot be used: {why}");
        let body = key
            .open(SealKind::HookDecision, &run.to_string(), text.as_bytes())
            .map_err(|error| failed(error.to_string()))?;
        let written: Written = serde_json::from_slice(body).map_err(|error| failed(error.to_string()))?;
        if written.line != digest(line) {
            return Err(failed("it is about another command".to_owned()));
        }
        let profile = written.profile.parse().map_err(|_| failed("its policy is unknown".to_owned()))?;
        Ok(Self { profile, workspace: written.workspace })
    }
}

fn digest(line: &[u8]) -> String {
    actum_model::Digest::of(line).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_for_one_run_and_one_command() {
        let (key, run) = (SealKey::new([7; 32]), RunId::new(1, [7; 10]));
        let ticket = Ticket { profile: Profile::Locked, workspace: Workspace::for_tests("/w") };
        let text = ticket.seal(&key, run, b"ls").unwrap();
        assert_eq!(Ticket::open(&text, &key, run, b"ls"), Ok(ticket.clone()));
        assert!(Ticket::open(&text, &key, run, b"rm").is_err());
        assert!(Ticket::open(&text, &key, RunId::new(2, [7; 10]), b"ls").is_err());
        assert!(Ticket::open(&text, &SealKey::new([8; 32]), run, b"ls").is_err());
        assert!(Ticket::open(&text.replace("/w", "/x"), &key, run, b"ls").is_err());
        assert!(Ticket::open("{}", &key, run, b"ls").is_err());
        assert!(Ticket::open(&text.replace("\"inode\":2", "\"inode\":3"), &key, run, b"ls").is_err());
        let covers = |folder: &str| ticket.workspace.covers(folder.as_ref());
        assert!(covers("/w/a") && !covers("/wa"));
    }
}
