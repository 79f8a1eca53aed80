//! The way out as a whole: opened with the sandbox, closed with it, and at the end its decisions.

use crate::asked::Asked;
use crate::{caps::Caps, decided::Decided, desk::Desk, error::EgressError, gate, outside::Outside};
use actum_model::HostRule;
use std::{
    mem,
    net::{TcpListener, UdpSocket},
    sync::Arc,
    thread,
    time::Duration,
};

/// How long stopping waits for threads. One that is still in a lookup or a dial afterwards ends by itself, silently.
const PATIENCE: Duration = Duration::from_millis(500);

/// The sockets that the sandbox's init opened on its own loopback and handed over.
pub struct Gates {
    /// HTTP and SOCKS5 on one port.
    pub proxy: TcpListener,
    pub dns_udp: Option<UdpSocket>,
    pub dns_tcp: Option<TcpListener>,
    pub forwards: Vec<Forward>,
}

/// A listener that leads to one server, which the user named.
pub struct Forward {
    pub listener: TcpListener,
    pub host: String,
    pub port: u16,
}

/// The open way out. Dropping it closes it.
pub struct Egress {
    desk: Arc<Desk>,
    listeners: Vec<Arc<TcpListener>>,
    sockets: Vec<Arc<UdpSocket>>,
}

impl Egress {
    /// Opens the way to what the rules grant. The calling thread has to be in the network namespace that leads out:
    /// sockets that are dialled belong to it.
    pub fn start(
        rules: Vec<HostRule>,
        gates: Gates,
        outside: Outside,
        caps: Caps,
    ) -> Result<Self, EgressError> {
        let desk = Desk::new(rules, outside, caps);
        let mut egress = Self { desk, listeners: Vec::new(), sockets: Vec::new() };
        egress.open_listener("proxy", gates.proxy, gate::proxy)?;
        if let Some(listener) = gates.dns_tcp {
            egress.open_listener("DNS over TCP", listener, gate::dns_tcp)?;
        }
        if let Some(socket) = gates.dns_udp {
            egress.open_socket("DNS over UDP", socket)?;
        }
        for Forward { listener, host, port } in gates.forwards {
            let server = Asked::from_host(host.as_bytes(), port).map_err(|_| EgressError::Server { host })?;
            egress.open_listener("server", listener, move |desk, listener| {
                gate::forward(desk, listener, server)
            })?;
        }
        Ok(egress)
    }

    /// Closes the way at once, open connections included, and says what was decided.
    pub fn stop(mut self) -> Decided {
        self.close();
        self.desk.take_decided()
    }

    fn open_listener(
        &mut self,
        name: &'static str,
        listener: TcpListener,
        work: impl FnOnce(&Arc<Desk>, &TcpListener) + Send + 'static,
    ) -> Result<(), EgressError> {
        // Whoever made it may have wanted it otherwise; our threads wait.
        listener.set_nonblocking(false).map_err(|source| EgressError::Gate { gate: name, source })?;
        let listener = Arc::new(listener);
        self.listeners.push(Arc::clone(&listener));
        self.open(name, move |desk| work(desk, &listener))
    }

    fn open_socket(&mut self, name: &'static str, socket: UdpSocket) -> Result<(), EgressError> {
        let ready = socket.set_nonblocking(false).and_then(|()| socket.set_read_timeout(Some(gate::NAP)));
        ready.map_err(|source| EgressError::Gate { gate: name, source })?;
        let socket = Arc::new(socket);
        self.sockets.push(Arc::clone(&socket));
        self.open(name, move |desk| gate::dns_udp(desk, &socket))
    }

    fn open(
        &self,
        gate: &'static str,
        work: impl FnOnce(&Arc<Desk>) + Send + 'static,
    ) -> Result<(), EgressError> {
        let desk = Arc::clone(&self.desk);
        let at_gate = desk.crew.at_gate();
        let whole = move || {
            work(&desk);
            drop(at_gate);
        };
        let builder = thread::Builder::new().name("egress-gate".to_owned());
        builder.spawn(whole).map(drop).map_err(|source| EgressError::Thread { gate, source })
    }

    /// Once: what was woken is let go of, and a second call finds nothing to wait for.
    fn close(&mut self) {
        let (listeners, sockets) = (mem::take(&mut self.listeners), mem::take(&mut self.sockets));
        if listeners.is_empty() && sockets.is_empty() {
            return;
        }
        self.desk.crew.stop();
        listeners.iter().for_each(|listener| gate::wake_listener(listener));
        sockets.iter().for_each(|socket| gate::wake_socket(socket));
        self.desk.crew.wait_for_all(PATIENCE);
    }
}

impl Drop for Egress {
    fn drop(&mut self) {
        self.close();
    }
}
