//! The tracking server over HTTP/1.1, on listeners that the owner made: wherever the program can reach them, and nobody
//! else.
//!
//! A thread accepts, and each connection has one of its own, up to a bound. Connections stay open for the next request;
//! heads and bodies are bounded. Requests are answered one at a time, in the order in which they were read, so that
//! events are in order. No TLS, no compression, no chunked bodies: MLflow's client asks for none of them.

mod connection;
mod crew;
mod head;

use crate::tracking::{Response, TrackingEvent, TrackingRequest, TrackingServer};
use actum_model::Moment;
use crew::Crew;
use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What answers requests. Called by one thread at a time; it must not wait for anything.
pub type Handle = Box<dyn FnMut(&TrackingRequest<'_>) -> Response + Send>;

/// Bounds of a server.
#[derive(Clone, Copy, Debug)]
pub struct ServeOptions {
    /// Connections at once; what comes on top of them is answered with 503.
    pub most_connections: usize,
    /// Bytes of a request's body. MLflow's own bound for a batch is 1 MB.
    pub largest_body: usize,
    /// How long a connection may be silent.
    pub idle: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self { most_connections: 256, largest_body: 8 << 20, idle: Duration::from_secs(600) }
    }
}

/// A server that runs until it is stopped or dropped.
pub struct HttpServer {
    shared: Arc<Shared>,
    listeners: Vec<Arc<TcpListener>>,
    accepting: Vec<JoinHandle<()>>,
}

/// What all threads share.
struct Shared {
    handle: Mutex<Handle>,
    options: ServeOptions,
    crew: Crew,
}

/// How long to wait after a failed accept: descriptors have run out.
const PAUSE: Duration = Duration::from_millis(50);
/// How long stopping waits for requests that are being answered.
const LONGEST_STOP: Duration = Duration::from_secs(5);

impl HttpServer {
    /// Serves on sockets that are bound and listen.
    pub fn start(listeners: Vec<OwnedFd>, options: ServeOptions, handle: Handle) -> io::Result<Self> {
        let shared = Arc::new(Shared { handle: Mutex::new(handle), options, crew: Crew::default() });
        let mut server = Self { shared, listeners: Vec::new(), accepting: Vec::new() };
        for listener in listeners {
            let listener = Arc::new(TcpListener::from(listener));
            listener.set_nonblocking(false)?;
            server.listeners.push(Arc::clone(&listener));
            let shared = Arc::clone(&server.shared);
            let builder = thread::Builder::new().name("tracking-accept".to_owned());
            server.accepting.push(builder.spawn(move || accept(&shared, &listener))?);
        }
        Ok(server)
    }

    /// Serves a tracking server. `clock` tells the time; `sink` gets everything that is logged, in order, and must not
    /// wait.
    pub fn start_tracking(
        listeners: Vec<OwnedFd>,
        options: ServeOptions,
        mut server: TrackingServer,
        clock: Box<dyn Fn() -> Moment + Send>,
        mut sink: Box<dyn FnMut(TrackingEvent) + Send>,
    ) -> io::Result<Self> {
        let handle = move |request: &TrackingRequest<'_>| {
            let response = server.handle(request, clock());
            server.take_events().into_iter().for_each(&mut sink);
            response
        };
        Self::start(listeners, options, Box::new(handle))
    }

    /// Closes every connection and waits for the threads. Requests that were read are answered first.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.shared.crew.stop();
        for listener in &self.listeners {
            // On Linux this wakes the thread that waits in accept.
            let _ = rustix::net::shutdown(listener, rustix::net::Shutdown::Both);
        }
        self.accepting.drain(..).for_each(|thread| drop(thread.join()));
        self.shared.crew.wait(LONGEST_STOP);
    }
}

impl Shared {
    /// Answers one request; all others wait.
    fn answer(&self, request: &TrackingRequest<'_>) -> Response {
        let mut handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        handle(request)
    }
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener) {
    while !shared.crew.is_stopped() {
        match listener.accept() {
            Ok((stream, _)) => connection::admit(shared, stream),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) if shared.crew.is_stopped() => {}
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

#[cfg(test)]
mod tests;
