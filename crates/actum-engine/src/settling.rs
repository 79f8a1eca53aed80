//! How changes of runs are settled: who places them, with which key, and what an earlier process left unfinished.

use crate::placing;
use crate::program::HelperProgram;
use actum_changes::settle::{self, Keeping, Pending, Placer};
use actum_model::SealKey;
use actum_store::Keyring;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where a run keeps its changes. They are placed by a helper process.
pub fn keeping(program: &HelperProgram, keyring: &Keyring, store: &Path, folder: PathBuf) -> Keeping {
    Keeping {
        folder,
        store: store.to_path_buf(),
        placer: Some(placed_by(program.start(), keyring.folder())),
        seal: keyring.seal_key(),
        keys: keyring.folder().to_path_buf(),
    }
}

/// The same to read only: nothing can be applied by it, and no key is needed.
pub fn reading(store: &Path, folder: PathBuf) -> Keeping {
    let seal = SealKey::unusable("the store is open for reading only");
    Keeping { folder, store: store.to_path_buf(), placer: None, seal, keys: PathBuf::new() }
}

/// This program, started once more to place changes.
pub(crate) fn placer(keys: &Path) -> Placer {
    placed_by(Path::new("/proc/self/exe"), keys)
}

fn placed_by(program: &Path, keys: &Path) -> Placer {
    let arguments = vec![OsString::from(placing::WORD), keys.as_os_str().to_owned()];
    Placer { program: program.to_path_buf(), arguments }
}

/// Finishes what a power cut or a kill left unfinished, and gives what cannot be finished.
pub fn finish_pending(store: &Path, keyring: &Keyring) -> Vec<Pending> {
    settle::recover(store, &|| keyring.seal_key())
}
