//! Who will print what a run prints: its command and the files around it, for `actum-commands`.

use crate::request::Request;
use crate::source::Source;
use actum_commands::{Start, Workspace, of_line, of_words};
use actum_output::Origin;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Of a run, before it starts. Nothing where it is code, whose text decides.
pub(crate) fn of_request(request: &Request) -> Option<Origin> {
    of_source(request, &files(request))
}

/// Of a line of an agent, which runs with all variables that the agent has.
pub(crate) fn of_unconfined(request: &Request) -> Option<Origin> {
    let files = Workspace::of_caller(&start(request), &request.attempt.variables, request.variable("PWD"));
    of_source(request, &files)
}

/// The files around a run, with the variables that it is given.
pub(crate) fn files(request: &Request) -> Workspace {
    Workspace::given(&start(request), &actum_sandbox::handed_over(&request.attempt))
}

fn start(request: &Request) -> Start<'_> {
    Start {
        folder: &request.attempt.folder,
        workspace: &request.attempt.workspace,
        home: request.attempt.home.as_deref(),
        path: request.variable("PATH").unwrap_or(OsStr::new("")),
    }
}

fn of_source(request: &Request, files: &Workspace) -> Option<Origin> {
    let text = |word: &OsString| String::from_utf8_lossy(word.as_bytes()).into_owned();
    match &request.source {
        Source::Command(words) => {
            let words: Vec<String> = words.iter().chain(&request.arguments).map(text).collect();
            Some(of_words(&words, files))
        }
        Source::Shell(line) => Some(of_line(&text(line), files)),
        Source::File(_) | Source::Inline(_) | Source::Stdin(_) => None,
    }
}
