//! The gates: one thread each, which lets clients in and gives every one of them a thread and a seat of its own.
//!
//! Stopping wakes a gate through its own socket: a listener is shut down, a UDP socket is sent an empty packet by
//! itself. Connecting to it from here would not do, since it listens in another network namespace.

use crate::{
    asked::Asked,
    carry::{
        answerer::{self, Step},
        forward, proxy,
    },
    crew::{NoSeat, Seat},
    desk::Desk,
    read::dns::LONGEST,
};
use actum_model::{Refusal, Via};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket},
    os::fd::OwnedFd,
    sync::Arc,
    thread,
    time::Duration,
};

/// How long a UDP gate sleeps at most. Its wake-up is a packet, and a packet to a loopback that is down gets lost.
pub(crate) const NAP: Duration = Duration::from_secs(5);

/// After an accept that failed: long enough not to spin when descriptors run out, short enough not to be noticed.
const BREATH: Duration = Duration::from_millis(50);

type Serve = dyn Fn(&Desk, &Seat, TcpStream) + Send + Sync;

/// What happens to the clients of a listener.
struct Service {
    serve: Arc<Serve>,
    /// What happens to those for whom there is no seat.
    turn_away: fn(&Desk, TcpStream),
    /// What to call them before they have spoken.
    via: Via,
}

/// Lets proxy clients in until it is stopped.
pub(crate) fn proxy(desk: &Arc<Desk>, listener: &TcpListener) {
    let service = Service { serve: Arc::new(proxy::serve), turn_away: proxy::turn_away, via: Via::Http };
    accept(desk, listener, &service);
}

/// Lets DNS clients in over TCP until it is stopped.
pub(crate) fn dns_tcp(desk: &Arc<Desk>, listener: &TcpListener) {
    let service = Service { serve: Arc::new(answerer::serve), turn_away: answerer::turn_away, via: Via::Dns };
    accept(desk, listener, &service);
}

/// Lets clients of one named server in until it is stopped.
pub(crate) fn forward(desk: &Arc<Desk>, listener: &TcpListener, server: Asked) {
    let serve = move |desk: &Desk, seat: &Seat, client| forward::serve(desk, seat, client, &server);
    let service = Service { serve: Arc::new(serve), turn_away: forward::turn_away, via: Via::Forward };
    accept(desk, listener, &service);
}

/// Answers DNS packets until it is stopped. Only a lookup gets a thread: the rest is answered at once.
pub(crate) fn dns_udp(desk: &Arc<Desk>, socket: &Arc<UdpSocket>) {
    // One byte more than the longest, so that a longer one is seen to be too long.
    let mut buffer = [0; LONGEST + 1];
    while !desk.crew.is_stopped() {
        let (length, from) = match socket.recv_from(&mut buffer) {
            Ok(received) => received,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(_) => {
                desk.crew.pause(BREATH);
                continue;
            }
        };
        match answerer::first_step(desk, &buffer[..length]) {
            Step::Answer(answer) => send(socket, &answer, from),
            Step::LookUp(query, name) => {
                let (own_desk, own_socket) = (Arc::clone(desk), Arc::clone(socket));
                let (own_query, own_name) = (query.clone(), name.clone());
                let look_up = move |_seat: Seat| {
                    send(&own_socket, &answerer::second_step(&own_desk, &own_query, own_name), from);
                };
                if give_thread(desk, look_up) == Err(NoSeat::Full) {
                    send(socket, &answerer::too_many(desk, &query, name), from);
                }
            }
            Step::Silence => {}
        }
    }
}

/// Wakes the thread that waits in accept. On Linux a listener can be shut down like a connection; the standard library
/// only offers that on the latter, and a descriptor is a descriptor.
pub(crate) fn wake_listener(listener: &TcpListener) {
    if let Ok(twin) = listener.try_clone() {
        let _ = TcpStream::from(OwnedFd::from(twin)).shutdown(Shutdown::Both);
    }
}

/// Wakes the thread that waits for packets.
pub(crate) fn wake_socket(socket: &UdpSocket) {
    if let Ok(own) = socket.local_addr() {
        let address = match own.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
        };
        send(socket, &[], SocketAddr::new(address, own.port()));
    }
}

fn accept(desk: &Arc<Desk>, listener: &TcpListener, service: &Service) {
    while !desk.crew.is_stopped() {
        match listener.accept() {
            Ok((client, _)) => admit(desk, client, service),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => desk.crew.pause(BREATH),
        }
    }
}

/// Gives a client a seat and a thread, or turns it away.
fn admit(desk: &Arc<Desk>, client: TcpStream, service: &Service) {
    let seat = match desk.crew.sit() {
        Ok(seat) => seat,
        Err(NoSeat::Full) => return (service.turn_away)(desk, client),
        Err(NoSeat::Stopped) => return,
    };
    let (own_desk, serve) = (Arc::clone(desk), Arc::clone(&service.serve));
    let builder = thread::Builder::new().name("egress-client".to_owned());
    // A thread that cannot be started drops the client with its closure: the machine is out of them.
    if builder.spawn(move || serve(&own_desk, &seat, client)).is_err() {
        desk.refuse_unnamed(service.via, Refusal::TooMany);
        desk.crew.pause(BREATH);
    }
}

fn give_thread(desk: &Arc<Desk>, work: impl FnOnce(Seat) + Send + 'static) -> Result<(), NoSeat> {
    let seat = desk.crew.sit()?;
    let builder = thread::Builder::new().name("egress-lookup".to_owned());
    builder.spawn(move || work(seat)).map(drop).map_err(|_| NoSeat::Full)
}

fn send(socket: &UdpSocket, packet: &[u8], to: SocketAddr) {
    // A lost answer is DNS over UDP as usual: the client asks again.
    let _ = socket.send_to(packet, to);
}
