//! Who places: a process of its own that outlives us.
//!
//! It does what the next start would do after a crash, so that what follows a crash is done every day. It is in a process
//! group of its own, so that what ends our group or comes from our terminal does not reach it.

use super::lock::Lock;
use super::{Keeping, SettleError, Trust, go_on};
use rustix::fd::BorrowedFd;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The command that places. It is given the store's folder and the run's folder as last arguments and the lock as its
/// stdin and the opened workspace as its stdout; it calls [`go_on`] with [`Trust::Fresh`], says on stderr what failed, and ends with 0 when nothing did.
#[derive(Debug, Clone)]
pub struct Placer {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

/// Has the journal carried out, and waits for it.
pub(super) fn place(
    keeping: &Keeping,
    lock: Lock,
    (path, workspace): (&Path, BorrowedFd<'_>),
) -> Result<(), SettleError> {
    // What was compared is what is written: by this descriptor, never again by its path.
    let opened = || {
        let failed = |source| SettleError::Workspace { path: path.to_path_buf(), source };
        workspace.try_clone_to_owned().map_err(failed)
    };
    let ourselves = || go_on(keeping, Some(opened()?), Trust::Fresh, &mut |_| {});
    let Some(placer) = &keeping.placer else { return ourselves() };
    // A second descriptor of the same open file: the lock is held until both are closed.
    let Ok(handed) = lock.0.try_clone() else { return ourselves() };
    let mut command = Command::new(&placer.program);
    command.args(&placer.arguments).arg(&keeping.store).arg(&keeping.folder);
    command.stdin(Stdio::from(handed)).stdout(Stdio::from(opened()?)).stderr(Stdio::piped());
    // It needs nothing of ours: not the folder we stand in, not our variables.
    command.current_dir("/").env_clear().process_group(0);
    // Where no process can be started, we place ourselves: it only is not safe from our own death.
    let Ok(child) = command.spawn() else { return ourselves() };
    let output = child.wait_with_output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            // Killed on the way, it leaves the journal: we go on with it. Otherwise there is none, and this does nothing.
            ourselves()?;
            match output.status.code() {
                None => Ok(()),
                code => Err(SettleError::told(path.to_path_buf(), told, code)),
            }
        }
        Err(_) => ourselves(),
    }
}
