//! Programs in Python, run by the interpreter that has the packages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The interpreter of the test tools, where a package is there. Otherwise the test is skipped with the reason.
pub fn with_package(package: &str) -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools/python");
    let python = tools.join("bin/python");
    let names = std::fs::read_dir(tools.join("lib")).into_iter().flatten().flatten();
    let is_there = names.into_iter().any(|lib| lib.path().join("site-packages").join(package).exists());
    if !is_there || !python.exists() {
        actum_testkit::skip(&format!("Python's {package} is not there; `cargo xtask test` installs it"));
        return None;
    }
    Some(python)
}

/// Runs a program in a folder, with these variables and few others.
pub fn run(python: &Path, folder: &Path, program: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(python);
    command
        .args(["-c", program])
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("PATH", "/usr/bin:/bin");
    // No client of these tests talks to anybody but us.
    command.env("MLFLOW_DISABLE_TELEMETRY", "true").env("DO_NOT_TRACK", "true");
    command.env("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true");
    command.envs(variables.iter().copied()).output().unwrap()
}

/// What a program printed that ended well.
pub fn printed(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}
