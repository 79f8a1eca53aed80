//! A way to one server, for clients that know nothing of proxies: a database's.
//!
//! The listener stands on the sandbox's own loopback where the client looks for its server. Who is at the other end was named
//! by the user with its port, and not by the program; so it may well be this machine, which a name that the program chose
//! may never turn out to be. The bytes are not looked at.

use super::relay::{Activity, cut, pour, set_idle_time};
use super::way_out;
use crate::{asked::Asked, crew::Seat, desk::Desk};
use actum_model::{Refusal, Verdict, Via};
use std::{net::TcpStream, thread};

/// Serves a client to its end.
pub(crate) fn serve(desk: &Desk, seat: &Seat, client: TcpStream, server: &Asked) {
    let Ok(client) = seat.hold(client) else { return };
    let _ = client.set_nodelay(true);
    let Ok(way) = way_out::open_named(desk, seat, Via::Forward, server) else { return };
    desk.decide(Via::Forward, server, Verdict::Allowed, Some(way.address));
    let (client, host) = (&*client, &*way.stream);
    let activity = Activity::default();
    let patient = set_idle_time(client, desk.caps.idle_time).and(set_idle_time(host, desk.caps.idle_time));
    thread::scope(|scope| {
        let back = thread::Builder::new().name("egress-back".to_owned());
        let started = back.spawn_scoped(scope, || pour(host, client, &activity));
        if patient.is_err() || started.is_err() {
            return cut(client, host);
        }
        pour(client, host, &activity);
    });
}

/// Turns a client away for whom there is no seat.
pub(crate) fn turn_away(desk: &Desk, _client: TcpStream) {
    desk.refuse_unnamed(Via::Forward, Refusal::TooMany);
}
