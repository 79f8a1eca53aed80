//! The extended attributes with which overlayfs marks its upper layer.

use super::ChangesError;
use super::folder::Folder;
use rustix::fs::fgetxattr;
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd};

/// Whose attributes the overlay was told to use. They are never mixed: in a mount without `userxattr` the program
/// itself can write `user.overlay.opaque`, and reading it would list deletions that nobody made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// `user.overlay.*`: mounted with `userxattr`, as in a user namespace.
    #[default]
    User,
    /// `trusted.overlay.*`: mounted by root without it.
    Trusted,
}

/// What an upper folder says about the lower folder behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opacity {
    /// The lower entries show through.
    Clear,
    /// The lower entries show through, and empty files in the upper folder may be whiteouts.
    HoldsWhiteouts,
    /// The lower entries are hidden.
    Opaque,
}

impl Marks {
    /// Reads the marks of a folder and refuses those that would make its path mean something else.
    pub(super) fn of_folder(self, folder: &Folder, path: &[u8]) -> Result<Opacity, ChangesError> {
        let refused = |source| ChangesError::refused("read the overlay attributes of", path)(source);
        let folder = folder.reading().map_err(refused)?;
        let folder = folder.as_fd();
        self.refuse(folder, path, [("user.overlay.redirect", "trusted.overlay.redirect")])?;
        match self.value(folder, ("user.overlay.opaque", "trusted.overlay.opaque")).map_err(refused)? {
            Some(b'y') => Ok(Opacity::Opaque),
            Some(b'x') => Ok(Opacity::HoldsWhiteouts),
            Some(_) | None => Ok(Opacity::Clear),
        }
    }

    /// Refuses a file whose contents are not in the upper layer.
    pub(super) fn check_file(self, file: BorrowedFd<'_>, path: &[u8]) -> Result<(), ChangesError> {
        let metacopy = ("user.overlay.metacopy", "trusted.overlay.metacopy");
        let redirect = ("user.overlay.redirect", "trusted.overlay.redirect");
        self.refuse(file, path, [metacopy, redirect])
    }

    /// Whether an empty file is a whiteout; only asked in a folder that [`Opacity::HoldsWhiteouts`].
    pub(super) fn is_whiteout(self, file: BorrowedFd<'_>, path: &[u8]) -> Result<bool, ChangesError> {
        let value = self.value(file, ("user.overlay.whiteout", "trusted.overlay.whiteout"));
        Ok(value.map_err(ChangesError::refused("read the overlay attributes of", path))?.is_some())
    }

    fn refuse<const N: usize>(
        self,
        fd: BorrowedFd<'_>,
        path: &[u8],
        marks: [(&'static str, &'static str); N],
    ) -> Result<(), ChangesError> {
        for mark in marks {
            let value = self.value(fd, mark);
            if value.map_err(ChangesError::refused("read the overlay attributes of", path))?.is_some() {
                return Err(ChangesError::UnexpectedMark { path: path.to_vec(), mark: self.choose(mark) });
            }
        }
        Ok(())
    }

    fn choose(self, (user, trusted): (&'static str, &'static str)) -> &'static str {
        match self {
            Self::User => user,
            Self::Trusted => trusted,
        }
    }

    /// The first byte of the mark (0 when it is empty or longer than any opacity), or `None` when it is absent.
    fn value(self, fd: BorrowedFd<'_>, mark: (&'static str, &'static str)) -> rustix::io::Result<Option<u8>> {
        let mut value = [0u8; 1];
        match fgetxattr(fd, self.choose(mark), &mut value[..]) {
            Ok(_) | Err(Errno::RANGE) => Ok(Some(value[0])),
            // A file system without extended attributes cannot hold marks either.
            Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
