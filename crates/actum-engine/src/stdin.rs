//! What a program reads on its standard input.

use crate::error::EngineError;
use crate::request::{RequestBuilder, StdinChoice, granted};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::FileType;
use std::path::Path;

/// Opens what was chosen.
pub(crate) fn open(asked: &RequestBuilder, workspace: &Path) -> Result<OwnedFd, EngineError> {
    let hint = "give a file that you can read, or - for your own stdin";
    let (path, opened) = match &asked.stdin {
        StdinChoice::Nothing => (Path::new("/dev/null"), open_input(Path::new("/dev/null"))),
        // Not by the name /dev/stdin: opening a pipe or socket again needs rights that its user may not have.
        StdinChoice::Inherit => (Path::new("-"), std::io::stdin().as_fd().try_clone_to_owned()),
        StdinChoice::File(path) => {
            // What a shell makes of `<(command)` has no path that could be followed.
            let is_foreign = std::path::absolute(path).is_ok_and(|path| path.starts_with(workspace));
            let opened = match granted(path, workspace) {
                Ok(real) if is_foreign => open_regular(&real),
                Ok(real) => open_input(&real),
                Err(problem @ EngineError::LinkOut { .. }) => return Err(problem),
                Err(problem) if is_foreign => return Err(problem),
                Err(_) => open_input(path),
            };
            (path.as_path(), opened)
        }
    };
    opened.map_err(|source| EngineError::Path { path: path.to_path_buf(), hint, source })
}

/// A file of the workspace. A pipe there has no writer that the user knows of.
fn open_regular(path: &Path) -> std::io::Result<OwnedFd> {
    let (file, _) = actum_gate::open_named(path).map_err(actum_gate::GateError::into_io)?;
    Ok(file.into())
}

/// A file, a device such as `/dev/null` or a named pipe: the user typed it, and may wait for its writer.
fn open_input(path: &Path) -> std::io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// What the program gets as its stdin. A descriptor is a handle on its file: whoever has it can change the file's mode, walk on
/// from a folder, write to a terminal or to the other end of a socket. So everything but a pipe and `/dev/null` is copied into a
/// pipe, and a folder is refused. Where the program has a terminal of its own, the descriptor stays with us.
pub(crate) fn handed_in(input: &OwnedFd, has_own_terminal: bool) -> Result<OwnedFd, EngineError> {
    let failed =
        |source| EngineError::Path { path: "stdin".into(), hint: "give a file that you can read", source };
    let input = input.try_clone().map_err(failed)?;
    if has_own_terminal {
        return Ok(input);
    }
    poured(actum_gate::File::from(input)).map_err(failed)
}

/// What a case reads, as a file that nobody else has.
pub(crate) fn in_memory(bytes: &[u8]) -> Result<OwnedFd, EngineError> {
    use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};
    use std::io::Write;
    let written =
        memfd_create("case", MemfdFlags::CLOEXEC).map_err(std::io::Error::from).and_then(|memory| {
            let mut file = actum_gate::File::from(memory);
            file.write_all(bytes)?;
            let memory = OwnedFd::from(file);
            seek(&memory, SeekFrom::Start(0))?;
            Ok(memory)
        });
    written.map_err(|source| EngineError::Path { path: "stdin".into(), hint: "pass less input", source })
}

fn poured(mut file: actum_gate::File) -> std::io::Result<OwnedFd> {
    let stat = rustix::fs::fstat(&file)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => return Err(std::io::ErrorKind::IsADirectory.into()),
        FileType::Fifo => return Ok(file.into()),
        // `/dev/null`, which nothing can be done to.
        FileType::CharacterDevice if stat.st_rdev == rustix::fs::makedev(1, 3) => return Ok(file.into()),
        FileType::CharacterDevice
        | FileType::RegularFile
        | FileType::Socket
        | FileType::BlockDevice
        | FileType::Symlink
        | FileType::Unknown => {}
    }
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    // Ends with the input, or with its reader.
    std::thread::spawn(move || std::io::copy(&mut file, &mut actum_gate::File::from(writer)));
    Ok(reader)
}
