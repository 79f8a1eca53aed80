//! The one voice of xtask: everything it prints goes through here, to stdout, line by line.
#![allow(clippy::print_stdout)]

use std::error::Error as _;
use std::io::{IsTerminal as _, Write as _};

use crate::error::Error;

/// One line.
pub fn line(text: &str) {
    println!("{text}");
}

/// The start of a step: what, and why.
pub fn step(name: &str, why: &str) {
    println!("\n== {name}: {why}");
}

/// An error with its causes and, where there is one, what to do next.
pub fn error(error: &Error) {
    println!("error: {error}");
    let mut cause = error.source();
    while let Some(source) = cause {
        println!("  cause: {source}");
        cause = source.source();
    }
    if let Some(hint) = error.hint() {
        println!("  hint: {hint}");
    }
}

/// Bytes of a child, passed on as they came. A closed pipe is the reader's choice, not our failure.
pub fn pass_on(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Whether a person watches, so that children whose output passes through us may still use colour.
pub fn is_watched() -> bool {
    std::io::stdout().is_terminal()
}
