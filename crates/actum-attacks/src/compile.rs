//! Compiles the attempts that are written in C, on the host, when the suite runs.

use crate::{AttackError, Attempt};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The compiled attempt, or why there is none.
pub(crate) fn compile(attempt: &Attempt, folder: &Path) -> Result<Result<PathBuf, String>, AttackError> {
    let source = folder.join(format!("{}.c", attempt.id()));
    let binary = folder.join(attempt.id());
    let prelude = include_str!("../attempts/prelude.c");
    fs::write(&source, format!("{prelude}\n{}", attempt.text)).map_err(AttackError::prepare(&source))?;
    // Static first, so that nothing of the host needs mounting; not every machine has a static libc.
    let compiled =
        compile_with(&["-static"], &source, &binary).or_else(|_| compile_with(&[], &source, &binary));
    Ok(compiled.map(|()| binary))
}

fn compile_with(more: &[&str], source: &Path, binary: &Path) -> Result<(), String> {
    // From the system's folders: it runs without a sandbox, and a workspace may be on the caller's `PATH`.
    let output = Command::new("cc")
        .env("PATH", crate::observe::PATH)
        .args(["-O1", "-w", "-pthread", "-o"])
        .arg(binary)
        .args(more)
        .arg(source)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("no C compiler: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|line| line.contains("error")).unwrap_or("no message");
    Err(format!("cc failed: {first}"))
}
