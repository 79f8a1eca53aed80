//! Plain operations on files in folders of our own. They follow no link in the last component and wait for nothing, so that a
//! folder which somebody else got into does the least harm.

use crate::facts::Kind;
use rustix::fs::{Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// More than any file that is read whole.
const LARGEST: u64 = 1 << 30;

/// Opens a regular file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    match Kind::from_mode(rustix::fs::fstat(&file)?.st_mode) {
        Kind::File => Ok(File::from(file)),
        Kind::Folder => Err(io::ErrorKind::IsADirectory.into()),
        kind @ (Kind::Link | Kind::Fifo | Kind::Socket | Kind::Device | Kind::Unknown) => {
            Err(io::Error::other(format!("it is {kind}, not a regular file")))
        }
    }
}

/// Everything in a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// The same as text.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Creates a file or empties it, for writing.
pub fn create(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::from_raw_mode(0o666))?))
}

/// Writes a whole file.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create(path)?.write_all(bytes)
}

/// Makes a folder and those above it.
pub fn make_folders(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// The same; what is made is for the caller alone.
pub fn make_private_folders(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// A name that no other thread of this process, and no other living process, uses for a draft: `PROCESS-NUMBER`.
pub fn draft_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    Ok(rustix::fs::rename(from, to)?)
}

pub fn remove_file(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::unlink(path)?)
}

/// Removes an empty folder.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::rmdir(path)?)
}

pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::chmod(path, Mode::from_raw_mode(mode))?)
}

/// The names in a folder, in no order.
pub fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(folder, flags, Mode::empty())?;
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::new(opened)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Copies a regular file to a new one.
pub fn copy(from: &Path, to: &Path) -> io::Result<u64> {
    io::copy(&mut open(from)?, &mut create(to)?)
}

/// `/dev/null`, for reading.
pub fn null() -> io::Result<File> {
    Ok(File::from(rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?))
}

/// The terminal of this process, for a question.
pub fn terminal() -> io::Result<File> {
    Ok(File::from(rustix::fs::open(
        "/dev/tty",
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )?))
}
