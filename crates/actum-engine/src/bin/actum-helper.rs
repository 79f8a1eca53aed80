//! Helper processes for programs whose `main` cannot begin with `run_helper`: a test, a plug-in, another language's runtime.

use std::io::Write as _;
use std::process::ExitCode;

const BY_HAND: &str =
    "actum-helper is started by programs that embed actum-engine; there is nothing to run by hand";

fn main() -> ExitCode {
    actum_engine::run_helper().unwrap_or_else(|| {
        let _ = writeln!(std::io::stderr(), "{BY_HAND}");
        actum_model::ExitCode::OWN_ERROR.into()
    })
}
