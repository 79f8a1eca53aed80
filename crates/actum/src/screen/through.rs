//! The program's own output, passed on.

use super::neutral::Neutral;
use actum_sandbox::Output;
use std::io::{self, IsTerminal, Write};

/// Our stdout and stderr, unbuffered: what the program wrote is there when it wrote it. Byte for byte into a pipe or a
/// file; made harmless for a terminal.
#[derive(Debug)]
pub struct Through {
    stdout: Option<Neutral>,
    stderr: Option<Neutral>,
}

impl Through {
    pub fn new() -> Self {
        let neutral = |terminal: bool| terminal.then(Neutral::default);
        Self { stdout: neutral(io::stdout().is_terminal()), stderr: neutral(io::stderr().is_terminal()) }
    }

    /// Writes what was held back because it looked like the beginning of a sequence.
    pub fn finish(&mut self) {
        if let Some(neutral) = &mut self.stdout {
            let _ = write(io::stdout().lock(), None, &neutral.finish());
        }
        if let Some(neutral) = &mut self.stderr {
            let _ = write(io::stderr().lock(), None, &neutral.finish());
        }
    }
}

impl Output for Through {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        write(io::stdout().lock(), self.stdout.as_mut(), bytes)
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        write(io::stderr().lock(), self.stderr.as_mut(), bytes)
    }
}

fn write(mut stream: impl Write, neutral: Option<&mut Neutral>, bytes: &[u8]) -> io::Result<()> {
    match neutral {
        Some(neutral) => stream.write_all(&neutral.pass(bytes))?,
        None => stream.write_all(bytes)?,
    }
    stream.flush()
}
