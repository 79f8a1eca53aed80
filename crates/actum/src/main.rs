//! The binary. Everything is in the library beside it, so that its parsers can be fuzzed.

use std::process::ExitCode;

fn main() -> ExitCode {
    actum::main()
}
