//! SOCKS5 at the proxy's gate: a greeting, one request, then a tunnel like any other.

use super::{
    inlet::{Bounds, Inlet, Unread},
    relay::farewell,
    tunnel,
    way_out::{self, NoWay},
};
use crate::{
    asked::Asked,
    crew::Seat,
    desk::Desk,
    read::socks::{Command, Greeting, Reply, Request, VERSION, greeting, reply, request},
};
use actum_model::{Refusal, Verdict, Via};
use std::io::{self, Write};

const NO_AUTHENTICATION: [u8; 2] = [VERSION, 0];
const NO_METHOD: [u8; 2] = [VERSION, 0xff];

pub(super) fn serve(desk: &Desk, seat: &Seat, mut inlet: Inlet<'_>, bounds: Bounds) {
    let mut client = inlet.stream;
    let read = inlet.read(bounds, greeting).and_then(|greeting| match greeting {
        Greeting::Open => {
            client.write_all(&NO_AUTHENTICATION).map_err(|_| Unread::Gone)?;
            inlet.read(bounds, request)
        }
        Greeting::Guarded => Err(Unread::Broken),
    });
    match read {
        Ok(request) => carry(desk, seat, inlet, &request),
        Err(Unread::Gone) => {}
        Err(Unread::Broken) => {
            desk.refuse_unnamed(Via::Socks, Refusal::Malformed);
            farewell(client, &NO_METHOD);
        }
    }
}

fn carry(desk: &Desk, seat: &Seat, inlet: Inlet<'_>, request: &Request) {
    let mut client = inlet.stream;
    let asked = match understand(request) {
        Ok(asked) => asked,
        Err((refusal, code)) => {
            desk.refuse_host(Via::Socks, &request.host, refusal);
            return farewell(client, &reply(code));
        }
    };
    match way_out::open(desk, seat, Via::Socks, &asked) {
        Ok(way) if client.write_all(&reply(Reply::Granted)).is_ok() => {
            tunnel::run(desk, Via::Socks, &asked, &way, inlet);
        }
        Ok(way) => desk.decide(Via::Socks, &asked, Verdict::Allowed, Some(way.address)),
        Err(reason) => farewell(client, &reply(code(reason))),
    }
}

fn understand(request: &Request) -> Result<Asked, (Refusal, Reply)> {
    match request.command {
        Command::Connect => Asked::from_host(&request.host, request.port).map_err(|r| (r, Reply::NotAllowed)),
        Command::Other => Err((Refusal::Malformed, Reply::CommandUnknown)),
    }
}

fn code(reason: NoWay) -> Reply {
    match reason {
        NoWay::Refused(_) => Reply::NotAllowed,
        NoWay::Failed(io::ErrorKind::ConnectionRefused) => Reply::ConnectionRefused,
        NoWay::Failed(_) => Reply::HostUnreachable,
    }
}
