//! The DNS answerer: knows the granted names and nothing else, and so carries no data out in questions.
//!
//! A name that is not granted does not exist (NXDOMAIN; REFUSED would make resolvers try again for seconds). A granted
//! one has addresses and no other records, the HTTPS record with its ECH keys included. The answer is for programs
//! that look up before they ask the proxy: who dials it directly has no route.

use super::{
    inlet::{Bounds, Inlet},
    relay::farewell,
    way_out::{NoWay, look_up},
};
use crate::{
    asked::shown,
    clock::Deadline,
    crew::Seat,
    decided::unnamed,
    desk::Desk,
    judge,
    read::{
        Reading,
        dns::{self, Code, Kind, LONGEST, Query, Unreadable},
    },
};
use actum_model::{Decision, HostRule, Refusal, Verdict, Via};
use std::{io::Write, net::TcpStream};

/// What is to be done about a packet.
pub(crate) enum Step {
    Answer(Vec<u8>),
    /// A granted name's addresses have to be looked up, which takes time.
    LookUp(Query, String),
    Silence,
}

/// Everything that can be said without looking anything up.
pub(crate) fn first_step(desk: &Desk, packet: &[u8]) -> Step {
    let query = match dns::query(packet) {
        Ok(query) => query,
        Err(Unreadable::Silence) => return Step::Silence,
        Err(Unreadable::FormatError(heading)) => {
            desk.refuse_unnamed(Via::Dns, Refusal::Malformed);
            return Step::Answer(dns::format_error(heading));
        }
    };
    let text = query.name.clone().unwrap_or_default();
    let name = std::str::from_utf8(&text).ok().and_then(HostRule::normal_name);
    match name.ok_or(Refusal::Grammar).and_then(|name| judge::lookup(&desk.rules, &name).map(|()| name)) {
        Ok(name) if query.kind == Kind::Other => {
            note(desk, name, Verdict::Allowed);
            Step::Answer(dns::answer(&query, Code::Fine, &[]))
        }
        Ok(name) => Step::LookUp(query, name),
        Err(refusal) => {
            note(desk, shown(&text), Verdict::Refused(refusal));
            Step::Answer(dns::answer(&query, Code::NoSuchName, &[]))
        }
    }
}

/// Looks a granted name up and answers.
pub(crate) fn second_step(desk: &Desk, query: &Query, name: String) -> Vec<u8> {
    let (verdict, code, addresses) = match look_up(desk, &name, None) {
        Ok(addresses) => (Verdict::Allowed, Code::Fine, addresses),
        Err(NoWay::Refused(refusal)) => (Verdict::Refused(refusal), Code::NoSuchName, Vec::new()),
        Err(NoWay::Failed(_)) => (Verdict::Failed, Code::ServerFailure, Vec::new()),
    };
    note(desk, name, verdict);
    dns::answer(query, code, &addresses)
}

/// The answer when nobody is free to look up.
pub(crate) fn too_many(desk: &Desk, query: &Query, name: String) -> Vec<u8> {
    note(desk, name, Verdict::Refused(Refusal::TooMany));
    dns::answer(query, Code::ServerFailure, &[])
}

/// Turns a TCP client away for whom there is no seat; it is closed by being dropped.
pub(crate) fn turn_away(desk: &Desk, _client: TcpStream) {
    desk.refuse_unnamed(Via::Dns, Refusal::TooMany);
}

/// Serves a client over TCP: queries behind two bytes of length, one after the other.
pub(crate) fn serve(desk: &Desk, seat: &Seat, client: TcpStream) {
    let Ok(client) = seat.hold(client) else { return };
    let mut inlet = Inlet::new(&client);
    let _ = client.set_write_timeout(Some(desk.caps.head_time));
    loop {
        let bounds = Bounds { bytes: LONGEST + 2, deadline: Deadline::after(desk.caps.head_time) };
        let Ok(packet) = inlet.read(bounds, framed) else { return farewell(&client, b"") };
        let answer = match first_step(desk, &packet) {
            Step::Answer(answer) => answer,
            Step::LookUp(query, name) => second_step(desk, &query, name),
            Step::Silence => return farewell(&client, b""),
        };
        let length = (answer.len() as u16).to_be_bytes();
        if (&*client).write_all(&[&length[..], &answer].concat()).is_err() {
            return;
        }
    }
}

fn framed(bytes: &[u8]) -> Reading<Vec<u8>> {
    let Some((length, rest)) = bytes.split_first_chunk::<2>() else { return Reading::Short };
    let length = usize::from(u16::from_be_bytes(*length));
    if length > LONGEST {
        return Reading::Broken;
    }
    rest.get(..length)
        .map_or(Reading::Short, |packet| Reading::Whole { value: packet.to_vec(), used: length + 2 })
}

fn note(desk: &Desk, host: String, verdict: Verdict) {
    desk.note(Decision { host: host.into(), verdict, ..unnamed(Via::Dns, Refusal::Unlisted) });
}
