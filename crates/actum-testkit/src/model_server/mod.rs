//! A model's server on loopback that plays a script, so that real coding agents can be driven without a model and without the
//! network.
//!
//! It speaks as much of three interfaces as the agents need: Anthropic's messages, OpenAI's responses, Gemini's contents, all
//! streamed. Each request that offers tools takes the next turn of the script; the last turn is played again when the script is over.
//! Everything that it was sent is kept, and whoever asks it to be a proxy is refused, so that nothing reaches the outside.
//! Start reading at [`ModelServer::start`].

mod http;
mod speak;
#[cfg(test)]
mod tests;

use http::Asked;
use serde_json::Value;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// What the model says next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// Words, after which it stops.
    Text(String),
    /// A command for the agent's shell.
    Shell(String),
}

impl Turn {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub fn shell(line: &str) -> Self {
        Self::Shell(line.to_owned())
    }
}

/// A running server. It stops when it is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    stage: Arc<Stage>,
    accepting: Option<JoinHandle<()>>,
}

/// What the threads share.
#[derive(Debug)]
struct Stage {
    script: Vec<Turn>,
    played: AtomicUsize,
    sent: Mutex<Vec<(String, Value)>>,
    refused: Mutex<Vec<String>>,
    closing: AtomicBool,
}

impl ModelServer {
    /// Plays the script on a port of loopback that was free.
    ///
    /// # Panics
    ///
    /// Where loopback has no port left, or where the script has no turn.
    pub fn start(script: Vec<Turn>) -> Self {
        assert!(!script.is_empty(), "a script has at least one turn");
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let stage = Arc::new(Stage {
            script,
            played: AtomicUsize::new(0),
            sent: Mutex::default(),
            refused: Mutex::default(),
            closing: AtomicBool::new(false),
        });
        let shared = Arc::clone(&stage);
        let accepting = thread::spawn(move || accept(&listener, &shared));
        Self { address, stage, accepting: Some(accepting) }
    }

    /// The address that agents take as the base of everything they ask.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many turns were taken.
    pub fn turns(&self) -> usize {
        self.stage.played.load(Ordering::SeqCst)
    }

    /// The bodies of all requests that took a turn, in order.
    pub fn sent(&self) -> Vec<Value> {
        lock(&self.stage.sent).iter().map(|(_, body)| body.clone()).collect()
    }

    /// Whether a text went to the model at all, in any request.
    pub fn was_told(&self, text: &str) -> bool {
        let within = |body: &Value| body.to_string().contains(json_text(text).as_str());
        lock(&self.stage.sent).iter().any(|(_, body)| within(body))
    }

    /// Hosts that an agent wanted to reach through us as a proxy.
    pub fn refused(&self) -> Vec<String> {
        lock(&self.stage.refused).clone()
    }
}

/// As it stands inside JSON.
fn json_text(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stage.closing.store(true, Ordering::SeqCst);
        // One more connection wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn accept(listener: &TcpListener, stage: &Arc<Stage>) {
    for stream in listener.incoming() {
        if stage.closing.load(Ordering::SeqCst) {
            return;
        }
        let stage = Arc::clone(stage);
        // A client that goes away in the middle is its own affair.
        thread::spawn(move || stream.and_then(|stream| serve(&stream, &stage)));
    }
}

/// One request for each connection: agents open as many as they need.
fn serve(stream: &TcpStream, stage: &Stage) -> io::Result<()> {
    let Some(asked) = http::read(stream)? else { return Ok(()) };
    if asked.method == "CONNECT" {
        lock(&stage.refused).push(asked.path);
        return http::answer(stream, 403, http::JSON, "{}");
    }
    let spoken = speak::speak(&asked, || stage.next(&asked));
    http::answer(stream, spoken.status, spoken.kind, &spoken.body)
}

impl Stage {
    /// The next turn, and what it was asked with.
    fn next(&self, asked: &Asked) -> (usize, &Turn) {
        lock(&self.sent).push((asked.path.clone(), asked.body.clone()));
        let number = self.played.fetch_add(1, Ordering::SeqCst);
        (number, &self.script[number.min(self.script.len() - 1)])
    }
}

/// A lock that a failed test left behind is as good as any.
fn lock<T>(held: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
