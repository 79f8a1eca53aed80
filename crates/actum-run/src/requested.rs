//! What a run was asked for, as its record keeps it: enough to start it again, without secrets.

use crate::request::{AfterFailure, Request};
use crate::source::Source;
use actum_model::{Grant, Network, Requested, path_text};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// What the request says, with everything taken out that must not be kept.
pub(crate) fn of(request: &Request) -> Requested {
    let mut words = Words { request, is_lossy: false };
    let policy = &request.attempt.policy;
    let command: Vec<String> = match &request.source {
        Source::Command(command) => command.iter().map(|word| words.text(word)).collect(),
        Source::Shell(line) => vec![words.text(line)],
        Source::File(_) | Source::Inline(_) | Source::Stdin(_) => Vec::new(),
    };
    request.arguments.iter().for_each(|argument| drop(words.text(argument)));
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for grant in &policy.grants {
        match grant {
            Grant::Read(path) => reads.push(words.text(path.as_os_str())),
            Grant::Write(path) => writes.push(words.text(path.as_os_str())),
        }
    }
    let database = request.database.as_ref().map(|path| words.text(path.as_os_str()));
    Requested {
        words: command,
        language: request.language.clone(),
        network: network(&policy.network),
        reads,
        writes,
        cards: policy.cards.clone(),
        packages: request.packages.named.clone(),
        python: request.packages.python.map(|(major, minor)| format!("{major}.{minor}")),
        exclude_newer: request.packages.newest.clone(),
        database,
        keep_going: request.after_failure == AfterFailure::GoOn,
        is_lossy: words.is_lossy,
    }
}

struct Words<'a> {
    request: &'a Request,
    is_lossy: bool,
}

impl Words<'_> {
    fn text(&mut self, word: &OsStr) -> String {
        let text = path_text(word.as_bytes());
        let kept = self.request.redaction.text(&text);
        self.is_lossy |= word.to_str() != Some(&kept);
        kept
    }
}

fn network(network: &Network) -> Vec<String> {
    match network {
        Network::None => vec!["none".to_owned()],
        Network::Loopback => vec!["loopback".to_owned()],
        Network::Hosts(hosts) => hosts.iter().map(ToString::to_string).collect(),
        Network::Host => vec!["full".to_owned()],
    }
}
