//! What can go wrong between an upper layer and a workspace.

use super::Applied;
use actum_model::path_text;
use rustix::io::Errno;

/// Why changes could not be listed, applied or put back. Paths are relative to the workspace.
#[derive(Debug, thiserror::Error)]
pub enum ChangesError {
    /// The kernel refused one step.
    #[error("cannot {doing} `{}`", path_text(path))]
    Refused { doing: &'static str, path: Vec<u8>, source: Errno },
    /// Something that is not a folder, most often a link, stands where a folder has to be passed.
    #[error("cannot open `{}`: a parent of the path is a link or a file, not a folder", path_text(path))]
    Diverted { path: Vec<u8> },
    /// The upper layer uses an overlay feature that is off in our mounts, so its contents cannot be read as written.
    #[error(
        "cannot read `{}` in the overlay's upper layer: unexpected overlay attribute `{mark}`",
        path_text(path)
    )]
    UnexpectedMark { path: Vec<u8>, mark: &'static str },
    /// Not a relative path of plain names.
    #[error("`{}` is not a valid path inside the workspace", path_text(path))]
    BadPath { path: Vec<u8> },
    /// The upper layer changed between listing and applying.
    #[error("cannot copy `{}`: it changed after it was listed", path_text(path))]
    NotAsListed { path: Vec<u8> },
    /// Somebody wanted no more of a look at a program that goes on.
    #[error("the look at what the program has written was given up")]
    GivenUp,
    /// Applying stopped; `applied` says what had been done by then and stays done.
    #[error(
        "cannot apply all changes ({} were applied before: {} created, {} modified, {} deleted)",
        applied.total(), applied.created, applied.modified, applied.deleted
    )]
    Stopped { applied: Applied, source: Box<ChangesError> },
    /// A protected file was changed, and its contents were more than is kept.
    #[error(
        "cannot restore `{}`: it was too large to back up before the run, and remains changed",
        path_text(path)
    )]
    NotKept { path: Vec<u8> },
    /// The folder at the workspace's path is another one than before the run.
    #[error("the workspace folder was replaced while the program ran")]
    RootReplaced,
    /// Runs that write directly at the same time could not find each other.
    #[error("cannot register the run in {}", path.display())]
    Register { path: std::path::PathBuf, source: std::io::Error },
}

impl ChangesError {
    /// Whether a bound of ours was met, not one of the world.
    pub fn is_over_bound(&self) -> bool {
        matches!(self, Self::Refused { source: Errno::DQUOT, .. })
    }

    /// Whether it says only that a program goes on: something vanished, became something else, or grew shorter.
    pub(super) fn is_of_a_moving_tree(&self) -> bool {
        matches!(
            self,
            Self::Diverted { .. }
                | Self::NotAsListed { .. }
                | Self::Refused { source: Errno::NOENT | Errno::STALE | Errno::IO | Errno::INVAL, .. }
        )
    }

    /// Turns the kernel's refusal into an error that names the path, and a link in the way into its own variant.
    pub(super) fn refused(doing: &'static str, path: &[u8]) -> impl FnOnce(Errno) -> Self {
        move |source| match source {
            Errno::LOOP | Errno::NOTDIR => Self::Diverted { path: path.to_vec() },
            source => Self::Refused { doing, path: path.to_vec(), source },
        }
    }
}
