//! Starts a command as somebody who never asked to be told of signals.
//!
//! Who listens for a wish to stop has the signals blocked, and what it starts would have them blocked as well: a command could
//! not be ended any more. A thread that was there before does not have them blocked, and hands that on.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A thread that waits for the one command that it starts. Made before signals are blocked.
#[derive(Debug)]
pub struct Starter {
    wishes: Sender<Wish>,
    started: Receiver<io::Result<Child>>,
}

enum Wish {
    Spawn(Command),
    /// In the place of this whole process.
    Become(Command),
}

impl Starter {
    pub fn ready() -> Self {
        let (wishes, asked) = channel();
        let (tell, started) = channel();
        let start = move || {
            let answer = match asked.recv() {
                Ok(Wish::Spawn(mut command)) => command.spawn(),
                Ok(Wish::Become(mut command)) => Err(command.exec()),
                // Nothing is to be started any more.
                Err(_) => return,
            };
            let _ = tell.send(answer);
        };
        // Without a thread nothing is started here, and the caller is told.
        let _ = thread::Builder::new().name("starter".to_owned()).spawn(start);
        Self { wishes, started }
    }

    pub(super) fn spawn(self, command: Command) -> io::Result<Child> {
        self.ask(Wish::Spawn(command))
    }

    /// Becomes the command; returns only where that failed.
    pub fn become_command(self, command: Command) -> io::Error {
        match self.ask(Wish::Become(command)) {
            Ok(_) => io::ErrorKind::Other.into(),
            Err(error) => error,
        }
    }

    fn ask(self, wish: Wish) -> io::Result<Child> {
        let gone = |_| io::Error::from(io::ErrorKind::WouldBlock);
        self.wishes.send(wish).map_err(|_| io::Error::from(io::ErrorKind::WouldBlock))?;
        self.started.recv().map_err(gone)?
    }
}
