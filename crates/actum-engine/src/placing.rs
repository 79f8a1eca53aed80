//! The hidden half of applying: places what a journal says, in a process that outlives the one that started it.
//!
//! Not a command for people, so it is not in the help, and it is heard before anything else: it needs no warden.

use actum_changes::settle::{Keeping, Trust, go_on};
use actum_store::Keyring;
use rustix::fd::AsFd;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// The word that calls it; the folders of keys, of the store and of the run follow.
pub(crate) const WORD: &str = "__place";

/// Does it, if it was called. Whoever called holds the lock and handed it to us as stdin, and the opened workspace as stdout.
pub(crate) fn run_if_called(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    arguments.by_ref().nth(1).filter(|word| word == WORD)?;
    let keys = PathBuf::from(arguments.next()?);
    let (store, folder) = (PathBuf::from(arguments.next()?), PathBuf::from(arguments.next()?));
    let seal = Keyring::at(&keys).seal_key();
    let keeping = Keeping { folder, store, placer: None, seal, keys };
    let workspace = std::io::stdout().as_fd().try_clone_to_owned().ok();
    Some(match go_on(&keeping, workspace, Trust::Fresh, &mut |_| {}) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let (cause, code) = error.for_the_starter();
            let _ = writeln!(std::io::stderr(), "{cause}");
            ExitCode::from(code)
        }
    })
}
