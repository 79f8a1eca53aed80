//! The gates of the allow-list: listeners inside the sandbox's own network that are served from outside.

use rustix::fd::OwnedFd;
use std::io;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};

/// The proxy's port on the sandbox's own loopback. The namespace is new, so it is always free.
pub const PROXY_PORT: u16 = 3128;

/// Opens listeners on the sandbox's own loopback.
pub(super) fn open_listeners(ports: &[u16]) -> io::Result<Vec<OwnedFd>> {
    ports.iter().map(|port| Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, *port))?.into())).collect()
}

/// Opens the proxy's listener, the two of the name server, and those that lead to one server each, in this order.
pub(super) fn open(forwards: &[u16]) -> io::Result<Vec<OwnedFd>> {
    let proxy = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT))?;
    let names = UdpSocket::bind((Ipv4Addr::LOCALHOST, 53))?;
    let names_by_stream = TcpListener::bind((Ipv4Addr::LOCALHOST, 53))?;
    let mut gates: Vec<OwnedFd> = vec![proxy.into(), names.into(), names_by_stream.into()];
    gates.extend(open_listeners(forwards)?);
    Ok(gates)
}
