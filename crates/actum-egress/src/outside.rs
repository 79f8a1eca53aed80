//! The two things that touch the world outside: looking a name up, and dialling an address.
//!
//! They are traits so that tests can stand in for the internet without a switch that weakens the rules: a fake
//! resolver gives public addresses, a fake dialler leads them to a local server and remembers what it was asked for.

use std::{
    io,
    net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs},
    time::Duration,
};

/// Looks a name up.
pub trait Resolve: Send + Sync {
    /// All addresses of a name in normal form.
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Dials an address that has been judged.
pub trait Dial: Send + Sync {
    fn dial(&self, to: SocketAddr, within: Duration) -> io::Result<TcpStream>;
}

/// The world outside, real or not.
pub struct Outside {
    pub resolve: Box<dyn Resolve>,
    pub dial: Box<dyn Dial>,
}

impl Outside {
    /// The machine's own resolver and network.
    pub fn system() -> Self {
        Self { resolve: Box::new(System), dial: Box::new(System) }
    }
}

struct System;

impl Resolve for System {
    /// The final dot makes the name absolute: a search list would turn a granted name into somebody else's.
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = (format!("{name}.").as_str(), 0).to_socket_addrs()?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

impl Dial for System {
    fn dial(&self, to: SocketAddr, within: Duration) -> io::Result<TcpStream> {
        TcpStream::connect_timeout(&to, within)
    }
}
