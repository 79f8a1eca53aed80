//! From what was asked to an open connection: judge, look up once, judge the addresses, dial exactly those.

use crate::{
    asked::{Asked, Host},
    clock::Deadline,
    crew::Seat,
    desk::Desk,
    judge,
};
use actum_model::{Refusal, Verdict, Via};
use std::{
    io,
    net::{IpAddr, SocketAddr, TcpStream},
    sync::Arc,
};

/// A connection to a host that was asked for.
pub(super) struct Way {
    pub(super) stream: Arc<TcpStream>,
    pub(super) address: IpAddr,
}

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoWay {
    Refused(Refusal),
    Failed(io::ErrorKind),
}

/// Opens the way, or notes why not. What is noted when it opens is the caller's to say: the stream is yet to be judged.
pub(super) fn open(desk: &Desk, seat: &Seat, via: Via, asked: &Asked) -> Result<Way, NoWay> {
    let opened = addresses(desk, asked).and_then(|addresses| dial(desk, seat, asked.port, &addresses));
    match &opened {
        Ok(_) => {}
        Err(NoWay::Refused(refusal)) => desk.decide(via, asked, Verdict::Refused(*refusal), None),
        Err(NoWay::Failed(_)) => desk.decide(via, asked, Verdict::Failed, None),
    }
    opened
}

/// Opens the way to a server that the user named, wherever its name leads, or notes why not.
pub(super) fn open_named(desk: &Desk, seat: &Seat, via: Via, asked: &Asked) -> Result<Way, NoWay> {
    let addresses = match &asked.host {
        Host::Address(address) => Ok(vec![*address]),
        Host::Name(name) => desk.outside.resolve.resolve(name).map_err(|error| NoWay::Failed(error.kind())),
    };
    let opened = addresses.and_then(|addresses| dial(desk, seat, asked.port, &addresses));
    if opened.is_err() {
        desk.decide(via, asked, Verdict::Failed, None);
    }
    opened
}

/// The addresses of a granted name, all of them fit to be dialled on that port (on any, where none is known).
pub(super) fn look_up(desk: &Desk, name: &str, port: Option<u16>) -> Result<Vec<IpAddr>, NoWay> {
    let resolved = desk.outside.resolve.resolve(name).map_err(|error| NoWay::Failed(error.kind()))?;
    judge::addresses(&desk.rules, port, &resolved).map_err(NoWay::Refused)
}

fn addresses(desk: &Desk, asked: &Asked) -> Result<Vec<IpAddr>, NoWay> {
    judge::target(&desk.rules, asked).map_err(NoWay::Refused)?;
    match &asked.host {
        Host::Address(address) => Ok(vec![*address]),
        Host::Name(name) => look_up(desk, name, Some(asked.port)),
    }
}

/// One address after the other, each with its share of the time that is left.
fn dial(desk: &Desk, seat: &Seat, port: u16, addresses: &[IpAddr]) -> Result<Way, NoWay> {
    let deadline = Deadline::after(desk.caps.connect_time);
    let mut failure = io::ErrorKind::HostUnreachable;
    for (number, address) in addresses.iter().enumerate() {
        let Some(left) = deadline.left() else { return Err(NoWay::Failed(io::ErrorKind::TimedOut)) };
        let others = u32::try_from(addresses.len() - number).unwrap_or(u32::MAX);
        match desk.outside.dial.dial(SocketAddr::new(*address, port), left / others) {
            Ok(stream) => {
                let stream = seat.hold(stream).map_err(|_| NoWay::Failed(io::ErrorKind::Interrupted))?;
                let _ = stream.set_nodelay(true);
                return Ok(Way { stream, address: *address });
            }
            Err(error) => failure = error.kind(),
        }
    }
    Err(NoWay::Failed(failure))
}
