//! Folders and files of Actum itself, in places where another user, or a program, could have been first.

mod place;
mod plain;

pub use place::{Looked, check_file_place, check_own_entry, check_place, is_safe_entry, links_on_way};
pub use plain::{
    copy, create, draft_name, make_folders, make_private_folders, names, null, open, read, read_text,
    remove_file, remove_folder, rename, set_mode, terminal, write,
};

use crate::error::GateError;
use crate::facts::{Facts, Kind, Owner};
use crate::open as opened;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const PRIVATE_FOLDER: Mode = Mode::from_raw_mode(0o700);
const PRIVATE_FILE: Mode = Mode::from_raw_mode(0o600);

/// Makes a folder that is the caller's alone, or checks one that is there: a real folder, owned by the caller, which nobody
/// else can write. Folders above it are made as needed and must not be replaceable by others.
pub fn private_folder(path: &Path) -> Result<OwnedFd, GateError> {
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty() && !above.exists()) {
        drop(private_folder(above)?);
    }
    match rustix::fs::mkdir(path, PRIVATE_FOLDER) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(GateError::Write { path: path.to_path_buf(), source: error.into() }),
    }
    open_private_folder(path)
}

/// Opens a folder that is the caller's alone. A link in its place is refused.
pub fn open_private_folder(path: &Path) -> Result<OwnedFd, GateError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match rustix::fs::open(path, flags, Mode::empty()) {
        // A link to a folder answers so.
        Err(Errno::NOTDIR | Errno::LOOP) => {
            let path = path.to_path_buf();
            let kind = rustix::fs::lstat(&path).map_or(Kind::Unknown, |stat| Kind::from_mode(stat.st_mode));
            return Err(GateError::NotFolder { path, kind });
        }
        other => other.map_err(|error| GateError::from_errno(path, error))?,
    };
    check_private(&opened::facts(folder.as_fd(), path)?, path)?;
    Ok(folder)
}

/// Whether a file is the caller's or root's.
pub fn is_own(metadata: &std::fs::Metadata) -> bool {
    metadata.uid() == 0 || is_callers(metadata)
}

/// Whether a file is the caller's.
pub fn is_callers(metadata: &std::fs::Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether these facts are those of a folder or file that the caller alone can write.
pub fn check_private(facts: &Facts, path: &Path) -> Result<(), GateError> {
    if facts.owner != rustix::process::geteuid().as_raw() {
        return Err(GateError::Foreign { path: path.to_path_buf(), owner: facts.owner });
    }
    Owner::CallerOrRootAlone.check(facts, path)
}

/// Writes a file that nobody else can read, all of it or nothing: a new file beside it under a name that cannot be guessed,
/// then renamed into place. A link in its place is replaced, not followed.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), GateError> {
    replace_with_mode(path, bytes, PRIVATE_FILE)
}

/// The same for a file that others may read, such as a report.
pub fn replace_with_mode(path: &Path, bytes: &[u8], mode: Mode) -> Result<(), GateError> {
    let failed = |source: io::Error| GateError::Write { path: path.to_path_buf(), source };
    let (mut file, beside) = create_beside(path, mode).map_err(failed)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    let renamed = written.and_then(|()| rustix::fs::rename(&beside, path).map_err(io::Error::from));
    if renamed.is_err() {
        let _ = rustix::fs::unlink(&beside);
    }
    renamed.map_err(failed)
}

/// The same for a file that must not be there yet: of several processes at once, one writes it.
pub fn create_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (mut file, beside) = create_beside(path, PRIVATE_FILE)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    let linked = written.and_then(|()| Ok(rustix::fs::link(&beside, path)?));
    let _ = rustix::fs::unlink(&beside);
    linked
}

/// Writes a file below a folder in one step, with the folders above it made as needed. No link is followed on the way from
/// `root` to the file: where one stands, it is an error, because whoever put it there would choose what is overwritten. A
/// file that is there keeps its mode; a new one gets `mode`.
pub fn replace_below(root: &Path, name: &Path, bytes: &[u8], mode: Mode) -> Result<(), GateError> {
    let path = root.join(name);
    let failed = |source: io::Error| GateError::Write { path: path.clone(), source };
    let outside = || GateError::Outside { path: path.clone() };
    let parts: Option<Vec<&OsStr>> = name
        .components()
        .map(|component| match component {
            std::path::Component::Normal(part) => Some(part),
            std::path::Component::Prefix(_)
            | std::path::Component::RootDir
            | std::path::Component::CurDir
            | std::path::Component::ParentDir => None,
        })
        .collect();
    let parts = parts.ok_or_else(outside)?;
    let (last, above) = parts.split_last().ok_or_else(outside)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open(root, flags, Mode::empty()).map_err(|error| failed(error.into()))?;
    for part in above {
        match rustix::fs::mkdirat(&folder, *part, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error.into())),
        }
        folder = match rustix::fs::openat(&folder, *part, flags | OFlags::NOFOLLOW, Mode::empty()) {
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(outside()),
            opened => opened.map_err(|error| failed(error.into()))?,
        };
    }
    let mode = match rustix::fs::statat(&folder, *last, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => None,
        Ok(stat) if Kind::from_mode(stat.st_mode) == Kind::File => Some(stat.st_mode & 0o777),
        Ok(stat) => {
            return Err(GateError::NotRegular { path: path.clone(), kind: Kind::from_mode(stat.st_mode) });
        }
        Err(error) => return Err(failed(error.into())),
    }
    .map_or((mode, None), |mode| (PRIVATE_FILE, Some(Mode::from_raw_mode(mode))));
    let draft = format!(".actum-{}", random_name().map_err(failed)?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let written = rustix::fs::openat(&folder, draft.as_str(), flags, mode.0)
        .and_then(|file| {
            mode.1.map_or(Ok(()), |mode| rustix::fs::fchmod(&file, mode)).map(|()| File::from(file))
        })
        .map_err(io::Error::from)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_data()))
        .and_then(|()| Ok(rustix::fs::renameat(&folder, draft.as_str(), &folder, *last)?));
    if written.is_err() {
        let _ = rustix::fs::unlinkat(&folder, draft.as_str(), AtFlags::empty());
    }
    written.map_err(failed)
}

/// A new, empty file beside `path`, and its name. Whoever knows the folder cannot know the name before.
pub fn create_beside(path: &Path, mode: Mode) -> io::Result<(File, PathBuf)> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut last = Errno::EXIST;
    for _ in 0..16 {
        let beside = path.with_file_name(format!(".actum-{}", random_name()?));
        match rustix::fs::open(&beside, flags, mode) {
            Ok(file) => return Ok((File::from(file), beside)),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        last = Errno::EXIST;
    }
    Err(last.into())
}

/// Sixteen random bytes in hexadecimal.
pub fn random_name() -> io::Result<String> {
    use rustix::rand::{GetRandomFlags, getrandom};
    let mut bytes = [0_u8; 16];
    let mut filled = 0;
    while filled < bytes.len() {
        filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Removes a file, or a folder with everything in it. Links are removed, never followed; depth and the length of paths have no
/// limit, and folders that deny access are opened up first. What is already gone is no error.
///
/// Every step goes by the descriptor of the folder that an entry is in, so that swapping a folder for a link does not lead
/// elsewhere. One descriptor is open per level up to [`DEEP`]; below that, a folder is moved up to the top before it is emptied.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let Some(name) = path.file_name() else { return Err(io::ErrorKind::InvalidInput.into()) };
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let above = match rustix::fs::open(above, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        other => other?,
    };
    remove_at(above.as_fd(), name)
}

/// The same for a name in an opened folder.
pub fn remove_at(above: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    let name = CString::new(name.as_bytes()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    match rustix::fs::unlinkat(above, &name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    let top = match open_to_empty(above, &name) {
        Err(Errno::NOENT) => return Ok(()),
        other => other?,
    };
    empty(&top)?;
    match rustix::fs::unlinkat(above, &name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// More levels than any honest tree has; fewer than descriptors that a process may open.
const DEEP: usize = 64;

/// A folder that is being emptied: its descriptor, and its name in the folder above.
struct Level {
    folder: OwnedFd,
    name: CString,
}

/// Empties a folder without recursion. A pass removes everything down to [`DEEP`] levels; deeper folders are moved up to `top`
/// under new names and removed by the next pass.
fn empty(top: &OwnedFd) -> io::Result<()> {
    loop {
        let mut moved_up = false;
        let mut failed: Option<Errno> = None;
        let mut levels: Vec<Level> = Vec::new();
        loop {
            let folder = levels.last().map_or(top, |level| &level.folder);
            match next_folder(folder, &mut failed)? {
                Some((opened, name)) if levels.len() < DEEP => levels.push(Level { folder: opened, name }),
                Some((opened, name)) => {
                    drop(opened);
                    let elsewhere = random_name()?;
                    rustix::fs::renameat(folder, &name, top, elsewhere.as_str())?;
                    moved_up = true;
                }
                None => {
                    let Some(Level { folder: _, name }) = levels.pop() else { break };
                    let above = levels.last().map_or(top, |level| &level.folder);
                    match rustix::fs::unlinkat(above, &name, AtFlags::REMOVEDIR) {
                        Ok(()) | Err(Errno::NOENT) => {}
                        // Somebody fills it as we empty it, or it is a mount: not ours to wait for.
                        Err(error) => return Err(failed.unwrap_or(error).into()),
                    }
                }
            }
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
        if !moved_up {
            return Ok(());
        }
    }
}

/// Removes what is no folder, and gives back the first folder that is there.
fn next_folder(folder: &OwnedFd, failed: &mut Option<Errno>) -> io::Result<Option<(OwnedFd, CString)>> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_bytes() == b"." || name.to_bytes() == b".." {
            continue;
        }
        match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR | Errno::PERM) => match open_to_empty(folder.as_fd(), name) {
                Ok(opened) => return Ok(Some((opened, name.to_owned()))),
                Err(Errno::NOENT) => {}
                Err(error) => *failed = Some(error),
            },
            Err(error) => *failed = Some(error),
        }
    }
    Ok(None)
}

/// Opens a folder that is to be emptied, and gives the caller the access that needs.
fn open_to_empty(above: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(above, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {}
        Ok(opened) => {
            // Readable but not writable: entries could not be removed.
            let _ = rustix::fs::fchmod(&opened, PRIVATE_FOLDER);
            return Ok(opened);
        }
        other => return other,
    }
    open_up(above, name)?;
    rustix::fs::openat(above, name, flags, Mode::empty())
}

/// Gives the caller access to a folder that denies it. By descriptor: a link in its place is not followed.
fn open_up(above: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    use rustix::fd::AsRawFd;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let named = rustix::fs::openat(above, name, flags, Mode::empty())?;
    rustix::fs::chmod(format!("/proc/self/fd/{}", named.as_raw_fd()), PRIVATE_FOLDER)
}
