//! `cargo xtask`: the door to the work around the house; the story is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    xtask::main(&arguments)
}
