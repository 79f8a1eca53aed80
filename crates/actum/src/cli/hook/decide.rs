//! Decides how an agent's command is started: in the sandbox, plainly, or not at all.
//!
//! Where `[hook] walls` asks for a sandbox, a command that cannot run in it is refused: every error and every line that a
//! routed shell would change is an obstacle, and an obstacle never leads to the plain shell. Where no sandbox is asked for,
//! an agent is never broken by us. Only a [`Plain`] or a [`Sandboxed`] can start a command, and only [`decide`] makes them, so
//! a new error path cannot reach the plain shell by accident.

use crate::config::SandboxRequest;
use actum_model::Profile;

/// How a command is started.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Sandboxed(Sandboxed),
    Plain(Plain),
    Refused(Refused),
}

/// Leave to start a command in the sandbox.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sandboxed(Profile);

/// Leave to start a command as the agent's own shell would.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plain(());

/// Why a command is not started.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused(String);

impl Sandboxed {
    pub(super) fn profile(&self) -> Profile {
        self.0
    }
}

impl Refused {
    /// For the agent and its user.
    pub(super) fn message(&self) -> String {
        format!(
            "actum: the command was not run: {}\nhint: `walls` in [hook] requires a sandbox, so commands cannot run outside it",
            self.0
        )
    }
}

/// `obstacle` is the reason why the command cannot run in the sandbox, where there is one.
pub(super) fn decide(asked: &SandboxRequest, obstacle: Option<String>) -> Decision {
    match (asked, obstacle) {
        (SandboxRequest::No, _) => Decision::Plain(Plain(())),
        (SandboxRequest::Unknown(reason), _) => Decision::Refused(Refused(reason.clone())),
        (SandboxRequest::Yes(_), Some(reason)) => Decision::Refused(Refused(reason)),
        (SandboxRequest::Yes(profile), None) => Decision::Sandboxed(Sandboxed(*profile)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_that_was_asked_for_is_never_left_out() {
        let unknown = SandboxRequest::Unknown("u".to_owned());
        let yes = SandboxRequest::Yes(Profile::Default);
        for (asked, obstacle, expected) in [
            (&SandboxRequest::No, None, Decision::Plain(Plain(()))),
            (&SandboxRequest::No, Some("o"), Decision::Plain(Plain(()))),
            (&unknown, None, Decision::Refused(Refused("u".to_owned()))),
            (&unknown, Some("o"), Decision::Refused(Refused("u".to_owned()))),
            (&yes, Some("o"), Decision::Refused(Refused("o".to_owned()))),
            (&yes, None, Decision::Sandboxed(Sandboxed(Profile::Default))),
        ] {
            assert_eq!(decide(asked, obstacle.map(str::to_owned)), expected, "{asked:?} {obstacle:?}");
        }
    }
}
