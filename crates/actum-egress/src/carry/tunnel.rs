//! A tunnel: judges the first bytes that the client sends, then lets both directions run.
//!
//! The host's side runs from the beginning, since in some protocols (SSH, SMTP) the server speaks first. The client's
//! side is held back until it is known whether it opens TLS, and to whom. One decision is noted for the whole tunnel.

use super::{
    inlet::{Bounds, Inlet, Unread},
    relay::{Activity, cut, pour, read_some, set_idle_time, write_all},
    way_out::Way,
};
use crate::{
    asked::Asked,
    clock::Deadline,
    desk::Desk,
    judge::{self, Opening, TLS_PORT},
    read::{Reading, hello},
};
use actum_model::{Refusal, Verdict, Via};
use std::{io::Write, net::TcpStream, thread};

/// A fatal TLS alert, access denied: a client prints that instead of wondering about a closed connection.
const ACCESS_DENIED: [u8; 7] = [0x15, 3, 3, 0, 2, 2, 49];

pub(super) fn run(desk: &Desk, via: Via, asked: &Asked, way: &Way, mut inlet: Inlet<'_>) {
    let (mut client, host) = (inlet.stream, &*way.stream);
    let activity = Activity::default();
    let patient = set_idle_time(client, desk.caps.idle_time).and(set_idle_time(host, desk.caps.idle_time));
    let note = |verdict| desk.decide(via, asked, verdict, Some(way.address));
    thread::scope(|scope| {
        let back = thread::Builder::new().name("egress-back".to_owned());
        let started = back.spawn_scoped(scope, || pour(host, client, &activity));
        if patient.is_err() || started.is_err() {
            note(Verdict::Failed);
            return cut(client, host);
        }
        match first_words(desk, asked, &mut inlet, &activity) {
            Ok(()) => note(Verdict::Allowed),
            Err(refusal) => {
                note(Verdict::Refused(refusal));
                let _ = client.write_all(&ACCESS_DENIED);
                return cut(client, host);
            }
        }
        let held = inlet.take_held(usize::MAX);
        match set_idle_time(client, desk.caps.idle_time).and(write_all(host, &held, &activity)) {
            Ok(()) => pour(client, host, &activity),
            Err(_) => cut(client, host),
        }
    });
}

/// Holds the client back until its opening is known and allowed. One that leaves without a word did nothing wrong.
fn first_words(
    desk: &Desk,
    asked: &Asked,
    inlet: &mut Inlet<'_>,
    activity: &Activity,
) -> Result<(), Refusal> {
    if asked.port != TLS_PORT && inlet.held().is_empty() && !wait_for_a_word(inlet.stream, inlet, activity) {
        return Ok(());
    }
    let bounds = Bounds { bytes: hello::CAP, deadline: Deadline::after(desk.caps.hello_time) };
    match inlet.look(bounds, opening) {
        Ok((first, _)) => judge::opening(asked, &first),
        Err(Unread::Gone) if inlet.held().is_empty() => Ok(()),
        Err(Unread::Gone | Unread::Broken) => Err(Refusal::Malformed),
    }
}

/// Waits as long as the other direction is alive. Whether anything came.
fn wait_for_a_word(client: &TcpStream, inlet: &mut Inlet<'_>, activity: &Activity) -> bool {
    let mut buffer = [0; 4096];
    match read_some(client, &mut buffer, activity) {
        Ok(count) => {
            inlet.push(&buffer[..count]);
            count > 0
        }
        Err(_) => false,
    }
}

fn opening(bytes: &[u8]) -> Reading<Opening> {
    match bytes.first() {
        None => Reading::Short,
        Some(&hello::HANDSHAKE) => match hello::client_hello(bytes) {
            Reading::Whole { value, used } => Reading::Whole { value: Opening::Tls(value), used },
            Reading::Short => Reading::Short,
            Reading::Broken => Reading::Broken,
        },
        Some(_) => Reading::Whole { value: Opening::Plain, used: 0 },
    }
}
