//! Whether a call fits the session that it names. Judgement only.

use super::driver::Language;
use actum_model::{Limit, Tier};
use actum_sandbox::{Request, Variable};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::os::unix::ffi::OsStrExt;

/// One thing that the session has otherwise than the call asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub what: String,
    pub session: String,
    pub call: String,
}

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) language: Language,
    pub(super) request: &'a Request,
    pub(super) ceiling: Tier,
}

/// Everything that a call asks for and the session cannot give any more. The wall time is each call's own.
pub(super) fn differences(session: Shape<'_>, call: Shape<'_>) -> Vec<Difference> {
    let (ours, theirs) = (session.request, call.request);
    let mut found = Vec::new();
    let mut look = |what: &str, session: String, call: String| {
        if session != call {
            found.push(Difference { what: what.to_owned(), session, call });
        }
    };
    look("language", session.language.to_string(), call.language.to_string());
    look("workspace", text(&ours.workspace), text(&theirs.workspace));
    look("folder", text(&ours.folder), text(&theirs.folder));
    look("policy", ours.policy.profile.to_string(), theirs.policy.profile.to_string());
    look("network", format!("{:?}", ours.policy.network), format!("{:?}", theirs.policy.network));
    look("files", format!("{:?}", ours.policy.workspace), format!("{:?}", theirs.policy.workspace));
    look("grants", format!("{:?}", ours.policy.grants), format!("{:?}", theirs.policy.grants));
    look("cards", format!("{:?}", ours.policy.cards), format!("{:?}", theirs.policy.cards));
    look("tier", session.ceiling.to_string(), call.ceiling.to_string());
    if session.language == call.language {
        look("interpreter", format!("{:?}", ours.command), format!("{:?}", theirs.command));
    }
    for limit in Limit::ALL.into_iter().filter(|limit| *limit != Limit::Wall) {
        look(limit.name(), ours.limits.get(limit).to_string(), theirs.limits.get(limit).to_string());
    }
    if ours.granted_variables != theirs.granted_variables {
        // Values may be secrets, and a difference is shown.
        look("variables", format!("{} and their values", names(ours)), names(theirs));
    }
    found
}

fn text(path: &std::path::Path) -> String {
    actum_model::path_text(path.as_os_str().as_bytes())
}

fn names(request: &Request) -> String {
    let name = |variable: &Variable| match variable {
        Variable::Inherited(name) | Variable::Set(name, _) => actum_model::path_text(name.as_bytes()),
    };
    let names: Vec<String> = request.granted_variables.iter().map(name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, session, call } = self;
        write!(f, "{what} is {session} in the session and {call} in this call")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::{Bytes, Limits, Network, Profile, Span};

    fn request() -> Request {
        let some = Bytes::gib(1);
        Request {
            policy: Profile::Default.policy(),
            limits: Limits {
                wall: Span::seconds(1),
                cpu: Span::seconds(1),
                memory: some,
                processes: 9,
                descriptors: 9,
                file_size: some,
                disk: some,
                output: some,
            },
            grace: Span::seconds(2),
            terminal: None,
            workspace: "/w".into(),
            folder: "/w".into(),
            command: vec!["python3".into()],
            variables: Vec::new(),
            granted_variables: Vec::new(),
            gate_variables: Vec::new(),
            forwards: Vec::new(),
            shown_at: None,
            listeners: Vec::new(),
            hidden: Vec::new(),
            stores: Default::default(),
            written: None,
            searched: Vec::new(),
            layers: "/l".into(),
            home: None,
            layer: None,
        }
    }

    fn found(change: impl Fn(&mut Request)) -> Vec<String> {
        let (ours, mut theirs) = (request(), request());
        change(&mut theirs);
        let shape = |request| Shape { language: Language::Python, request, ceiling: Tier::N };
        differences(shape(&ours), shape(&theirs)).into_iter().map(|one| one.what).collect()
    }

    #[test]
    fn only_what_a_session_cannot_give_is_a_difference() {
        assert_eq!(found(|_| {}), [""; 0]);
        assert_eq!(found(|call| call.limits.wall = Span::seconds(7)), [""; 0]);
        assert_eq!(found(|call| call.variables.push(("A".into(), "b".into()))), [""; 0]);
        assert_eq!(found(|call| call.workspace = "/x".into()), ["workspace"]);
        assert_eq!(found(|call| call.limits.memory = Bytes::gib(2)), ["memory"]);
        assert_eq!(found(|call| call.policy.network = Network::Host), ["network"]);
        assert_eq!(found(|call| call.command = vec!["python3.9".into()]), ["interpreter"]);
    }

    #[test]
    fn values_of_variables_are_not_shown() {
        let (ours, mut theirs) = (request(), request());
        theirs.granted_variables = vec![Variable::Set("TOKEN".into(), "secret".into())];
        let shape = |request| Shape { language: Language::Python, request, ceiling: Tier::N };
        let shown = differences(shape(&ours), shape(&theirs))[0].to_string();
        assert!(shown.contains("TOKEN") && !shown.contains("secret"), "{shown}");
    }
}
