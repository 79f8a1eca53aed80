//! Whether an entry of the upper layer says anything that the lower layer does not.

use super::reach::Entry;
use super::{ChangesError, CollectRules, copy};
use rustix::fs::FileType;
use std::os::fd::AsFd;

/// By length, which a sparse file inflates, and by blocks, which space allocated beyond the end inflates.
pub(super) fn is_too_large(entry: &Entry, rules: &CollectRules) -> bool {
    let allocated = (entry.stat.st_blocks as u64).saturating_mul(512);
    (entry.stat.st_size as u64).max(allocated) > rules.max_file.0
}

/// Whether the upper entry is a mere copy of the lower one, as far as `room` lets files be read. Refuses a file that is not really
/// in the upper layer.
pub(super) fn is_same(
    path: &[u8],
    above: &Entry,
    below: Option<&Entry>,
    rules: &CollectRules,
    room: &mut u64,
) -> Result<bool, ChangesError> {
    if above.kind() == FileType::RegularFile {
        let file = above.open().map_err(ChangesError::refused("open", path))?;
        rules.marks.check_file(file.as_fd(), path)?;
    }
    let Some(below) = below.filter(|below| below.kind() == above.kind()) else { return Ok(false) };
    let same = match above.kind() {
        FileType::Symlink => above.target().and_then(|target| Ok(target == below.target()?)),
        FileType::RegularFile if is_too_large(above, rules) => Ok(false),
        FileType::RegularFile => is_same_file(above, below, room),
        FileType::Directory | FileType::Fifo | FileType::Socket => Ok(above.mode() == below.mode()),
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
            Ok(above.mode() == below.mode() && above.stat.st_rdev == below.stat.st_rdev)
        }
    };
    same.map_err(ChangesError::refused("compare", path))
}

/// The cheap questions first.
fn is_same_file(above: &Entry, below: &Entry, room: &mut u64) -> rustix::io::Result<bool> {
    let alike = above.mode() == below.mode() && above.stat.st_size == below.stat.st_size;
    if alike { copy::is_equal(above, below, room) } else { Ok(false) }
}
