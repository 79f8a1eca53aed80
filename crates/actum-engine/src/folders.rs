//! Where Actum keeps its own things, and whether such a folder is really the caller's: what lies there is executed or believed.

use crate::surroundings::SurroundingsError;
use actum_gate::{
    GateError,
    own::{self, Looked},
};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder for callers whose home cannot be used. It lies where everybody can make one, so it is made now, or refused if
/// another user, or nobody in particular, could write it.
pub(crate) fn fallback() -> Result<PathBuf, SurroundingsError> {
    let path = fallback_path();
    match own::private_folder(&path) {
        // Where nothing can be made, nothing of anybody is there; whoever needs the folder says so.
        Ok(_) | Err(GateError::Write { .. }) => Ok(path),
        Err(source) => Err(SurroundingsError::ForeignFolder { path, source }),
    }
}

/// Where that folder is.
pub(crate) fn fallback_path() -> PathBuf {
    PathBuf::from(format!("/var/tmp/actum-{}", rustix::process::geteuid().as_raw()))
}

/// Whether a folder is there, or can be made by its owner.
pub(crate) fn is_usable(folder: &Path) -> bool {
    let nearest = folder.ancestors().find(|path| path.exists());
    nearest.is_some_and(|path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok())
}

/// The folder below `base` for what cannot be made again, or the fall-back where that, a folder above it or a link on the way
/// to it belongs to another user: whoever owns a folder can exchange what is in it. One of the caller's own that others can
/// write is an error, not left in silence.
pub(crate) fn own_or_fallback(base: PathBuf, looked: &Looked) -> Result<PathBuf, SurroundingsError> {
    let path = base.join("actum");
    match looked.check_place(&path) {
        Ok(_) => Ok(base),
        // The fall-back itself was checked when it was chosen.
        Err(_) if base == fallback_path() => Ok(base),
        Err(source @ GateError::Writable { .. }) if is_writable_itself(&path) => {
            Err(SurroundingsError::ForeignFolder { path, source })
        }
        Err(GateError::Foreign { .. } | GateError::Writable { .. } | GateError::Outside { .. }) => fallback(),
        // Whoever needs it says that it cannot be used.
        Err(_) => Ok(base),
    }
}

/// Whether it is the folder that others can write, and not one above it.
fn is_writable_itself(path: &Path) -> bool {
    matches!(own::check_own_entry(path), Err(GateError::Writable { .. }))
}

/// A folder that a variable names. It has to be the caller's alone, and others must not be able to replace it.
pub(crate) fn named(path: PathBuf, looked: &Looked) -> Result<PathBuf, SurroundingsError> {
    match looked.check_place(&path) {
        Ok(real) => Ok(real),
        // Whoever needs it says that it cannot be used.
        Err(GateError::Read { .. } | GateError::NotFolder { .. } | GateError::Missing { .. }) => Ok(path),
        Err(source) => Err(SurroundingsError::ForeignFolder { path, source }),
    }
}

/// Whether the cache below `base` is the caller's alone. One that is not there yet is, unless others could make it first: then
/// it is made now.
pub(crate) fn is_own_cache(base: &Path, looked: &Looked) -> bool {
    let cache = base.join("actum");
    let Ok(real) = looked.check_place(&cache) else { return false };
    let is_safe_to_make = || {
        let nearest = real.ancestors().find_map(|path| path.metadata().ok());
        nearest.is_some_and(|about| about.mode() & 0o022 == 0) || own::private_folder(&real).is_ok()
    };
    real.symlink_metadata().is_ok() || is_safe_to_make()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_cache_is_the_caller_s_alone() {
        let is_own_cache = |base: &Path| is_own_cache(base, &Looked::default());
        let world = tempfile::tempdir().unwrap();
        let base = world.path();
        assert!(is_own_cache(base) && is_own_cache(&base.join("deeper")));
        let mode = |path: &Path, mode: u32| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        };
        std::fs::create_dir(base.join("actum")).unwrap();
        for (bits, own) in [(0o700, true), (0o755, true), (0o777, false), (0o1777, false)] {
            mode(&base.join("actum"), bits);
            assert_eq!(is_own_cache(base), own, "{bits:o}");
        }
        let shared = base.join("shared");
        std::fs::create_dir(&shared).unwrap();
        mode(&shared, 0o1777);
        assert!(is_own_cache(&shared));
        assert_eq!(shared.join("actum").metadata().unwrap().mode() & 0o777, 0o700, "it is made at once");
        let linked = base.join("linked");
        std::fs::create_dir(&linked).unwrap();
        symlink(shared.join("actum"), linked.join("actum")).unwrap();
        assert!(is_own_cache(&linked), "a link of the caller's to a folder of the caller's");
        if !rustix::process::geteuid().is_root() {
            std::fs::remove_file(linked.join("actum")).unwrap();
            symlink("/usr", linked.join("actum")).unwrap();
            assert!(!is_own_cache(&linked), "a link to somebody else's");
        }
    }
}
