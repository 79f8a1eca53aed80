//! The program's own output, passed on byte for byte.

use actum_sandbox::Output;
use std::io::{self, Write};

/// Our stdout and stderr, unbuffered: what the program wrote is there when it wrote it.
#[derive(Debug)]
pub struct Through {
    stdout: io::Stdout,
    stderr: io::Stderr,
}

impl Through {
    pub fn new() -> Self {
        Self { stdout: io::stdout(), stderr: io::stderr() }
    }
}

impl Output for Through {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = self.stdout.lock();
        stdout.write_all(bytes)?;
        stdout.flush()
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stderr.lock().write_all(bytes)
    }
}
