//! Folders in which programs have run before: what lies there may be their work, whoever owns it.
//!
//! One file with a path after another, each ended by a NUL byte. A run adds its workspace and the folders that it may
//! write. It is read where a tool is looked for, or a runtime outside the system's folders is shown.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const LIST: &str = "written";
/// A list above this is written anew, without folders that are gone.
const LONG: usize = 64 << 10;
/// Nothing of ours is longer.
const LONGEST: u64 = 16 << 20;

/// Adds folders to the list in our cache. A list that cannot be written is left: then no environment can be prepared either.
pub fn note_written(cache: &Path, folders: &[&Path]) {
    let (list, known) = (&cache.join(LIST), read(cache));
    let real = |folder: &&Path| folder.canonicalize().ok();
    let mut new: Vec<PathBuf> = folders.iter().filter_map(real).filter(|one| !known.contains(one)).collect();
    new.dedup();
    if new.is_empty() {
        return;
    }
    let size: usize = known.iter().map(|path| path.as_os_str().len() + 1).sum();
    let _ = if size > LONG { rewrite(list, known, &new) } else { append(list, &new) };
}

/// Every folder that was noted in a cache.
pub(super) fn read(cache: &Path) -> Vec<PathBuf> {
    let mut bytes = Vec::new();
    let opened = OpenOptions::new().read(true).custom_flags(NOT_A_LINK).open(cache.join(LIST));
    if opened.and_then(|file| file.take(LONGEST).read_to_end(&mut bytes)).is_err() {
        return Vec::new();
    }
    let whole = bytes.split(|byte| *byte == 0).filter(|path| path.starts_with(b"/"));
    whole.map(|path| PathBuf::from(std::ffi::OsString::from_vec(path.to_vec()))).collect()
}

const NOT_A_LINK: i32 = (rustix::fs::OFlags::NOFOLLOW.bits() | rustix::fs::OFlags::NONBLOCK.bits()) as i32;

fn append(list: &Path, new: &[PathBuf]) -> std::io::Result<()> {
    let open = || {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600).custom_flags(NOT_A_LINK).open(list)
    };
    let mut file = open().or_else(|_| {
        let folder = list.parent().unwrap_or(list);
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        open()
    })?;
    // One write: two runs that begin at once do not mix their paths.
    file.write_all(&lines(new))
}

fn rewrite(list: &Path, known: Vec<PathBuf>, new: &[PathBuf]) -> std::io::Result<()> {
    let mut kept: Vec<PathBuf> = known.into_iter().filter(|folder| folder.is_dir()).collect();
    kept.extend_from_slice(new);
    let draft = list.with_extension(actum_gate::own::draft_name());
    let _ = std::fs::remove_file(&draft);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(&lines(&kept))?;
    std::fs::rename(&draft, list)
}

fn lines(folders: &[PathBuf]) -> Vec<u8> {
    folders.iter().flat_map(|folder| [folder.as_os_str().as_bytes(), b"\0"].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_noted_once_and_long_lists_lose_what_is_gone() {
        let world = tempfile::tempdir().unwrap();
        let root = world.path().canonicalize().unwrap();
        let (cache, one) = (root.join("cache"), root.join("one\nline"));
        std::fs::create_dir(&one).unwrap();
        note_written(&cache, &[&one, &root]);
        note_written(&cache, &[&one, &root.join("nowhere")]);
        assert_eq!(read(&cache), [one.clone(), root.clone()]);
        let gone: Vec<PathBuf> = (0..4000).map(|number| root.join(format!("gone-{number:030}"))).collect();
        append(&cache.join(LIST), &gone).unwrap();
        let two = root.join("two");
        std::fs::create_dir(&two).unwrap();
        note_written(&cache, &[&two]);
        assert_eq!(read(&cache), [one, root, two]);
    }
}
