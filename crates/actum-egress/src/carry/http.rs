//! HTTP at the proxy's gate: a tunnel (`CONNECT`), or one plain request that is rewritten and carried on.

use super::{
    body,
    inlet::{Bounds, Inlet, Unread},
    relay::{Activity, cut, farewell, pour, set_idle_time, write_all},
    tunnel,
    way_out::{self, NoWay, Way},
};
use crate::{
    asked::Asked,
    crew::Seat,
    desk::Desk,
    read::head::{self, Forward, Request},
    words,
};
use actum_model::{Refusal, Verdict, Via};
use std::{io::Write, net::TcpStream, thread};

const HTTP_PORT: u16 = 80;
const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

pub(super) fn serve(desk: &Desk, seat: &Seat, mut inlet: Inlet<'_>, bounds: Bounds) {
    match inlet.read(bounds, head::request) {
        Ok(Request::Connect { authority }) => connect(desk, seat, inlet, &authority),
        Ok(Request::Forward(request)) => forward(desk, seat, inlet, &request),
        Err(Unread::Gone) => {}
        Err(Unread::Broken) => {
            desk.refuse_unnamed(Via::Http, Refusal::Malformed);
            refuse(inlet.stream, Refusal::Malformed, words::unread(Refusal::Malformed));
        }
    }
}

fn connect(desk: &Desk, seat: &Seat, inlet: Inlet<'_>, authority: &str) {
    let mut client = inlet.stream;
    let Some(asked) = understand(desk, Via::Connect, client, authority, None) else { return };
    let Some(way) = open(desk, seat, Via::Connect, client, &asked) else { return };
    if client.write_all(ESTABLISHED).is_ok() {
        tunnel::run(desk, Via::Connect, &asked, &way, inlet);
    } else {
        desk.decide(Via::Connect, &asked, Verdict::Allowed, Some(way.address));
    }
}

fn forward(desk: &Desk, seat: &Seat, inlet: Inlet<'_>, request: &Forward) {
    let client = inlet.stream;
    let Some(asked) = understand(desk, Via::Http, client, &request.authority, Some(HTTP_PORT)) else {
        return;
    };
    if names_another(&asked, request) {
        desk.decide(Via::Http, &asked, Verdict::Refused(Refusal::ServerName), None);
        return refuse(client, Refusal::ServerName, &words::refused(&asked, Refusal::ServerName));
    }
    let Some(way) = open(desk, seat, Via::Http, client, &asked) else { return };
    desk.decide(Via::Http, &asked, Verdict::Allowed, Some(way.address));
    exchange(desk, &asked, &way, inlet, request);
}

/// Reads the host and port by the grammar; whoever is not understood is told so here.
fn understand(
    desk: &Desk,
    via: Via,
    client: &TcpStream,
    authority: &str,
    usual_port: Option<u16>,
) -> Option<Asked> {
    let refusal = match Asked::from_authority(authority, usual_port) {
        Ok(asked) => return Some(asked),
        Err(refusal) => refusal,
    };
    desk.refuse_host(via, authority.as_bytes(), refusal);
    refuse(client, refusal, words::unread(refusal));
    None
}

/// Judges and dials; whoever is refused is told so here.
fn open(desk: &Desk, seat: &Seat, via: Via, client: &TcpStream, asked: &Asked) -> Option<Way> {
    match way_out::open(desk, seat, via, asked) {
        Ok(way) => return Some(way),
        Err(NoWay::Refused(refusal)) => refuse(client, refusal, &words::refused(asked, refusal)),
        Err(NoWay::Failed(_)) => farewell(client, &words::http_failure(asked)),
    }
    None
}

/// One request out, one response back, and no second request: the client is not read beyond the declared body.
fn exchange(desk: &Desk, asked: &Asked, way: &Way, mut inlet: Inlet<'_>, request: &Forward) {
    let (client, host) = (inlet.stream, &*way.stream);
    let activity = Activity::default();
    let patient = set_idle_time(client, desk.caps.idle_time).and(set_idle_time(host, desk.caps.idle_time));
    thread::scope(|scope| {
        let back = thread::Builder::new().name("egress-back".to_owned());
        let started = back.spawn_scoped(scope, || pour(host, client, &activity));
        if patient.is_err()
            || started.is_err()
            || write_all(host, &request.origin_form(asked), &activity).is_err()
        {
            return cut(client, host);
        }
        match body::forward(&mut inlet, host, request.framing, &activity) {
            Ok(()) => {}
            // The host may have answered before it had everything; its answer is still on the way back.
            Err(body::Stopped::Host) => {}
            Err(body::Stopped::Client) => cut(client, host),
            Err(body::Stopped::Malformed) => {
                desk.decide(Via::Http, asked, Verdict::Refused(Refusal::Malformed), None);
                cut(client, host);
            }
        }
    });
    farewell(client, b"");
}

/// The `Host` header has to say the same as the address of the request. Where there is none we write one.
fn names_another(asked: &Asked, request: &Forward) -> bool {
    let header = request.host.as_deref().map(|host| Asked::from_authority(host, Some(HTTP_PORT)));
    header.is_some_and(|host| host.as_ref() != Ok(asked))
}

fn refuse(client: &TcpStream, refusal: Refusal, line: &str) {
    farewell(client, &words::http_refusal(refusal, line));
}
