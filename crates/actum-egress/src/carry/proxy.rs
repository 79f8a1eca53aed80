//! One connection at the proxy's gate: HTTP and SOCKS5 share a port and are told apart by their first byte.

use super::{
    http,
    inlet::{Bounds, Inlet},
    relay::farewell,
    socks,
};
use crate::{
    clock::Deadline,
    crew::Seat,
    desk::Desk,
    read::{Reading, socks::VERSION},
    words,
};
use actum_model::{Refusal, Via};
use std::{
    io::{Read, Write},
    net::TcpStream,
};

enum Language {
    Http,
    Socks,
}

/// Serves a client to its end.
pub(crate) fn serve(desk: &Desk, seat: &Seat, client: TcpStream) {
    let Ok(client) = seat.hold(client) else { return };
    let _ = client.set_nodelay(true);
    let mut inlet = Inlet::new(&client);
    let bounds = Bounds { bytes: desk.caps.head_bytes, deadline: Deadline::after(desk.caps.head_time) };
    match inlet.look(bounds, language) {
        Ok((Language::Http, _)) => http::serve(desk, seat, inlet, bounds),
        Ok((Language::Socks, _)) => socks::serve(desk, seat, inlet, bounds),
        // Silence: not a request, so nothing to decide. It is closed all the same.
        Err(_) => farewell(&client, b""),
    }
}

/// Turns a client away for whom there is no seat. It gets a word only if that costs no waiting.
pub(crate) fn turn_away(desk: &Desk, mut client: TcpStream) {
    // Reading what is there already keeps the close from becoming a reset that overtakes the answer.
    let mut first = [0; 4096];
    let seen = client.set_nonblocking(true).and_then(|()| client.read(&mut first));
    let via = if seen.is_ok() && first.first() == Some(&VERSION) { Via::Socks } else { Via::Http };
    desk.refuse_unnamed(via, Refusal::TooMany);
    if via == Via::Http {
        let _ = client.write(&words::http_refusal(Refusal::TooMany, words::unread(Refusal::TooMany)));
    }
}

fn language(bytes: &[u8]) -> Reading<Language> {
    match bytes.first() {
        None => Reading::Short,
        Some(&VERSION) => Reading::Whole { value: Language::Socks, used: 0 },
        Some(_) => Reading::Whole { value: Language::Http, used: 0 },
    }
}
